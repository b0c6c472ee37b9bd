/* process.h - the process in a dump: its memory, its heap, and what was mapped into it, opened.
 *
 * One piece that all sources of a core and `heft heap show` share.  Everything beyond the dump is
 * read when first asked for: the heap costs one pass over all memory, a module its symbol table
 * when the first address in it is named, its DWARF where there is any.
 *
 * A module's own file is looked for among the files given by hand (by build id), at the path the
 * dump states, and as a debug file under its build id.  A file of another build is a note and is
 * not used; then addresses in it are named "libx.so+0x1234".
 *
 * Labels and names may borrow from the modules' files: they live as long as the process.
 * One thread at a time. */
#ifndef HEFT_PROCESS_PROCESS_H
#define HEFT_PROCESS_PROCESS_H

#include "heap/layout.h"
#include "program/companion.h"

/* How modules are found; all borrowed until process_close. */
struct process_wish {
	const struct program_wish *program;
	const struct input *const *given; /* files given by hand: modules or their debug files */
	size_t given_count;
	bool dwarf; /* debug info is wanted, not symbols alone */
};

/* A module's own file. */
struct mapped_module {
	const struct dump_file *file;
	const struct input *input; /* NULL: not found, or of another build */
	const struct input *debug; /* its separate debug file, or NULL */
	uint64_t bias;             /* address in the process - address in the file's headers */
};

/* A function around an address.  The outermost comes last, and has a name at least. */
struct process_frame {
	const char *name; /* linker name where one is known; else "libx.so+0x1234", "0x1234" */
	const char *file; /* "" if not known */
	uint32_t line;    /* 0 if not known */
	bool known;       /* a symbol or debug info named it */
};

/* The heap as the recorder left it. */
struct process_heap {
	struct records records;
	struct calls calls;
	struct blocks_found blocks;
	struct heap_layout layout;
};

struct mapped_modules;

struct process {
	struct dump dump;
	struct process_heap heap; /* valid after process_read_heap */
	/* private */
	bool open, heap_read;
	struct process_wish wish;
	unsigned threads;
	struct notes *notes;
	struct mapped_modules *modules;
};

/* A dump of any kind. */
bool process_open(struct process *p, const char *path, const struct dump_wish *dump,
		  const struct process_wish *wish, unsigned threads, struct notes *notes,
		  struct heft_err *err);
/* A core that is open as an image already, which stays as long as the process. */
bool process_of_image(struct process *p, const struct image *core, const struct process_wish *wish,
		      unsigned threads, struct notes *notes, struct heft_err *err);
void process_close(struct process *p);

/* Records, calls, blocks and layout; the first call does the work. */
const struct process_heap *process_read_heap(struct process *p);

/* The module at an index of dump.files, opened; input is NULL for files that are no module. */
const struct mapped_module *process_module(struct process *p, size_t file);

/* The functions around the instruction at `pc` (of a call stack: frame - 1), what was inlined first
 * and the function itself last; at least one.  *ret stays until the next call; names and files as
 * long as the process. */
size_t process_name(struct process *p, uint64_t pc, const struct process_frame **ret);

#endif
