// SPDX-License-Identifier: MIT
/*
 * Whether the kernel's proc connector has listeners: binds the group without subscribing and starts one
 * process. Who merely binds receives events only while somebody else is subscribed, or while a
 * subscription was left behind. Prints "yes" or "no".
 */
#include <linux/cn_proc.h>
#include <linux/connector.h>
#include <linux/netlink.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

int main(void)
{
	struct sockaddr_nl addr = { .nl_family = AF_NETLINK, .nl_groups = CN_IDX_PROC };
	int fd = socket(AF_NETLINK, SOCK_DGRAM, NETLINK_CONNECTOR), heard = 0;
	struct pollfd p = { .fd = fd, .events = POLLIN };
	char buf[256];
	pid_t pid;

	if (fd < 0 || bind(fd, (struct sockaddr *)&addr, sizeof(addr))) {
		perror("proc connector");
		return 1;
	}
	pid = fork();
	if (pid == 0)
		_exit(0);
	waitpid(pid, NULL, 0);
	while (!heard && poll(&p, 1, 300) > 0) {
		unsigned what;

		/* Acknowledgements of others (what == 0) say nothing. */
		if (recv(fd, buf, sizeof(buf), 0) < 40)
			continue;
		memcpy(&what, buf + 36, sizeof(what));
		heard = what != 0;
	}
	puts(heard ? "yes" : "no");
	return 0;
}
