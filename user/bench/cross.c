// SPDX-License-Identifier: MIT
#include <string.h>

#include "base/hist.h"
#include "bench/reconcile.h"

static void cross_count(struct cross *c, unsigned seen_a, unsigned seen_b)
{
	/* Forks are not for every mechanism to tell. */
	for (int k = EV_EXEC; k <= EV_EXIT; k++) {
		bool a = seen_a & EV_MASK(k), b = seen_b & EV_MASK(k);

		c->kind[k].both += a && b;
		c->kind[k].only_a += a && !b;
		c->kind[k].only_b += !a && b;
		c->kind[k].neither += !a && !b;
	}
}

void reconcile_cross(const uint8_t *seen_a, const uint64_t *ts_a, const uint8_t *seen_b,
		     const uint64_t *ts_b, size_t n, struct cross *out)
{
	struct hist diff;
	uint64_t a_first = 0;

	memset(out, 0, sizeof(*out));
	hist_init(&diff);
	for (size_t i = 0; i < n; i++) {
		cross_count(out, seen_a[i], seen_b[i]);
		if (!(seen_a[i] & seen_b[i] & EV_MASK(EV_EXEC)))
			continue;
		hist_add(&diff, ts_a[i] < ts_b[i] ? ts_b[i] - ts_a[i] : ts_a[i] - ts_b[i]);
		a_first += ts_a[i] < ts_b[i];
	}
	out->ts_n = diff.n;
	if (!diff.n)
		return;
	out->ts_p50_ns = hist_quantile(&diff, 0.50);
	out->ts_p99_ns = hist_quantile(&diff, 0.99);
	out->ts_max_ns = diff.max;
	out->a_first = (double)a_first / (double)diff.n;
}
