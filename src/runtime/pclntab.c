/* Reads the table of functions of Go programs. */
#include "runtime/pclntab.h"

#include "base/base.h"

enum {
	MAGIC_2 = 0xfffffffb,
	MAGIC_16 = 0xfffffffa,
	MAGIC_18 = 0xfffffff0,
	MAGIC_20 = 0xfffffff1,
	FIXED_HEADER = 8, /* Magic number, two zeros, quantum, size of a pointer */
};

static bool pclntab_layout_of(uint32_t magic, enum pclntab_layout *ret)
{
	switch (magic) {
	case MAGIC_2: *ret = PCLNTAB_2; return true;
	case MAGIC_16: *ret = PCLNTAB_16; return true;
	case MAGIC_18: *ret = PCLNTAB_18; return true;
	case MAGIC_20: *ret = PCLNTAB_20; return true;
	default: return false;
	}
}

static bool read_front(struct reader *r, struct pclntab *t)
{
	const uint32_t magic = read_u32(r);
	const uint16_t zeros = read_u16(r);
	t->quantum = read_u8(r);
	t->pointer = read_u8(r);
	return reader_ok(r) && zeros == 0 && pclntab_layout_of(magic, &t->layout) &&
	       (t->quantum == 1 || t->quantum == 2 || t->quantum == 4) &&
	       (t->pointer == 4 || t->pointer == 8);
}

bool pclntab_matches(struct bytes b, bool big_endian)
{
	struct pclntab t;
	struct reader r = reader_of(b, big_endian);
	return read_front(&r, &t);
}

/* Reads the first layout, in which all offsets are relative to the table's start. */
static void read_first_layout(struct pclntab *t, struct reader *r)
{
	t->func_count = read_uint(r, t->pointer);
	t->funcs = r->pos;
	t->header_size = r->pos;
	const uint64_t entry = 2 * (uint64_t)t->pointer;
	if (t->func_count > reader_left(r) / entry) {
		reader_fail(r);
		return;
	}
	read_skip(r, t->func_count * entry + t->pointer);
	t->units = t->files = read_u32(r);
}

static void read_later_layout(struct pclntab *t, struct reader *r)
{
	t->func_count = read_uint(r, t->pointer);
	(void)read_uint(r, t->pointer); /* Skips the number of files */
	if (t->layout >= PCLNTAB_18) {
		t->text_off = r->pos;
		t->text = read_uint(r, t->pointer);
	}
	t->names = read_uint(r, t->pointer);
	t->units = read_uint(r, t->pointer);
	t->files = read_uint(r, t->pointer);
	t->values = read_uint(r, t->pointer);
	t->funcs = read_uint(r, t->pointer);
	t->header_size = r->pos;
}

/* Returns the size of an address in the list of functions. */
static unsigned address_width(const struct pclntab *t)
{
	return t->layout >= PCLNTAB_18 ? 4 : t->pointer;
}

bool pclntab_open(struct pclntab *t, struct bytes b, bool big_endian)
{
	ASSERT(b.p || b.size == 0);
	*t = (struct pclntab){ .bytes = b, .big_endian = big_endian };
	struct reader r = reader_of(b, big_endian);
	if (!read_front(&r, t))
		return false;
	if (t->layout == PCLNTAB_2)
		read_first_layout(t, &r);
	else
		read_later_layout(t, &r);
	const uint64_t width = address_width(t);
	return reader_ok(&r) && t->funcs <= b.size && t->names <= b.size && t->units <= b.size &&
	       t->files <= b.size && t->values <= b.size && b.size - t->funcs >= width &&
	       t->func_count <= (b.size - t->funcs - width) / (2 * width);
}

struct pclntab_values pclntab_values(const struct pclntab *t, uint64_t off)
{
	struct pclntab_values v = { .r = reader_of(t->bytes, t->big_endian),
				    .quantum = t->quantum,
				    .value = -1 };
	reader_seek(&v.r, add_sat(t->values, off));
	return v;
}

bool pclntab_values_next(struct pclntab_values *v)
{
	const uint64_t step = read_uleb(&v->r);
	if (!reader_ok(&v->r) || (step == 0 && v->begun))
		return false;
	const uint64_t code = read_uleb(&v->r);
	if (!reader_ok(&v->r) || code > UINT32_MAX || step > UINT32_MAX)
		return false;
	v->begun = true;
	v->value += step & 1 ? -(int64_t)(step >> 1) - 1 : (int64_t)(step >> 1);
	v->end += code * v->quantum;
	return true;
}

