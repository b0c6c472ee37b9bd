/* sizefile_internal.h - what the parts of sizefile share.  Private to sizefile*.c. */
#ifndef HEFT_SNAPSHOT_SIZEFILE_INTERNAL_H
#define HEFT_SNAPSHOT_SIZEFILE_INTERNAL_H

#include "base/text.h"
#include "snapshot/sizefile.h"

#define SIZEFILE_CREATED "# Created by //tools/binary_size"
#define SIZEFILE_V1      "Size File Format v1"
#define SIZEFILE_V1_1    "Size File Format v1.1"

/* The parts of the JSON text that are not in struct snapshot. */
struct sizefile_head {
	bool several; /* v1.1 */
	bool has_components, has_padding, has_disassembly;
	/* Heft's own member: the sections of the program by segment, in the order of their
	 * symbols. */
	VEC(struct snap_section) sections;
	/* Heft's own: the symbols whose stack is known, three numbers each: how many are passed
	 * over, bytes, what they do not hold.  Of a file that is read. */
	VEC(uint32_t) stacks;
	/* Heft's own: how many charges follow the symbols. */
	uint64_t charges;
};

/* The lines of numbers that charges have, in their order.  Equal neighbours are one number and how
 * many they are, "7*3", but for CHARGE_FILE. */
enum sizefile_charge {
	CHARGE_FILE,
	CHARGE_VM,     /* bytes of the file that are not in the VM image; negative: the other way */
	CHARGE_SYMBOL, /* its place + 1; 0: none; differences */
	/* 0: the full name of the symbol, 1: the plain one, 2: the first text that no charge before
	 * has for its name; else the number of a text, from 3 */
	CHARGE_NAME,
	CHARGE_SPACE, /* a text of charges, from 1; 0: "" */
	CHARGE_SOURCE,
	CHARGE_OBJECT,
	CHARGE_COMPONENT,
	CHARGE_CONTAINER,
	CHARGE_DEBUG, /* 1: in sections of debug info */
	CHARGE_COLUMNS
};

/* sizefile_json.c: the JSON as SuperSize writes it (Python's form, two blanks a level, keys
 * sorted). */
void sizefile_json_write(struct text *out, const struct snapshot *s,
			 const struct sizefile_head *head);
/* Fills containers, build_config and extra, by_heft and exact_names; head->sections are the
 * caller's then.  On failure *ret_pos is the byte in `json`. */
bool sizefile_json_read(struct snapshot *s, struct sizefile_head *head, struct bytes json,
			uint64_t *ret_pos, const char **ret_problem);

/* A text in the form of the file: no tab, line end or byte that is not ASCII. */
void sizefile_add_text(struct text *out, struct str s);

#endif
