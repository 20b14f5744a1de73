// SPDX-License-Identifier: MIT
#include "base/walltime.h"

#include <string.h>
#include <time.h>

#include "base/clock.h"

#define SECOND 1000000000LL

static int64_t now(clockid_t clock)
{
	struct timespec ts;

	clock_gettime(clock, &ts);
	return (int64_t)ts.tv_sec * SECOND + ts.tv_nsec;
}

int64_t walltime_offset_now(void)
{
	int64_t before = now(CLOCK_MONOTONIC), wall = now(CLOCK_REALTIME);

	return wall - before - (now(CLOCK_MONOTONIC) - before) / 2;
}

struct walltime walltime_live(bool local)
{
	return (struct walltime){ .local = local, .second = INT64_MIN };
}

struct walltime walltime_fixed(bool local, int64_t offset_ns)
{
	return (struct walltime){
		.fixed = true, .local = local, .offset_ns = offset_ns, .second = INT64_MIN
	};
}

static void format_second(struct walltime *w, int64_t second)
{
	time_t t = (time_t)second;
	struct tm tm;

	w->second = second;
	/* A hostile recording's year need not have four digits. */
	if (second < 0 || !(w->local ? localtime_r(&t, &tm) : gmtime_r(&t, &tm)) ||
	    tm.tm_year > 9999 - 1900)
		memcpy(w->text, "0000-00-00T00:00:00", 20);
	else
		strftime(w->text, sizeof(w->text), "%Y-%m-%dT%H:%M:%S", &tm);
}

/* Brings w->text to the second of @mono_ns; returns the nanoseconds in it. */
static uint32_t split(struct walltime *w, uint64_t mono_ns)
{
	int64_t wall, second, ns;

	/* Either way: readers hand over CPUs one after the other, so stamps go back a little. */
	if (!w->fixed && (w->second == INT64_MIN || mono_ns - w->measured_ns >= NSEC_PER_SEC)) {
		w->offset_ns = walltime_offset_now();
		w->measured_ns = mono_ns;
	}
	/* Hostile recordings hold any number; the sum wraps without harm. */
	wall = (int64_t)(mono_ns + (uint64_t)w->offset_ns);
	second = wall / SECOND;
	ns = wall % SECOND;
	if (ns < 0) {
		ns += SECOND;
		second--;
	}
	if (second != w->second)
		format_second(w, second);
	return (uint32_t)ns;
}

static void put_digits(char *dst, uint32_t v, unsigned n)
{
	while (n--) {
		dst[n] = (char)('0' + v % 10);
		v /= 10;
	}
}

void walltime_iso(struct walltime *w, uint64_t mono_ns, char dst[WALLTIME_ISO_LEN])
{
	uint32_t ns = split(w, mono_ns);

	memcpy(dst, w->text, 19);
	dst[19] = '.';
	put_digits(dst + 20, ns, 9);
	dst[29] = 'Z';
}

void walltime_clock(struct walltime *w, uint64_t mono_ns, char dst[WALLTIME_CLOCK_LEN])
{
	uint32_t ns = split(w, mono_ns);

	memcpy(dst, w->text + 11, 8);
	dst[8] = '.';
	put_digits(dst + 9, ns / 1000000, 3);
}
