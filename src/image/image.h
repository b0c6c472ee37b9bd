/* image.h - one object file (executable, shared object, relocatable object, core)
 * in a neutral form: segments, sections, symbol tables, relocations.
 *
 * The vocabulary is ELF's (PT_*, SHT_*, SHF_*, STT_*, EM_*, R_*, names of sections such as ".text"
 * and ".debug_info"), whatever the container: the parsers of the others (build.h) say in it what
 * their files have.  What a section is called in its file stands in its title.
 *
 * An image never changes after parsing and borrows its bytes from the input file,
 * so several threads may read it at once.  What is odd in the file becomes a note
 * and is clipped: every {off, file_size} below lies inside `bytes`, no addr + size
 * wraps, and every index is in range or marked as none.
 *
 * Addresses: in linked images the VM address the file states.  In relocatable
 * objects (also as archive members) section i stands at (vm_index << 40), where
 * vm_index counts up over all sections of all members of the input; a section of
 * 2^40 bytes or more is clipped and noted.  Of overlays, sections of firmware that run at one
 * address and are stored at different ones, the first stands at that address and the n-th of those
 * behind it (n << overlay_shift) above; its segment's part is a segment too. */
#ifndef HEFT_IMAGE_IMAGE_H
#define HEFT_IMAGE_IMAGE_H

#include "base/arena.h"
#include "base/err.h"
#include "base/file.h"
#include "base/reader.h"
#include "base/vec.h"

#define OBJECT_SECTION_SHIFT 40

enum image_kind {
	IMAGE_EXEC,   /* linked: executable or shared object */
	IMAGE_OBJECT, /* relocatable */
	IMAGE_CORE,
};

struct segment {
	struct str name; /* "" in ELF, which has none */
	uint32_t index;  /* in the program header table */
	uint32_t type;   /* PT_* */
	bool read, write, exec;
	/* Clipped to the file, to vm_size (PT_LOAD), to what the PT_LOAD around it has of the
	 * file (the others), and in a separate debug file to what is there at all; off relative
	 * to image bytes. */
	uint64_t off, file_size;
	uint64_t missing;       /* bytes stated that the file lacks: it was cut off */
	uint64_t addr, vm_size; /* vm_size as stated (clipped so that it does not wrap) */
	/* Where the file's bytes are stored in the memory of the machine (PT_LOAD): p_paddr of ELF,
	 * clipped so that it does not wrap; addr where nothing else is known. */
	uint64_t load_addr;
	uint64_t align;
	bool again;       /* its file bytes are not read: see section_bytes */
	uint64_t vm_bias; /* part of addr, see struct section */
};

/* "LOAD #2 [RX]", for printf. */
#define SEGMENT_FMT    "LOAD #%" PRIu32 " [%s%s%s]"
#define SEGMENT_ARG(s) (s)->index, (s)->read ? "R" : "", (s)->write ? "W" : "", (s)->exec ? "X" : ""

struct section {
	struct str name;  /* "" where the name table is damaged */
	struct str title; /* what users know it by; "": its name */
	uint32_t index;
	uint32_t type;      /* SHT_* */
	uint64_t flags;     /* SHF_* */
	uint64_t addr;      /* VM address (see above); meaningless unless alloc */
	uint64_t vm_bias;   /* of that, what the file does not state: it is an overlay */
	uint64_t off;       /* relative to image bytes */
	uint64_t size;      /* as stated: bytes in memory if alloc */
	uint64_t file_size; /* bytes in the file, clipped; 0 for NOBITS */
	uint32_t link, info;
	uint64_t align, entsize;
	bool alloc, write, exec, tls, nobits, compressed;
	bool again;                      /* its file bytes are not read: see section_bytes */
	const struct reloc *made_relocs; /* of a table that is not in ELF's form, else NULL */
	uint64_t made_reloc_count;
};

/* A range of the file that has a name of its own and is in no section: a header table. */
struct image_part {
	uint64_t off, size; /* relative to image bytes, clipped */
	const char *label;
};

/* Bytes of a table that are there because of a symbol, or of what stands at an address: an export,
 * an unwind entry, a slot. */
struct image_entry {
	uint32_t section;   /* index */
	uint32_t symbol;    /* index in the table of made symbols; 0: whose `addr` is */
	uint64_t off, size; /* in the section; in memory where that has no bytes in the file */
	uint64_t addr;
};

