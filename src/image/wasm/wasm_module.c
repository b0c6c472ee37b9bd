/* Reads the sections of a module: functions, data, their names. */
#include "image/wasm/wasm_internal.h"

/* Kinds of imports and exports (5.5.5). */
enum { EXTERN_FUNCTION, EXTERN_TABLE, EXTERN_MEMORY, EXTERN_GLOBAL, EXTERN_TAG };

/* Subsections of the name section. */
enum { NAMES_FUNCTION = 1, NAMES_LOCAL = 2, NAMES_DATA = 9 };

/* Flags of a memory's or table's limits: they tell which numbers follow the first. */
enum { LIMIT_MAX = 1, LIMIT_64 = 4, LIMIT_PAGE = 8 };

static void wasm_module_damaged(const struct wasm *w, const struct wasm_section *s,
				const struct reader *r, const char *what)
{
	const uint64_t at = r->bad == READER_GOOD ? r->pos : r->bad;
	IMAGE_NOTE(w->build.im, s->off + at, s->end - s->off - min_u64(at, s->end - s->off),
		   "%s is damaged", what);
}

static void wasm_module_add_entry(struct wasm *w, const struct wasm_section *s, uint64_t function,
				  uint64_t off, uint64_t end)
{
	if (build_has_room(&w->build, w->entries.count, WASM_ENTRY_BYTES, s->off + off))
		vec_push(&w->entries, (struct wasm_entry){ function, false, s, off, end - off });
}

/* Skips a value type. The long form of a reference type has a heap type after it (5.3.4). */
static void skip_value_type(struct reader *r)
{
	const uint8_t type = read_u8(r);
	if (type == 0x63 || type == 0x64)
		(void)read_sleb(r);
}

static void skip_limits(struct wasm *w, struct reader *r, bool memory)
{
	const uint8_t flags = read_u8(r);
	(void)read_uleb(r);
	if (flags & LIMIT_MAX)
		(void)read_uleb(r);
	if (flags & LIMIT_PAGE)
		(void)read_uleb(r);
	if (memory && flags & LIMIT_64)
		w->build.im->bits = 64;
}

/* Reads the list of function types (core specification, 5.3.6). Stops at the first type of another
 * kind, such as a structure, because its size is unknown. */
void wasm_read_types(struct wasm *w, const struct wasm_section *s)
{
	ASSERT(s->id == WASM_TYPE);
	enum { FUNCTION = 0x60, LISTS = 2 };
	struct reader r = wasm_reader(w, s->off, s->end);
	w->type_section = s;
	for (uint64_t left = read_uleb(&r); left > 0 && reader_left(&r) > 0; left--) {
		const uint64_t at = r.pos;
		if (read_u8(&r) != FUNCTION)
			return;
		for (int i = 0; i < LISTS; i++) /* Skips parameters, then results. */
			for (uint64_t n = read_uleb(&r); n > 0 && reader_ok(&r); n--)
				skip_value_type(&r);
		if (!reader_ok(&r))
			return;
		vec_push(&w->types, (struct wasm_type){ .off = at, .size = r.pos - at });
	}
}

/* Assigns a type to a function. The first function with a type owns it. */
static void own_type(struct wasm *w, uint64_t type, uint64_t function)
{
	if (type >= w->types.count || w->types.data[type].owned)
		return;
	struct wasm_type *t = &w->types.data[type];
	t->owned = true;
	wasm_module_add_entry(w, w->type_section, function, t->off, t->off + t->size);
}

