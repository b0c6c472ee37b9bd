/* Look-ups by address: heft_where_*. */
#include "api/where.h"

#include "api/finder.h"
#include "api/owners.h"
#include "base/arena.h"
#include "base/map.h"
#include "image/elf_const.h"
#include "map/basemap.h"
#include "names/demangle.h"
#include "report/report.h"
#include "blocks/derive_map.h"
#include "source/source.h"
#include "program/program.h"

struct known_name {
	const char *raw, *shown;
};

/* Names as they are shown, by the address of the linker's name, which is the same for the same
 * name of a string table. */
struct name_cache {
	VEC(struct known_name) known;
	struct map by_address; /* of the linker's name */
	struct demangler demangler;
};

struct heft_where {
	struct memory *memory; /* first: see handle_new */
	struct arena arena;
	struct notes notes;
	struct program_wish wish;
	bool opened; /* whether that went well or not */
	bool derive, blocks_read;
	enum heft_demangle style;
	struct program program;
	const struct image *im; /* NULL: nothing is open */
	struct name_cache names;
	struct blockmap blocks; /* read with the first look-up, as is the index */
	struct bbindex index;
	struct heft_block block; /* the last one found */
	VEC(struct heft_frame) frames;
	struct owners owners;
	const char **segments, **sections; /* names, by index in the image */
};

/* ---- settings ------------------------------------------------------------------------------- */

struct heft_where *heft_where_new(void)
{
	struct heft_where *w = handle_new(sizeof *w);
	if (!w)
		return NULL;
	notes_init(&w->notes);
	w->style = HEFT_NAMES_FULL;
	w->owners.style = HEFT_NAMES_SHORT;
	return w;
}

static void release(void *handle)
{
	struct heft_where *w = handle;
	owners_release(&w->owners);
	bbindex_release(&w->index);
	blockmap_release(&w->blocks);
	program_close(&w->program);
	demangler_release(&w->names.demangler);
	vec_release(&w->names.known);
	map_release(&w->names.by_address);
	wish_release(&w->wish);
	vec_release(&w->frames);
	notes_release(&w->notes);
	arena_release(&w->arena);
	mem_free(w);
}

void heft_where_free(struct heft_where *w)
{
	handle_free(w, release);
}

void heft_where_set_finder(struct heft_where *w, const struct heft_finder *f)
{
	GUARDED_VOID(w->memory, memory_need_whole(f->memory));
	where_set_wish(w, &f->wish);
}

void where_set_wish(struct heft_where *w, const struct program_wish *wish)
{
	GUARDED_VOID(w->memory, wish_copy(&w->wish, wish));
}

void heft_where_set_demangle(struct heft_where *w, enum heft_demangle style)
{
	w->style = w->owners.style = style;
}

bool heft_where_add_source(struct heft_where *w, const char *source, struct heft_err *err)
{
	return GUARDED(w->memory, err, owners_add(&w->owners, source, err));
}

void heft_where_set_blocks(struct heft_where *w, bool yes)
{
	w->derive = yes;
}

const char *heft_where_debug_path(const struct heft_where *w)
{
	return program_debug_path(&w->program);
}

struct bytes where_build_id(const struct heft_where *w)
{
	return w->im ? w->im->build_id : (struct bytes){ NULL, 0 };
}

size_t heft_where_note_count(const struct heft_where *w)
{
	return w->notes.count;
}

const struct heft_note *heft_where_note(const struct heft_where *w, size_t i)
{
	return i < w->notes.count ? &w->notes.data[i] : NULL;
}

/* ---- opening -------------------------------------------------------------------------------- */

static void name_places(struct heft_where *w)
{
	const struct image *im = w->im;
	w->segments = arena_new(&w->arena, const char *, im->segment_count + 1);
	w->sections = arena_new(&w->arena, const char *, im->section_count + 1);
	for (size_t i = 0; i < im->segment_count; i++) {
		const struct segment *s = &im->segments[i];
		w->segments[i] = arena_format(&w->arena, SEGMENT_FMT, SEGMENT_ARG(s));
	}
	for (size_t i = 0; i < im->section_count; i++) {
		const struct section *s = &im->sections[i];
		w->sections[i] = s->name.len ? arena_copy(&w->arena, s->name)
					     : arena_format(&w->arena, "#%" PRIu32, s->index);
	}
}

static void begin_owners(struct heft_where *w)
{
	const struct source_file file = { .path = w->program.path,
					  .input = &w->program.input,
					  .debug = program_debug(&w->program, true),
					  .notes = &w->notes };
	owners_begin(&w->owners, &file, &w->wish);
}

