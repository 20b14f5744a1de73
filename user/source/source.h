/* SPDX-License-Identifier: MIT */
/*
 * source: one kernel interface (or a file) that tells of process events.
 *
 * A source turns what the kernel hands out into struct event and counts what it lost. To add one:
 * write one file with a `const struct source_ops`, add one line to the table in source.c.
 *
 * Life: open → start → drain… → stop → drain… → stats → close. open/start/stop/stats/close belong
 * to the command's thread, drain to one reader thread, stats to whoever drains or comes after.
 */
#ifndef PT_SOURCE_SOURCE_H
#define PT_SOURCE_SOURCE_H

#include <stdbool.h>

#include "base/err.h"
#include "event/filter.h"
#include "sink/sink.h"
#include "source/source_stats.h"

enum source_buffer { BUFFER_NONE, BUFFER_RING, BUFFER_SOCKET };

enum source_attach { ATTACH_AUTO, ATTACH_TP_BTF, ATTACH_RAW_TP };

struct source_cfg {
	struct filter *filter; /* borrowed; also says the kinds */
	struct sink *sink; /* borrowed; gets every event that passes */
	size_t buffer_bytes; /* ring or receive buffer asked for; 0: the source's default */
	unsigned nap_ms; /* once something has come, gather for so long before handing it over */
	bool want_path, want_args; /* EXEC strings */
	uint32_t args_max; /* bytes of argv to capture */
	bool full; /* bpf: all that struct event has room for, but for what follows */
	bool want_cwd,
		want_usage; /* bpf, with full: EXEC's directory; EXIT's CPU time and memory */
	bool want_threads; /* bpf, with full: FORK also of threads */
	bool want_failed; /* bpf, with full: EXEC also where it failed */
	pid_t ours_pgid; /* process group of the load generator (bench), else EV_NO_PID */
	int wake_fd; /* readable = drain returns at once; -1: none. Borrowed */
	enum source_attach attach; /* bpf: which kind of program */
	const char *btf; /* bpf: kernel BTF to use instead of /sys/kernel/btf/vmlinux; NULL: that */
	const char *file; /* replay: what to read */
};

/* Defaults: no filter or sink, 20 ms nap, no strings, nothing of ours, no wake_fd. */
struct source_cfg source_cfg_default(void);

struct source {
	const struct source_ops *ops;
	struct source_cfg cfg;
	void *priv;
	struct err broken; /* why drain() returned -errno, where there is more to say; else empty */
};

struct source_ops {
	const char *name; /* as in --source and in reports */
	const char *title; /* as in tables: "eBPF" */
	const char *summary; /* one line for `proctrace sources` */
	unsigned kinds; /* what it can deliver */
	bool names; /* it can say which program: comm or path at EXEC */
	bool needs_file; /* works on a file, not on this machine (replay) */
	enum source_buffer buffer; /* which option sizes its buffer */
	unsigned
		bench_kinds; /* what `bench` takes: what a monitor needs, and what auditing needs */
	/* 0 if it works here, or -errno and a sentence: what is missing and the cure. Leaves no trace. */
	int (*probe)(struct err *why);
	/* Allocates and loads; events may not flow yet. Cleans up after itself on failure. */
	int (*open)(struct source *s, struct err *e);
	/* Returns once events flow. */
	int (*start)(struct source *s, struct err *e);
	/*
	 * Waits up to @timeout_ms (-1: for ever) until something is there or wake_fd is readable or a
	 * signal came, naps cfg.nap_ms, hands over all that is ready. Returns the number of events
	 * handed over (0: none), -ENODATA at the end of a file, or -errno when the source is broken.
	 */
	int (*drain)(struct source *s, int timeout_ms);
	/* A descriptor that is readable while events wait, for poll(2). NULL: there is none. */
	int (*fd)(const struct source *s);
	/*
	 * Makes the buffer so wide that nothing is dropped any more, or gives it the size of the
	 * configuration again: `bench` wants its probes before and after the load to pass, so that the
	 * books have a beginning and an end; called between open() and start() for the first time. Any
	 * thread; NULL: cannot.
	 */
	void (*widen)(struct source *, bool wide);
	/* No new events after this; what is buffered can still be drained. May be NULL. */
	void (*stop)(struct source *s);
	void (*stats)(struct source *s, struct source_stats *out);
	/* NULL-safe in all parts, safe after a failed open. */
	void (*close)(struct source *s);
};

/* The table of sources, ended by NULL; and a search in it by name (NULL: none). */
extern const struct source_ops *const sources[];
const struct source_ops *source_find(const char *name);
/* Their names for a sentence: "bpf, netlink or replay:FILE". The command's thread. */
const char *source_names(void);

#endif
