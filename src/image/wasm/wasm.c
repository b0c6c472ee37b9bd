/* Parses WebAssembly modules: lists the sections, calls their readers, and makes the image with
 * its symbols. */
#include "image/wasm/wasm_internal.h"

enum { HEADER_SIZE = 8, VERSION = 1 };

static const char *const titles[WASM_IDS] = {
	[WASM_TYPE] = "Type",     [WASM_IMPORT] = "Import", [WASM_FUNCTION] = "Function",
	[WASM_TABLE] = "Table",   [WASM_MEMORY] = "Memory", [WASM_GLOBAL] = "Global",
	[WASM_EXPORT] = "Export", [WASM_START] = "Start",   [WASM_ELEMENT] = "Element",
	[WASM_CODE] = "Code",     [WASM_DATA] = "Data",     [WASM_DATA_COUNT] = "DataCount",
	[WASM_TAG] = "Tag",
};

bool wasm_matches(struct bytes bytes)
{
	return bytes.size >= 4 && memcmp(bytes.p, "\0asm", 4) == 0;
}

struct reader wasm_reader(const struct wasm *w, uint64_t off, uint64_t end)
{
	return reader_of(bytes_sub(w->build.im->bytes, off, end - off), false);
}

struct str wasm_name(struct reader *r)
{
	const uint64_t size = read_uleb(r);
	const uint8_t *p = read_take(r, size);
	return p ? (struct str){ (const char *)p, (size_t)size } : STR("");
}

struct str wasm_keep(struct wasm *w, struct str name)
{
	return (struct str){ arena_copy(&w->build.im->arena, name), name.len };
}

static bool wasm_parse_header(struct wasm *w, struct heft_err *err)
{
	const struct image *im = w->build.im;
	struct reader r = reader_at(im->bytes, false, 4);
	const uint32_t version = read_u32(&r);
	if (!reader_ok(&r))
		return fail(err, HEFT_EFORMAT, im->file_off,
			    "%s: WebAssembly module of %" PRIu64
			    " bytes is too short for its header",
			    w->build.who, im->bytes.size);
	if (version >> 16 != 0)
		return fail(
			err, HEFT_EUNSUPPORTED, im->file_off + 4,
			"%s: a WebAssembly component, of which heft reads only the modules inside",
			w->build.who);
	if (version != VERSION)
		return fail(err, HEFT_EUNSUPPORTED, im->file_off + 4,
			    "%s: WebAssembly of version %" PRIu32 ", heft reads version %d",
			    w->build.who, version, VERSION);
	return true;
}

/* Lists the sections. The list ends at the first damaged one. */
static void wasm_list_sections(struct wasm *w)
{
	const struct image *im = w->build.im;
	struct reader r = reader_at(im->bytes, false, HEADER_SIZE);
	while (reader_left(&r) > 0) {
		struct wasm_section s = { .start = r.pos };
		if (!build_has_room(&w->build, w->sections.count, WASM_SECTION_BYTES, s.start))
			return;
		s.id = read_u8(&r);
		const uint64_t size = read_uleb(&r);
		s.off = r.pos;
		read_skip(&r, size);
		if (!reader_ok(&r)) {
			IMAGE_NOTE(im, s.start, im->bytes.size - s.start,
				   "a WebAssembly section of %" PRIu64
				   " bytes goes beyond the end of the file",
				   size);
			return;
		}
		s.end = r.pos;
		if (s.id == WASM_CUSTOM) {
			struct reader name = wasm_reader(w, s.off, s.end);
			s.name = wasm_keep(w, wasm_name(&name));
			s.off += name.pos;
		}
		ASSERT(s.start < s.off && s.off <= s.end && s.end <= im->bytes.size);
		vec_push(&w->sections, s);
	}
}

static struct wasm_section *wasm_find_section(struct wasm *w, unsigned id, const char *name)
{
	vec_each(struct wasm_section, s, &w->sections)
		if (s->id == id && (!name || str_eq(s->name, str_of(name))))
			return s;
	return NULL;
}

