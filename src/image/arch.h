/* arch.h - instruction set architectures: a table of their properties.
 *
 * The numbers of machines (EM_*) are only for the directory image/. Other code uses the properties,
 * and chooses decoders by enum arch_id. */
#pragma once

#include "image/image.h"

/* Architectures whose code heft or Capstone decodes. */
enum arch_id {
	ARCH_OTHER,
	ARCH_386,
	ARCH_X86_64,
	ARCH_ARM,
	ARCH_ARM64,
	ARCH_RISCV,
	ARCH_MIPS,
	ARCH_PPC,
	ARCH_PPC64,
	ARCH_S390,
	ARCH_SPARC,
	ARCH_SPARC_V9,
	ARCH_68K,
	ARCH_AVR,
	ARCH_XTENSA,
};

/* Registers in core dumps of 64-bit processes, numbered as in DWARF (psABIs). */
struct arch_registers {
	const uint8_t *index; /* Position of each register in NT_PRSTATUS. NULL if it is the
			       * register's number */
	uint8_t count, stack, frame;
	uint8_t link; /* Register of the return address. 0 if it is on the stack */
};

/* Sizes of the stubs of the procedure linkage table, in bytes. From psABIs, and from GNU ld for
 * details that they leave open. */
struct arch_stubs {
	uint8_t size, header;             /* `header`: bytes before the first stub */
	uint8_t short_size, short_header; /* Sizes of a second form of stubs. 0 without one */
	uint8_t got_size;                 /* Size of a stub in .plt.got. 0 means `size` */
};

struct arch {
	uint16_t machine; /* Number EM_*, only for image/. */
	enum arch_id id;
	const char *name;       /* Name, such as "x86-64" */
	const char *short_name; /* Name that SuperSize uses, "x64". NULL if it has none. */
	/* True if the machine has two instruction sets. A code address's lowest bit selects one.
	 * Mapping symbols mark the code of each. */
	bool two_sets;
	bool absolute; /* True if code contains addresses, or adds distances to a base (i386) */
	bool pools;    /* True if code loads addresses and numbers from literal pools nearby */
	bool zeros_are_code;
	bool tail_counts;   /* True if the distance in an instruction counts from the end of the
			     * instruction, not from the end of the distance's field */
	bool is_firmware;   /* True if programs for fixed addresses are firmware */
	bool sizes_in_code; /* True if a function begins with its size and its locals */
	bool got_splits;    /* True if a large GOT has several parts, each with its own pointer */
	/* Distance from the start of the GOT to the value of the register that points at it. */
	uint16_t got_bias;
	struct arch_stubs stubs;
	const struct arch_registers *registers; /* Registers in cores. NULL if not known */
	/* GNU property note: type of the property whose two lowest bits are features. 0 if there is
	 * none. `features` has the names, by the value of these bits. */
	uint32_t feature_property;
	const char *features[4];
};

/* Returns the architecture, never NULL. A machine outside the table has ARCH_OTHER and no name. */
const struct arch *image_arch(const struct image *im);
static inline bool image_same_arch(const struct image *a, const struct image *b)
{
	return a->machine == b->machine;
}

/* Returns a code address without the bit that selects the instruction set. */
static inline uint64_t image_code_addr(const struct image *im, uint64_t addr)
{
	return image_arch(im)->two_sets ? addr & ~UINT64_C(1) : addr;
}

/* True if code contains addresses as numbers, as code that is linked for one address does. */
bool image_code_has_addresses(const struct image *im);
/* True if a section is the index of ARM's unwind tables (.ARM.exidx). */
bool section_is_unwind_index(const struct image *im, const struct section *s);
/* True if a section of a linked image is the table of procedures of MIPS (.pdr). */
bool section_is_procedures(const struct image *im, const struct section *s);
/* Returns the lowest address of sections that execute. 0 if there is none. */
uint64_t image_code_base(const struct image *im);
/* Returns the processor of a file of GPU code, such as "sm_90" or "gfx1100". "host" for other
 * files. NVIDIA states it in the flags, AMD in a note. The text is in `text` or the image. */
enum { IMAGE_TARGET_SIZE = 16 };
struct str image_gpu_target(const struct image *im, char text[IMAGE_TARGET_SIZE]);
/* True if a program needs an extension of its instruction set (RISC-V), named by four letters. */
bool image_is_made_for(const struct image *im, const char extension[4]);

/* The table of addresses (GOT) of a linked image: the range of all its sections. */
struct image_got {
	uint64_t addr, size; /* `size` is 0 if the image has no GOT */
	/* Value of the register by which code reaches the table: gp of MIPS, the TOC pointer of
	 * 64-bit PowerPC (psABIs). 0 if there is no such register, or if the table is so large
	 * that its parts have pointers of their own. */
	uint64_t pointer;
};
/* Returns the GOT of an image. O(sections). */
struct image_got image_got(const struct image *im);

/* What a relocation for a thread-local variable writes. */
enum tls_form {
	TLS_UNKNOWN,    /* Unknown relocation of this architecture */
	TLS_OFFSET,     /* One word: the variable's offset in thread-local storage */
	TLS_MODULE,     /* Two words: the number of the program or library, and the offset in its
			 * thread-local storage */
	TLS_DESCRIPTOR, /* Two words: a function that finds the variable, and its argument */
};
enum tls_form image_tls_form(const struct image *im, const struct reloc *r);
