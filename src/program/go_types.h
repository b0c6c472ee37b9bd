/* go_types.h - the package of a type that a Go program describes for its runtime.
 *
 * A description is what package internal/abi (before Go 1.21 runtime) calls Type: fixed fields,
 * those of its kind, and for types with a name or methods the import path behind them; read from
 * the documentation of these packages and by experiment with programs of Go 1.16 to 1.26.  Types
 * without a name have the package of what they point to or consist of.
 *
 * Any number of threads; a few reads a type. */
#ifndef HEFT_PROGRAM_GO_TYPES_H
#define HEFT_PROGRAM_GO_TYPES_H

#include "program/go_table.h"

/* The import path of the type described at a VM address, "" where it has none or nothing describes
 * one there.  Borrowed from the image. */
struct str go_type_package(const struct go_table *g, const struct image *im, uint64_t addr);

#endif