static const char *title_of(struct wasm *w, const struct wasm_section *s)
{
	if (s->id == WASM_CUSTOM && s->name.len > 0)
		return s->name.p;
	if (s->id < WASM_IDS && titles[s->id])
		return titles[s->id];
	return s->id == WASM_CUSTOM ? "Custom"
				    : arena_format(&w->build.im->arena, "Section %u", s->id);
}

static void wasm_add_section(struct wasm *w, struct wasm_section *s)
{
	ASSERT(s->index == 0);
	const struct section made = { .name = s->name,
				      .title = str_of(title_of(w, s)),
				      .type = SHT_PROGBITS,
				      .off = s->off,
				      .file_size = s->end - s->off,
				      .again = s->id != WASM_CUSTOM };
	s->index = build_section(&w->build, &made);
}

/* Adds a section of the image for the contents of each section of the file, without its header. If
 * `mapped`, adds only code and data, otherwise only the other sections. */
static void wasm_add_sections(struct wasm *w, bool mapped)
{
	vec_each(struct wasm_section, s, &w->sections)
		if ((s->id == WASM_CODE || s->id == WASM_DATA) == mapped)
			wasm_add_section(w, s);
}

static void wasm_add_function(struct wasm *w, size_t i)
{
	ASSERT(i < w->functions.count);
	const struct wasm_function *f = &w->functions.data[i];
	struct made_symbol s = { .entry_off = f->entry, .entry_size = f->length };
	s.symbol.name = f->name;
	if (f->name.len == 0)
		s.symbol.name = str_of(arena_format(&w->build.im->arena, "func[%zu]", i));
	s.symbol.type = STT_FUNC;
	s.symbol.bind = STB_GLOBAL;
	if (i >= w->imported) {
		s.symbol.section = w->code_index;
		s.symbol.value = f->off;
		s.symbol.size = f->size;
	}
	build_symbol(&w->build, &s);
}

static void add_segment_symbol(struct wasm *w, size_t i)
{
	ASSERT(i < w->data.count);
	const struct wasm_data *d = &w->data.data[i];
	struct made_symbol s = { .entry_off = d->entry, .entry_size = d->length };
	s.symbol.name = d->name;
	if (d->name.len == 0)
		s.symbol.name = str_of(arena_format(&w->build.im->arena, "data[%zu]", i));
	s.symbol.type = STT_OBJECT;
	s.symbol.bind = STB_GLOBAL;
	s.symbol.section = d->index;
	s.symbol.value = d->addr;
	s.symbol.size = d->size;
	build_symbol(&w->build, &s);
}

/* Debug info lets a function begin at its body. So assigns the size field before the body to the
 * function at the body. */
static void add_heads(struct wasm *w)
{
	const struct section *code = &w->build.sections.data[w->code_index];
	for (size_t i = w->imported; i < w->functions.count; i++) {
		const struct wasm_function *f = &w->functions.data[i];
		const uint64_t off = f->off - (code->off - w->code->off);
		build_entry(&w->build, &(struct image_entry){ .section = w->code_index,
							      .off = off,
							      .size = f->head,
							      .addr = code->addr + off + f->head });
	}
}

static void wasm_add_symbols(struct wasm *w)
{
	if (w->code)
		add_heads(w);
	if (w->linking) {
		wasm_read_linking(w);
		wasm_read_relocs(w);
		return;
	}
	for (size_t i = 0; i < w->functions.count; i++)
		wasm_add_function(w, i);
	for (size_t i = 0; i < w->data.count; i++)
		add_segment_symbol(w, i);
	/* Assigns entries to the symbols of functions and data segments. Not for objects, whose
	 * symbols have another order. */
	vec_each(const struct wasm_entry, e, &w->entries) {
		const size_t count = e->data ? w->data.count : w->functions.count;
		const uint64_t first = 1 + (e->data ? w->functions.count : 0);
		const struct image_entry made = { .section = e->section->index,
						  .symbol = (uint32_t)(first + e->index),
						  .off = e->off,
						  .size = e->size };
		if (e->index < count)
			build_entry(&w->build, &made);
	}
}

