/* Reads the facts of a file: its kind, its linking, and its protection. */
#include "program/facts.h"

#include "base/unpack.h"
#include "image/arch.h"
#include "image/elf/elf_const.h"
#include "image/elf/elf_note.h"
#include "program/go_table.h"
#include "program/companion_forms.h"
#include "program/made_by.h"
#include "base/sort.h"
#include "base/json_read.h"

const char *fact_text(enum fact f)
{
	static const char *const text[] = { [FACT_NONE] = "",
					    [FACT_UNKNOWN] = "unknown",
					    [FACT_NO] = "no",
					    [FACT_PARTIAL] = "partial",
					    [FACT_YES] = "yes" };
	return text[f];
}

const char *reloc_kind_text(enum reloc_kind kind)
{
	static const char *const text[RELOC_KINDS] = {
		[RELOC_OTHER] = "other",  [RELOC_RELATIVE] = "relative",
		[RELOC_ABS] = "absolute", [RELOC_PCREL] = "pc-relative",
		[RELOC_GLOB_DAT] = "got", [RELOC_JUMP_SLOT] = "plt",
		[RELOC_COPY] = "copy",    [RELOC_IRELATIVE] = "irelative",
		[RELOC_TLS] = "tls",
	};
	return text[kind];
}

static enum fact fact(bool yes)
{
	return yes ? FACT_YES : FACT_NO;
}

/* True for a debug file whose code was removed, as by objcopy --only-keep-debug. */
static bool facts_is_debug_file(const struct image *im)
{
	bool code = false;
	each_section(s, im) {
		if (s->alloc && s->exec && !s->nobits)
			return false;
		code |= s->alloc && s->exec;
	}
	return code;
}

static bool is_linked(const struct image *im)
{
	return im->kind == IMAGE_EXEC && !facts_is_debug_file(im);
}

static const char *facts_kind_of(const struct image *im)
{
	if (im->kind == IMAGE_CORE)
		return "core";
	if (facts_is_debug_file(im))
		return "debug file";
	if (im->kind == IMAGE_OBJECT)
		return image_section_find(im, ".gnu.linkonce.this_module") ? "kernel module"
									   : "object";
	const bool program = im->type != ET_DYN || image_is_pie(im);
	return program ? "program" : "library";
}

const char *facts_symbols(const struct image *im)
{
	if (image_symbols_name_places(im))
		return "all";
	if (image_section_find(im, ".gnu_debugdata"))
		return "packed";
	if (go_table_present(im))
		return "go";
	if (kernel_has_symbols(im))
		return "kernel";
	return image_section_type(im, SHT_DYNSYM, 1) ? "dynamic" : "none";
}

/* Returns the version of the first unit (DWARF 5, section 7.5.1). It follows a length of 4 bytes,
 * or of 4 and 8 bytes. Returns 0 without a unit. */
static unsigned dwarf_version(const struct image *im)
{
	struct unpack_stream *stream = NULL;
	struct heft_err err;
	uint8_t head[14];
	const struct section *s = image_section_find(im, ".debug_info");
	s = s ? s : image_section_find(im, ".zdebug_info");
	if (!s)
		return 0;
	struct bytes bytes = section_bytes(im, s);
	if (section_unpack_stream(im, s, &stream)) {
		const bool read = unpack_stream_read(stream, head, sizeof head, &err);
		bytes = (struct bytes){ head, read ? sizeof head : 0 };
		unpack_stream_close(stream);
	}
	struct reader r = reader_of(bytes, im->big_endian);
	if (read_u32(&r) == UINT32_MAX)
		(void)read_u64(&r);
	const unsigned version = read_u16(&r);
	return reader_ok(&r) ? version : 0;
}

/* What calls of runtime functions reveal about the compiler */
struct facts_calls {
	bool canary, fortify, any;
};

static void look_at_name(struct str name, struct facts_calls *c)
{
	if (str_starts(name, STR("___"))) /* Mach-O names begin with C's underscore */
		name = (struct str){ name.p + 1, name.len - 1 };
	if (!str_starts(name, STR("__")))
		return;
	c->canary |= str_starts(name, STR("__stack_chk_fail")) ||
		     str_starts(name, STR("__security_check_cookie"));
	c->fortify |= str_ends(name, STR("_chk"));
}

