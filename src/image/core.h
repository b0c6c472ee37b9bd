/* core.h - reads the notes of an ELF core: threads, mapped files, the command, the signal.
 *
 * Layouts: Linux, include/uapi/linux/elfcore.h (NT_PRSTATUS, NT_PRPSINFO), fs/binfmt_elf.c
 * (NT_FILE), core(5). A note that is too short or damaged is skipped. Registers have known names on
 * x86-64 (x32 too), i386, AArch64, ARM and RISC-V. */
#pragma once

#include "image/image.h"

/* A range of a file that the process had mapped. */
struct core_file {
	uint64_t start, end; /* Addresses [start, end). Invariant: start < end */
	uint64_t off;        /* Offset of the range in the file, in bytes. */
	const char *path;
};

struct core_thread {
	uint32_t id;
	uint64_t pc, sp, fp, tp; /* Program counter, stack pointer, frame pointer, pointer to
				  * thread-local storage. 0 if unknown. */
	const uint64_t *regs;    /* All general registers */
	size_t reg_count;
};

struct core {
	VEC(struct core_file) files;     /* Mapped files, in the order of the note NT_FILE */
	VEC(struct core_thread) threads; /* [0] received the signal */
	const char *command;             /* Command with its arguments, cut to 80 bytes, or "" */
	const char *name;                /* Name of the process's first thread, cut to 15 bytes. */
	uint32_t pid;                    /* 0 if unknown. */
	int signal;                      /* 0 if there is none */
	bool has_fault;
	uint64_t fault_addr;
	/* Values of the auxiliary vector. 0 if an entry is absent. */
	uint64_t phdr, phent, phnum, base, entry, execfn, vdso;
	bool machine_wide; /* True if its notes show that the core holds a whole machine (QEMU, Xen)
			    * or its kernel (kdump). */
	bool compact;      /* True if heft wrote the core: all missing pages are zeros that the
			    * program never touched. */
	struct arena arena;
};

/* Owner and type ("heft") of the note that `heft heap snapshot` writes. The note has no content. */
#define CORE_NOTE_OWNER "HEFT"
enum { CORE_NOTE_COMPACT = 0x68656674 };

void core_read(struct core *c, const struct image *im);
void core_release(struct core *c);
