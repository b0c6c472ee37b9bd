/* facts.h - describes a file in one line: its purpose, linking, protection, and the bytes that it
 * does not need.
 *
 * Reads headers, the dynamic table, notes and symbol names, but no code. For an archive, joins the
 * facts of its members. Texts are constants or belong to the program or the arena. */
#pragma once

#include "program/program.h"

/* Answer to a question about protection. */
enum fact {
	FACT_NONE,    /* The question does not apply to this kind of file */
	FACT_UNKNOWN, /* Unknown, for example without symbols */
	FACT_NO,
	FACT_PARTIAL, /* For RELRO: the PLT's part of the GOT is unprotected */
	FACT_YES,
};

/* Bytes of the file that the program does not need, and what they are */
struct saving {
	const char *what;
	uint64_t bytes;
};

enum { RELOC_KINDS = RELOC_TLS + 1, SAVINGS_MAX = 8 };

struct facts {
	const char *format;  /* Such as "ELF 64-bit LSB", "archive", "thin archive" */
	const char *machine; /* Such as "x86-64", "several". "" without an object */
	const char *kind;    /* "program", "library", "object", "kernel module" and others */
	const char *linked;  /* "dynamic" or "static". "" if nothing is linked */
	/* "all", "dynamic" (only .dynsym), "packed", "go", "kernel" or "none" */
	const char *symbols;
	/* "inside", "beside" (a separate debug file), "objects" (by a debug map) or "none" */
	const char *debug;
	const char *debug_path;
	const char *build_id; /* Build id in hexadecimal. "" if there is none */
	const char *features; /* Protections that all code supports, by a note of properties:
			       * "ibt shstk", "bti pac" */
	/* Texts of struct made_by. "" if unknown */
	const char *made_by, *parts, *settings;
	const char *runpath; /* Other folders that the loader searches for libraries, or "". */
	/* `package`: "deb zlib 1.3 amd64 Debian" or "". `opens`: "libx.so.1 or libx.so.0 (feature:
	 * priority), ..." or "". */
	const char *package, *opens;
	unsigned dwarf; /* DWARF version of the first unit in the file. 0 without DWARF */
	enum fact relro, pie, nx, canary, fortify, textrel;
	uint64_t members;
	uint64_t thread_bytes; /* Bytes of thread-local variables, of which each thread has a
			        * copy (PT_TLS) */
	uint64_t relocs[RELOC_KINDS], reloc_count;
	struct saving savings[SAVINGS_MAX];
	size_t saving_count;
	uint64_t saved;
};

const char *fact_text(enum fact f);
const char *reloc_kind_text(enum reloc_kind kind);

const char *facts_symbols(const struct image *im);
/* Reads the facts of a program. Searches for its debug file, unless the options forbid it. */
void facts_read(struct facts *f, struct program *p, struct arena *arena);