static void look_at_names(const struct image *im, struct facts_calls *c)
{
	for (size_t i = 1; i < im->section_count; i++) {
		struct symtab t;
		const struct section *s = &im->sections[i];
		if ((s->type != SHT_SYMTAB && s->type != SHT_DYNSYM) || !symtab_open(&t, im, s))
			continue;
		/* Sets `any` if the table names all called functions. In ELF, .symtab does, and
		 * .dynsym unless the program is static. In other containers, the program's own
		 * symbol table does. */
		c->any |= image_states_loading(im)
				  ? s->type == SHT_SYMTAB || image_has_segment(im, PT_INTERP) ||
					    im->type == ET_DYN
				  : im->protection.known && s == image_symbols(im);
		for (size_t k = 1; k < t.count; k++)
			look_at_name(symtab_get(&t, k).name, c);
	}
}

static enum fact call_fact(const struct facts_calls *c, bool seen)
{
	return seen ? FACT_YES : c->any ? FACT_NO : FACT_UNKNOWN;
}

/* Returns the bits of the property of type `wanted` in a note, or 0. A property is type, size,
 * data, padding (Linux Extensions to gABI). */
static uint32_t property_bits(const struct image *im, struct bytes desc, uint32_t wanted)
{
	struct reader r = reader_of(desc, im->big_endian);
	while (reader_left(&r) >= 8) {
		const uint32_t type = read_u32(&r);
		const uint32_t size = read_u32(&r);
		const uint64_t next = align_up(add_sat(r.pos, size), im->bits / 8);
		if (type == wanted && size >= 4)
			return read_u32(&r);
		reader_seek(&r, min_u64(next, r.size));
	}
	return 0;
}

/* Returns the names of the processor's protections that the code supports. */
static const char *facts_features(const struct image *im)
{
	const struct arch *arch = image_arch(im);
	const struct section *s = image_section_find(im, ".note.gnu.property");
	if (!s || arch->feature_property == 0)
		return "";
	struct reader r = reader_of(section_bytes(im, s), im->big_endian);
	struct elf_note n;
	while (elf_note_next(&r, s->align, &n))
		if (n.type == NT_GNU_PROPERTY_TYPE_0 && str_eq(n.owner, STR("GNU")))
			return arch
				->features[property_bits(im, n.desc, arch->feature_property) & 3];
	return "";
}

static const char *runpath_of(const struct image *im)
{
	uint64_t off, table;
	if (!image_dynamic(im, DT_RUNPATH, &off) && !image_dynamic(im, DT_RPATH, &off))
		return "";
	if (!image_dynamic(im, DT_STRTAB, &table))
		return "";
	const struct bytes b = image_at(im, add_sat(table, off), 4096);
	return b.size > 0 && memchr(b.p, 0, b.size) ? (const char *)b.p : "";
}

/* Relative relocations that RELR can express. */
struct facts_relative {
	VEC(uint64_t) places;
	uint64_t bytes; /* Bytes that these relocations take in REL or RELA form */
};

/* Counts the relocations for the loader. In objects, counts those for the linker. Lists in
 * *relative those that RELR can express. */
static void count_relocs(struct facts *f, const struct image *im, struct facts_relative *relative)
{
	f->relocs[RELOC_RELATIVE] += im->moved_places;
	f->reloc_count += im->moved_places;
	for (size_t i = 1; i < im->section_count; i++) {
		struct reloc_iter it;
		struct reloc rel;
		const struct section *s = &im->sections[i];
		if (!section_is_reloc(s) || section_is_kept_reloc(im, s) || !reloc_open(&it, im, s))
			continue;
		const bool plain = s->alloc && (s->type == SHT_REL || s->type == SHT_RELA);
		while (reloc_next(&it, &rel)) {
			f->relocs[rel.kind]++;
			f->reloc_count++;
			if (!plain || rel.kind != RELOC_RELATIVE || rel.addr % (im->bits / 8) != 0)
				continue;
			vec_push(&relative->places, rel.addr);
			relative->bytes += rel.entry_size;
		}
	}
}

