/* SPDX-License-Identifier: MIT */
/* inherit: makes good what whoever started us may have left in a state that spoils our work. */
#ifndef PT_BASE_INHERIT_H
#define PT_BASE_INHERIT_H

/*
 * Takes the place of a standard descriptor that is closed, so that no file, socket or map of ours gets
 * its number and then what is printed: writing to it fails as before. A limit to the size of files is an
 * error of write(2) from now on, not the end of the program. And children that end can be waited for,
 * where SIGCHLD was ignored.
 */
void inherit_repair(void);

#endif