void wasm_read_imports(struct wasm *w, const struct wasm_section *s)
{
	ASSERT(s->id == WASM_IMPORT);
	struct reader r = wasm_reader(w, s->off, s->end);
	for (uint64_t left = read_uleb(&r); left > 0 && reader_left(&r) > 0; left--) {
		const uint64_t at = r.pos;
		uint64_t type;
		(void)wasm_name(&r);
		const struct str name = wasm_name(&r);
		switch (read_u8(&r)) {
		case EXTERN_FUNCTION:
			type = read_uleb(&r);
			if (!reader_ok(&r) || !build_has_room(&w->build, w->functions.count,
							      WASM_FUNCTION_BYTES, s->off + at))
				break;
			wasm_module_add_entry(w, s, w->functions.count, at, r.pos);
			own_type(w, type, w->functions.count);
			vec_push(&w->functions,
				 (struct wasm_function){ .name = wasm_keep(w, name) });
			break;
		case EXTERN_TABLE:
			skip_value_type(&r);
			skip_limits(w, &r, false);
			break;
		case EXTERN_MEMORY: skip_limits(w, &r, true); break;
		case EXTERN_GLOBAL:
			skip_value_type(&r);
			(void)read_u8(&r);
			break;
		case EXTERN_TAG:
			(void)read_u8(&r);
			(void)read_uleb(&r);
			break;
		default: reader_fail(&r);
		}
	}
	w->imported = w->functions.count;
	if (!reader_ok(&r))
		wasm_module_damaged(w, s, &r, "the import section");
}

/* Reads the exports. A function without a name gets its first exported name. */
void wasm_read_exports(struct wasm *w, const struct wasm_section *s)
{
	ASSERT(s->id == WASM_EXPORT);
	struct reader r = wasm_reader(w, s->off, s->end);
	for (uint64_t left = read_uleb(&r); left > 0 && reader_left(&r) > 0; left--) {
		const uint64_t at = r.pos;
		const struct str name = wasm_name(&r);
		const uint8_t kind = read_u8(&r);
		const uint64_t index = read_uleb(&r);
		if (!reader_ok(&r) || kind != EXTERN_FUNCTION || index >= w->functions.count)
			continue;
		struct wasm_function *f = &w->functions.data[index];
		if (f->name.len == 0)
			f->name = wasm_keep(w, name);
		wasm_module_add_entry(w, s, index, at, r.pos);
	}
	if (!reader_ok(&r))
		wasm_module_damaged(w, s, &r, "the export section");
}

/* Reads the type indexes of the functions with a body. */
void wasm_read_functions(struct wasm *w, const struct wasm_section *s)
{
	struct reader r = wasm_reader(w, s->off, s->end);
	uint64_t function = w->imported;
	for (uint64_t left = read_uleb(&r); left > 0 && reader_left(&r) > 0; left--) {
		const uint64_t at = r.pos;
		const uint64_t type = read_uleb(&r);
		wasm_module_add_entry(w, s, function, at, r.pos);
		own_type(w, type, function++);
	}
}

void wasm_read_code(struct wasm *w, const struct wasm_section *s)
{
	ASSERT(w->imported <= w->functions.count && s->id == WASM_CODE);
	struct reader r = wasm_reader(w, s->off, s->end);
	uint64_t left = read_uleb(&r);
	const uint64_t first = r.pos;
	for (; left > 0 && reader_left(&r) > 0; left--) {
		struct wasm_function f = { .off = r.pos };
		if (!build_has_room(&w->build, w->functions.count, WASM_FUNCTION_BYTES,
				    s->off + r.pos))
			break;
		const uint64_t size = read_uleb(&r);
		f.head = r.pos - f.off;
		read_skip(&r, size);
		f.size = r.pos - f.off;
		if (!reader_ok(&r))
			break;
		vec_push(&w->functions, f);
	}
	if (!reader_ok(&r))
		wasm_module_damaged(w, s, &r, "the code section");
	const struct section code = { .name = STR(".text"),
				      .title = STR("Code"),
				      .type = SHT_PROGBITS,
				      .flags = SHF_ALLOC | SHF_EXECINSTR,
				      .addr = first,
				      .off = s->off + first,
				      .size = s->end - s->off - first,
				      .file_size = s->end - s->off - first };
	w->code_index = build_section(&w->build, &code);
	build_segment(&w->build, &(struct segment){ .name = STR("Code"),
						    .read = true,
						    .exec = true,
						    .addr = first,
						    .vm_size = code.size,
						    .off = code.off,
						    .file_size = code.size });
}