static void facts_read_protection(struct facts *f, const struct image *im, struct arena *arena)
{
	struct facts_calls c = { 0 };
	uint64_t flags;
	ASSERT(im->kind != IMAGE_CORE);
	look_at_names(im, &c);
	f->canary = call_fact(&c, c.canary);
	f->fortify = call_fact(&c, c.fortify);
	f->features = facts_features(im);
	if (!is_linked(im))
		return;
	if (im->protection.known) {
		f->pie = fact(im->protection.moves);
		f->nx = fact(im->protection.no_exec_data);
		f->features = arena_copy(arena, str_of(im->protection.features));
	}
	if (!image_states_loading(im))
		return;
	const bool lazy = image_has_segment(im, PT_INTERP) || im->type == ET_DYN;
	const bool now = image_dynamic(im, DT_BIND_NOW, &flags) ||
			 (image_dynamic(im, DT_FLAGS, &flags) && (flags & DF_BIND_NOW)) ||
			 (image_dynamic(im, DT_FLAGS_1, &flags) && (flags & DF_1_NOW));
	if (!image_has_segment(im, PT_GNU_RELRO))
		f->relro = FACT_NO;
	else
		f->relro = lazy && !now ? FACT_PARTIAL : FACT_YES;
	f->pie = im->type == ET_DYN && !image_is_pie(im) ? FACT_NONE : fact(image_is_pie(im));
	f->textrel = fact(image_dynamic(im, DT_TEXTREL, &flags) ||
			  (image_dynamic(im, DT_FLAGS, &flags) && (flags & DF_TEXTREL)));
	f->runpath = runpath_of(im);
	/* Without PT_GNU_STACK, the kernel makes the stack executable. */
	f->nx = FACT_NO;
	for (size_t i = im->segment_count; i-- > 0;) {
		if (im->segments[i].type == PT_GNU_STACK)
			f->nx = fact(!im->segments[i].exec);
		if (im->segments[i].type == PT_TLS)
			f->thread_bytes = im->segments[i].vm_size;
	}
}

/* Finds the unneeded bytes of a linked file. */

static void facts_savings_add(struct facts *f, const char *what, uint64_t bytes)
{
	if (bytes == 0)
		return;
	ASSERT(f->saving_count < SAVINGS_MAX);
	f->savings[f->saving_count++] = (struct saving){ what, bytes };
}

/* Returns the size in bytes of the symbol table and its names. */
static uint64_t symbol_bytes(const struct image *im)
{
	const struct section *s = image_section_type(im, SHT_SYMTAB, 1);
	if (!s)
		return 0;
	uint64_t bytes = s->file_size;
	const struct section *names = image_made_names(im);
	if (names)
		bytes += names->file_size;
	else if (s->link < im->section_count && s->link != 0 && !im->sections[s->link].alloc)
		bytes += im->sections[s->link].file_size;
	return min_u64(bytes, im->bytes.size);
}

/* Returns the size in bytes of sorted relocations in RELR form (gABI "Relative relocations"). RELR
 * has a word with an address, then bit masks. Each bit except the lowest marks one of the next
 * words. */
static uint64_t relr_bytes(const struct facts_relative *r, unsigned word)
{
	const uint64_t reach = (8 * word - 1) * (uint64_t)word, *places = r->places.data;
	uint64_t words = 0, next = 0;
	for (size_t i = 0; i < r->places.count; words++) {
		next = places[i++] + word;
		while (i < r->places.count && places[i] - next < reach) {
			while (i < r->places.count && places[i] - next < reach)
				i++;
			next += reach;
			words++;
		}
	}
	return words * word;
}

static void facts_add_savings(struct facts *f, const struct image *im,
			      struct facts_relative *relative)
{
	const struct section *comment = image_section_find(im, ".comment");
	const struct section *old_hash = image_section_type(im, SHT_HASH, 1);
	const bool twice = old_hash && image_section_type(im, SHT_GNU_HASH, 1);
	uint64_t debug = 0, kept = 0;
	vec_sort(&relative->places);
	const uint64_t relr = min_u64(relr_bytes(relative, im->bits / 8), relative->bytes);
	each_section(s, im) {
		debug += !s->alloc && section_name_is_debug(s->name) ? s->file_size : 0;
		kept += section_is_kept_reloc(im, s) ? s->file_size : 0;
	}
	ASSERT(f->saving_count == 0);
	facts_savings_add(f, "debug info", min_u64(debug, im->bytes.size));
	facts_savings_add(f, "symbol table", symbol_bytes(im));
	facts_savings_add(f, "relocations kept by --emit-relocs", min_u64(kept, im->bytes.size));
	facts_savings_add(f, "relative relocations packed as RELR", relative->bytes - relr);
	/* Loaders since 2006 prefer the GNU hash table. */
	facts_savings_add(f, "old hash table beside the GNU one", twice ? old_hash->file_size : 0);
	facts_savings_add(f, ".comment", comment && !comment->alloc ? comment->file_size : 0);
	/* Limits the sum, because sections of damaged files may overlap. */
	for (size_t i = 0; i < f->saving_count; i++)
		f->saved = min_u64(f->saved + f->savings[i].bytes, im->bytes.size);
}

