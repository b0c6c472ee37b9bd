/* debug_bytes.h - finds the owner of each byte of an image's debug sections, by compile unit or by
 * symbol. Private to the sources.
 *
 * If units own bytes, a unit owns its header, entries, line program, lists, and its parts of the
 * tables of addresses and strings. The first unit that uses an abbreviation table or a string owns
 * it. If symbols own bytes, a symbol owns the bytes that describe its function or variable. Other
 * bytes get a label that names the unit. An entry of an index (.debug_aranges, .debug_names,
 * relocations ...) belongs to the owner of what it indexes.
 *
 * There are two passes. debug_bytes_walk() reads the units. debug_bytes_claim() reads the tables
 * about addresses, after the VM image has owners. Units and line programs are jobs on f->threads.
 * Their findings are joined in file order. */
#pragma once

#include "debug/dwarf_jobs.h"
#include "debug/unit.h"
#include "debug/walk.h"
#include "map/local_label.h"
#include "program/debuginfo.h"
#include "program/source_file.h"

/* A label by a key: an offset of a line program, a type signature, or an offset in a section. */
struct keyed {
	uint64_t key;
	label_id label;
};

typedef VEC(struct keyed) keyed_vec;

/* A reference to a string, whose claim waits for a prefetch (see on_string()). */
struct waiting_string {
	uint64_t off;
	label_id owner;
	enum dw_section table;
};

/* A preliminary label of an instance (code of another unit, from link-time optimization), used
 * until all units have labels. */
struct instance_label {
	label_id label;
	uint64_t origin; /* Offset in .debug_info of a DIE in the unit whose label replaces it */
	label_id unit;   /* Label of the unit with the instance. Used if `origin` is in no unit */
};

typedef VEC(struct instance_label) instance_vec;

struct debug_bytes;
struct decl_files;

/* The claims that one job makes for its units, or the claims of all jobs. A claim gives a range of
 * a section to a label. */
struct findings {
	const struct debug_bytes *all;
	const struct unit *unit; /* Current unit of the walk */
	label_id unit_label;
	struct claims claims[DW_SECTIONS];
	struct claims vm;
	uint64_t **seen;            /* Per section: one bit per offset, set if that has an owner */
	const uint64_t *base;       /* Per section: start of a package unit's part. Or NULL */
	struct local_labels labels; /* Labels of one job */
	uint64_t range_budget;      /* Range list entries that functions may still read */
	struct decl_files *files;   /* attr_files.c: files of the current unit */
	instance_vec instances;     /* Code that LTO took from other units: struct instance_label */
	label_id instances_unit;    /* Label of the unit itself while its entries are walked */
	/* Used during the walk over entries. */
	struct waiting_string waiting[32];
	size_t waiting_count;
	bool foreign;       /* True if entries are in another file: not claimed */
	bool declared;      /* True inside of a declaration, which claims no code */
	label_id owner;     /* Owner of the current entry */
	uint64_t entry_off; /* Offset of the owner's entry */
};

struct debug_bytes {
	const struct source_file *f;
	struct debuginfo *info;
	bool own; /* True if the debug sections belong to the measured image */
	bool by_symbol;
	bool by_file;           /* True if units are named after their main source file */
	const struct spans *vm; /* Owners of VM addresses. If `by_symbol`, needed before the walk */
	/* If units own bytes: claims a unit's code, or one of its variables. May be NULL. Called on
	 * any thread. */
	void (*code)(void *ctx, uint64_t vm_addr, uint64_t size, label_id unit, struct claims *ret);
	void (*variable)(void *ctx, struct findings *f, uint64_t vm_addr, uint64_t die_off);
	void (*done)(void *ctx, struct findings *f); /* Called at the end of a job. May be NULL */
	void *ctx;
	struct claims *vm_claims; /* Claims of `code` and `variable`, in file order. May be NULL. */

	/* Private. `found`: what all units claim, in file order. */
	struct findings found;
	uint64_t *seen[DW_SECTIONS];        /* One bit per offset, set if a job has seen it */
	uint64_t *(*job_seen)[DW_SECTIONS]; /* Per thread: offsets that its jobs have seen */
	unsigned job_alone;                 /* Index in job_seen for jobs that run alone */
	uint64_t *lists_seen[DW_SECTIONS];  /* Bits by offset: range lists that were claimed */
	struct spans owners[DW_SECTIONS];
	line_use_vec lines;  /* Line programs whose names and rows are still to be read */
	label_id first_name; /* Label of the first unit with a name */
	bool any, several;   /* `any`: true if there are units. `several`: true if they have several
			      * labels */
	label_id sole;
	keyed_vec by_line, by_signature, partial;
	keyed_vec units;        /* Labels of units by offset in .debug_info. LABEL_NONE: damaged */
	instance_vec instances; /* Instances of all jobs. Their labels are ids in the profile's
				 * table, not in a job's */
	uint16_t addr_version, str_offsets_version;
	uint8_t address_size, offset_size;
};

struct unit_found {
	label_id label;       /* LABEL_NONE if the unit cannot be read */
	struct die_code code; /* Code attributes of its first entry */
};

/* A job of several units. It begins with a unit_job. */
struct unit_findings {
	struct unit_job job;
	struct findings found;
	VEC(struct unit_found) units; /* Units of the job */
};

void debug_bytes_walk(struct debug_bytes *b);
/* Runs one job, for debug_package.c. debug_bytes_take() then adds the findings to b->found. */
void debug_bytes_units(struct debug_bytes *b, struct unit_findings *j, unsigned worker);
void debug_bytes_take(struct debug_bytes *b, struct unit_findings *j);
void unit_findings_release(struct unit_findings *j);
/* debug_package.c: walks the units of a package by one of its indexes, if present. */
void debug_package_walk(struct debug_bytes *b, enum dw_section index);
/* Claims file bytes of the measured image (b->own). */
void debug_bytes_claim(struct debug_bytes *b, struct claims *file);
void debug_bytes_release(struct debug_bytes *b);
