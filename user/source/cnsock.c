// SPDX-License-Identifier: MIT
#include "source/cnsock.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/cn_proc.h>
#include <linux/connector.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "source/cnproc.h"

#define ACK_TIMEOUT_NS NSEC_PER_SEC

/* Inode numbers of the initial namespaces: fixed, include/linux/proc_ns.h. */
#define USER_NS_INIT_INO 0xEFFFFFFDU
#define PID_NS_INIT_INO 0xEFFFFFFCU

/* Kernels from 6.6 on; Debian 12's header is older. */
struct narrowed_input {
	uint32_t mcast_op, event_type;
};

/* What we say to the guardian. */
#define SAY_LISTENING 'L'

static int op_send(int fd, const void *op, uint16_t len)
{
	char buf[NLMSG_SPACE(sizeof(struct cn_msg) + sizeof(struct narrowed_input))]
		__attribute__((aligned(NLMSG_ALIGNTO))) = { 0 };
	struct nlmsghdr nl = { .nlmsg_len = (uint32_t)NLMSG_LENGTH(sizeof(struct cn_msg) + len),
			       .nlmsg_type = NLMSG_DONE };
	struct cn_msg cn = { .id = { CN_IDX_PROC, CN_VAL_PROC },
			     .ack = (uint32_t)getpid(),
			     .len = len };

	memcpy(buf, &nl, sizeof(nl));
	memcpy(buf + NLMSG_HDRLEN, &cn, sizeof(cn));
	memcpy(buf + NLMSG_HDRLEN + sizeof(cn), op, len);
	return send(fd, buf, nl.nlmsg_len, 0) < 0 ? -errno : 0;
}

static int mcast_send(int fd, enum proc_cn_mcast_op op)
{
	uint32_t word = (uint32_t)op;

	return op_send(fd, &word, sizeof(word));
}

/* ---- guardian --------------------------------------------------------------------------------- */

/* Waits until the pipe ends: then our parent is gone without having killed us. */
static void guardian_run(int fd, int sock)
{
	bool listening = false;
	char said;

	signal(SIGINT, SIG_IGN);
	signal(SIGTERM, SIG_IGN);
	signal(SIGHUP, SIG_IGN);
	prctl(PR_SET_NAME, "proctrace-guard");
	for (;;) {
		ssize_t n = read(fd, &said, 1);

		if (n < 0 && errno == EINTR)
			continue;
		if (n == 1 && said == SAY_LISTENING) {
			listening = true;
			continue;
		}
		if (n == 0 && listening)
			mcast_send(sock, PROC_CN_MCAST_IGNORE);
		_exit(0);
	}
}

/* The guardian must hold nothing else of ours: a pipe's end kept open here would hide our death. */
static void close_all_but(int a, int b)
{
	unsigned low = (unsigned)(a < b ? a : b), high = (unsigned)(a < b ? b : a);

	if (low > 0)
		close_range(0, low - 1, 0);
	if (high > low + 1)
		close_range(low + 1, high - 1, 0);
	close_range(high + 1, ~0U, 0);
}

static int guardian_start(struct cnsock *s)
{
	int fds[2];
	pid_t pid;

	if (pipe2(fds, O_CLOEXEC))
		return -errno;
	pid = fork();
	if (pid < 0) {
		int err = -errno;

		close(fds[0]);
		close(fds[1]);
		return err;
	}
	if (pid == 0) {
		setpgid(0, 0); /* out of the terminal's reach */
		close_all_but(fds[0], s->fd);
		guardian_run(fds[0], s->fd);
	}
	close(fds[0]);
	s->guardian_fd = fds[1];
	s->guardian_pid = pid;
	return 0;
}

static void guardian_tell(const struct cnsock *s)
{
	const char what = SAY_LISTENING;

	if (s->guardian_fd >= 0 && write(s->guardian_fd, &what, 1) != 1)
		return; /* killed: nobody will stand in for us, and nothing can be done about it */
}

