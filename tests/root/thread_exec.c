// SPDX-License-Identifier: MIT
/* thread_exec PROGRAM: a thread that is not the leader executes PROGRAM. */
#include <pthread.h>
#include <unistd.h>

static void *run(void *path)
{
	execl(path, path, (char *)NULL);
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t thread;

	if (argc != 2 || pthread_create(&thread, NULL, run, argv[1]))
		return 1;
	pthread_join(thread, NULL);
	return 1;
}
