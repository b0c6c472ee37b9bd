/* dwarf_jobs.h - reads parts of one dwarf as jobs on several threads. Collects their results in the
 * order of the parts.
 *
 * A dwarf loads its sections on request, and only one thread may request them. So each job has a
 * view: its own struct dwarf with the same bytes. A view requests missing sections from the shared
 * dwarf, under a lock. Notes of a job are kept until the earlier jobs were collected. So the order
 * of notes does not depend on threads. */
#pragma once

#include "debug/line.h"
#include "debug/unit.h"

struct dwarf_share;

struct dwarf_view {
	struct dwarf dwarf;
	struct dwarf sup; /* Copy of dwarf.sup, the supplementary file, if there is one */
	struct dwarf_share *share;
};

/* First member of the structs of all kinds of jobs, such as struct unit_job */
struct dwarf_job {
	struct dwarf_view view; /* Valid during `work` and `take` */
	struct notes notes;     /* Notes about the view's DWARF */
	/* Set by `make` if `work` must run on the caller's thread, immediately before `take`. */
	bool alone;
};

/* Consecutive units of a section. */
struct unit_job {
	struct dwarf_job head;
	VEC(struct unit) units; /* Headers for unit_open(), which refer to the view */
	struct abbrev_cache cache;
};

struct unit_jobs {
	struct dwarf *dwarf;
	enum dw_section in; /* DW_INFO or DW_TYPES */
	unsigned threads;
	size_t job_size; /* Size of the struct of a job, which begins with a struct unit_job */
	void *ctx;
	void (*work)(void *ctx, struct unit_job *job, unsigned worker);
	void (*take)(void *ctx, struct unit_job *job);
	void (*release)(void *ctx, struct unit_job *job); /* May be NULL */
	void (*progress)(void *ctx, uint64_t off);        /* Called like `take`. May be NULL */
};

/* Reads the section once (dwarf_pass_begin()). A skeleton is a job by itself, with head.alone: one
 * thread opens the files of split units. Other jobs have no skeletons. */
void unit_jobs_run(const struct unit_jobs *jobs);

/* A line program, and those facts of its unit that line_open() needs */
struct line_use {
	uint64_t off;
	struct str comp_dir;
	uint64_t str_offsets_base;
	uint8_t address_size;
	uint32_t mark; /* Number that only the caller uses */
};

typedef VEC(struct line_use) line_use_vec;

struct line_job {
	struct dwarf_job head;
	const struct line_use *uses; /* Line programs of the job, which are in head.view */
	size_t count;
};

struct line_jobs {
	struct dwarf *dwarf;
	line_use_vec *uses; /* All line programs. line_jobs_run() drops those inside others */
	unsigned threads;
	size_t job_size; /* Size of the struct of a job, which begins with a struct line_job */
	void *ctx;
	void (*work)(void *ctx, struct line_job *job, unsigned worker);
	void (*take)(void *ctx, struct line_job *job);
	void (*release)(void *ctx, struct line_job *job); /* May be NULL */
	void (*progress)(void *ctx, uint64_t off);        /* Called like `take`. May be NULL */
};

/* Lists the line programs of .debug_line from their headers alone. False, with an empty *ret, if a
 * program also needs its unit: before version 5, or with names by index. */
bool line_uses_of_section(struct dwarf *d, line_use_vec *ret);
void line_jobs_run(const struct line_jobs *jobs);
bool line_job_open(struct line_job *j, const struct line_use *use, struct line_program *ret);
