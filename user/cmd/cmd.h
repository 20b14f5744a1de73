/* SPDX-License-Identifier: MIT */
/* cmd: the commands; main.c lists them. Each lives in the file of its name. */
#ifndef PT_CMD_CMD_H
#define PT_CMD_CMD_H

#include "base/opt.h"

extern const struct command cmd_bench, cmd_trace, cmd_load, cmd_compare, cmd_report, cmd_sources;

#endif