static bool where_open(struct heft_where *w, const char *path, struct heft_err *err)
{
	const char *copy = arena_copy(&w->arena, str_of(path));
	if (w->opened)
		return fail(err, HEFT_EARG, HEFT_NO_OFFSET, "a handle opens one file");
	w->opened = true;
	if (!program_open_alone(&w->program, copy, &w->wish, &w->notes, err))
		return false;
	w->im = program_image(&w->program);
	if (!w->im)
		return fail(err, HEFT_EUNSUPPORTED, HEFT_NO_OFFSET,
			    "%s: an archive; addresses are looked up in one of its members", path);
	(void)program_debug(&w->program, true);
	name_places(w);
	begin_owners(w);
	return true;
}

bool heft_where_open(struct heft_where *w, const char *path, struct heft_err *err)
{
	return GUARDED(w->memory, err, where_open(w, path, err));
}

/* ---- addresses as text ---------------------------------------------------------------------- */

static int digit_of(char c, unsigned base)
{
	const int d = c >= '0' && c <= '9'   ? c - '0'
		      : c >= 'a' && c <= 'f' ? c - 'a' + 10
		      : c >= 'A' && c <= 'F' ? c - 'A' + 10
					     : 16;
	return d < (int)base ? d : -1;
}

static bool parse_digits(const char *p, unsigned base, uint64_t *ret)
{
	uint64_t n = 0;
	if (*p == '\0')
		return false;
	for (; *p; p++) {
		const int d = digit_of(*p, base);
		if (d < 0 || n > (UINT64_MAX - (uint64_t)d) / base)
			return false;
		n = n * base + (uint64_t)d;
	}
	*ret = n;
	return true;
}

static bool parse_number(const char *text, uint64_t *ret)
{
	if (strncmp(text, "10#", 3) == 0)
		return parse_digits(text + 3, 10, ret);
	if (text[0] == '0' && (text[1] == 'x' || text[1] == 'X'))
		text += 2;
	return parse_digits(text, 16, ret);
}

static bool find_name(struct heft_where *w, struct str name, uint64_t *ret)
{
	const struct symbol_table *symbols = program_symbols(&w->program);
	for (size_t i = 1; i < w->im->section_count; i++) {
		const struct section *s = &w->im->sections[i];
		if (s->alloc && str_eq(s->name, name)) {
			*ret = s->addr;
			return true;
		}
	}
	for (size_t i = 0; i < symbols->list.count; i++) {
		if (str_eq(str_of(symbols->list.data[i].name), name)) {
			*ret = symbols->list.data[i].addr;
			return true;
		}
	}
	return false;
}

/* Objects: numbers count from their first code. */
static uint64_t base_of_numbers(const struct image *im, uint64_t addr)
{
	if (im->kind != IMAGE_OBJECT || addr >> OBJECT_SECTION_SHIFT != 0)
		return 0;
	for (size_t i = 1; i < im->section_count; i++)
		if (im->sections[i].exec && im->sections[i].alloc && im->sections[i].size > 0)
			return im->sections[i].addr;
	return 0;
}

static bool where_parse(struct heft_where *w, const char *text, uint64_t *ret_addr,
			struct heft_err *err)
{
	uint64_t addr, offset = 0;
	if (!w->im)
		return fail(err, HEFT_EARG, HEFT_NO_OFFSET, "no file is open");
	if (parse_number(text, &addr)) {
		*ret_addr = addr + base_of_numbers(w->im, addr);
		return true;
	}
	if (find_name(w, str_of(text), ret_addr))
		return true;
	const char *plus = strrchr(text, '+');
	if (plus && parse_number(plus + 1, &offset) &&
	    find_name(w, (struct str){ text, (size_t)(plus - text) }, &addr)) {
		*ret_addr = addr + offset;
		return true;
	}
	return fail(err, HEFT_EARG, HEFT_NO_OFFSET, "no address, section or symbol: %.200s", text);
}

bool heft_where_parse(struct heft_where *w, const char *text, uint64_t *ret_addr,
		      struct heft_err *err)
{
	return GUARDED(w->memory, err, where_parse(w, text, ret_addr, err));
}

/* ---- names ---------------------------------------------------------------------------------- */

/* `raw` stays as long as the handle. */
static const char *shown(struct heft_where *w, const char *raw)
{
	struct name_cache *c = &w->names;
	uint32_t i;
	struct map_at at = map_at(&c->by_address, hash_u64((uintptr_t)raw));
	while (map_next(&c->by_address, &at, &i))
		if (c->known.data[i].raw == raw)
			return c->known.data[i].shown;
	const struct str name = str_of(raw), text = demangle(&c->demangler, name, w->style);
	const char *made = str_eq(text, name) ? raw : arena_copy(&w->arena, text);
	map_put(&c->by_address, &at, (uint32_t)c->known.count);
	vec_push(&c->known, (struct known_name){ raw, made });
	return made;
}

