// SPDX-License-Identifier: GPL-2.0-only
/* Copyright 2026 The rknpu-ork authors */

/* ork top on a terminal: it is refreshed in place, q and signals end it, and the terminal is as before. */

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>
#include <utmp.h>

#include "kselftest_harness.h"

#define WAIT_MS 30000

FIXTURE(terminal)
{
	int master, slave;
	pid_t pid;
	char seen[65536];
	size_t length;
};

/* The emulated board has no devpts yet. */
static int open_terminal(int *master, int *slave)
{
	if (!openpty(master, slave, NULL, NULL, NULL))
		return 0;
	mkdir("/dev/pts", 0755);
	if (mount("devpts", "/dev/pts", "devpts", 0, "ptmxmode=0666"))
		return -1;
	unlink("/dev/ptmx");
	if (symlink("pts/ptmx", "/dev/ptmx"))
		return -1;
	return openpty(master, slave, NULL, NULL, NULL);
}

FIXTURE_SETUP(terminal)
{
	memset(self, 0, sizeof(*self));
	ASSERT_EQ(open_terminal(&self->master, &self->slave), 0);
	self->pid = fork();
	ASSERT_GE(self->pid, 0);
	if (self->pid == 0) {
		login_tty(self->slave);
		execlp("ork", "ork", "top", "-d", "0.2", NULL);
		_exit(127);
	}
}

FIXTURE_TEARDOWN(terminal)
{
	if (self->pid)
		kill(self->pid, SIGKILL);
	close(self->master);
	close(self->slave);
}

/* Reads until the text has come that often. Returns 0, or -1 if it does not come. */
static int wait_for(FIXTURE_DATA(terminal) *self, const char *text, int times)
{
	struct pollfd readable = { .fd = self->master, .events = POLLIN };
	const char *at;
	ssize_t got;
	int found;

	for (;;) {
		found = 0;
		for (at = self->seen; (at = strstr(at, text)); at++)
			found++;
		if (found >= times)
			return 0;
		if (self->length + 1 == sizeof(self->seen) || poll(&readable, 1, WAIT_MS) != 1)
			return -1;
		got = read(self->master, self->seen + self->length, sizeof(self->seen) - 1 - self->length);
		if (got <= 0)
			return -1;
		self->length += got;
		self->seen[self->length] = 0;
	}
}

/* Exit status, -1 if it was killed. */
static int end_of(FIXTURE_DATA(terminal) *self)
{
	int status;

	if (waitpid(self->pid, &status, 0) != self->pid)
		return -1;
	self->pid = 0;
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static int has_echo(FIXTURE_DATA(terminal) *self)
{
	struct termios settings;

	return tcgetattr(self->slave, &settings) == 0 && settings.c_lflag & ECHO && settings.c_lflag & ICANON;
}

TEST_F_TIMEOUT(terminal, top_refreshes_the_screen_until_q, 120)
{
	/* Each screen begins in the upper left corner. */
	ASSERT_EQ(wait_for(self, "\033[H", 3), 0);
	EXPECT_NE(strstr(self->seen, "npu2 %"), NULL);
	EXPECT_FALSE(has_echo(self));
	ASSERT_EQ(write(self->master, "xq", 2), 2);
	EXPECT_EQ(end_of(self), 0);
	EXPECT_TRUE(has_echo(self));
}

TEST_F_TIMEOUT(terminal, top_leaves_the_terminal_in_order_when_it_is_ended, 120)
{
	ASSERT_EQ(wait_for(self, "npu2 %", 1), 0);
	/* As the key does. */
	ASSERT_EQ(write(self->master, "\003", 1), 1);
	EXPECT_EQ(end_of(self), 0);
	EXPECT_TRUE(has_echo(self));
}

TEST_HARNESS_MAIN
