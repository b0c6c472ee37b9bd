/* made_by.h - what a program says of what it was made by and of.
 *
 * Compilers and linkers leave their names in .comment.  Go's linker leaves the version of Go, the
 * modules and the settings of the build ("Go Build Information", package debug/buildinfo; the
 * layouts before and since Go 1.18).  `cargo auditable` leaves the crates in .dep-v0 (its
 * PARSING.md): JSON, packed by zlib. */
#ifndef HEFT_PROGRAM_MADE_BY_H
#define HEFT_PROGRAM_MADE_BY_H

#include "base/text.h"
#include "image/image.h"

/* Lists, their items apart by ", ".  Zeroed: nothing to release. */
struct made_by {
	struct text tools;    /* "go1.19.8", "rustc version 1.95.0 (59807616e 2026-04-14)" */
	struct text parts;    /* modules and crates, the program's own first: "NAME VERSION" */
	struct text settings; /* of the build: "GOOS=linux" */
};

/* Go's build information, and the address of its mark, by which it is found where sections have no
 * names; no bytes where there is none. */
struct bytes go_build_info(const struct image *im, uint64_t *ret_addr);

void made_by_release(struct made_by *m);
/* What packed the program, whose bytes are its own only once it runs: "UPX", "" where nothing
 * says so.  UPX leaves its mark behind the headers of ELF files, and its name in sections of PE
 * and Mach-O files. */
struct str made_by_packer(const struct image *im);
/* Adds what an image says. */
void made_by_read(struct made_by *m, const struct image *im);

#endif
