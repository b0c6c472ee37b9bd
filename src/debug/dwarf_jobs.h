/* dwarf_jobs.h - parts of one dwarf as jobs of several threads, whose results are taken in order.
 *
 * A dwarf loads its sections when they are asked for, which one thread may do.  Each job has a
 * view: a dwarf of its own over the same bytes, which asks the whole one, one thread at a time, for
 * what is not loaded yet.  Notes of a job wait until the jobs before it were taken, so that what
 * heft says does not depend on threads either. */
#ifndef HEFT_DEBUG_DWARF_JOBS_H
#define HEFT_DEBUG_DWARF_JOBS_H

#include "debug/line.h"
#include "debug/unit.h"

struct dwarf_share;

struct dwarf_view {
	struct dwarf dwarf;
	struct dwarf sup; /* dwarf.sup, if there is one */
	struct dwarf_share *share;
};

/* The head of a job; what a caller needs besides follows it. */
struct dwarf_job {
	struct dwarf_view view; /* ready in work and take */
	struct notes notes;     /* of the view */
	/* Set by make: work runs on the caller's thread, right before take. */
	bool alone;
};

/* ---- units ---------------------------------------------------------------------------------- */

/* Some units that follow one another in a section. */
struct unit_job {
	struct dwarf_job head;
	VEC(struct unit) units;    /* headers, on the view; for unit_open */
	struct abbrev_cache cache; /* for these */
};

struct unit_jobs {
	struct dwarf *dwarf;
	enum dw_section in; /* DW_INFO or DW_TYPES */
	unsigned threads;
	size_t job_size; /* of a job, which begins with a struct unit_job */
	void *ctx;
	void (*work)(void *ctx, struct unit_job *job, unsigned worker);
	void (*take)(void *ctx, struct unit_job *job);
	void (*release)(void *ctx, struct unit_job *job); /* or NULL */
	void (*progress)(void *ctx, uint64_t off);        /* from take's thread; or NULL */
};

/* One pass over the section (see dwarf_pass).  Skeletons, whose other half is in a file that one
 * thread opens, come in jobs with head.alone; a unit of another job is none. */
void unit_jobs_run(const struct unit_jobs *jobs);

/* ---- line programs -------------------------------------------------------------------------- */

/* A line program, and what its unit says that reading it takes (see line_open). */
struct line_use {
	uint64_t off;
	struct str comp_dir;
	uint64_t str_offsets_base;
	uint8_t address_size;
	uint32_t mark; /* the caller's */
};

typedef VEC(struct line_use) line_use_vec;

struct line_job {
	struct dwarf_job head;
	const struct line_use *uses; /* of the job; their programs are those of head.view */
	size_t count;
};

struct line_jobs {
	struct dwarf *dwarf;
	line_use_vec *uses; /* all of them; those inside another lose their place */
	unsigned threads;
	size_t job_size; /* of a job, which begins with a struct line_job */
	void *ctx;
	void (*work)(void *ctx, struct line_job *job, unsigned worker);
	void (*take)(void *ctx, struct line_job *job);
	void (*release)(void *ctx, struct line_job *job); /* or NULL */
	void (*progress)(void *ctx, uint64_t off);        /* from take's thread; or NULL */
};

/* The programs of .debug_line, from its headers alone; false where reading one takes what its unit
 * says: before version 5, or with names by index.  Then *ret is empty. */
bool line_uses_of_section(struct dwarf *d, line_use_vec *ret);
void line_jobs_run(const struct line_jobs *jobs);
bool line_job_open(struct line_job *j, const struct line_use *use, struct line_program *ret);

#endif