/* ---- looking up ----------------------------------------------------------------------------- */

static void find_section(const struct heft_where *w, struct heft_location *at)
{
	const struct section *s = image_section_at(w->im, at->addr);
	if (!s)
		return;
	at->section = w->sections[s - w->im->sections];
	at->section_offset = at->addr - s->addr;
	if (w->im->kind == IMAGE_OBJECT && at->section_offset < s->file_size) {
		at->in_file = true;
		at->file_offset = s->off + at->section_offset;
	}
}

static void find_segment(const struct heft_where *w, struct heft_location *at)
{
	for (size_t i = 0; i < w->im->segment_count; i++) {
		const struct segment *s = &w->im->segments[i];
		const uint64_t offset = at->addr - s->addr;
		if (s->type != PT_LOAD || at->addr < s->addr || offset >= s->vm_size)
			continue;
		at->segment = w->segments[i];
		at->in_file = offset < s->file_size;
		at->file_offset = at->in_file ? s->off + offset : 0;
		return;
	}
}

static void find_symbol(struct heft_where *w, struct heft_location *at)
{
	struct symbol_place *s = symbol_table_find(program_symbols(&w->program), at->addr);
	if (!s)
		return;
	if (!s->memo)
		s->memo = shown(w, s->name);
	at->symbol = s->memo;
	at->symbol_linkage = s->name;
	at->symbol_offset = at->addr - s->addr;
	at->symbol_size = s->size;
	at->unit = s->file; /* where no DWARF says more */
}

static const char *function_name(struct heft_where *w, struct scope_function *f)
{
	if (!f)
		return "";
	if (!f->memo)
		f->memo = f->linkage.len ? shown(w, f->linkage.p) : f->name.p;
	return f->memo;
}

static void find_frames(struct heft_where *w, struct heft_location *at)
{
	struct symbolizer *symbolizer = program_symbolizer(&w->program);
	struct symbolized s;
	if (!symbolizer || !symbolizer_find(symbolizer, at->addr, &s))
		return;
	if (*s.unit)
		at->unit = s.unit;
	w->frames.count = 0;
	vec_reserve(&w->frames, s.frame_count);
	for (size_t i = 0; i < s.frame_count; i++) {
		const struct frame *f = &s.frames[i];
		w->frames.data[i] = (struct heft_frame){
			.function = function_name(w, f->function),
			.linkage = f->function ? f->function->linkage.p : "",
			.file = f->file,
			.line = f->line,
			.column = f->column,
		};
	}
	at->frames = w->frames.data;
	at->frame_count = s.frame_count;
}

static void read_blocks(struct heft_where *w)
{
	const struct image *debug = program_debug_image(&w->program, true);
	blockmap_read(&w->blocks, w->im, debug, &w->notes);
	if (w->blocks.functions.count == 0 && w->derive) {
		blockmap_release(&w->blocks);
		blockmap_derive(&w->blocks, w->im, debug, BLOCKS_AUTO, 0, &w->notes);
	}
	blockmap_index(&w->blocks, &w->index);
	w->blocks_read = true;
}

static void find_block(struct heft_where *w, struct heft_location *at)
{
	if (!w->blocks_read)
		read_blocks(w);
	const uint32_t place = bbindex_find(&w->index, at->addr);
	if (place == BBINDEX_NONE)
		return;
	const struct bbmap_block *b = &w->blocks.blocks.data[place];
	const uint64_t start = blockmap_range_of(&w->blocks, place)->addr + b->off;
	if (at->addr - start >= b->size)
		return;
	w->block = (struct heft_block){
		.addr = start, .size = b->size, .id = b->id, .flags = b->flags
	};
	at->block = &w->block;
}

static bool where_find(struct heft_where *w, uint64_t addr, struct heft_location *ret)
{
	*ret = (struct heft_location){ .addr = addr };
	if (!w->im)
		return false;
	find_section(w, ret);
	find_segment(w, ret);
	find_symbol(w, ret);
	find_frames(w, ret);
	find_block(w, ret);
	ret->owner_count = owners_find(&w->owners, addr, &ret->owners);
	return ret->section || ret->segment;
}

bool heft_where_find(struct heft_where *w, uint64_t addr, struct heft_location *ret)
{
	return GUARDED(w->memory, NULL, where_find(w, addr, ret));
}

static bool location_write(const struct heft_location *at, enum heft_where_format format,
			   const struct heft_sink *sink, struct heft_err *err)
{
	struct sink s;
	sink_start(&s, sink);
	out_where(at, format, &s);
	return sink_end(&s, err);
}

bool heft_location_write(const struct heft_location *at, enum heft_where_format format,
			 const struct heft_sink *sink, struct heft_err *err)
{
	return GUARDED_BARE(err, location_write(at, format, sink, err));
}
