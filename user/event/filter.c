// SPDX-License-Identifier: MIT
#include "event/filter.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "base/signame.h"
#include "event/cgroup.h"
#include "event/pidset.h"

struct filter filter_any(void)
{
	return (struct filter){ .kinds = EV_MASK_ALL, .pidns = EV_NO_PIDNS };
}

/* ---- settings --------------------------------------------------------------------------------- */

static int value_add(struct filter_values *values, uint64_t v, struct err *e)
{
	if (values->n == FILTER_MAX)
		return err_set(e, -EINVAL, "too many values: at most %d of one kind", FILTER_MAX);
	values->v[values->n++] = v;
	return 0;
}

int filter_add_id(struct filter *f, enum filter_id which, enum filter_sense sense, uint64_t id,
		  struct err *e)
{
	return value_add(&f->id[which][sense], id, e);
}

static int cgroup_add(struct filter *f, enum filter_sense sense, const struct cgroup *c,
		      struct err *e)
{
	if (c->level > f->cgroup_depth)
		f->cgroup_depth = c->level;
	return filter_add_id(f, FILTER_CGROUP, sense, c->id, e);
}

int filter_add_cgroup(struct filter *f, enum filter_sense sense, const char *path, struct err *e)
{
	struct cgroup c;
	int r = cgroup_by_path(path, &c, e);

	return r ? r : cgroup_add(f, sense, &c, e);
}

int filter_add_container(struct filter *f, enum filter_sense sense, const char *id, struct err *e)
{
	struct cgroup c;
	int r = cgroup_by_container(id, &c, e);

	return r ? r : cgroup_add(f, sense, &c, e);
}

int filter_add_text(struct filter *f, enum filter_text which, enum filter_sense sense,
		    const char *text, struct err *e)
{
	if (which == FILTER_NAME && strlen(text) >= sizeof(((struct event *)0)->comm))
		return err_set(e, -EINVAL,
			       "'%.64s' is too long: the kernel keeps 15 bytes of a name", text);
	if (!needles_add(&f->text[which][sense], text))
		return err_set(e, -EINVAL,
			       "'%.64s' is too much: all texts of one kind may have %d bytes "
			       "together",
			       text, NEEDLES_MAX);
	return 0;
}

int filter_set_regex(struct filter *f, enum filter_sense sense, const char *regex, struct err *e)
{
	char why[128];
	int r;

	if (f->regex[sense])
		return err_set(e, -EINVAL,
			       "'%.64s': there is one already, which can hold alternatives: a|b",
			       regex);
	f->regex[sense] = calloc(1, sizeof(*f->regex[sense]));
	if (!f->regex[sense])
		return err_set(e, -ENOMEM, "out of memory");
	r = regcomp(f->regex[sense], regex, REG_EXTENDED | REG_NOSUB);
	if (!r)
		return 0;
	regerror(r, f->regex[sense], why, sizeof(why));
	free(f->regex[sense]);
	f->regex[sense] = NULL;
	return err_set(e, -EINVAL, "'%.64s' is no extended regular expression: %s", regex, why);
}

int filter_add_follow(struct filter *f, enum filter_sense sense, pid_t pid, struct err *e)
{
	return value_add(&f->follow[sense], (uint64_t)pid, e);
}

static void bit_set(uint64_t *set, unsigned bit)
{
	set[bit / 64] |= 1ULL << bit % 64;
}

static bool bit_has(const uint64_t *set, unsigned bit)
{
	return set[bit / 64] >> bit % 64 & 1;
}

/* The number of the signal "SIGTERM" or "TERM"; 0: there is none. */
static unsigned signal_number(const char *text)
{
	char name[SIGNAME_MAX];

	for (unsigned sig = 1; sig < 65; sig++) {
		signame_format(name, (int)sig);
		if (!strcmp(name, text) || (!strncmp(name, "SIG", 3) && !strcmp(name + 3, text)))
			return sig;
	}
	return 0;
}

int filter_add_status(struct filter *f, const char *text, struct err *e)
{
	unsigned sig = signal_number(text);
	char *end;
	unsigned long code;

	f->by_status = true;
	if (!strcmp(text, "nonzero")) {
		memset(f->exit_codes, 0xff, sizeof(f->exit_codes));
		memset(f->exit_signals, 0xff, sizeof(f->exit_signals));
		f->exit_codes[0] &= ~1ULL;
		return 0;
	}
	if (sig) {
		bit_set(f->exit_signals, sig);
		return 0;
	}
	errno = 0;
	code = strtoul(text, &end, 10);
	if (errno || *end || end == text || text[0] == '-' || text[0] == '+' || code > 255)
		return err_set(e, -EINVAL,
			       "'%.64s' is no status: take nonzero, 0 to 255, or the name of a "
			       "signal such as SIGKILL",
			       text);
	bit_set(f->exit_codes, (unsigned)code);
	return 0;
}

