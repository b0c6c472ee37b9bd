/* panics.h - lists where a Rust program can panic, and infers the crates of functions without
 * symbols.
 *
 * rustc keeps a core::panic::Location for each place in the source that can panic: the name of the
 * file, its length, line and column. Code refers to these places, and the file shows the crate.
 * Inlined code refers to places of its own crate, so a function may have places of several crates.
 * panics_tell() compares neighbouring functions to decide.
 *
 * attr_panics() lists the places for programs without symbols of their own. Time and memory are
 * linear in the references. One thread at a time. */
#pragma once

#include "base/intern.h"
#include "map/space.h"
#include "names/crate_path.h"

#define PANIC_NO_CRATE UINT32_MAX

/* A panic place: a constant that holds a source position. All places with the same file, line and
 * column share one number, their spot. */
struct panic_place {
	uint64_t addr, size;           /* Range of the place in the VM image */
	uint64_t name_addr, name_size; /* Range of the file's name */
	uint32_t file, spot;           /* Indexes in panics.files and panics.spots */
};

/* A reference from code to a panic place. References are in code order. */
struct panic_use {
	label_id function; /* Owner of the code */
	uint32_t place;    /* Index in panics.places */
};

struct panic_spot {
	uint32_t file, line, column;
};

/* A zeroed struct has no places. */
struct panics {
	struct intern files;            /* Names, borrowed from the image */
	VEC(struct panic_place) places; /* Sorted by address */
	VEC(struct panic_use) uses;
	/* Private. */
	VEC(struct panic_spot) spots;
	struct map spot_ids;
};

/* Crates of functions and files. */
struct panic_owners {
	struct intern crates;  /* Names for users: "regex 1.7.1", "core", OWN_CRATE */
	VEC(bool) library;     /* Per crate: true for core, alloc and std */
	uint32_t *of_file;     /* Per file: its crate */
	uint32_t *of_function; /* Per label below label_count: its crate, or PANIC_NO_CRATE */
	size_t label_count;
};

/* Name of the crate to which sources with a relative path, such as src/main.rs, belong. */
#define OWN_CRATE "(own crates)"

void panics_clear(struct panics *p);
/* Appends a place. Its address must not be below the last place's address. `file` is borrowed. */
void panics_add(struct panics *p, const struct panic_place *place, struct str file, uint32_t line,
		uint32_t column);
/* Appends a reference to the place that begins at addr, if there is one. */
void panics_use(struct panics *p, label_id function, uint64_t addr);
/* Infers the crates. Labels of functions are below label_count. */
void panics_tell(const struct panics *p, size_t label_count, struct panic_owners *ret);
void panic_owners_release(struct panic_owners *o);
