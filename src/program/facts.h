/* facts.h - says what a file is, in one line: its purpose, linking, protection, and bytes that it
 * could do without.
 *
 * Reads headers, the dynamic table, notes and symbol names, but no code. For an archive, joins the
 * facts of its members. Texts are constants or belong to the program or the arena. */
#ifndef HEFT_PROGRAM_FACTS_H
#define HEFT_PROGRAM_FACTS_H

#include "program/program.h"

/* Answer to a question about protection. */
enum fact {
	FACT_NONE,    /* The question makes no sense for this kind of file. */
	FACT_UNKNOWN, /* The file does not tell, for example without symbols. */
	FACT_NO,
	FACT_PARTIAL, /* For RELRO: it does not cover the PLT's part of the GOT. */
	FACT_YES,
};

/* Bytes that the file could do without, and what they are. */
struct saving {
	const char *what;
	uint64_t bytes; /* In the file. */
};

enum { RELOC_KINDS = RELOC_TLS + 1, SAVINGS_MAX = 8 };

struct facts {
	const char *format;  /* Such as "ELF 64-bit LSB", "archive", "thin archive". */
	const char *machine; /* Such as "x86-64", "several". "" for an archive without objects. */
	const char *kind;    /* Such as "program", "library", "object", "kernel module", "core". */
	const char *linked;  /* "dynamic" or "static". "" if nothing is linked. */
	/* "all", "dynamic" (only .dynsym), "packed", "go", "kernel" or "none". */
	const char *symbols;
	/* "inside", "beside" (a debug file was found), "objects" (by a debug map) or "none". */
	const char *debug;
	const char *debug_path;
	const char *build_id; /* Hexadecimal. "" if there is none. */
	const char *features; /* Such as "ibt shstk" or "bti pac": features that a property note
			       * states for all code. */
	/* Lists of made_by.h. "" if nothing is known. */
	const char *made_by, *parts, *settings;
	const char *runpath; /* Further folders in which the loader looks for libraries, or "". */
	/* `package`: "deb zlib 1.3 amd64 Debian" or "". `opens`: "libx.so.1 or libx.so.0 (feature:
	 * priority), ..." or "". */
	const char *package, *opens;
	unsigned dwarf; /* Version of the first unit inside. 0 if there is none. */
	enum fact relro, pie, nx, canary, fortify, textrel;
	uint64_t members;      /* Number of members of an archive. */
	uint64_t thread_bytes; /* Bytes of variables that each thread has a copy of (PT_TLS). */
	uint64_t relocs[RELOC_KINDS], reloc_count;
	struct saving savings[SAVINGS_MAX];
	size_t saving_count;
	uint64_t saved; /* Sum of the savings. */
};

const char *fact_text(enum fact f);
const char *reloc_kind_text(enum reloc_kind kind);

/* Reads the facts of a program. Looks for its debug file, unless the options forbid it. */
void facts_read(struct facts *f, struct program *p, struct arena *arena);

/* facts_notes.c: adds what the notes of an image say. */
void facts_add_notes(struct facts *f, const struct image *im, struct arena *arena);
/* facts_savings.c: adds the bytes that the file could do without. */
void facts_add_savings(struct facts *f, const struct image *im);

#endif
