/* dump.h - the memory of a process as a dump holds it, whatever the dump is.
 *
 * Kinds: ELF cores (full, filtered, truncated, packed with gzip, zstd, lz4 or xz), raw images of
 * memory, files of the recorder's own pages (snapshots), and `heft heap snapshot` files, which are
 * cores.  All become sorted regions of addresses, of which the dump has all bytes, some or none.
 *
 * Regions do not overlap and none wraps.  A dump never changes after it is opened; several threads
 * may read it.  Bytes are borrowed from the file until dump_close. */
#ifndef HEFT_HEAP_DUMP_H
#define HEFT_HEAP_DUMP_H

#include "image/arch.h"
#include "image/input.h"

struct region {
	uint64_t addr, size; /* what was mapped */
	struct bytes bytes;  /* of [addr, addr + bytes.size): what the dump holds */
	uint64_t off;        /* of `bytes` in the unpacked dump file */
	bool read, write, exec;
	bool cut;          /* the bytes that it lacks were in the file, whose end is lost */
	uint32_t file;     /* index + 1 of what is mapped there in dump.files; 0: no file known */
	uint64_t file_off; /* of `addr` in that file */
};

/* A file that was mapped: a module if it is an object file. */
struct dump_file {
	const char *path;
	bool module;           /* has an ELF header, or the dump says so */
	uint64_t start, end;   /* lowest and highest address */
	uint64_t bias;         /* modules: address in the process - address in the file's headers */
	struct bytes build_id; /* size 0: not known */
};

struct dump_thread {
	uint32_t id;
	const char *name;     /* "" if not known */
	uint64_t pc, sp, fp;  /* 0 where the dump does not tell */
	const uint64_t *regs; /* all that may hold a pointer */
	size_t reg_count;
	uint64_t stack_start, stack_end; /* of the stack around sp; equal: nothing proves one */
};

/* Linux' numbers, wherever a core is read. */
enum dump_signal { SIGNAL_ILL = 4, SIGNAL_ABRT = 6, SIGNAL_BUS = 7, SIGNAL_SEGV = 11 };

enum dump_kind { DUMP_CORE, DUMP_RAW, DUMP_PAGES };

struct dump {
	enum dump_kind kind;
	const char *path;
	uint8_t word; /* bytes of a machine word, 4 or 8; 0: not known (raw, nothing found) */
	bool big_endian;
	const struct arch *arch; /* NULL: not known */
	struct region *regions;
	size_t region_count;
	struct dump_file *files;
	size_t file_count;
	struct dump_thread *threads; /* that which got the signal first */
	size_t thread_count;
	const char *command; /* "" if not known */
	uint32_t pid;        /* 0 if not known */
	int signal;          /* 0: none; enum dump_signal has some */
	bool has_fault;
	uint64_t fault_addr;
	uint64_t entry;         /* where the program began; 0: not known */
	uint64_t size, present; /* bytes of all regions; of these in the dump */
	uint64_t file_size;     /* of the dump file, unpacked */
	bool machine_wide;      /* it is of a machine or its kernel, not of a process */
	bool compact;           /* what a region lacks was never touched: zeros */
	uint64_t missing;       /* bytes the headers promise and the file lacks: truncated */
	/* Why memory that the program may have written is not there, in words that follow a colon;
	 * NULL: as far as the dump tells it has all. */
	const char *lacks;
	uint64_t left_out;    /* bytes of that which the file was never to have */
	struct input *inputs; /* private: what is open */
	size_t input_count;
	struct arena arena;
	struct notes *notes; /* borrowed */
};

/* What the user knows of a raw image; zeroed: nothing. */
struct dump_wish {
	const struct dump_piece {
		const char *path; /* NULL: the dump itself */
		bool has_addr;
		uint64_t addr, off; /* where the bytes from `off` of the file lay */
	} *pieces;                  /* parts of the dump, or further files */
	size_t piece_count;
	uint64_t load; /* where the program's first byte lay, if it counts its addresses from 0 */
	uint8_t word;  /* 4 or 8; 0: as the magic words say */
	enum { DUMP_ANY_ORDER, DUMP_LITTLE, DUMP_BIG } order;
};

/* Whether the user says that a file is an image of memory, whatever it begins with. */
static inline bool dump_is_told(const struct dump_wish *wish)
{
	return wish->piece_count > 0 || wish->word != 0;
}

/* Opens a dump of any kind.  A raw image whose address nobody tells gets it from the recorder's
 * pages inside it, which state their own; without these it stands at 0, with a note.
 * False where the file cannot be read, is empty, or is something else that is known (a program). */
bool dump_open(struct dump *d, const char *path, const struct dump_wish *wish, struct notes *notes,
	       struct heft_err *err);
/* The same of a core that is open as an image already: it borrows. */
void dump_of_image(struct dump *d, const struct image *core, struct notes *notes);
/* Asserts what this header promises of regions, files and threads.  By dump_open
 * where HEFT_CHECKS. */
void dump_verify(const struct dump *d);
void dump_close(struct dump *d);
/* Takes what the recorder's pages say of modules whose build ids the dump does not have itself, and
 * of threads, before others use the dump: files move in d->files. */
struct records;
void dump_learn(struct dump *d, const struct records *r);
/* For a dump that knows no modules: addresses from `bias` to `end`, less `bias`, are those of this
 * program's own headers.  Borrows. */
void dump_add_program(struct dump *d, const char *path, uint64_t end, uint64_t bias);
/* Adds what the dynamic linker has in its list, for a dump that lacks the program's headers: its
 * dynamic section is at `dynamic`. */
void dump_add_linked(struct dump *d, uint64_t dynamic, uint64_t size, const char *path);

/* Did the first thread die of its own doing? */
bool dump_is_fatal(const struct dump *d);
/* The region that holds an address; NULL: none.  O(log regions). */
const struct region *dump_region(const struct dump *d, uint64_t addr);
/* Whether the program may have written at an address of which the dump has no byte. */
bool dump_is_lacking(const struct dump *d, uint64_t addr);
/* Bytes of [addr, addr+size), or fewer where the region, or what the dump has of it, ends. */
struct bytes dump_at(const struct dump *d, uint64_t addr, uint64_t size);
/* Where the first segment of a type (PT_*) is in the process, by the headers that the dump has of a
 * module; false where it has none. */
bool dump_module_segment(const struct dump *d, const struct dump_file *file, uint32_t type,
			 uint64_t *ret_addr, uint64_t *ret_size);
/* The module that covers an address; NULL: none. */
const struct dump_file *dump_module(const struct dump *d, uint64_t addr);

#endif