/* What the headers of a linked file that is no ELF file say. */
struct image_protection {
	bool known;
	bool moves;           /* may be loaded at any address */
	bool no_exec_data;    /* data and stack are not to be run */
	const char *features; /* words with a space between: "cfg signed" */
};

/* An object that holds debug info of a linked program (the debug map of Mach-O). */
struct debug_object {
	struct str path;     /* as the linker saw it; a member of an archive is "libx.a(y.o)" */
	uint64_t time;       /* when it was written, seconds since 1970; 0: not known */
	size_t first, count; /* its symbols, in moved_symbols */
};

/* A symbol of such an object, and where the linker put it. */
struct moved_symbol {
	struct str name; /* as symbols of both files have it */
	uint64_t addr;
	uint64_t size; /* 0: not stated */
};

struct made_symbol;

struct image {
	const char *format;       /* "ELF" ... */
	const char *machine_name; /* NULL: that of arch.h */
	const char *path;         /* of the input file; borrowed */
	struct str member;        /* name inside an archive, "" elsewhere */
	struct bytes bytes;       /* the object's own bytes */
	uint64_t file_off;        /* where they begin in the input file */
	enum image_kind kind;
	uint8_t bits; /* 32 or 64 */
	bool big_endian;
	uint16_t machine; /* EM_*; for image/, see arch.h */
	uint16_t type;    /* ET_* */
	uint8_t os_abi;
	uint32_t flags; /* e_flags */
	uint64_t entry;
	struct image_part *parts;
	size_t part_count;
	/* ELF's header tables, clipped, relative to image bytes. */
	uint64_t ehdr_size, phdr_off, phdr_size, shdr_off, shdr_size;
	struct segment *segments;
	size_t segment_count;
	struct section *sections; /* [0] is the null section; indexes are ELF's own */
	size_t section_count;
	/* By section, how long names of a symbol table may be: 0 not known yet, else one more than
	 * struct symtab says.  Atomic: symtab_open fills it in. */
	uint64_t *name_bounds;
	size_t name_bound_count;
	struct bytes build_id; /* of the first GNU build-id note, size 0 if none */
	/* Of the debug file that the image names (PE): its path on the machine that linked it, and
	 * how often it was written since; "" where it names none. */
	struct str debug_name;
	uint32_t debug_age;
	struct str source_map;   /* URL of the source map (WebAssembly); "": none is named */
	struct elf_index *index; /* private to image/; in the arena */
	struct arena arena;      /* lifetime: the image */
	struct notes *notes;     /* borrowed, may be NULL */
	struct image_protection protection;
	/* Places that a loader moves by a table that is no relocation section (PE). */
	uint64_t moved_places;
	bool mapped;   /* its bytes are a mapped file's */
	bool by_build; /* by build.h; for image/, see image_states_loading and image_states_sizes */
	bool bare;     /* without section headers: its sections are made of its segments */
	/* It has a relocation for every address that is kept in it, also if its type is ET_EXEC. */
	bool moves;
	/* Titles of sections begin with the segment's name: they need no more in brackets. */
	bool full_titles;
	uint64_t vm_bias;       /* added to the addresses that the file states; see image_place */
	unsigned overlay_shift; /* bits of an address, where there are overlays; else 0 */
	/* Added to what debug info says of the addresses of variables: WebAssembly's data have a
	 * space of their own. */
	uint64_t data_bias;
	/* Symbols that are not in ELF's form, [0] aside; made_table is the section of them all. */
	const struct made_symbol *made_symbols;
	size_t made_count;
	const struct image_entry *entries;
	size_t entry_count;
	uint32_t made_table, made_strings; /* indexes; 0: names stand in the entries */
	const struct debug_object *debug_objects;
	size_t debug_object_count;
	const struct moved_symbol *moved_symbols;
	uint64_t time; /* of a member of an archive, as struct debug_object has it */
};

/* Where an image stands. */
struct image_place {
	const char *path;        /* of the file; borrowed by the image */
	struct str member;       /* of an archive, else empty; borrowed */
	uint64_t file_off;       /* of the image in that file */
	uint64_t first_vm_index; /* objects: the vm_index of section 0 */
	uint64_t vm_bias;        /* added to the addresses of a linked image that is no ELF file */
};

