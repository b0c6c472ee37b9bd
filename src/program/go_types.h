/* go_types.h - finds the package of a type that a Go program describes for its runtime.
 *
 * Package internal/abi (before Go 1.21: runtime) calls a description Type. A description has fixed
 * fields, and fields of its kind. Descriptions of types with a name or methods have the import
 * path. The package of a type without a name is that of the type to which it points, or of which it
 * consists.
 *
 * Sources: documentation of these packages, and experiments with Go 1.16 to 1.26.
 *
 * Any number of threads. A few reads per type. */
#pragma once

#include "program/go_table.h"

/* Returns the import path of the type described at a VM address. "" if the type has none, or if
 * there is no type. Borrowed from the image. */
struct str go_type_package(const struct go_table *g, const struct image *im, uint64_t addr);
/* Returns the name of the type described at a VM address, with the package's name instead of its
 * path: "*json.Encoder". "" if there is no type. Borrowed from the image. */
struct str go_type_name(const struct go_table *g, const struct image *im, uint64_t addr);
/* Returns what Go's linker calls the data of types at a VM address, after "type:": the name of the
 * type, or ".namedata.*" for a name of a type, field, method or package. "" for other data. */
struct str go_type_label(const struct go_table *g, const struct image *im, uint64_t addr);
/* Returns the address of the first description above `addr`. 0 if there is none. O(bytes read). */
uint64_t go_types_next(const struct go_table *g, const struct image *im, uint64_t addr);
/* Returns the address of the first name after the name at `addr`. 0 if there is none. `addr` 0:
 * returns the first one. O(bytes read). */
uint64_t go_types_next_name(const struct go_table *g, const struct image *im, uint64_t addr);
/* Calls `fn` for each address that the description of a type at a VM address has as a distance: the
 * functions of its methods, their types, the type of pointers to it. No pointers are among them.
 * `place`: address of the distance. Nothing happens if there is no type. */
void go_type_refers(const struct go_table *g, const struct image *im, uint64_t addr,
		    void (*fn)(void *ctx, uint64_t place, uint64_t target), void *ctx);