bool filter_follows(const struct filter *f)
{
	return f->follow[FILTER_ONLY].n || f->follow[FILTER_EXCEPT].n ||
	       f->text[FILTER_PATH][FILTER_ONLY].last || f->text[FILTER_PATH][FILTER_EXCEPT].last;
}

bool filter_selects(const struct filter *f)
{
	bool any = f->pidns != EV_NO_PIDNS || f->min_duration_ns || f->by_status;

	for (int sense = 0; sense < FILTER_SENSES; sense++) {
		for (int i = 0; i < FILTER_IDS; i++)
			any |= f->id[i][sense].n > 0;
		for (int i = 0; i < FILTER_TEXTS; i++)
			any |= f->text[i][sense].last != 0;
		any |= f->regex[sense] != NULL;
	}
	return any || f->follow[FILTER_EXCEPT].n;
}

/* ---- following -------------------------------------------------------------------------------- */

/* Puts a process into the set, or takes it out; true: in. Where memory runs out, it stays out. */
static bool member_set(struct pidset *set, pid_t pid, bool in)
{
	if (in)
		return pid > 0 && !pidset_add(set, pid);
	pidset_remove(set, pid);
	return false;
}

/* Makes the set if it is not there yet. */
static struct pidset *set_get(struct pidset **set, const struct filter_values *roots)
{
	struct pidset *s = *set;

	if (s)
		return s;
	s = *set = pidset_new();
	for (unsigned i = 0; s && roots && i < roots->n; i++)
		pidset_add(s, (pid_t)roots->v[i]);
	return s;
}

/* Whether the process of @ev is in @set, which is handed from parent to child; brings it up to date. */
static bool family_match(struct pidset *set, const struct event *ev, bool rescue)
{
	const bool thread = ev->tid != EV_NO_PID && ev->tid != ev->pid;
	bool in = pidset_has(set, ev->pid);

	if (ev->kind == EV_FORK && !thread)
		/* A fork of strangers ends what an earlier owner of the pid, whose exit was lost, had left. */
		return member_set(set, ev->pid, pidset_has(set, ev->ppid));
	/* A lost fork, or an exit of the leader alone, is made up for at exec. */
	if (ev->kind == EV_EXEC && rescue && pidset_has(set, ev->ppid))
		return member_set(set, ev->pid, true);
	if (ev->kind == EV_EXIT && !thread)
		pidset_remove(set, ev->pid);
	return in;
}

static bool is_root(const struct filter_values *roots, const struct event *ev)
{
	for (unsigned i = 0; i < roots->n; i++)
		if ((pid_t)roots->v[i] == ev->pid)
			return true;
	return false;
}

static bool follow_match(struct filter *f, enum filter_sense sense, const struct event *ev)
{
	struct pidset *set = set_get(&f->followed[sense], &f->follow[sense]);

	if (!set)
		return false;
	/* Its own fork may come late; it is its parent that is not followed. */
	if (ev->kind == EV_FORK && is_root(&f->follow[sense], ev) && pidset_has(set, ev->pid))
		return true;
	return family_match(set, ev, true);
}

static bool path_match(struct filter *f, enum filter_sense sense, const struct event *ev)
{
	const struct needles *needles = &f->text[FILTER_PATH][sense];
	struct pidset *set = set_get(&f->path_fits[sense], NULL);
	bool fits;

	if (!set)
		return false;
	if (ev->kind != EV_EXEC || !ev->path.p)
		return family_match(set, ev, false);
	fits = needles_find(needles, ev->path.p, ev->path.len);
	if (!(ev->flags & EVF_EXEC_FAILED))
		member_set(set, ev->pid, fits);
	return fits;
}

/* All of them see each event, for they keep state. */
static bool families_match(struct filter *f, const struct event *ev)
{
	bool fits = true;

	for (int sense = 0; sense < FILTER_SENSES; sense++) {
		if (f->follow[sense].n)
			fits &= follow_match(f, sense, ev) == (sense == FILTER_ONLY);
		if (f->text[FILTER_PATH][sense].last)
			fits &= path_match(f, sense, ev) == (sense == FILTER_ONLY);
	}
	return fits;
}

