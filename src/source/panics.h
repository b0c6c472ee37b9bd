/* panics.h - where a program in Rust can panic, and what that tells of it without symbols.
 *
 * rustc keeps a core::panic::Location for each place in the source that can panic: the name of the
 * file, its length, line and column.  Code refers to them, and the files say of what crate they
 * are.  Code that was inlined brings places of its own crate along, so a function's places need not
 * be of the function's crate; panics_tell goes by those that many agree on.
 *
 * The symbols source lists them of a program that has no symbols of its own (attr/attr_panics.c).
 * Time and memory are linear in the references.  One thread at a time. */
#ifndef HEFT_SOURCE_PANICS_H
#define HEFT_SOURCE_PANICS_H

#include "base/intern.h"
#include "map/space.h"
#include "names/crate_path.h"

#define PANIC_NO_CRATE UINT32_MAX

/* Places of one file, line and column are of one spot, however many there are. */
struct panic_place {
	uint64_t addr, size;           /* bytes of the place, in the VM image */
	uint64_t name_addr, name_size; /* of the file's name */
	uint32_t file, spot;           /* of panics.files; from 0 */
};

/* A reference of code, in the order of the code. */
struct panic_use {
	label_id function; /* the owner of the code */
	uint32_t place;    /* of panics.places */
};

struct panic_spot {
	uint32_t file, line, column;
};

/* Zeroed = none. */
struct panics {
	struct intern files;            /* borrowed from the image */
	VEC(struct panic_place) places; /* by address */
	VEC(struct panic_use) uses;
	/* private */
	VEC(struct panic_spot) spots;
	struct map spot_ids;
};

/* What functions and places are told to be of. */
struct panic_owners {
	struct intern crates;  /* as users see them: "regex 1.7.1", "core", OWN_CRATE */
	VEC(bool) library;     /* by crate: core, alloc or std */
	uint32_t *of_file;     /* by file: its crate */
	uint32_t *of_function; /* by label, below label_count; or PANIC_NO_CRATE */
	size_t label_count;
};

/* What a relative path such as src/main.rs tells. */
#define OWN_CRATE "(own crates)"

void panics_clear(struct panics *p);
/* Appends a place, which must not lie before the last one.  `file` is borrowed. */
void panics_add(struct panics *p, const struct panic_place *place, struct str file, uint32_t line,
		uint32_t column);
/* Appends a reference to the place that begins at addr, if one does. */
void panics_use(struct panics *p, label_id function, uint64_t addr);
/* Labels of functions are below label_count. */
void panics_tell(const struct panics *p, size_t label_count, struct panic_owners *ret);
void panic_owners_release(struct panic_owners *o);

#endif
