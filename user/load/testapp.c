// SPDX-License-Identifier: MIT
/*
 * testapp: the smallest program there is to launch: no libc, one page, exits with the status given in
 * decimal as its first argument, 0 without one. What a launch costs is then the kernel's work alone:
 * a glibc program executes dozens of CPUID instructions at start, each of which traps in a virtual machine.
 */

void testapp_main(const long *stack) __attribute__((noreturn, used));

#if defined(__x86_64__)

__asm__(".globl _start\n"
	"_start:\n"
	"	mov %rsp, %rdi\n"
	"	jmp testapp_main\n");

static inline void exit_group(long status)
{
	__asm__ volatile("syscall" : : "a"(231L), "D"(status) : "rcx", "r11", "memory");
}

#elif defined(__aarch64__)

__asm__(".globl _start\n"
	"_start:\n"
	"	mov x0, sp\n"
	"	b testapp_main\n");

static inline void exit_group(long status)
{
	register long nr __asm__("x8") = 94;
	register long arg __asm__("x0") = status;

	__asm__ volatile("svc #0" : "+r"(arg) : "r"(nr) : "memory");
}

#else
#error "testapp is written for x86-64 and arm64"
#endif

/* @stack: as the kernel leaves it: argc, argv[0], argv[1], … */
void testapp_main(const long *stack)
{
	long status = 0;

	if (stack[0] > 1)
		for (const char *p = (const char *)stack[2]; *p; p++)
			status = status * 10 + (*p - '0');
	for (;;)
		exit_group(status);
}
