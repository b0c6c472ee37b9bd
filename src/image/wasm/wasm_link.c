/* Reads the symbols and relocations of objects ("WebAssembly Object File Linking"). */
#include "image/wasm/wasm_internal.h"

#include "base/sort.h"

enum { LINKING_VERSION = 2, SEGMENT_INFO = 5, SYMBOL_TABLE = 8 };

/* Kinds, then flags, of symbols. */
enum { KIND_FUNCTION, KIND_DATA, KIND_GLOBAL, KIND_SECTION, KIND_TAG, KIND_TABLE };
enum { FLAG_WEAK = 1, FLAG_LOCAL = 2, FLAG_UNDEFINED = 0x10, FLAG_NAMED = 0x40 };

static void wasm_link_read_function(struct wasm *w, struct reader *r, uint64_t flags,
				    struct symbol *ret)
{
	const uint64_t index = read_uleb(r);
	const bool defined = !(flags & FLAG_UNDEFINED);
	ret->type = STT_FUNC;
	if (defined || flags & FLAG_NAMED)
		ret->name = wasm_keep(w, wasm_name(r));
	if (index >= w->functions.count)
		return;
	const struct wasm_function *f = &w->functions.data[index];
	if (ret->name.len == 0)
		ret->name = f->name;
	if (!defined || index < w->imported)
		return;
	const struct section *code = &w->build.sections.data[w->code_index];
	ret->section = w->code_index;
	ret->value = f->off - (code->off - w->code->off);
	ret->size = f->size;
}

static void read_data(struct wasm *w, struct reader *r, uint64_t flags, struct symbol *ret)
{
	ret->type = STT_OBJECT;
	ret->name = wasm_keep(w, wasm_name(r));
	if (flags & FLAG_UNDEFINED)
		return;
	const uint64_t index = read_uleb(r);
	ret->value = read_uleb(r);
	ret->size = read_uleb(r);
	if (index < w->data.count)
		ret->section = w->data.data[index].index;
}

static void wasm_link_read_symbols(struct wasm *w, struct reader r, uint64_t base)
{
	for (uint64_t left = read_uleb(&r); left > 0 && reader_left(&r) > 0; left--) {
		struct made_symbol s = { .entry_off = base + r.pos };
		if (!build_has_room(&w->build, w->build.symbols.count, WASM_FUNCTION_BYTES,
				    w->linking->off + s.entry_off))
			return;
		s.symbol.name = STR("");
		const uint8_t kind = read_u8(&r);
		const uint64_t flags = read_uleb(&r);
		if (kind == KIND_FUNCTION) {
			wasm_link_read_function(w, &r, flags, &s.symbol);
		} else if (kind == KIND_DATA) {
			read_data(w, &r, flags, &s.symbol);
		} else if (kind == KIND_SECTION) {
			const uint64_t index = read_uleb(&r);
			s.symbol.type = STT_SECTION;
			if (index < w->sections.count)
				s.symbol.section = w->sections.data[index].index;
		} else { /* Globals, tags and tables take no bytes of code or data */
			(void)read_uleb(&r);
			s.symbol.type = STT_NOTYPE;
			if (!(flags & FLAG_UNDEFINED) || flags & FLAG_NAMED)
				s.symbol.name = wasm_keep(w, wasm_name(&r));
		}
		s.symbol.bind = flags & FLAG_LOCAL  ? STB_LOCAL
				: flags & FLAG_WEAK ? STB_WEAK
						    : STB_GLOBAL;
		s.entry_size = base + r.pos - s.entry_off;
		if (!reader_ok(&r)) {
			IMAGE_NOTE(w->build.im, w->linking->off + s.entry_off, reader_left(&r),
				   "%s is damaged", "the symbol table of the linking section");
			return;
		}
		build_symbol(&w->build, &s);
	}
}

/* Reads the names of the segments, such as ".rodata.str". The names tell which data is
 * read-only. */
static void wasm_link_read_segments(struct wasm *w, struct reader r)
{
	const uint64_t count = read_uleb(&r);
	for (uint64_t i = 0; i < count && reader_left(&r) > 0; i++) {
		enum { STRINGS = 1 };
		const struct str name = wasm_name(&r);
		(void)read_uleb(&r); /* Skip the alignment */
		const uint64_t flags = read_uleb(&r);
		if (!reader_ok(&r) || i >= w->data.count || name.len == 0)
			continue;
		struct section *s = &w->build.sections.data[w->data.data[i].index];
		s->name = wasm_keep(w, name);
		s->write = !str_starts(name, STR(".rodata"));
		s->flags = SHF_ALLOC | (s->write ? SHF_WRITE : 0) |
			   (flags & STRINGS ? SHF_MERGE | SHF_STRINGS : 0);
		s->entsize = flags & STRINGS ? 1 : 0;
	}
}

void wasm_read_linking(struct wasm *w)
{
	struct reader r = wasm_reader(w, w->linking->off, w->linking->end);
	const uint64_t version = read_uleb(&r);
	if (version != LINKING_VERSION) {
		IMAGE_NOTE(w->build.im, w->linking->off, w->linking->end - w->linking->off,
			   "a linking section of version %" PRIu64 " is not read", version);
		return;
	}
	while (reader_left(&r) > 0) {
		const uint8_t kind = read_u8(&r);
		const uint64_t size = read_uleb(&r);
		const uint64_t base = r.pos;
		const struct reader sub = read_sub(&r, size);
		if (!reader_ok(&r))
			return;
		if (kind == SEGMENT_INFO)
			wasm_link_read_segments(w, sub);
		else if (kind == SYMBOL_TABLE)
			wasm_link_read_symbols(w, sub, base);
	}
}