/* Reads a segment's address: a constant expression (5.4.9). False if it is not one number. */
static bool wasm_module_read_address(struct reader *r, uint64_t *ret)
{
	enum { END = 0x0b, GLOBAL_GET = 0x23, I32_CONST = 0x41, I64_CONST = 0x42 };
	unsigned count = 0;
	bool constant = true;
	while (reader_left(r) > 0) {
		const uint8_t op = read_u8(r);
		if (op == END)
			return reader_ok(r) && constant && count == 1;
		count++;
		if (op == I32_CONST)
			*ret = (uint32_t)read_sleb(r);
		else if (op == I64_CONST)
			*ret = (uint64_t)read_sleb(r);
		else
			constant = false;
		if (op == GLOBAL_GET)
			(void)read_uleb(r);
	}
	return false;
}

static void wasm_module_add_data(struct wasm *w, struct wasm_data *d)
{
	const struct image *im = w->build.im;
	const uint64_t off = w->data_section->off + d->off;
	const uint64_t room = WASM_LOOSE_BASE - WASM_DATA_BASE;
	if (im->kind == IMAGE_OBJECT)
		d->addr = 0;
	else if (d->active && d->addr < room && d->size < room - d->addr)
		d->addr += WASM_DATA_BASE;
	else
		d->addr = WASM_LOOSE_BASE + off;
	const struct section s = { .name = STR(".data"),
				   .title = STR("Data"),
				   .type = SHT_PROGBITS,
				   .flags = SHF_ALLOC | SHF_WRITE,
				   .addr = d->addr,
				   .off = off,
				   .size = d->size,
				   .file_size = d->size };
	d->index = build_section(&w->build, &s);
	if (im->kind == IMAGE_OBJECT)
		return;
	build_segment(&w->build, &(struct segment){ .name = STR("Data"),
						    .read = true,
						    .write = true,
						    .addr = d->addr,
						    .vm_size = d->size,
						    .off = off,
						    .file_size = d->size });
}

void wasm_read_data(struct wasm *w, const struct wasm_section *s)
{
	ASSERT(s->id == WASM_DATA);
	enum { PASSIVE = 1, MEMORY = 2 };
	struct reader r = wasm_reader(w, s->off, s->end);
	for (uint64_t left = read_uleb(&r); left > 0 && reader_left(&r) > 0; left--) {
		struct wasm_data d = { .active = false };
		const uint64_t at = r.pos;
		if (!build_has_room(&w->build, w->data.count, WASM_SECTION_BYTES, s->off + at))
			break;
		const uint64_t flags = read_uleb(&r);
		const bool other = flags == MEMORY && read_uleb(&r) != 0;
		if (flags > MEMORY)
			reader_fail(&r);
		if (!(flags & PASSIVE))
			d.active = wasm_module_read_address(&r, &d.addr) && !other;
		d.size = read_uleb(&r);
		d.off = r.pos;
		read_skip(&r, d.size);
		if (!reader_ok(&r))
			break;
		wasm_module_add_data(w, &d);
		vec_push(&w->entries,
			 (struct wasm_entry){ w->data.count, true, s, at, d.off - at });
		vec_push(&w->data, d);
	}
	if (!reader_ok(&r))
		wasm_module_damaged(w, s, &r, "the data section");
}

