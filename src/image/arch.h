/* arch.h - instruction set architectures: a table of what rooms above image/ ask of them.
 *
 * Numbers of machines stay in image/.  Other rooms ask for a property of the architecture; decoders
 * choose by its id. */
#ifndef HEFT_IMAGE_ARCH_H
#define HEFT_IMAGE_ARCH_H

#include "image/image.h"

/* Architectures whose code heft or its disassembler decodes. */
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

/* Registers of 64-bit cores by DWARF's numbers (psABIs). */
struct arch_registers {
	const uint8_t *index; /* of each in NT_PRSTATUS; NULL: its number */
	uint8_t count, stack, frame;
	uint8_t link; /* 0: return addresses are on the stack */
};

/* Stubs of the procedure linkage table, in bytes (psABIs; GNU ld where these leave it open). */
struct arch_stubs {
	uint8_t size, header;             /* header: before the first stub */
	uint8_t short_size, short_header; /* of another form; 0: there is none */
	uint8_t got_size;                 /* of .plt.got; 0: as size */
};

struct arch {
	uint16_t machine; /* EM_*; for image/ */
	enum arch_id id;
	const char *name;       /* "x86-64" */
	const char *short_name; /* as SuperSize has it, "x64"; NULL: it has none */
	/* The lowest bit of an address of code says which set of two an instruction is from, and
	 * symbols mark which is where. */
	bool two_sets;
	bool absolute; /* code states addresses, or adds distances to a base (i386) */
	bool pools;    /* code loads addresses and numbers from pools beside it */
	bool zeros_are_code;
	bool tail_counts;   /* distances count from the end of an instruction, beyond their field */
	bool is_firmware;   /* programs for fixed addresses are firmware: its entry fills memory */
	bool sizes_in_code; /* a size and locals stand before the first instruction */
	struct arch_stubs stubs;
	const struct arch_registers *registers; /* or NULL */
	/* Of the GNU property note: the property that has features in its two lowest bits, and
	 * their names by these.  0: none. */
	uint32_t feature_property;
	const char *features[4];
};

/* Never NULL: a machine that is not in the table has ARCH_OTHER and no name. */
const struct arch *image_arch(const struct image *im);
static inline bool image_same_arch(const struct image *a, const struct image *b)
{
	return a->machine == b->machine;
}

/* An address of code without the bit that says the set of instructions. */
static inline uint64_t image_code_addr(const struct image *im, uint64_t addr)
{
	return image_arch(im)->two_sets ? addr & ~UINT64_C(1) : addr;
}

/* Whether code states addresses as numbers, as code that is linked for one address does. */
bool image_code_has_addresses(const struct image *im);
/* Whether a section is the index of ARM's unwind tables (.ARM.exidx). */
bool section_is_unwind_index(const struct image *im, const struct section *s);
/* Whether a program says that it is made for an extension of its instruction set (RISC-V), by a
 * name of four letters. */
bool image_is_made_for(const struct image *im, const char extension[4]);

/* What a relocation of a thread-local variable fills in. */
enum tls_form {
	TLS_UNKNOWN,    /* relocations of this architecture are not told apart */
	TLS_OFFSET,     /* one word */
	TLS_MODULE,     /* a module, and an offset in the word after it */
	TLS_DESCRIPTOR, /* two words */
};
enum tls_form image_tls_form(const struct image *im, const struct reloc *r);

#endif
