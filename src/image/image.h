/* image.h - one object file (executable, shared object, relocatable object, core) in a neutral
 * form: segments, sections, symbol tables, relocations.
 *
 * Vocabulary: ELF's terms for every container (PT_*, SHT_*, SHF_*, STT_*, EM_*, R_*, section names
 * such as ".text"). The parsers of other containers (build.h) translate to these terms. The name of
 * a section in its own file is its `title`.
 *
 * Lifetime: an image never changes after parsing and borrows its bytes from the input file. So
 * several threads may read an image at once.
 *
 * Invalid input makes a note and is clipped: every {off, file_size} below lies inside `bytes`, no
 * addr + size wraps, and every index is in range or marked as none.
 *
 * Addresses: linked images use the VM addresses that the file states. In relocatable objects (also
 * members of archives), section i has the address (vm_index << 40). vm_index counts all sections of
 * all members of the input. A section of 2^40 bytes or more is clipped, with a note.
 *
 * Overlays are sections of firmware that run at one address but are stored at different ones. The
 * first keeps its address. The n-th section after the first gets its address plus (n <<
 * overlay_shift). The part of the segment with that section becomes a segment too. */
#pragma once

#include "base/arena.h"
#include "base/err.h"
#include "base/file.h"
#include "base/reader.h"
#include "base/vec.h"

#define OBJECT_SECTION_SHIFT 40

enum image_kind {
	IMAGE_EXEC,   /* Linked: an executable or shared object */
	IMAGE_OBJECT, /* A relocatable object */
	IMAGE_CORE,
};

struct segment {
	struct str name; /* Name of the segment. "" in ELF, because ELF has no segment names. */
	uint32_t index;  /* Index in the program header table. */
	uint32_t type;   /* One of PT_* */
	bool read, write, exec;
	/* File offset and bytes in the file, relative to the image's bytes. Clipped to the file,
	 * and for PT_LOAD to vm_size. Other segments are clipped to the containing PT_LOAD.
	 * Separate debug files: clipped to the bytes that are present. */
	uint64_t off, file_size;
	uint64_t missing;       /* Bytes that the header states but the file lacks, because the
				 * file was cut off. */
	uint64_t addr, vm_size; /* VM address and bytes in memory, as stated. vm_size is clipped
				 * so that addr + vm_size does not wrap. */
	/* Address at which the machine stores the file's bytes (PT_LOAD): p_paddr of ELF, clipped
	 * so that it does not wrap. Equal to addr if unknown. */
	uint64_t load_addr;
	uint64_t align;
	bool again;       /* True if the file bytes are not read, because too many sections or
			   * segments share them. See section_bytes(). */
	uint64_t vm_bias; /* What heft added to the file's address of an overlay */
};

/* Printf format and arguments for text such as "LOAD #2 [RX]". */
#define SEGMENT_FMT    "LOAD #%" PRIu32 " [%s%s%s]"
#define SEGMENT_ARG(s) (s)->index, (s)->read ? "R" : "", (s)->write ? "W" : "", (s)->exec ? "X" : ""

struct section {
	struct str name;  /* ELF name of the section. "" if the name table is damaged */
	struct str title; /* Name in the container's own terms. "" if the same as `name`. */
	uint32_t index;
	uint32_t type;      /* One of SHT_* */
	uint64_t flags;     /* Bits SHF_* */
	uint64_t addr;      /* VM address, see the top of this file. Meaningless unless `alloc`. */
	uint64_t vm_bias;   /* Number that heft added to the address in the file, because the
			     * section is an overlay. */
	uint64_t off;       /* File offset relative to the image's bytes */
	uint64_t size;      /* Bytes as stated. If `alloc`: bytes in memory. */
	uint64_t file_size; /* Bytes in the file, clipped. 0 for NOBITS. */
	uint32_t link, info;
	uint64_t align, entsize;
	bool alloc, write, exec, tls, nobits, compressed;
	bool again;                      /* True if the file bytes are not read, because too many
					  * sections or segments share them. See section_bytes(). */
	const struct reloc *made_relocs; /* Relocations of a table not in ELF's form. Else NULL */
	uint64_t made_reloc_count;
};

