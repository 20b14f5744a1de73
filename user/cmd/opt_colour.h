/* SPDX-License-Identifier: MIT */
/* opt_colour: --color, the same for every command that prints tables: a row for its table of options. */
#ifndef PT_CMD_OPT_COLOUR_H
#define PT_CMD_OPT_COLOUR_H

#include "base/opt.h"
#include "report/text.h"

/* The member is an int: enum text_colour. */
#define OPT_COLOUR(type, member)                                                           \
	{                                                                                  \
		.name = "color", .arg = "WHEN", .parse = opt_choice,                       \
		.offset = offsetof(type, member), .data = text_colour_names,               \
		.help = "auto, always or never (default: auto: on a terminal, if neither " \
			"NO_COLOR nor TERM=dumb is set)"                                   \
	}

#endif