/* Parses one ELF file that occupies `bytes`.  False only where the ELF header itself is damaged or
 * the header tables leave the file. */
bool elf_parse(struct image *im, const struct image_place *at, struct bytes bytes,
	       struct notes *notes, struct heft_err *err);
bool elf_matches(struct bytes bytes);
/* The same of any container whose parser heft has (kinds.h). */
bool image_parse(struct image *im, const struct image_place *at, struct bytes bytes,
		 struct notes *notes, struct heft_err *err);
void image_release(struct image *im);
/* Asserts what this header promises.  O(sections and made entries): by
 * every parser at its end where HEFT_CHECKS. */
void image_verify(const struct image *im);

/* "ELF 64-bit LSB shared object, x86-64"; belongs to the image. */
const char *image_describe(struct image *im);
/* "x86-64"; a constant, or it belongs to the image. */
const char *image_machine_name(struct image *im);
/* The value of the first entry of the dynamic table with this tag (DT_*); false: there is none. */
bool image_dynamic(const struct image *im, uint64_t tag, uint64_t *ret);
bool image_has_segment(const struct image *im, uint32_t type); /* PT_* */
/* Whether a position-independent program, not a library. */
bool image_is_pie(const struct image *im);

/* Whether headers and a dynamic table state how a loader takes the image: segments of all types,
 * an interpreter, libraries. */
static inline bool image_states_loading(const struct image *im)
{
	return !im->by_build;
}
/* Whether symbols state their sizes.  Elsewhere sizes are guesses, and the table of symbols has
 * exports and starts of functions as well. */
static inline bool image_states_sizes(const struct image *im)
{
	return !im->by_build;
}

/* What users know a section by; "" where it has no name. */
static inline struct str section_title(const struct section *s)
{
	return s->title.len > 0 ? s->title : s->name;
}

/* By exact name, the first one; NULL if there is none. */
const struct section *image_section_named(const struct image *im, struct str name);
const struct section *image_section_find(const struct image *im, const char *name);
/* The first section of a type (SHT_*), at or after section index `from`. */
const struct section *image_section_type(const struct image *im, uint32_t type, size_t from);
/* The table of the image's own symbols; NULL where it has none, or only what was made of its other
 * tables: exports, function starts, unwind entries. */
const struct section *image_symbols(const struct image *im);
/* Whether they name places in a linked image: not where the table repeats the dynamic one, or has
 * imports alone, as stripping leaves it at times.  Of an object: whether there are any. */
bool image_symbols_name_places(const struct image *im);
/* The alloc section that holds a VM address (NOBITS TLS sections of linked images are
 * passed over, for they take no room there); NULL if none.  Where sections overlap, the
 * one that begins last.  O(log sections). */
const struct section *image_section_at(const struct image *im, uint64_t addr);

/* Where a branch at `from` leads whose target was counted from there: out of an overlay to an
 * address as the file states it. */
uint64_t image_jump_target(const struct image *im, uint64_t from, uint64_t target);

/* The bytes of a section, of a segment as they stand in the file.  None where the sections before
 * it (the segments of its type) have twice the bytes of the file, so that some stand in several:
 * all that is done with contents is O(file), whatever overlaps. */
struct bytes section_bytes(const struct image *im, const struct section *s);
struct bytes segment_bytes(const struct image *im, const struct segment *s);
/* The bytes of a section, unpacked where it is compressed (SHF_COMPRESSED zlib or
 * zstd, .zdebug_*).  *ret_owned is set to memory that the caller frees, or NULL.
 * False (and a note) where unpacking fails. */
bool section_unpack(const struct image *im, const struct section *s, struct bytes *ret,
		    void **ret_owned);
/* The size of what section_unpack gives, without unpacking.  False where the compression header
 * is damaged or states more than its bytes can become (section_unpack then makes a note). */
bool section_unpacked_size(const struct image *im, const struct section *s, uint64_t *ret);
/* The same piece by piece; false where the section is not compressed or (with a note) its header
 * is damaged. */
struct unpack_stream;
bool section_unpack_stream(const struct image *im, const struct section *s,
			   struct unpack_stream **ret);
/* These bytes of the image will not be read soon: they leave memory where the file is mapped.
 * Nothing happens for bytes that are not the image's own, such as unpacked ones. */