/* A named range of the file outside of all sections: a header table. */
struct image_part {
	uint64_t off, size; /* Offset in the image's bytes, and bytes, limited to the image */
	const char *label;
};

/* Bytes of a table that belong to a symbol or address, such as an export, unwind entry or slot. */
struct image_entry {
	uint32_t section;   /* Section index. */
	uint32_t symbol;    /* Index in the table of made symbols. If 0, the bytes belong to the
			     * symbol at `addr`. */
	uint64_t off, size; /* Range in the section's file bytes. Range in its memory if the
			     * section has no file bytes. */
	uint64_t addr;
};

/* Protections that the headers of a linked file state. Only for containers other than ELF. */
struct image_protection {
	bool known;
	bool moves;           /* True if the file may be loaded at any address */
	bool no_exec_data;    /* True if data and stack are not executable */
	const char *features; /* Names of features, separated by spaces: "cfg signed" */
};

struct made_symbol;

struct image {
	const char *format;       /* Name of the format, such as "ELF" */
	const char *machine_name; /* Name of the machine. NULL to use the name in struct arch. */
	const char *path;         /* Path of the input file. Borrowed. */
	struct str member;        /* Name inside an archive. "" if the image is no member. */
	struct bytes bytes;       /* Bytes of this object alone. */
	uint64_t file_off;        /* Offset of `bytes` in the input file. */
	enum image_kind kind;
	uint8_t bits; /* 32 or 64 */
	bool big_endian;
	uint16_t machine; /* EM_*, also for other containers. Outside of image/, use arch.h */
	uint16_t type;    /* One of ET_* */
	uint8_t os_abi;
	uint32_t flags; /* Field e_flags */
	uint64_t entry;
	struct image_part *parts;
	size_t part_count;
	/* Offsets and sizes of ELF's header tables, clipped, relative to the image's bytes. */
	uint64_t ehdr_size, phdr_off, phdr_size, shdr_off, shdr_size;
	struct segment *segments;
	size_t segment_count;
	struct section *sections; /* Sections by their index in the file. [0] is the null section */
	size_t section_count;
	/* Limit of the length of names, per section with a symbol table: one more than name_max of
	 * struct symtab. 0 if not computed yet. Atomic: symtab_open() fills it in. */
	uint64_t *name_bounds;
	size_t name_bound_count;
	struct bytes build_id; /* First GNU build id of the notes. Size 0 if there is none */
	/* Path of the debug file (PE) on the linker's machine. "" if the image names none.
	 * debug_age counts how often that file was written since it was created. */
	struct str debug_name;
	uint32_t debug_age;
	struct str source_map;   /* URL of the source map (WebAssembly). "" if there is none */
	struct elf_index *index; /* Index for look-ups, private to image/. Lives in the arena. */
	struct arena arena;      /* Memory that lives as long as the image */
	struct notes *notes;     /* Receives notes. Borrowed; may be NULL */
	struct image_protection protection;
	/* Number of places that a loader patches by a table outside of all sections (PE). */
	uint64_t moved_places;
	bool mapped;   /* True if the bytes are those of a mapped file */
	bool by_build; /* True if the image is not ELF: build.h made it. Outside of image/, use
			* image_states_loading() and image_states_sizes(). */
	bool bare;     /* True if the file has no section headers. heft derives the sections */
	/* True if each stored address has a relocation, even if the type is ET_EXEC. */
	bool moves;
	/* True if titles of sections begin with their segment (Mach-O), so labels need not. */
	bool full_titles;
	/* True if addresses in the file count from `base` (PE). */
	bool from_base;
	uint64_t base;
	bool own_spaces;        /* True if code and data have two address spaces (WebAssembly). */
	uint64_t vm_bias;       /* Number added to the addresses: see struct image_place. */
	unsigned overlay_shift; /* Address bits below the overlay number. 0 without overlays. */
	/* Number to add to the addresses of variables in debug info, because WebAssembly's data has
	 * its own address space. */
	uint64_t data_bias;
	/* Symbols of a container other than ELF. [0] is no symbol. All symbols are in the section
	 * made_table. */
	const struct made_symbol *made_symbols;
	size_t made_count;
	const struct image_entry *entries;
	size_t entry_count;
	uint32_t made_table, made_strings; /* Section indexes of the symbols and of their names.
					    * made_strings is 0 if the names are inside the
					    * symbol entries. */
	bool has_debug_map; /* True if objects have the debug info of a Mach-O program */
};