static void begin_image(struct wasm *w)
{
	struct image *im = w->build.im;
	im->format = "WebAssembly";
	im->own_spaces = true;
	im->bits = 32;
	im->machine = EM_WEBASSEMBLY;
	im->kind = w->linking ? IMAGE_OBJECT : IMAGE_EXEC;
	im->type = w->linking                                      ? ET_REL
		   : wasm_find_section(w, WASM_CUSTOM, "dylink.0") ? ET_DYN
								   : ET_EXEC;
	im->data_bias = w->linking ? 0 : WASM_DATA_BASE;
	build_part(&w->build, 0, HEADER_SIZE, "[WASM Header]");
}

static void wasm_read_sections(struct wasm *w)
{
	vec_each(const struct wasm_section, s, &w->sections) {
		if (s->id == WASM_TYPE && !w->type_section)
			wasm_read_types(w, s);
		else if (s->id == WASM_IMPORT)
			wasm_read_imports(w, s);
		else if (s->id == WASM_FUNCTION)
			wasm_read_functions(w, s);
		else if (s->id == WASM_ELEMENT)
			wasm_read_elements(w, s);
		else if (s->id == WASM_CODE && s == w->code)
			wasm_read_code(w, s);
		else if (s->id == WASM_DATA && s == w->data_section)
			wasm_read_data(w, s);
	}
	if (w->names)
		wasm_read_names(w, w->names);
	for (size_t i = 0; i < w->sections.count; i++)
		if (w->sections.data[i].id == WASM_EXPORT)
			wasm_read_exports(w, &w->sections.data[i]);
}

/* Returns the contents of the custom section with this name. "" if there is none. */
static struct str wasm_stated(struct wasm *w, const char *name)
{
	const struct wasm_section *s = wasm_find_section(w, WASM_CUSTOM, name);
	struct reader r = s ? wasm_reader(w, s->off, s->end)
			    : reader_of((struct bytes){ NULL, 0 }, false);
	return s ? wasm_name(&r) : STR("");
}

bool wasm_parse(struct image *im, const struct image_place *at, struct bytes bytes,
		struct notes *notes, struct heft_err *err)
{
	struct wasm w = { .imported = 0 };
	build_init(&w.build, im, at, bytes, notes);
	const bool ok = wasm_parse_header(&w, err);
	if (ok) {
		wasm_list_sections(&w);
		w.code = wasm_find_section(&w, WASM_CODE, NULL);
		w.data_section = wasm_find_section(&w, WASM_DATA, NULL);
		w.linking = wasm_find_section(&w, WASM_CUSTOM, "linking");
		w.names = wasm_find_section(&w, WASM_CUSTOM, "name");
		begin_image(&w);
		wasm_add_sections(&w, false);
		wasm_read_sections(&w);
		wasm_add_sections(&w, true);
		wasm_add_symbols(&w);
		/* Adds a range for each whole section. It labels bytes without a better owner. */
		vec_each(const struct wasm_section, s, &w.sections) {
			const char *title = title_of(&w, s);
			build_range(&w.build, str_of(title), s->start, s->end - s->start);
			build_part(&w.build, s->start, s->end - s->start, title);
		}
		const struct str id = wasm_stated(&w, "build_id");
		im->build_id = (struct bytes){ (const uint8_t *)id.p, id.len };
		im->source_map = wasm_stated(&w, "sourceMappingURL");
		const struct wasm_section *table = w.linking ? w.linking : w.names;
		build_finish(&w.build, table ? table->index : 0, 0);
	}
	build_release(&w.build);
	vec_release_all(&w.sections, &w.functions, &w.data, &w.entries, &w.types);
	if (!ok)
		image_release(im);
	return ok;
}
