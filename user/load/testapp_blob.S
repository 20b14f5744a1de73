/* SPDX-License-Identifier: MIT */
/* The target of the load generator, as built by the Makefile, as bytes in the binary. */
	.section .rodata
	.globl testapp_start
	.globl testapp_end
	.balign 16
testapp_start:
	.incbin "testapp"
testapp_end:
	.section .note.GNU-stack, "", %progbits
