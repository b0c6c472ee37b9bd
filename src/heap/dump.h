/* dump.h - the memory of a process, from a dump of any kind.
 *
 * Kinds: ELF cores (full, filtered or truncated; also packed with gzip, zstd, lz4 or xz), raw
 * images of memory, and files of the recorder's pages (snapshots). Files of `heft heap snapshot`
 * are cores.
 *
 * Each kind becomes a sorted list of regions without overlap, which do not wrap around at the
 * highest address. The dump has all, some or none of a region's bytes. A dump never changes after
 * it is opened, so several threads may read it. Bytes are borrowed from the file until
 * dump_close(). */
#pragma once

#include "image/arch.h"
#include "image/input.h"

struct region {
	uint64_t addr, size; /* Mapped address range */
	struct bytes bytes;  /* The first bytes of the region, as many as the dump has */
	uint64_t off;        /* Offset of `bytes` in the unpacked dump file. */
	bool read, write, exec;
	bool cut;          /* True if the region lost bytes at the truncated end of the dump file */
	uint32_t file;     /* 1 + index in dump.files of the mapped file. 0 if unknown. */
	uint64_t file_off; /* Offset of `addr` in that file. */
};

/* A mapped file. An object file is a module. */
struct dump_file {
	const char *path;
	bool module;           /* True if it has an ELF header, or the dump calls it a module */
	uint64_t start, end;   /* Addresses [start, end) from the first to the last mapping. */
	uint64_t bias;         /* Modules: address in the process - address in the file */
	struct bytes build_id; /* Size 0 if unknown */
};

struct dump_thread {
	uint32_t id;
	const char *name;     /* "" if unknown. */
	uint64_t pc, sp, fp;  /* 0 if unknown. */
	const uint64_t *regs; /* Values of all registers that may hold a pointer */
	size_t reg_count;
	uint64_t stack_start, stack_end; /* Range of the stack with sp in it. Equal if unknown. */
};

/* Linux's signal numbers, independent of the host. */
enum dump_signal { SIGNAL_ILL = 4, SIGNAL_ABRT = 6, SIGNAL_BUS = 7, SIGNAL_SEGV = 11 };

enum dump_kind { DUMP_CORE, DUMP_RAW, DUMP_PAGES };

struct dump {
	enum dump_kind kind;
	const char *path;
	uint8_t word; /* Bytes of a machine word, 4 or 8. 0 if unknown (a raw image without
		       * recorder data). */
	bool big_endian;
	const struct arch *arch; /* NULL if unknown */
	struct region *regions;
	size_t region_count;
	struct dump_file *files;
	size_t file_count;
	struct dump_thread *threads; /* [0] received the signal */
	size_t thread_count;
	const char *command; /* "" if unknown. */
	uint32_t pid;        /* 0 if unknown. */
	int signal;          /* Signal of the first thread (enum dump_signal). 0 if none. */
	bool has_fault;
	uint64_t fault_addr;
	uint64_t entry;         /* Entry address of the program. 0 if unknown. */
	uint64_t size, present; /* Bytes of all regions, and of the parts that the dump has */
	uint64_t file_size;     /* Bytes of the dump file, unpacked. */
	bool machine_wide;      /* True for a machine or its kernel, false for a process */
	bool compact;           /* True if missing bytes of a region are zero, because the
				 * process never touched them */
	uint64_t missing;       /* Bytes that the headers list but the truncated file lacks */
	/* Reason, as a text to follow a colon, why memory that the program may have written is
	 * missing. NULL if none is known to be missing. */
	const char *lacks;
	uint64_t left_out;    /* Bytes of memory that the dump's writer omitted on purpose */
	struct input *inputs; /* Private */
	size_t input_count;
	struct arena arena;
	struct notes *notes; /* Borrowed */
};

/* What the user says about a raw image of memory. All zero if the user says nothing */
struct dump_wish {
	const struct dump_piece {
		const char *path; /* Path of the file. NULL for the dump itself. */
		bool has_addr;
		uint64_t addr, off; /* Bytes from offset `off` of the file are at address `addr` */
	} *pieces;
	size_t piece_count;
	uint64_t load; /* Load address of a position-independent program. 0 if not given */
	uint8_t word;  /* Bytes of a machine word, 4 or 8. 0 to derive it from magic numbers */
	enum { DUMP_ANY_ORDER, DUMP_LITTLE, DUMP_BIG } order;
};

/* True if the user states that a file is raw memory. Then it is never read as another format. */
static inline bool dump_is_told(const struct dump_wish *wish)
{
	return wish->piece_count > 0 || wish->word != 0;
}

/* Opens a dump of any kind. The address of a raw image comes from the options, or from the
 * recorder's pages inside the image: such a page states its own address. Else the image is at 0,
 * with a note. False if the file cannot be read, is empty, or has another known format (such as a
 * program). */
bool dump_open(struct dump *d, const char *path, const struct dump_wish *wish, struct notes *notes,
	       struct heft_err *err);
/* Makes a dump of a core that is already open as an image. Borrows it. */
void dump_of_image(struct dump *d, const struct image *core, struct notes *notes);
void dump_close(struct dump *d);
/* Adds facts from the recorder's pages: threads, and modules whose build ids the dump lacks. Moves
 * dump.files, so pointers into it become invalid. */
struct records;
void dump_learn(struct dump *d, const struct records *r);
/* Adds the program to a dump without modules. It is mapped until `end`. Addresses in its headers
 * are lower by `bias` than in the process. Borrows the path. */
void dump_add_program(struct dump *d, const char *path, uint64_t end, uint64_t bias);
/* Adds the modules in the dynamic linker's list to a dump that lacks the program's headers.
 * `dynamic` is the address of the program's dynamic section. */
void dump_add_linked(struct dump *d, uint64_t dynamic, uint64_t size, const char *path);

/* Returns the thread that received the signal. NULL if the dump has no threads. */
static inline const struct dump_thread *dump_first_thread(const struct dump *d)
{
	return d->thread_count > 0 ? &d->threads[0] : NULL;
}
/* True if the thread that received the signal died by its own fault. */
bool dump_is_fatal(const struct dump *d);
/* Returns the region that contains an address. NULL if there is none. O(log regions). */
const struct region *dump_region(const struct dump *d, uint64_t addr);
/* True if the dump lacks the byte at an address, and the program may have written there. */
bool dump_is_lacking(const struct dump *d, uint64_t addr);
/* Returns bytes of [addr, addr+size): fewer if the region ends, or if the dump lacks the rest. */
struct bytes dump_at(const struct dump *d, uint64_t addr, uint64_t size);
/* Finds the first segment of a type (PT_*) by the module's headers in memory. False without
 * headers. */
bool dump_module_segment(const struct dump *d, const struct dump_file *file, uint32_t type,
			 uint64_t *ret_addr, uint64_t *ret_size);
/* Returns the module that covers an address. NULL if there is none. At most 16 other files may be
 * mapped between the module's start and the address. */
const struct dump_file *dump_module(const struct dump *d, uint64_t addr);