static bool has_addend(uint8_t type)
{
	switch (type) {
	case R_WASM_MEMORY_ADDR_LEB:
	case R_WASM_MEMORY_ADDR_SLEB:
	case R_WASM_MEMORY_ADDR_I32:
	case R_WASM_FUNCTION_OFFSET_I32:
	case R_WASM_SECTION_OFFSET_I32:
	case R_WASM_MEMORY_ADDR_REL_SLEB:
	case R_WASM_MEMORY_ADDR_LEB64:
	case R_WASM_MEMORY_ADDR_SLEB64:
	case R_WASM_MEMORY_ADDR_I64:
	case R_WASM_MEMORY_ADDR_REL_SLEB64:
	case R_WASM_MEMORY_ADDR_TLS_SLEB:
	case R_WASM_FUNCTION_OFFSET_I64:
	case R_WASM_MEMORY_ADDR_LOCREL_I32:
	case R_WASM_MEMORY_ADDR_TLS_SLEB64: return true;
	default: return false;
	}
}

typedef VEC(struct reloc) reloc_vec;

/* Relocations of one section of the image. A section of the file may make several. */
struct wasm_link_patched {
	uint64_t off, size;
	uint32_t section; /* Section index in the image. */
	reloc_vec relocs;
};

typedef VEC(struct wasm_link_patched) patched_vec;

static void list_patched(const struct wasm *w, const struct wasm_section *target, patched_vec *ret)
{
	ASSERT(target->off <= target->end && ret->count == 0);
	const struct section *sections = w->build.sections.data;
	if (target->id == WASM_DATA) {
		for (size_t i = 0; i < w->data.count; i++)
			vec_push(ret, (struct wasm_link_patched){ .section = w->data.data[i].index,
								  .off = w->data.data[i].off,
								  .size = w->data.data[i].size });
		return;
	}
	const uint32_t index = target->id == WASM_CODE ? w->code_index : target->index;
	if (index != 0)
		vec_push(ret, (struct wasm_link_patched){ .section = index,
							  .off = sections[index].off - target->off,
							  .size = sections[index].file_size });
}

static bool wasm_link_read_relocs(struct wasm *w, struct reader *r, const patched_vec *to)
{
	for (uint64_t left = read_uleb(r); left > 0 && reader_left(r) > 0; left--) {
		struct reloc e = { .entry_off = r->pos };
		const uint8_t type = read_u8(r);
		const uint64_t off = read_uleb(r);
		e.type = type;
		const uint64_t index = read_uleb(r);
		if (type != R_WASM_TYPE_INDEX_LEB && index + 1 < w->build.symbols.count)
			e.symbol = (uint32_t)index + 1; /* The index of a type is not a symbol */
		e.has_addend = has_addend(type);
		e.addend = e.has_addend ? read_sleb(r) : 0;
		e.entry_size = r->pos - e.entry_off;
		const size_t behind = vec_upper(to, off);
		struct wasm_link_patched *p = behind > 0 ? &to->data[behind - 1] : NULL;
		if (!reader_ok(r))
			return false;
		if (p && off - p->off < p->size) {
			e.addr = off - p->off;
			vec_push(&p->relocs, e);
		}
	}
	return reader_ok(r);
}

/* Adds a relocation table for each patched section of the image. All tables have the same bytes. */
static void wasm_link_add_tables(struct wasm *w, const struct wasm_section *s, patched_vec *to)
{
	vec_each(struct wasm_link_patched, p, to) {
		const struct section made = { .name = s->name,
					      .type = SHT_RELA,
					      .off = s->off,
					      .file_size = s->end - s->off,
					      .again = true,
					      .info = p->section,
					      .link = w->linking->index };
		struct reloc *list = arena_new(&w->build.im->arena, struct reloc,
					       p->relocs.count + 1);
		if (p->relocs.count > 0) {
			memcpy(list, p->relocs.data, p->relocs.count * sizeof *list);
			const uint32_t added = build_section(&w->build, &made);
			build_set_relocs(&w->build, added, list, p->relocs.count);
		}
		vec_release(&p->relocs);
	}
}

void wasm_read_relocs(struct wasm *w)
{
	for (size_t i = 0; i < w->sections.count; i++) {
		const struct wasm_section *s = &w->sections.data[i];
		if (s->id != WASM_CUSTOM || !str_starts(s->name, STR("reloc.")))
			continue;
		struct reader r = wasm_reader(w, s->off, s->end);
		const uint64_t target = read_uleb(&r);
		patched_vec to = { 0 };
		if (target < w->sections.count && !w->sections.data[target].relocated) {
			w->sections.data[target].relocated = true;
			list_patched(w, &w->sections.data[target], &to);
		}
		if (!wasm_link_read_relocs(w, &r, &to))
			IMAGE_NOTE(w->build.im, s->off + r.bad, s->end - s->off,
				   "section " STR_FMT " is damaged", STR_ARG(s->name));
		wasm_link_add_tables(w, s, &to);
		vec_release(&to);
	}
}
