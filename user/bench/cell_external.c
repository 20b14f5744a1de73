// SPDX-License-Identifier: MIT
#include "bench/cell_external.h"

#include "base/clock.h"
#include "base/stop.h"

#define WARM_UP_NS (50 * NSEC_PER_MSEC)
#define WAIT_MS 20
/* The idle time may be exceeded by so much. */
#define GAP_TOLERANCE_NS (10 * NSEC_PER_MSEC)

/* A short load that does not count: it is out of the truth again. */
static int warm_up(struct rig *rig, const struct cell_cfg *cfg, struct cell_result *out,
		   struct err *e)
{
	struct load_cfg load = cfg->load;
	int done;

	if (!load.duration_ns || load.duration_ns > WARM_UP_NS)
		load.duration_ns = WARM_UP_NS;
	done = load_start(rig->load, &load, e);
	while (!done) {
		done = load_wait(rig->load, WAIT_MS, &out->load, e);
		if (stop_requested())
			load_stop(rig->load);
	}
	if (done < 0)
		return done;
	rig->load_end_ns = clock_now_ns();
	out->warm_up = out->load.launches;
	return 0;
}

static bool is_cold(const struct rig *rig, const struct cell_cfg *cfg)
{
	return !cfg->nsources && cfg->gap_ns && rig->load_end_ns &&
	       clock_now_ns() > rig->load_end_ns + cfg->gap_ns + GAP_TOLERANCE_NS;
}

int cell_external_begin(struct rig *rig, const struct cell_cfg *cfg, struct external **x,
			struct cell_result *out, struct err *e)
{
	int err = 0;

	*x = NULL;
	if (cfg->external) {
		err = external_start(cfg->external, &rig->names, x, e);
		if (err)
			return err;
		if (!external_ready(*x, rig->load)) {
			out->external = *external_result(*x);
			out->interrupted = stop_requested();
			return 0;
		}
	}
	if (*x || is_cold(rig, cfg)) {
		err = warm_up(rig, cfg, out, e);
		if (!err && *x)
			external_settle(*x, rig->load);
		if (!err)
			load_reset(rig->load);
	}
	return err;
}

int cell_external_end(struct rig *rig, struct external *x, struct cell_result *out, struct err *e)
{
	int err;

	if (!x)
		return 0;
	err = external_end(x, rig->load, e);
	out->external = *external_result(x);
	return err;
}