/* Killed, not asked to go: it may have been stopped. Before the pipe ends, for that would be its sign. */
static void guardian_end(struct cnsock *s)
{
	if (s->guardian_fd < 0)
		return;
	kill(s->guardian_pid, SIGKILL);
	waitpid(s->guardian_pid, NULL, 0);
	close(s->guardian_fd);
	s->guardian_fd = -1;
}

/* ---- open ------------------------------------------------------------------------------------- */

static bool in_initial_ns(const char *path, ino_t initial)
{
	struct stat st;

	return stat(path, &st) || st.st_ino == initial;
}

static int user_ns_explain(int err, struct err *e)
{
	return err_set(e, err,
		       "the proc connector answers only in the initial user namespace, and this is "
		       "another one (a container?): run it on the host");
}

static int open_explain(int err, struct err *e)
{
	/* Root of a namespace of his own: sudo would not help. */
	if ((err == -EPERM || err == -EACCES) && geteuid() == 0 &&
	    !in_initial_ns("/proc/self/ns/user", USER_NS_INIT_INO))
		return user_ns_explain(err, e);
	if (err == -EPROTONOSUPPORT)
		return err_set(e, err,
			       "the kernel has no netlink connector (CONFIG_CONNECTOR, "
			       "CONFIG_PROC_EVENTS): "
			       "use the bpf source");
	if (err == -EPERM || err == -EACCES)
		return err_set(e, err,
			       "subscribing to the proc connector needs root (or CAP_NET_ADMIN): "
			       "run it with sudo");
	return err_set(e, err, "cannot open a proc connector socket: %s", strerror(-err));
}

void cnsock_resize(const struct cnsock *s, size_t bytes)
{
	/* The kernel doubles what it is told. */
	int half = bytes / 2 > INT32_MAX / 2 ? INT32_MAX / 2 : (int)(bytes / 2);

	if (setsockopt(s->fd, SOL_SOCKET, SO_RCVBUFFORCE, &half, sizeof(half)))
		setsockopt(s->fd, SOL_SOCKET, SO_RCVBUF, &half, sizeof(half));
}

static void rcvbuf_set(struct cnsock *s, size_t bytes)
{
	int real = 0;
	socklen_t len = sizeof(real);

	cnsock_resize(s, bytes);
	if (!getsockopt(s->fd, SOL_SOCKET, SO_RCVBUF, &real, &len))
		s->rcvbuf = (size_t)real;
}

int cnsock_open(struct cnsock *s, size_t rcvbuf, struct err *e)
{
	struct sockaddr_nl addr = { .nl_family = AF_NETLINK, .nl_groups = CN_IDX_PROC };
	int one = 1, err;

	*s = (struct cnsock){ .guardian_fd = -1 };
	s->fd = socket(AF_NETLINK, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_CONNECTOR);
	if (s->fd < 0)
		return open_explain(-errno, e);
	/* Without it, one overflow makes the kernel drop all until the queue is empty. */
	setsockopt(s->fd, SOL_NETLINK, NETLINK_NO_ENOBUFS, &one, sizeof(one));
	rcvbuf_set(s, rcvbuf);
	/* Where others listen, we get events from here on. None may be dropped unseen, or take the place of
	 * our acknowledgement. */
	cnsock_resize(s, CNSOCK_RCVBUF_WIDE);
	if (bind(s->fd, (struct sockaddr *)&addr, sizeof(addr))) {
		err = open_explain(-errno, e);
		goto close_socket;
	}
	err = guardian_start(s);
	if (err) {
		err_set(e, err, "cannot fork: %s", strerror(-err));
		goto close_socket;
	}
	return 0;

close_socket:
	close(s->fd);
	s->fd = -1;
	return err;
}

/* ---- subscription ----------------------------------------------------------------------------- */

