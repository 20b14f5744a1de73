// SPDX-License-Identifier: MIT
/*
 * testapp: the smallest program there is to launch: no libc, one page. What a launch costs is then the
 * kernel's work alone: a glibc program executes dozens of CPUID instructions at start, each of which
 * traps in a virtual machine.
 *
 *     testapp [STATUS [NS [s]]]
 *
 * exits with STATUS, in decimal (0), NS nanoseconds after its start (at once): until then it looks at the
 * clock again and again or, with s, sleeps.
 */

void testapp_main(const long *stack) __attribute__((noreturn, used));

/* As the kernel has it on 64-bit machines. */
struct time {
	long s, ns;
};

#define CLOCK_MONOTONIC 1
#define TIMER_ABSTIME 1

#if defined(__x86_64__)

#define NR_EXIT_GROUP 231L
#define NR_CLOCK_GETTIME 228L
#define NR_CLOCK_NANOSLEEP 230L

__asm__(".globl _start\n"
	"_start:\n"
	"	mov %rsp, %rdi\n"
	"	jmp testapp_main\n");

static inline long call(long nr, long a, long b, const void *c, void *d)
{
	register void *r10 __asm__("r10") = d;
	long ret;

	__asm__ volatile("syscall"
			 : "=a"(ret)
			 : "a"(nr), "D"(a), "S"(b), "d"(c), "r"(r10)
			 : "rcx", "r11", "memory");
	return ret;
}

#elif defined(__aarch64__)

#define NR_EXIT_GROUP 94L
#define NR_CLOCK_GETTIME 113L
#define NR_CLOCK_NANOSLEEP 115L

__asm__(".globl _start\n"
	"_start:\n"
	"	mov x0, sp\n"
	"	b testapp_main\n");

static inline long call(long nr, long a, long b, const void *c, void *d)
{
	register long x8 __asm__("x8") = nr;
	register long x0 __asm__("x0") = a;
	register long x1 __asm__("x1") = b;
	register const void *x2 __asm__("x2") = c;
	register void *x3 __asm__("x3") = d;

	__asm__ volatile("svc #0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2), "r"(x3) : "memory");
	return x0;
}

#else
#error "testapp is written for x86-64 and arm64"
#endif

#define NS_PER_S 1000000000

static long number(const char *p)
{
	long n = 0;

	for (; *p; p++)
		n = n * 10 + (*p - '0');
	return n;
}

static struct time now(void)
{
	struct time t;

	call(NR_CLOCK_GETTIME, CLOCK_MONOTONIC, (long)&t, 0, 0);
	return t;
}

static void live(long ns, int sleeps)
{
	const struct time start = now();
	struct time until = { start.s + ns / NS_PER_S, start.ns + ns % NS_PER_S }, t = start;

	if (until.ns >= NS_PER_S) {
		until.s++;
		until.ns -= NS_PER_S;
	}
	if (sleeps)
		call(NR_CLOCK_NANOSLEEP, CLOCK_MONOTONIC, TIMER_ABSTIME, &until, 0);
	else
		while (t.s < until.s || (t.s == until.s && t.ns < until.ns))
			t = now();
}

/* @stack: as the kernel leaves it: argc, argv[0], argv[1], … */
void testapp_main(const long *stack)
{
	const char *const *argv = (const char *const *)(stack + 1);
	const long argc = stack[0];

	if (argc > 2)
		live(number(argv[2]), argc > 3);
	for (;;)
		call(NR_EXIT_GROUP, argc > 1 ? number(argv[1]) : 0, 0, 0, 0);
}