void image_forget(const struct image *im, struct bytes b);
/* The file bytes behind [addr, addr+size) of the VM image, or fewer where the file has
 * fewer or the segment (section) ends; size 0 where none.  Through segments in linked
 * images, through sections in objects and images without PT_LOAD.  O(log n). */
struct bytes image_at(const struct image *im, uint64_t addr, uint64_t size);
/* The PT_LOAD segment whose memory has addr, or NULL.  Where several have, the one that begins
 * last, of those the last in the table: loaders map them one over another in that order.
 * O(segments). */
const struct segment *image_load_at(const struct image *im, uint64_t addr);

/* ---- symbols -------------------------------------------------------------- */

#define SYM_NO_SECTION 0 /* undefined */
#define SYM_ABSOLUTE   UINT32_MAX
#define SYM_COMMON     (UINT32_MAX - 1)
#define SYM_BAD        (UINT32_MAX - 2) /* an index outside the section table, or reserved */

struct symbol {
	struct str name;   /* borrowed; "" where its offset is bad */
	uint32_t index;    /* in its table */
	uint32_t name_off; /* in the string table */
	uint32_t section;  /* section index (SHN_XINDEX resolved) or one of SYM_* */
	uint64_t value, size;
	uint8_t type, bind, visibility; /* STT_*, STB_*, STV_* */
	bool guessed;                   /* no size is stated: it reaches to the next start */
};

struct symtab {
	const struct image *image;
	const struct section *section; /* SHT_SYMTAB or SHT_DYNSYM */
	const struct section *strings; /* or NULL where sh_link is not a string table */
	struct bytes data, names, xindex;
	size_t count; /* entries, the null entry included */
	uint32_t entry_size;
	uint64_t name_max; /* bytes; longer names are not read, so that all are O(table).  0: any */
	/* Borrowed, by index: the sizes of names, where somebody has read the whole table before;
	 * UINT32_MAX: not known.  NULL at first. */
	const uint32_t *name_sizes;
	const struct made_symbol *made; /* or NULL */
};

/* A symbol of a table that is not in ELF's form. */
struct made_symbol {
	struct symbol symbol;
	uint64_t entry_off, entry_size; /* in the section of the table */
	uint64_t name_size;             /* bytes at name_off of `strings`, the NUL included */
};

/* The section of the names of symbols that are not in ELF's form; NULL: names stand in the
 * entries. */
const struct section *image_made_names(const struct image *im);
/* The symbol that an entry is there because of; false: whatever is at its address. */
bool image_entry_symbol(const struct image *im, const struct image_entry *e, struct symbol *ret);
/* Whether local symbols come before all others. */
bool symtab_has_locals_first(const struct symtab *t);
/* False where the section holds no whole entry. */
bool symtab_open(struct symtab *t, const struct image *im, const struct section *s);
/* Entry i < count.  O(1). */
struct symbol symtab_get(const struct symtab *t, size_t i);

/* What a symbol takes in the section of its table and in that of the names. */
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

/* Where a defined symbol lives: VM address (objects: section base + value; TLS of linked
 * images: PT_TLS address + value; the instruction set bit of ARM and MIPS cleared; functions
 * in .opd of 64-bit PowerPC images: the code their descriptor names).  False for
 * undefined, absolute, common and non-alloc symbols. */
bool symbol_addr(const struct image *im, const struct symbol *s, uint64_t *ret);
/* The section of function descriptors of 64-bit PowerPC, or NULL; its doublewords as relocated, of
 * which the first of each descriptor is the address of code. */
const struct section *image_descriptors(const struct image *im, const uint64_t **ret_words,
					size_t *ret_count);
/* Whether it is of a function of which its section has the descriptor alone. */
bool symbol_is_descriptor(const struct image *im, const struct symbol *s);
/* The bytes of a symbol at `addr` in a section.  Data that are a whole section of code are a name
 * for that, as snapshots of Dart have it: none, for what is in it has names of its own. */
uint64_t symbol_size_in(const struct section *in, const struct symbol *s, uint64_t addr);

/* ---- relocations ---------------------------------------------------------- */