/* Reads the functions that fill tables (5.5.12). Reads only the forms that list indexes. */
void wasm_read_elements(struct wasm *w, const struct wasm_section *s)
{
	ASSERT(s->id == WASM_ELEMENT);
	enum { PASSIVE = 1, EXPLICIT = 2, EXPRESSIONS = 4 };
	struct reader r = wasm_reader(w, s->off, s->end);
	for (uint64_t left = read_uleb(&r); left > 0 && reader_left(&r) > 0; left--) {
		const uint64_t flags = read_uleb(&r);
		uint64_t offset;
		if (flags & EXPRESSIONS)
			return;
		if (!(flags & PASSIVE) && flags & EXPLICIT)
			(void)read_uleb(&r);
		if (!(flags & PASSIVE))
			(void)wasm_module_read_address(&r, &offset);
		if (flags & (PASSIVE | EXPLICIT))
			(void)read_u8(&r);
		for (uint64_t n = read_uleb(&r); n > 0 && reader_left(&r) > 0; n--) {
			const uint64_t at = r.pos;
			const uint64_t index = read_uleb(&r);
			if (reader_ok(&r))
				wasm_module_add_entry(w, s, index, at, r.pos);
		}
	}
	if (!reader_ok(&r))
		wasm_module_damaged(w, s, &r, "the element section");
}

static void name_data(struct wasm *w, uint64_t index, struct str name, uint64_t off, uint64_t size)
{
	if (index >= w->data.count || name.len == 0)
		return;
	struct wasm_data *d = &w->data.data[index];
	d->name = wasm_keep(w, name);
	d->entry = off;
	d->length = size;
	struct section *s = &w->build.sections.data[d->index];
	if (d->name.p[0] == '.')
		s->name = d->name;
	s->write = !str_starts(d->name, STR(".rodata"));
}

/* Reads a name map: indexes with names. `base` is its offset in the section. False if damaged. */
static bool wasm_module_read_map(struct wasm *w, struct reader r, uint64_t base, unsigned kind)
{
	for (uint64_t left = read_uleb(&r); left > 0 && reader_left(&r) > 0; left--) {
		const uint64_t at = r.pos;
		const uint64_t index = read_uleb(&r);
		const struct str name = wasm_name(&r);
		if (!reader_ok(&r))
			return false;
		if (kind != NAMES_FUNCTION) {
			name_data(w, index, name, base + at, r.pos - at);
		} else if (index < w->functions.count && name.len > 0) {
			struct wasm_function *f = &w->functions.data[index];
			f->name = wasm_keep(w, name);
			f->entry = base + at;
			f->length = r.pos - at;
		}
	}
	return reader_ok(&r);
}

/* Reads the names of locals: a name map per function. False if they are damaged. */
static bool read_locals(struct wasm *w, const struct wasm_section *s, struct reader r,
			uint64_t base)
{
	for (uint64_t left = read_uleb(&r); left > 0 && reader_left(&r) > 0; left--) {
		const uint64_t at = r.pos;
		const uint64_t function = read_uleb(&r);
		for (uint64_t n = read_uleb(&r); n > 0 && reader_left(&r) > 0; n--) {
			(void)read_uleb(&r);
			(void)wasm_name(&r);
		}
		if (!reader_ok(&r))
			return false;
		wasm_module_add_entry(w, s, function, base + at, base + r.pos);
	}
	return reader_ok(&r);
}

void wasm_read_names(struct wasm *w, const struct wasm_section *s)
{
	struct reader r = wasm_reader(w, s->off, s->end);
	while (reader_left(&r) > 0) {
		const uint8_t kind = read_u8(&r);
		const uint64_t size = read_uleb(&r);
		const uint64_t base = r.pos;
		const struct reader sub = read_sub(&r, size);
		bool ok = reader_ok(&r);
		if (ok && (kind == NAMES_FUNCTION || kind == NAMES_DATA))
			ok = wasm_module_read_map(w, sub, base, kind);
		else if (ok && kind == NAMES_LOCAL)
			ok = read_locals(w, s, sub, base);
		if (!ok) {
			wasm_module_damaged(w, s, &r, "the name section");
			return;
		}
	}
}
