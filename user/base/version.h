/* SPDX-License-Identifier: MIT */
#ifndef PT_BASE_VERSION_H
#define PT_BASE_VERSION_H
#define PROCTRACE_VERSION "0.1.0"
#endif
