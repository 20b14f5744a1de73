/* SPDX-License-Identifier: MIT */
/* tty: single keys from the terminal, and its width. The command's thread. */
#ifndef PT_BASE_TTY_H
#define PT_BASE_TTY_H

#include <stdbool.h>

/* Takes keys one by one, without echo, if stdin is a terminal and we are in its foreground; the
 * terminal is restored at exit and while suspended by Ctrl-Z.
 * Returns whether keys can come. */
bool tty_keys_start(void);
/* The next key, or -1: none waits. Does not block. */
int tty_key(void);
/* Gives the terminal back as it was. Safe without a start. */
void tty_keys_stop(void);
/* Columns of the terminal on @fd; 0: @fd is none. */
unsigned tty_width(int fd);

#endif