/* Visit the sections and the segments of an image by ascending index: each_section(s, im) { ... }.
 * Section 0, which stands for no section, is not visited. */
#define each_section(s, im)                                                                        \
	for (const struct section *s = array_at((im)->sections, (im)->section_count > 0),          \
				  *const s##_end = array_at((im)->sections, (im)->section_count);  \
	     s != s##_end; s++)
#define each_segment(s, im)                                                                        \
	for (const struct segment *s = (im)->segments, *const s##_end =                            \
							       array_at((im)->segments,            \
									(im)->segment_count);      \
	     s != s##_end; s++)

/* The place of an image: its file, its member of an archive, its addresses. */
struct image_place {
	const char *path;        /* Path of the file. The image borrows it. */
	struct str member;       /* Member of an archive, otherwise empty. Borrowed */
	uint64_t file_off;       /* Offset of the image in that file. */
	uint64_t first_vm_index; /* In objects: the vm_index of section 0 */
	uint64_t vm_bias;        /* Number to add to addresses of a linked image, unless it is
				  * ELF. */
};

/* Parses the ELF file in `bytes`. False only if the ELF header is damaged or if the header tables
 * lie outside of the file. */
bool elf_parse(struct image *im, const struct image_place *at, struct bytes bytes,
	       struct notes *notes, struct heft_err *err);
bool elf_matches(struct bytes bytes);
/* Parses an object file of any container that heft reads (kinds.h). False on failure. */
bool image_parse(struct image *im, const struct image_place *at, struct bytes bytes,
		 struct notes *notes, struct heft_err *err);
void image_release(struct image *im);
/* Asserts what this header promises. O(sections and entries). Every parser calls it at its end if
 * HEFT_CHECKS. */
void image_verify(const struct image *im);

/* Returns a description such as "ELF 64-bit LSB shared object, x86-64". The image owns it. */
const char *image_describe(struct image *im);
/* Returns a build id in lower-case hexadecimal. "" if there is none. */
char *build_id_text(struct arena *a, struct bytes id);
/* Returns the machine's name, such as "x86-64". The name is a constant or belongs to the image. */
const char *image_machine_name(struct image *im);
/* Reads the first entry of the dynamic table that has this tag (DT_*). False if there is none. */
bool image_dynamic(const struct image *im, uint64_t tag, uint64_t *ret);
bool image_has_segment(const struct image *im, uint32_t type); /* `type`: one of PT_* */
/* True for a position-independent program, false for a shared library. */
bool image_is_pie(const struct image *im);

/* True if headers and a dynamic table state how a loader uses the image: segments of all types, an
 * interpreter, libraries. */
static inline bool image_states_loading(const struct image *im)
{
	return !im->by_build;
}
/* True if symbols state their sizes. Otherwise sizes are guesses, and the symbol table also has
 * exports and starts of functions. */
static inline bool image_states_sizes(const struct image *im)
{
	return !im->by_build;
}

/* Returns the name by which users know a section. "" if it has no name. */
static inline struct str section_title(const struct section *s)
{
	return s->title.len > 0 ? s->title : s->name;
}

/* True for a part of a Mach-O or PE file that is not a section of the file, such as its symbols. */
bool section_is_made(const struct image *im, const struct section *s);
/* Returns the first section with exactly this name. NULL if there is none. */
const struct section *image_section_named(const struct image *im, struct str name);
const struct section *image_section_find(const struct image *im, const char *name);
/* Returns the first section of a type (SHT_*) at or after section index `from`, or NULL. */
const struct section *image_section_type(const struct image *im, uint32_t type, size_t from);
/* Returns the table of the image's own symbols. NULL without one, or if heft made all its symbols
 * from other tables (exports, function starts, unwind entries). */
const struct section *image_symbols(const struct image *im);
/* Linked image: true if the symbol table names addresses that the dynamic table does not name.
 * Stripping may leave only a copy of the dynamic table, or imports. Object: true if it has
 * symbols. */
bool image_symbols_name_places(const struct image *im);
/* Sets *ret to the address that a table's entry exports, in images that are not ELF. False if the
 * entry exports nothing, or nothing that linkers must keep (exports of Mach-O programs). */
bool image_export(const struct image *im, const struct image_entry *e, uint64_t *ret);
/* Returns the alloc section that contains a VM address, NULL if there is none. If sections overlap,
 * returns the one that begins last. Skips NOBITS TLS sections of linked images, because they take
 * no memory there. O(log sections). */
const struct section *image_section_at(const struct image *im, uint64_t addr);

/* Returns the address to which a branch at `from` leads. heft moves each overlay to addresses of
 * its own, so a target computed in an overlay is moved too. A target outside of the overlay is
 * moved back to its address in the file. */
uint64_t image_jump_target(const struct image *im, uint64_t from, uint64_t target);

/* Return the bytes of a section, or of a segment, as stored in the file. Limits overlapping
 * contents, so that all work is O(file): if earlier sections (or segments of one type) add up to
 * twice the file's size, returns no bytes. */
struct bytes section_bytes(const struct image *im, const struct section *s);
struct bytes segment_bytes(const struct image *im, const struct segment *s);
/* Returns the bytes of a section, unpacked if it is compressed (SHF_COMPRESSED with zlib or
 * zstd, .zdebug_*). *ret_owned is memory that the caller frees, or NULL. False, with a note, on
 * failure. */
bool section_unpack(const struct image *im, const struct section *s, struct bytes *ret,
		    void **ret_owned);
/* Returns the size that section_unpack() would give, without unpacking. False if the compression
 * header is damaged or states an impossible size. section_unpack() then adds a note. */
bool section_unpacked_size(const struct image *im, const struct section *s, uint64_t *ret);
/* Opens a stream that unpacks a section piece by piece. False if the section is not compressed or
 * (with a note) its header is damaged. */
struct unpack_stream;
bool section_unpack_stream(const struct image *im, const struct section *s,
			   struct unpack_stream **ret);
/* Lets the system drop these bytes from memory, because they will not be read soon. Ignores bytes
 * outside of the image, such as unpacked ones, and files that are not mapped. */
void image_forget(const struct image *im, struct bytes b);
/* Returns the file bytes of [addr, addr+size) of the VM image. Returns fewer if the file has fewer,
 * or if the segment (or section) ends. The size is 0 if there are none. Reads segments in linked
 * images. Reads sections in objects and in images without PT_LOAD. O(log n). */
struct bytes image_at(const struct image *im, uint64_t addr, uint64_t size);
/* Returns the PT_LOAD segment whose memory contains addr, or NULL. If several contain it, returns
 * the one that begins last, then the last in the table: loaders map them over one another in this
 * order. O(segments). */
const struct segment *image_load_at(const struct image *im, uint64_t addr);

#define SYM_NO_SECTION 0 /* The symbol is undefined */
#define SYM_ABSOLUTE   UINT32_MAX
#define SYM_COMMON     (UINT32_MAX - 1)
#define SYM_BAD        (UINT32_MAX - 2) /* The section index is outside the table, or reserved */

struct symbol {
	struct str name;   /* Name, borrowed. "" if its offset is bad. */
	uint32_t index;    /* Index in its symbol table. */
	uint32_t name_off; /* Offset of the name in the string table. */
	uint32_t section;  /* Section index (SHN_XINDEX resolved), or a constant SYM_... above. */
	uint64_t value, size;
	uint8_t type, bind, visibility; /* Values STT_..., STB_... and STV_... */
	bool guessed;                   /* True if the file states no size. The symbol then ends
					 * where the next one begins */
};

struct symtab {
	const struct image *image;
	const struct section *section; /* Section of type SHT_SYMTAB or SHT_DYNSYM. */
	const struct section *strings; /* Section of names. NULL if sh_link is no string table */
	struct bytes data, names, xindex;
	size_t count; /* Number of entries, including the null entry */
	uint32_t entry_size;
	uint64_t name_max; /* Limit of a name's length in bytes, or 0 for no limit. Longer names are
			    * not read, so reading all names is O(table) */
	/* Sizes of names by symbol index, from an earlier reader of the whole table. UINT32_MAX if
	 * unknown. Borrowed. NULL at first. */
	const uint32_t *name_sizes;
	const struct made_symbol *made; /* Symbols that are not in ELF's form. NULL for ELF */
};

/* A symbol of a table whose entries do not have ELF's form. */
struct made_symbol {
	struct symbol symbol;
	uint64_t entry_off, entry_size; /* Range of the entry in the section of the table */
	uint64_t name_size;             /* Bytes of the name in `strings`, with its NUL. */
};

/* Returns the section with the names of made_symbols. NULL if names are inside the entries. */
const struct section *image_made_names(const struct image *im);
/* Finds the symbol that an entry names. If it names none (false), the entry belongs to the symbol
 * at its address. */
bool image_entry_symbol(const struct image *im, const struct image_entry *e, struct symbol *ret);
/* True if local symbols come before all others. */
bool symtab_has_locals_first(const struct symtab *t);
/* Opens a symbol table. False if the section is smaller than an entry. */
bool symtab_open(struct symtab *t, const struct image *im, const struct section *s);
/* Returns entry i, which must be less than count. O(1). */
struct symbol symtab_get(const struct symtab *t, size_t i);
/* Like symtab_get(), for callers who do not need the name. The name may be "". */
struct symbol symtab_get_nameless(const struct symtab *t, size_t i);

/* Bytes of a symbol's entry in its table, and of its name in the string table. */
struct symbol_bytes {
	uint64_t entry_off, entry_size, name_off, name_size;
};

static inline struct symbol_bytes symtab_bytes(const struct symtab *t, const struct symbol *s)
{
	const uint64_t size = t->entry_size;
	if (!t->made)
		return (struct symbol_bytes){ s->index * size, size, s->name_off, s->name.len + 1 };
	const struct made_symbol *m = &t->made[s->index];
	return (struct symbol_bytes){ m->entry_off, m->entry_size, s->name_off, m->name_size };
}

/* Computes the VM address of a defined symbol. False for undefined, absolute, common and non-alloc
 * symbols.
 * - Objects: section address + value.
 * - TLS symbols of linked images: PT_TLS address + value.
 * - ARM and MIPS: the bit for the instruction set is cleared.
 * - 64-bit PowerPC: a function in .opd gets the code address in its descriptor. */
bool symbol_addr(const struct image *im, const struct symbol *s, uint64_t *ret);
/* Returns the section of function descriptors (64-bit PowerPC), or NULL. *ret_words are its
 * doublewords after relocation. The first doubleword of each descriptor is the address of code. */
const struct section *image_descriptors(const struct image *im, const uint64_t **ret_words,
					size_t *ret_count);
/* True if the symbol's section has only the descriptor of a function, not its code. */
bool symbol_is_descriptor(const struct image *im, const struct symbol *s);
/* Returns the bytes of a symbol at `addr` in a section. Returns 0 for a data symbol over a whole
 * section of code, as in Dart snapshots: it only names the section. */
uint64_t symbol_size_in(const struct section *in, const struct symbol *s, uint64_t addr);

enum reloc_kind {
	RELOC_OTHER,
	RELOC_RELATIVE,  /* Image base + addend */
	RELOC_ABS,       /* Symbol + addend: a pointer. */
	RELOC_PCREL,     /* Symbol + addend - place. Also for its PLT entry, or in pages. */
	RELOC_GLOB_DAT,  /* GOT slot of a symbol */
	RELOC_JUMP_SLOT, /* GOT slot that the PLT uses for a symbol */
	RELOC_COPY,
	RELOC_IRELATIVE,
	RELOC_TLS,
};

struct reloc {
	uint64_t entry_off;    /* Offset of the entry in the relocation section. */
	uint64_t entry_size;   /* Bytes of the entry. 0 if a packed form needs no bytes. */
	uint64_t addr;         /* Patched place: VM address if `alloc`, or offset in `section` */
	bool alloc;            /* True if the patched section takes memory */
	uint32_t section;      /* Index of the patched section. 0 if unknown. */
	uint32_t type, symbol; /* Type (R_...) and symbol index. RELR: 0. In 64-bit MIPS, `type`
			        * packs three types, the first one in the lowest byte. */
	int64_t addend;        /* Addend. 0 for REL and RELR, whose addend is in the patched
			        * place: see reloc_target(). */
	bool has_addend;
	enum reloc_kind kind;
};

/* Iterates over REL, RELA, RELR, CREL, Android packed REL/RELA (APS2) and Android RELR. */
struct reloc_iter {
	const struct image *image;
	const struct section *section;
	const struct section *patched; /* Section that sh_info names, in objects and with
				        * --emit-relocs. Else NULL. */
	struct symtab symbols;         /* Symbols of sh_link. Count 0 if it is no symbol table. */
	struct reader reader;
	/* State of the iteration, private to elf_reloc.c. */
	uint64_t remaining, base, state[10];
	int form;
	uint32_t last_type; /* Type of the previous entry, and its kind below. Types often repeat */
	enum reloc_kind last_kind;
};

bool section_is_reloc(const struct section *s);
/* True for relocations of a linked image that loaders ignore, as kept by `ld --emit-relocs`. */
bool section_is_kept_reloc(const struct image *im, const struct section *s);
/* True if a section of this name holds debug info, which is not needed to run the program. */
bool section_name_is_debug(struct str name);
/* True if a section takes memory in the VM image. The .tbss of a linked image takes none if its
 * address is in a PT_LOAD. */
bool section_takes_vm(const struct image *im, const struct section *s);
/* Opens a relocation section. False for other sections, or (with a note) if it is damaged. */
bool reloc_open(struct reloc_iter *it, const struct image *im, const struct section *s);
/* Returns the next relocation. False at the end, or (with a note) at damage. */
bool reloc_next(struct reloc_iter *it, struct reloc *ret);
/* Returns the number of entries of a table that can be read in parts (REL, RELA), else 0. */
uint64_t reloc_count(const struct reloc_iter *it);
/* Returns an iterator over the entries [first, first + count) of the table of `it`. The table must
 * be readable in parts: reloc_count() is not 0. */
struct reloc_iter reloc_part(const struct reloc_iter *it, uint64_t first, uint64_t count);
/* Effect of a relocation on a field of data (debug sections of objects). */
enum reloc_op {
	RELOC_OP_NONE, /* No change: the relocation is only a marker */
	RELOC_OP_SET,  /* Field = value */
	RELOC_OP_ADD,  /* Field += value */
	RELOC_OP_SUB,  /* Field -= value */
	RELOC_OP_LESS, /* Subtracts the value from that of the field's next relocation */
	RELOC_OP_PUSH, /* Pushes the value on a stack, for the three operations below */
	RELOC_OP_TAKE, /* Pops the upper value and subtracts it from the value below */
	RELOC_OP_PLUS, /* Pops the upper value and adds it to the value below */
	RELOC_OP_POP,  /* Field = value popped from the stack */
	RELOC_OP_UNKNOWN,
};

struct reloc_field {
	enum reloc_op op;
	uint8_t width; /* Bytes of the field. 0 for a ULEB128 that keeps its length. */
	uint8_t bits;  /* Number of low bits that are patched. All bits of the field, except for
		        * 6-bit types. */
	/* Bias of thread-local variables: by the ABI, linkers subtract it from offsets. */
	uint16_t bias;
};

/* Returns the effect of a relocation type on data. RELOC_OP_UNKNOWN for types that patch
 * instructions. */
struct reloc_field reloc_field(const struct image *im, uint32_t type);
/* Computes the VM address that a relocation refers to. False for undefined symbols and for kinds
 * without a target.
 * - RELATIVE and IRELATIVE: the addend.
 * - GLOB_DAT, JUMP_SLOT, COPY and TLS: the symbol.
 * - Others: symbol + addend. Implicit addends are read from the patched place. A PCREL of x86 code
 *   counts from the end of its field (the file has symbol-4 for symbol). */
bool reloc_target(const struct reloc_iter *it, const struct reloc *r, uint64_t *ret);
