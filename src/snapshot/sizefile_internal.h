/* sizefile_internal.h - declares what the parts of sizefile share. Private to sizefile*.c. */
#pragma once

#include "base/text.h"
#include "snapshot/sizefile.h"

#define SIZEFILE_CREATED "# Created by //tools/binary_size"
#define SIZEFILE_V1      "Size File Format v1"
#define SIZEFILE_V1_1    "Size File Format v1.1"

/* The contents of the JSON header for which struct snapshot has no member */
struct sizefile_head {
	bool several; /* True for version 1.1 */
	bool has_components, has_padding, has_disassembly;
	/* A member that only heft writes: the sections per segment, in the order of their
	 * symbols. */
	VEC(struct snap_section) sections;
	/* A member that only heft writes: stack sizes of symbols. Only the reader sets it. Each
	 * stack size is three numbers: number of symbols to skip, bytes, caveats. */
	VEC(uint32_t) stacks;
	/* A member that only heft writes: the number of charges (struct snap_charge). Their columns
	 * follow the symbols. */
	uint64_t charges;
};

/* The columns of charges (struct snap_charge), in the order of the file. A column is a line with a
 * number per charge. Equal numbers in a row are written as "7*3" (number and count), except in
 * CHARGE_FILE */
enum sizefile_charge {
	CHARGE_FILE,
	CHARGE_VM,     /* File bytes minus VM bytes */
	CHARGE_SYMBOL, /* Index of the symbol plus 1, or 0. Written as a difference */
	/* 0: full name of the symbol. 1: its plain name. 2: the next text that no earlier charge
	 * has as its name. From 3 on: number of a text. */
	CHARGE_NAME,
	CHARGE_SPACE, /* Number of a charge text, from 1. 0 for "" */
	CHARGE_SOURCE,
	CHARGE_OBJECT,
	CHARGE_COMPONENT,
	CHARGE_CONTAINER,
	CHARGE_DEBUG,   /* 1 for bytes in debug sections */
	CHARGE_PACKAGE, /* Earlier versions lack this column */
	CHARGE_COLUMNS
};

/* sizefile_json.c: writes the JSON as SuperSize does in Python: two blanks per level, sorted
 * keys. */
void sizefile_json_write(struct text *out, const struct snapshot *s,
			 const struct sizefile_head *head);
/* Reads the JSON: sets containers, build_config, extra, by_heft and exact_names. The caller
 * releases head->sections. On failure, *ret_pos is the offset in `json`. */
bool sizefile_json_read(struct snapshot *s, struct sizefile_head *head, struct bytes json,
			uint64_t *ret_pos, const char **ret_problem);

/* Appends a text escaped for the file: tabs, line ends and bytes outside of ASCII. */
void sizefile_add_text(struct text *out, struct str s);