/* Reads two notes of the UAPI group (uapi-group.org/specifications: "Package Metadata for
 * Executable Files", "ELF dlopen() Metadata"). Their JSON names the package of a file, and the
 * libraries that it opens by itself. The dynamic table does not name these libraries. */

enum { NT_FDO_PACKAGE = 0xcafe1a7e, NT_FDO_DLOPEN = 0x407c0c0a };

/* Appends a word. Writes `before` first, unless it is the first word. */
static void word_add(struct text *out, const char *before, struct str word)
{
	if (word.len > 0 && out->len > 0)
		text_add(out, str_of(before));
	text_add(out, word);
}

/* Returns the index of the current key in `keys`. `count` if it is not among them. */
static size_t key_find(const struct json_in *in, const char *const *keys, size_t count)
{
	size_t i = 0;
	while (i < count && !str_eq(text_str(&in->text), str_of(keys[i])))
		i++;
	return i;
}

static void package_add(struct text *out, struct json_in *in)
{
	static const char *const keys[] = { "type", "name", "version", "architecture", "os" };
	struct text values[COUNT_OF(keys)] = { { NULL, 0, 0 } };
	while (json_next(in) == JSON_KEY) {
		const size_t i = key_find(in, keys, COUNT_OF(keys));
		const enum json_token value = json_next(in);
		if (value == JSON_STRING && i < COUNT_OF(keys))
			text_set(&values[i], text_str(&in->text));
		(void)json_rest(in, value);
	}
	for (size_t i = 0; i < COUNT_OF(keys); i++) {
		word_add(out, i == 0 ? ", " : " ", text_str(&values[i]));
		text_release(&values[i]);
	}
}

/* Appends an array's library names as "a or b": the program needs any one. Reads to its end. */
static void sonames_read(struct text *out, struct json_in *in)
{
	enum json_token value;
	while ((value = json_next(in)) == JSON_STRING)
		word_add(out, " or ", text_str(&in->text));
	while (value != JSON_ARRAY_END && value != JSON_END) {
		(void)json_rest(in, value);
		value = json_next(in);
	}
}

/* Appends an object as "libx.so.1 or libx.so.0 (feature: priority)". */
static void library_add(struct text *out, struct json_in *in)
{
	enum { SONAME, FEATURE, PRIORITY, KEYS };
	static const char *const keys[KEYS] = { "soname", "feature", "priority" };
	struct text values[KEYS] = { { NULL, 0, 0 } };
	while (json_next(in) == JSON_KEY) {
		const size_t i = key_find(in, keys, KEYS);
		const enum json_token value = json_next(in);
		if (i == SONAME && value == JSON_ARRAY) {
			sonames_read(&values[SONAME], in);
			continue;
		}
		if (i < KEYS && value == JSON_STRING)
			text_set(&values[i], text_str(&in->text));
		(void)json_rest(in, value);
	}
	word_add(&values[FEATURE], ": ", text_str(&values[PRIORITY]));
	if (values[SONAME].len > 0 && values[FEATURE].len > 0) {
		text_add(&values[SONAME], STR(" ("));
		text_add(&values[SONAME], text_str(&values[FEATURE]));
		text_add(&values[SONAME], STR(")"));
	}
	word_add(out, ", ", text_str(&values[SONAME]));
	for (size_t i = 0; i < KEYS; i++)
		text_release(&values[i]);
}

struct facts_notes_told {
	struct text package, opens;
};

/* Reads a note. Its description is JSON, ended by NUL bytes. If the text is damaged, uses the part
 * before the damage. */
