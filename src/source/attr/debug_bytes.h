/* debug_bytes.h - whose each byte of an image's debug sections is, by compile unit or by symbol.
 * Private to the sources.
 *
 * By unit: a unit owns its header, entries, abbreviations (the first unit that uses a table), line
 * program, lists, its parts of the tables of addresses and strings, and the strings that it is the
 * first to refer to.  By symbol: what describes a function or variable belongs to it; the rest goes
 * to a label that names the unit.  What indexes other sections (.debug_aranges, .debug_names,
 * relocations ...) follows the owner of what it is about.
 *
 * Two passes: debug_bytes_walk reads the units; debug_bytes_claim, when the VM image has its
 * owners, the tables that speak of addresses.  Units and line programs are jobs of f->threads,
 * whose findings are put together in file order. */
#ifndef HEFT_SOURCE_ATTR_DEBUG_BYTES_H
#define HEFT_SOURCE_ATTR_DEBUG_BYTES_H

#include "debug/dwarf_jobs.h"
#include "debug/unit_name.h"
#include "debug/walk.h"
#include "map/local_label.h"
#include "program/debuginfo.h"
#include "source/source.h"

/* A label by a key: the units of line programs, of type signatures, of section offsets. */
struct keyed {
	uint64_t key;
	label_id label;
};

typedef VEC(struct keyed) keyed_vec;

/* A reference to a string on its way. */
struct waiting_string {
	uint64_t off;
	label_id owner;
	enum dw_section table;
};

struct debug_bytes;
struct decl_files;

/* See debug_find.h. */
struct findings {
	const struct debug_bytes *all;
	const struct unit *unit; /* at work; of a job, on its view */
	label_id unit_label;
	struct claims claims[DW_SECTIONS];
	struct claims vm;
	uint64_t **seen;            /* by section: a bit for each offset that has an owner */
	const uint64_t *base;       /* of a package: where the unit's parts begin; else NULL */
	struct local_labels labels; /* of a job */
	uint64_t range_budget;      /* entries of range lists that functions may still name */
	struct decl_files *files;   /* attr_files.c: of the unit at work */
	/* While entries are walked. */
	struct waiting_string waiting[32];
	size_t waiting_count;
	bool foreign;       /* they are another file's */
	label_id owner;     /* of the entry at work */
	uint64_t entry_off; /* where the owner's entry begins */
};

struct debug_bytes {
	const struct source_file *f;
	struct debuginfo *info;
	bool own; /* the debug sections are the measured image's own */
	bool by_symbol;
	bool by_file;           /* units are named by their main source file */
	const struct spans *vm; /* owners of VM addresses; by_symbol: before the walk */
	/* By unit, may be NULL: claims the code, and a variable, of a unit.  By any thread. */
	void (*code)(void *ctx, uint64_t vm_addr, uint64_t size, label_id unit, struct claims *ret);
	void (*variable)(void *ctx, struct findings *f, uint64_t vm_addr, uint64_t die_off);
	void (*done)(void *ctx, struct findings *f); /* with a job; may be NULL */
	void *ctx;
	struct claims *vm_claims; /* what these claimed, in file order; NULL where they are */

	/* private */
	struct findings found;              /* by all units, in file order */
	uint64_t *seen[DW_SECTIONS];        /* of these */
	uint64_t *(*job_seen)[DW_SECTIONS]; /* of the jobs of each thread */
	uint64_t *lists_seen[DW_SECTIONS];  /* range lists of units: a bit for each offset */
	struct spans owners[DW_SECTIONS];
	line_use_vec lines;  /* whose names and rows are still to be read */
	label_id first_name; /* of the first unit that has a name */
	bool any, several;   /* units were seen; not all of them have the label `sole` */
	label_id sole;
	keyed_vec by_line, by_signature, partial;
	uint16_t addr_version, str_offsets_version;
	uint8_t address_size, offset_size;
};

struct unit_found {
	label_id label;       /* LABEL_NONE: the unit cannot be read */
	struct die_code code; /* of its first entry */
};

/* The head is a unit_job. */
struct unit_findings {
	struct unit_job job;
	struct findings found;
	VEC(struct unit_found) units; /* those of the job */
};

void debug_bytes_walk(struct debug_bytes *b);
/* One round of a job, for debug_package.c: then the units' findings go to b->found. */
void debug_bytes_units(struct debug_bytes *b, struct unit_findings *j, unsigned worker);
void debug_bytes_take(struct debug_bytes *b, struct unit_findings *j);
void unit_findings_release(struct unit_findings *j);
/* debug_package.c: the units of a package by its index, if it has that one. */
void debug_package_walk(struct debug_bytes *b, enum dw_section index);
/* Claims file bytes of the image measured (b->own). */
void debug_bytes_claim(struct debug_bytes *b, struct claims *file);
void debug_bytes_release(struct debug_bytes *b);

#endif
