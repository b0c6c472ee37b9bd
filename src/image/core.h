/* core.h - what the notes of an ELF core say: threads, mapped files, the command, the signal.
 *
 * Layouts: Linux, include/uapi/linux/elfcore.h (NT_PRSTATUS, NT_PRPSINFO), fs/binfmt_elf.c
 * (NT_FILE), core(5).  Texts and numbers are read once; a note that does not fit is passed over. 
 * Registers are known of x86-64 (x32 too), i386, AArch64, ARM and RISC-V. */
#ifndef HEFT_IMAGE_CORE_H
#define HEFT_IMAGE_CORE_H

#include "image/image.h"

/* A piece of a file that was mapped. */
struct core_file {
	uint64_t start, end; /* start < end */
	uint64_t off;        /* in the file, bytes */
	const char *path;
};

struct core_thread {
	uint32_t id;
	uint64_t pc, sp, fp, tp; /* tp: of thread-local storage; 0 where not known */
	const uint64_t *regs;    /* all general ones */
	size_t reg_count;
};

struct core {
	VEC(struct core_file) files;     /* as the note lists them */
	VEC(struct core_thread) threads; /* the one that got the signal first */
	const char *command;             /* with arguments, cut; "" if not known */
	const char *name;                /* of the first thread of the process, cut to 15 bytes */
	uint32_t pid;                    /* 0 if not known */
	int signal;                      /* 0: none */
	bool has_fault;
	uint64_t fault_addr;
	/* Of the auxiliary vector; 0 where it lacks an entry. */
	uint64_t phdr, phent, phnum, base, entry, execfn, vdso;
	bool machine_wide; /* notes say that it is of a machine (QEMU, Xen) or its kernel (kdump) */
	bool compact;      /* a note of heft's says that what is missing was never touched: zeros */
	struct arena arena;
};

/* The note that `heft heap snapshot` writes: this owner and type ("heft"), no content. */
#define CORE_NOTE_OWNER "HEFT"
enum { CORE_NOTE_COMPACT = 0x68656674 };

void core_read(struct core *c, const struct image *im);
void core_release(struct core *c);

#endif