enum reloc_kind {
	RELOC_OTHER,
	RELOC_RELATIVE,  /* image base + addend */
	RELOC_ABS,       /* symbol + addend, a pointer */
	RELOC_PCREL,     /* symbol + addend - place, also through PLT or page-wise */
	RELOC_GLOB_DAT,  /* GOT slot of a symbol */
	RELOC_JUMP_SLOT, /* PLT's GOT slot of a symbol */
	RELOC_COPY,
	RELOC_IRELATIVE,
	RELOC_TLS,
};

struct reloc {
	uint64_t entry_off;  /* of the entry's bytes in the relocation section */
	uint64_t entry_size; /* bytes; 0 where a packed form spends none on it */
	uint64_t addr;       /* the patched place: VM address if `alloc`, else offset in section */
	bool alloc;          /* the patched section takes VM room */
	uint32_t section;    /* index of the patched section, 0 if not known */
	uint32_t type, symbol; /* RELR: 0; 64-bit MIPS: its three types, the first lowest */
	int64_t addend;        /* REL, RELR: 0; see reloc_target */
	bool has_addend;
	enum reloc_kind kind;
};

/* REL, RELA, RELR, CREL, Android packed REL/RELA (APS2) and Android RELR. */
struct reloc_iter {
	const struct image *image;
	const struct section *section;
	const struct section *patched; /* sh_info's section in objects and --emit-relocs, or NULL */
	struct symtab symbols;         /* count 0 if sh_link is none */
	struct reader reader;
	/* private to elf_reloc.c */
	uint64_t remaining, base, state[10];
	int form;
	uint32_t last_type; /* of the entry before; tables repeat types */
	enum reloc_kind last_kind;
};

bool section_is_reloc(const struct section *s);
/* Whether it is one of a linked image that no loader reads: `ld --emit-relocs` leaves such. */
bool section_is_kept_reloc(const struct image *im, const struct section *s);
/* Whether a section of this name holds debug info, which no run needs. */
bool section_name_is_debug(struct str name);
/* Whether a section takes room in the VM image (.tbss of a linked image does not where a
 * PT_LOAD is). */
bool section_takes_vm(const struct image *im, const struct section *s);
/* False where the section is not one or too damaged to begin (then a note is made). */
bool reloc_open(struct reloc_iter *it, const struct image *im, const struct section *s);
/* Damage ends the iteration with a note. */
bool reloc_next(struct reloc_iter *it, struct reloc *ret);
/* The entries of a table that can be read in parts (REL, RELA), 0 of another. */
uint64_t reloc_count(const struct reloc_iter *it);
/* The entries [first, first + count) of such a table. */
struct reloc_iter reloc_part(const struct reloc_iter *it, uint64_t first, uint64_t count);
/* What a relocation does to a field of data (debug sections of objects). */
enum reloc_op {
	RELOC_OP_NONE, /* nothing: a marker */
	RELOC_OP_SET,  /* field = value */
	RELOC_OP_ADD,  /* field += value */
	RELOC_OP_SUB,  /* field -= value */
	RELOC_OP_LESS, /* the next relocation of the same field is less the value */
	RELOC_OP_PUSH, /* the value goes to a stack, of which ... */
	RELOC_OP_TAKE, /* ... the upper one is taken away from the one below, or ... */
	RELOC_OP_PLUS, /* ... added to it, or ... */
	RELOC_OP_POP,  /* ... taken: field = value */
	RELOC_OP_UNKNOWN,
};

struct reloc_field {
	enum reloc_op op;
	uint8_t width; /* bytes; 0 for a ULEB128 that keeps its length */
	uint8_t bits;  /* the lowest ones of the field, which is all of it but for 6-bit types */
	/* Offsets of thread-local variables: what the ABI has the linker take away. */
	uint16_t bias;
};

/* Types that patch instructions are unknown here. */
struct reloc_field reloc_field(const struct image *im, uint32_t type);
/* The VM address a relocation refers to: symbol + addend (implicit addends are read from
 * the patched place); for RELATIVE and IRELATIVE the addend; for GLOB_DAT, JUMP_SLOT, COPY
 * and TLS the symbol alone.  A PCREL of x86 code counts from the end of its field (symbol-4
 * in the file means the symbol).  False for undefined symbols and kinds without a target. */
bool reloc_target(const struct reloc_iter *it, const struct reloc *r, uint64_t *ret);

#endif