static int silence_explain(struct err *e)
{
	if (!in_initial_ns("/proc/self/ns/user", USER_NS_INIT_INO))
		return user_ns_explain(-ENOTSUP, e);
	if (!in_initial_ns("/proc/self/ns/pid", PID_NS_INIT_INO))
		return err_set(
			e, -ENOTSUP,
			"the proc connector answers only in the initial pid namespace, and this is "
			"another one (a container?): run it on the host");
	return err_set(
		e, -ENOTSUP,
		"the proc connector does not answer: the kernel was built without "
		"CONFIG_PROC_EVENTS, or some program has ended more subscriptions than it began "
		"(then only a reboot helps); use the bpf source");
}

static int listen_explain(int err, struct err *e)
{
	if (err == -ECONNREFUSED)
		return err_set(e, err,
			       "the proc connector exists only in the initial network namespace, "
			       "and this is "
			       "another one (a container?): run it on the host");
	return open_explain(err, e);
}

/* Reads what is queued; returns 1 when our acknowledgement was among it, with its errno in @ack_err. */
static int ack_look(struct cnsock *s, cnsock_message_fn fn, void *ctx, int *ack_err)
{
	char buf[256];
	struct sockaddr_nl from;
	struct cnproc_msg m;
	socklen_t fromlen;
	ssize_t n;

	for (;;) {
		fromlen = sizeof(from);
		n = recvfrom(s->fd, buf, sizeof(buf), MSG_DONTWAIT, (struct sockaddr *)&from,
			     &fromlen);
		if (n < 0)
			return 0;
		fn(ctx, buf, (size_t)n, from.nl_pid);
		if (from.nl_pid == 0 && !cnproc_parse(buf, (size_t)n, &m) &&
		    m.what == PROC_EVENT_NONE && m.ack == (uint32_t)getpid() + 1) {
			*ack_err = (int)m.ack_err;
			return 1;
		}
	}
}

int cnsock_listen(struct cnsock *s, cnsock_message_fn fn, void *ctx, struct err *e)
{
	uint64_t deadline = clock_now_ns() + ACK_TIMEOUT_NS;
	struct pollfd p = { .fd = s->fd, .events = POLLIN };
	int err, ack_err = 0;

	guardian_tell(s);
	s->listening = true;
	err = mcast_send(s->fd, PROC_CN_MCAST_LISTEN);
	if (err) {
		s->listening = false;
		return listen_explain(err, e);
	}
	while (!ack_look(s, fn, ctx, &ack_err)) {
		uint64_t now = clock_now_ns();

		if (now >= deadline)
			return silence_explain(e);
		poll(&p, 1, (int)((deadline - now) / NSEC_PER_MSEC) + 1);
	}
	return ack_err ? listen_explain(-ack_err, e) : 0;
}

int cnsock_narrow(struct cnsock *s, uint32_t events)
{
	struct narrowed_input in = { .mcast_op = PROC_CN_MCAST_LISTEN, .event_type = events };

	return op_send(s->fd, &in, sizeof(in));
}

void cnsock_ignore(struct cnsock *s)
{
	if (s->fd >= 0 && s->listening)
		mcast_send(s->fd, PROC_CN_MCAST_IGNORE);
	s->listening = false;
}

int cnsock_meminfo(const struct cnsock *s, uint64_t *drops, uint64_t *used)
{
	uint32_t info[SK_MEMINFO_VARS] = { 0 };
	socklen_t len = sizeof(info);

	if (getsockopt(s->fd, SOL_SOCKET, SO_MEMINFO, info, &len))
		return -errno;
	*drops = info[SK_MEMINFO_DROPS];
	*used = info[SK_MEMINFO_RMEM_ALLOC];
	return 0;
}

void cnsock_close(struct cnsock *s)
{
	cnsock_ignore(s);
	guardian_end(s);
	if (s->fd >= 0)
		close(s->fd);
	s->fd = -1;
}
