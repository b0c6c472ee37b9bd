/* facts.h - what a file is, in one line: what it is for, how it was linked, what of it is
 * protected, and which of its bytes it could do without.
 *
 * Read from headers, the dynamic table, notes and symbol names; no code is read.  Of an archive the
 * facts of its members are joined.  Texts are constants or belong to the program or the arena. */
#ifndef HEFT_PROGRAM_FACTS_H
#define HEFT_PROGRAM_FACTS_H

#include "program/program.h"

/* The answer to a question about protection. */
enum fact {
	FACT_NONE,    /* the question makes no sense for such a file */
	FACT_UNKNOWN, /* the file does not tell, as without symbols */
	FACT_NO,
	FACT_PARTIAL, /* RELRO alone: not the PLT's part of the GOT */
	FACT_YES,
};

/* Bytes that the file could do without, and what they are. */
struct saving {
	const char *what;
	uint64_t bytes; /* of the file */
};

enum { RELOC_KINDS = RELOC_TLS + 1, SAVINGS_MAX = 8 };

struct facts {
	const char *format;  /* "ELF 64-bit LSB", "archive", "thin archive" */
	const char *machine; /* "x86-64", "several"; "" for an archive without objects */
	const char *kind;    /* "program", "library", "object", "kernel module", "core" ... */
	const char *linked;  /* "dynamic", "static"; "" where nothing is linked */
	/* "all", "dynamic" (.dynsym alone), "packed", "go", "kernel", "none" */
	const char *symbols;
	/* "inside", "beside" (a debug file was found), "objects" (by a debug map), "none" */
	const char *debug;
	const char *debug_path;
	const char *build_id; /* hexadecimal, "" where there is none */
	const char *features; /* "ibt shstk", "bti pac": what a property note marks all code with */
	/* Lists of made_by.h, "" where nothing is known. */
	const char *made_by, *parts, *settings;
	const char *runpath; /* where else the loader looks for libraries, or "" */
	/* "deb zlib 1.3 amd64 Debian"; "libx.so.1 or libx.so.0 (feature: priority), ..."; or "" */
	const char *package, *opens;
	unsigned dwarf; /* version of the first unit inside; 0: there is none */
	enum fact relro, pie, nx, canary, fortify, textrel;
	uint64_t members;      /* of an archive */
	uint64_t thread_bytes; /* variables that each thread has a copy of (PT_TLS) */
	uint64_t relocs[RELOC_KINDS], reloc_count;
	struct saving savings[SAVINGS_MAX];
	size_t saving_count;
	uint64_t saved; /* sum of savings */
};

const char *fact_text(enum fact f);
const char *reloc_kind_text(enum reloc_kind kind);

/* Looks for the program's debug file, unless its wish is to find none. */
void facts_read(struct facts *f, struct program *p, struct arena *arena);

/* facts_notes.c */
void facts_add_notes(struct facts *f, const struct image *im, struct arena *arena);
/* facts_savings.c */
void facts_add_savings(struct facts *f, const struct image *im);

#endif
