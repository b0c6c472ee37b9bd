/* debug_bytes.h - whose each byte of an image's debug sections is, by compile unit or by symbol.
 * Private to the sources.
 *
 * By unit: a unit owns its header, entries, abbreviations (the first unit that uses a table),
 * line program, lists, its parts of the tables of addresses and strings, and the strings that it is
 * the first to refer to.  By symbol: what describes a function or variable belongs to it; the
 * rest goes to a label that names the unit.  What indexes other sections (.debug_aranges, .debug_names,
 * relocations ...) follows the owner of what it is about.
 *
 * Two passes: debug_bytes_walk reads the units; debug_bytes_claim, when the VM image has its owners,
 * the tables that speak of addresses.  One thread. */
#ifndef HEFT_SOURCE_ATTR_DEBUG_BYTES_H
#define HEFT_SOURCE_ATTR_DEBUG_BYTES_H

#include "debug/unit_name.h"
#include "debug/walk.h"
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

struct debug_bytes {
	const struct source_file *f;
	struct debuginfo *info;
	bool own; /* the debug sections are the measured image's own */
	bool by_symbol;
	bool by_file;           /* units are named by their main source file */
	const struct spans *vm; /* owners of VM addresses; by_symbol: before the walk */
	/* By unit, may be NULL: told of the code and the variables of every unit. */
	void (*code)(void *ctx, uint64_t vm_addr, uint64_t size, label_id unit);
	void (*variable)(void *ctx, uint64_t vm_addr, label_id unit, uint64_t die_off);
	void *ctx;

	/* private */
	struct abbrev_cache cache;
	struct claims claims[DW_SECTIONS];
	struct spans owners[DW_SECTIONS];
	uint64_t *seen[DW_SECTIONS]; /* strings that have an owner: a bit for each offset */
	const uint64_t *base;        /* of a package: where the unit's parts begin; else NULL */
	bool named;                  /* first_name was looked for */
	label_id first_name;
	struct waiting_string waiting[32];
	size_t waiting_count;
	bool any, several; /* units were seen; not all of them have the label `sole` */
	label_id sole;
	bool foreign;               /* the entries at work are another file's */
	const struct unit *unit;    /* at work */
	label_id unit_label, owner; /* the unit's; of the entry at work */
	uint64_t entry_off;         /* where the owner's entry begins */
	keyed_vec by_line, by_signature, partial;
	uint16_t addr_version, str_offsets_version;
	uint8_t address_size, offset_size;
};

void debug_bytes_walk(struct debug_bytes *b);
/* One unit of the walk. */
void debug_bytes_unit(struct debug_bytes *b, struct unit *u);
/* debug_package.c: the units of a package by its index, if it has that one. */
void debug_package_walk(struct debug_bytes *b, enum dw_section index);
/* Claims file bytes of the image measured (b->own). */
void debug_bytes_claim(struct debug_bytes *b, struct claims *file);
void debug_bytes_release(struct debug_bytes *b);

#endif