/* Reads the part of a record that precedes its arrays. */
static void read_record(const struct pclntab *t, struct reader *r, struct pclntab_func *f)
{
	(void)read_uint(r, address_width(t));
	f->name_off = read_u32(r);
	read_skip(r, 8); /* Size of arguments; where deferred calls return */
	for (size_t i = 0; i < PCLNTAB_TABLES; i++)
		f->tables[i] = read_u32(r);
	f->more_count = read_u32(r);
	if (t->layout != PCLNTAB_2)
		f->unit = read_u32(r);
	if (t->layout == PCLNTAB_20)
		read_skip(r, 4); /* Skips the line of its first statement */
	const uint8_t *const last = read_take(r, 4);
	f->data_count = last ? last[3] : 0;
	f->more = r->pos;
}

/* Finds the pointers after a record. A pointer's address is a multiple of its size. */
static void place_data(const struct pclntab *t, struct reader *r, struct pclntab_func *f)
{
	f->data_width = t->layout >= PCLNTAB_18 ? 4 : t->pointer;
	if (f->more_count > reader_left(r) / 4) {
		reader_fail(r);
		return;
	}
	read_skip(r, f->more_count * 4);
	if (f->data_count > 0)
		read_skip(r, (f->data_width - r->pos % f->data_width) % f->data_width);
	f->data = r->pos;
	read_skip(r, f->data_count * f->data_width);
	f->record_size = r->pos - f->record;
}

bool pclntab_record(const struct pclntab *t, uint64_t i, struct pclntab_func *ret)
{
	ASSERT(i < t->func_count);
	const unsigned width = address_width(t);
	const uint64_t base = t->layout == PCLNTAB_2 ? 0 : t->funcs;
	struct reader r = reader_of(t->bytes, t->big_endian);
	*ret = (struct pclntab_func){ .entry = t->funcs + i * 2 * width, .entry_size = 2 * width };
	reader_seek(&r, ret->entry);
	const uint64_t start = read_uint(&r, width);
	ret->record = add_sat(base, read_uint(&r, width));
	const uint64_t next = read_uint(&r, width);
	reader_seek(&r, ret->record);
	read_record(t, &r, ret);
	place_data(t, &r, ret);
	if (!reader_ok(&r) || next < start)
		return false;
	ret->addr = t->layout >= PCLNTAB_18 ? t->text + start : start;
	ret->room = ret->size = next - start;
	uint64_t most = t->name_max > 0 ? t->name_max : UINT64_MAX;
	if (!names_take(t->bytes, add_sat(t->names, ret->name_off), &most, &ret->name))
		ret->name = STR("");
	return true;
}

void pclntab_bind_names(struct pclntab *t)
{
	enum { MOST = 255 };
	uint64_t left = names_left(t->bytes.size);
	struct pclntab_func f;
	struct str name;
	if (!has_long_string(bytes_sub(t->bytes, t->names, t->bytes.size - t->names)))
		return;
	t->name_max = MOST;
	for (uint64_t i = 0; i < t->func_count && left > 0; i++)
		if (pclntab_record(t, i, &f))
			(void)names_take(t->bytes, add_sat(t->names, f.name_off), &left, &name);
	t->name_max = left > 0 ? 0 : MOST;
}

bool pclntab_func(const struct pclntab *t, uint64_t i, struct pclntab_func *ret)
{
	uint64_t size = 0;
	if (!pclntab_record(t, i, ret))
		return false;
	for (size_t k = 0; k < PCLNTAB_TABLES; k++) {
		struct pclntab_values v = pclntab_values(t, ret->tables[k]);
		while (ret->tables[k] != 0 && v.end < ret->room && pclntab_values_next(&v))
			;
		size = max_u64(size, v.end);
	}
	ret->size = size > 0 ? min_u64(size, ret->room) : ret->room;
	ASSERT(ret->size <= ret->room);
	return true;
}

uint64_t pclntab_more(const struct pclntab *t, const struct pclntab_func *f, uint64_t i)
{
	struct reader r = reader_at(t->bytes, t->big_endian, f->more + i * 4);
	return read_u32(&r);
}

bool pclntab_file(const struct pclntab *t, const struct pclntab_func *f, int64_t index,
		  uint64_t *ret_word, uint64_t *ret_off)
{
	const bool first = t->layout == PCLNTAB_2;
	if (index < (first ? 1 : 0) || index > UINT32_MAX)
		return false;
	struct reader r = reader_of(t->bytes, t->big_endian);
	*ret_word = t->units + ((uint64_t)f->unit + (uint64_t)index) * 4;
	reader_seek(&r, *ret_word);
	const uint32_t off = read_u32(&r);
	*ret_off = first ? off : t->files + off;
	return reader_ok(&r) && off != UINT32_MAX;
}
