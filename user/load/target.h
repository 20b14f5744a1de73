/* SPDX-License-Identifier: MIT */
/* target: what is launched, and the temporary folder with the copies of testApp. Internal to load/. */
#ifndef PT_LOAD_TARGET_H
#define PT_LOAD_TARGET_H

#include "load/pool.h"

#define TARGET_APP "testApp"
#define TARGET_PATH_MAX (POOL_DIR_MAX + 16)
#define TARGET_LIFETIME_MAX 21

/* 0 if p->target can be executed, or -errno and why not. */
int target_check(const struct pool *p, struct err *e);
/*
 * Makes p->dir in the first folder that programs can be run from, with testApp, testApp1, … in it.
 * Removes what owners that are dead left there. @lock_fd gets a descriptor: the folder counts as owned as long
 * as it is open. 0, or -errno and a sentence. What was made is removed by target_remove(), whatever happens.
 */
int target_prepare(struct pool *p, int *lock_fd, struct err *e);
/* Removes the folder if there is one. */
void target_remove(const char *dir);

/* The comm of what @s launches is truth.name[s->name - 1]; this fills those names. */
unsigned target_names(const struct pool *p, char names[TRUTH_MAX_NAMES][16]);
/* Which of them @s uses: 1… */
uint32_t target_name_of(const struct pool *p, unsigned slot);
/* What @s executes. @buf holds the text if it is one of our copies. */
const char *target_path(const struct pool *p, const struct pool_slot *s, char buf[TARGET_PATH_MAX]);
/* What this run launches instead of testApp; NULL: nothing. */
const char *target_of_run(const struct pool *p);
/* Finds or makes the program that @target stands for; "": the pool's. 0, or -errno and a sentence. */
int stock_path(const struct pool *p, enum load_target target, char *path, size_t size,
	       struct err *e);
/* The arguments of testApp after its status, NULL behind them: how long the run wants it to live. */
void target_lifetime(const struct pool *p, char text[TARGET_LIFETIME_MAX], char *argv[3]);

#endif
