/* SPDX-License-Identifier: MIT */
/* field_macros: lines of a table of struct field, for the files that hold such tables. */
#ifndef PT_REPORT_FIELD_MACROS_H
#define PT_REPORT_FIELD_MACROS_H

#include "report/fields.h"

#define AT(type, member) .offset = offsetof(type, member)
#define PLAIN(type, kind, member)               \
	{                                       \
#member, kind, AT(type, member) \
	}
#define NAMED(type, kind, member, name)      \
	{                                    \
		name, kind, AT(type, member) \
	}
#define TEXT(type, member)                                                                 \
	{                                                                                  \
#member, FIELD_TEXT, AT(type, member), .size = sizeof(((type *)0)->member) \
	}
#define END                 \
	{                   \
		.key = NULL \
	}
/* A key that reports of earlier versions do not have. */
#define LATER(type, kind, member)                                 \
	{                                                         \
#member, kind, AT(type, member), .optional = true \
	}
#define LATER_TEXT(type, member)                                                            \
	{                                                                                   \
#member, FIELD_TEXT, AT(type, member), .size = sizeof(((type *)0)->member), \
						       .optional = true                     \
	}

#endif