bool filter_seed(struct filter *f, pid_t pid, pid_t ppid)
{
	bool added = false;

	for (int sense = 0; sense < FILTER_SENSES; sense++) {
		struct pidset *set;

		if (!f->follow[sense].n)
			continue;
		set = set_get(&f->followed[sense], &f->follow[sense]);
		if (set && pidset_has(set, ppid) && !pidset_has(set, pid))
			added |= !pidset_add(set, pid);
	}
	return added;
}

/* ---- matching --------------------------------------------------------------------------------- */

static bool has_value(const struct filter_values *values, uint64_t v)
{
	for (unsigned i = 0; i < values->n; i++)
		if (values->v[i] == v)
			return true;
	return false;
}

/* User space sees no hierarchy in a cgroup's id: the cgroup itself matches, those below it do not. */
static bool ids_match(const struct filter *f, const struct event *ev)
{
	const struct {
		bool known;
		uint64_t v;
	} of[FILTER_IDS] = {
		[FILTER_PID] = { ev->pid != EV_NO_PID, (uint64_t)ev->pid },
		[FILTER_PPID] = { ev->ppid != EV_NO_PID, (uint64_t)ev->ppid },
		[FILTER_UID] = { ev->uid != EV_NO_UID, ev->uid },
		[FILTER_CGROUP] = { ev->cgroup_id != EV_NO_CGROUP, ev->cgroup_id },
	};

	for (int i = 0; i < FILTER_IDS; i++) {
		const struct filter_values *only = &f->id[i][FILTER_ONLY],
					   *except = &f->id[i][FILTER_EXCEPT];

		if ((only->n || except->n) && !of[i].known)
			return false;
		if ((only->n && !has_value(only, of[i].v)) || has_value(except, of[i].v))
			return false;
	}
	return true;
}

static bool name_match(const struct filter *f, const struct event *ev)
{
	const struct needles *name = f->text[FILTER_NAME];
	size_t len = strnlen(ev->comm, sizeof(ev->comm));

	if (!name[FILTER_ONLY].last && !name[FILTER_EXCEPT].last)
		return true;
	return len &&
	       (!name[FILTER_ONLY].last || needles_find(&name[FILTER_ONLY], ev->comm, len)) &&
	       !needles_find(&name[FILTER_EXCEPT], ev->comm, len);
}

bool filter_regex_match(const struct filter *f, const struct event *ev)
{
	char comm[sizeof(ev->comm) + 1] = "";

	if (!f->regex[FILTER_ONLY] && !f->regex[FILTER_EXCEPT])
		return true;
	memcpy(comm, ev->comm, sizeof(ev->comm));
	if (f->regex[FILTER_ONLY] && (!comm[0] || regexec(f->regex[FILTER_ONLY], comm, 0, NULL, 0)))
		return false;
	return !f->regex[FILTER_EXCEPT] ||
	       (comm[0] && regexec(f->regex[FILTER_EXCEPT], comm, 0, NULL, 0));
}

static bool end_match(const struct filter *f, const struct event *ev)
{
	if (f->min_duration_ns &&
	    (ev->duration_ns == EV_NO_TIME || ev->duration_ns < f->min_duration_ns))
		return false;
	if (!f->by_status)
		return true;
	if (ev->status == EV_NO_STATUS)
		return false;
	if (WIFSIGNALED(ev->status))
		return bit_has(f->exit_signals, WTERMSIG(ev->status));
	return bit_has(f->exit_codes, WEXITSTATUS(ev->status));
}

bool filter_match(struct filter *f, const struct event *ev)
{
	return families_match(f, ev) && (f->kinds & EV_MASK(ev->kind)) && ids_match(f, ev) &&
	       name_match(f, ev) && (f->pidns == EV_NO_PIDNS || ev->pidns == f->pidns) &&
	       end_match(f, ev) && filter_regex_match(f, ev);
}

void filter_free(struct filter *f)
{
	for (int sense = 0; f && sense < FILTER_SENSES; sense++) {
		pidset_free(f->followed[sense]);
		pidset_free(f->path_fits[sense]);
		if (f->regex[sense])
			regfree(f->regex[sense]);
		free(f->regex[sense]);
		f->followed[sense] = f->path_fits[sense] = NULL;
		f->regex[sense] = NULL;
	}
}