static void note_read(struct facts_notes_told *t, const struct elf_note *n)
{
	struct json_in in;
	if (!str_eq(n->owner, STR("FDO")))
		return;
	const uint8_t *end = n->desc.size ? memchr(n->desc.p, 0, n->desc.size) : NULL;
	json_in_init(&in,
		     (struct bytes){ n->desc.p, end ? (uint64_t)(end - n->desc.p) : n->desc.size });
	const enum json_token first = json_next(&in);
	if (n->type == NT_FDO_PACKAGE && first == JSON_OBJECT)
		package_add(&t->package, &in);
	else if (n->type == NT_FDO_DLOPEN && first == JSON_ARRAY)
		while (json_next(&in) == JSON_OBJECT)
			library_add(&t->opens, &in);
	json_in_release(&in);
}

static void facts_add_notes(struct facts *f, const struct image *im, struct arena *arena)
{
	struct facts_notes_told t = { { NULL, 0, 0 }, { NULL, 0, 0 } };
	ASSERT(im->kind != IMAGE_CORE); /* The notes of a core describe its process */
	each_section(s, im) {
		struct elf_note n;
		if (s->type != SHT_NOTE || !s->alloc)
			continue;
		struct reader r = reader_of(section_bytes(im, s), im->big_endian);
		while (elf_note_next(&r, s->align, &n))
			note_read(&t, &n);
	}
	f->package = arena_copy(arena, text_str(&t.package));
	f->opens = arena_copy(arena, text_str(&t.opens));
	text_release(&t.package);
	text_release(&t.opens);
}

static void read_image(struct facts *f, struct program *p, struct arena *arena,
		       struct facts_relative *relative)
{
	struct image *im = &p->input.images[0];
	const bool linked = is_linked(im);
	const bool library = im->type == ET_DYN && !image_is_pie(im);
	f->format = arena_format(arena, "%s %u-bit %s", im->format, im->bits,
				 im->big_endian ? "MSB" : "LSB");
	f->kind = facts_kind_of(im);
	if (linked && image_states_loading(im))
		f->linked = library || image_has_segment(im, PT_INTERP) ? "dynamic" : "static";
	f->symbols = facts_symbols(im);
	f->build_id = build_id_text(arena, im->build_id);
	f->dwarf = dwarf_version(im);
	f->debug = !debuginfo_present(im) ? "none" : "inside";
	if (linked && !debuginfo_present(im) && *program_debug_file(p)) {
		f->debug = "beside";
		f->debug_path = arena_copy(arena, str_of(program_debug_file(p)));
	} else if (im->has_debug_map) {
		f->debug = "objects";
	}
	if (im->kind != IMAGE_CORE) {
		struct made_by m = { { NULL, 0, 0 }, { NULL, 0, 0 }, { NULL, 0, 0 } };
		facts_read_protection(f, im, arena);
		made_by_read(&m, im);
		f->made_by = arena_copy(arena, text_str(&m.tools));
		f->parts = arena_copy(arena, text_str(&m.parts));
		f->settings = arena_copy(arena, text_str(&m.settings));
		made_by_release(&m);
		facts_add_notes(f, im, arena);
	}
	if (linked)
		facts_add_savings(f, im, relative);
}

void facts_read(struct facts *f, struct program *p, struct arena *arena)
{
	const struct input *in = &p->input;
	struct facts_relative relative = { 0 };
	const char *machine = in->image_count > 0 ? image_machine_name(&in->images[0]) : "";
	for (size_t i = 1; i < in->image_count; i++)
		if (!image_same_arch(&in->images[i], &in->images[0]))
			machine = "several"; /* For example, a universal file */
	ASSERT(in->archive || in->image_count > 0);
	*f = (struct facts){ .machine = machine,
			     .linked = "",
			     .symbols = "",
			     .debug = "",
			     .debug_path = "",
			     .build_id = "",
			     .features = "",
			     .made_by = "",
			     .parts = "",
			     .settings = "",
			     .runpath = "",
			     .package = "",
			     .opens = "" };
	for (size_t i = 0; i < in->image_count; i++)
		if (in->images[i].kind != IMAGE_CORE)
			count_relocs(f, &in->images[i], &relative);
	if (!in->archive)
		read_image(f, p, arena, &relative);
	vec_release(&relative.places);
	if (!in->archive)
		return;
	f->format = in->fat         ? "universal"
		    : in->component ? "WebAssembly component"
		    : in->thin      ? "thin archive"
				    : "archive";
	f->kind = in->fat ? "universal" : in->component ? "component" : "archive";
	f->members = in->thin ? in->outside.count : in->image_count;
}
