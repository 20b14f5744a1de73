// SPDX-License-Identifier: MIT
/* The reason, out of what the verifiers of several kernels write. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "source/bpf_refusal.h"

static const struct {
	const char *log, *why;
} logs[] = {
	/* 5.10 */
	{ "24: (b4) w2 = 4\n25: (bf) r3 = r6\n26: (85) call bpf_probe_read#4\n"
	  "unknown func bpf_probe_read#4\n"
	  "processed 22 insns (limit 1000000) max_states_per_insn 0 total_states 1\n",
	  "unknown func bpf_probe_read#4" },
	/* 6.1 */
	{ "688: (2c) w1 *= w2                    ; R1_w=scalar()\n689: (0f) r8 += r1\n"
	  "math between ptr_ pointer and register with unbounded min value is not allowed\n"
	  "processed 45309 insns (limit 1000000)\n",
	  "math between ptr_ pointer and register with unbounded min value is not allowed" },
	/* 7.3 */
	{ "26: (85) call bpf_probe_read#4\nprogram of this type cannot use helper "
	  "bpf_probe_read#4\n\nVerification failed: Policy: Operation is not allowed\n\nReason:\n"
	  "  The helper bpf_probe_read#4 is not allowed.\n\nSuggestion:\n  Use another.\n\n"
	  "processed 22 insns (limit 1000000)\n",
	  "The helper bpf_probe_read#4 is not allowed." },
	/* of one line; cut off; empty */
	{ "back-edge from insn 398 to 399\nprocessed 0 insns\n", "back-edge from insn 398 to 399" },
	{ "0: (79) r9 = *(u64 *)(r1 +8)", "0: (79) r9 = *(u64 *)(r1 +8)" },
	{ "", "" },
};

static void verdict_is_the_reason(void **state)
{
	char why[256];

	(void)state;
	for (size_t i = 0; i < sizeof(logs) / sizeof(logs[0]); i++) {
		bpf_refusal_verdict(logs[i].log, why, sizeof(why));
		assert_string_equal(why, logs[i].why);
	}
}

static void verdict_fits(void **state)
{
	char why[8];

	(void)state;
	bpf_refusal_verdict(logs[0].log, why, sizeof(why));
	assert_string_equal(why, "unknown");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(verdict_is_the_reason),
		cmocka_unit_test(verdict_fits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
