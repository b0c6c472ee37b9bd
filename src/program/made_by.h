/* made_by.h - reads what a program states about its tools and parts.
 *
 * Compilers and linkers leave their names in .comment. Go's linker leaves the version of Go, the
 * modules and the build settings ("Go Build Information", package debug/buildinfo; layouts before
 * and since Go 1.18). `cargo auditable` leaves the crates in .dep-v0 (its PARSING.md): JSON, packed
 * by zlib. Debug info has the compiler of each unit, often with its options (DW_AT_producer). */
#pragma once

#include "base/text.h"
#include "program/debuginfo.h"

/* Lists of items separated by ", " */
struct made_by {
	struct text tools;    /* Such as "go1.19.8", "rustc version 1.95.0 (59807616e
			       * 2026-04-14)" */
	struct text parts;    /* Modules and crates, the program's own first: "NAME VERSION" */
	struct text settings; /* Build settings: "GOOS=linux" */
};

/* Returns Go's build information and the address of its mark. Searches all sections if they have no
 * names. Empty if the program has none. */
struct bytes go_build_info(const struct image *im, uint64_t *ret_addr);

void made_by_release(struct made_by *m);
/* True if a tool of .comment is a linker, such as "mold 1.10.1 (compatible with GNU ld)". GNU ld
 * and gold leave no name there. */
bool made_by_is_linker(struct str tool);
/* Returns the packer of a program, such as "UPX". "" if none is known. A packed program unpacks its
 * code and data at run time. UPX leaves its mark after the headers of ELF files, and its name in
 * sections of PE and Mach-O files. */
struct str made_by_packer(const struct image *im);
/* Adds the compilers, linkers and parts that an image names. */
void made_by_read(struct made_by *m, const struct image *im);
/* Adds the compilers of the units of debug info, most units first: "3 GNU C++17 12.2.0 -O2; 1 GNU
 * AS 2.40". Keeps options of code, machine, language and debug info, without paths. At most 32
 * compilers of 512 bytes; further ones are left out. Reads the first DIE of each unit.
 * Adds the versions of DWARF to `ret_versions`: "4, 5". */
void made_by_units(struct text *ret, struct text *ret_versions, struct debuginfo *info);
