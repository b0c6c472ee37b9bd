/* index_gdb.c - walks .gdb_index, versions 4 to 9 (GDB manual, "Index Section Format").
 *
 * All numbers are little-endian on any machine. */
#include "debug/index_out.h"

#include "base/sort.h"
#include "base/vec.h"

enum gdb_area { GDB_UNITS, GDB_TYPES, GDB_ADDRESSES, GDB_SYMBOLS, GDB_SHORTCUTS, GDB_POOL };

enum { UNIT_SIZE = 16, TYPE_SIZE = 24, ADDRESS_SIZE = 20, SYMBOL_SIZE = 8 };

/* A text or a vector of units in the constant pool, to which a symbol refers */
struct gdb_use {
	uint64_t off;  /* Offset from the start of the section. */
	uint32_t unit; /* First unit of the symbol: index in the lists of units, or NO_UNIT */
	bool vector;   /* True for a vector, false for a text */
};

#define NO_UNIT UINT32_MAX

struct gdb_index {
	struct index_out *out;
	struct reader r;
	uint32_t version;
	uint64_t start[GDB_POOL + 2]; /* Offset of each area, then the end of the section */
	uint64_t unit_count, type_count;
	VEC(struct gdb_use) uses;
};

/* Notes damage. `fmt` names the section by %s. It must be a literal, because notes with the same
 * literal are joined. */
static void note_gdb(const struct gdb_index *g, uint64_t off, uint64_t size, const char *fmt)
{
	const struct dwarf *d = g->out->dwarf;
	note(d->notes, d->path, off, size, fmt, dw_section_name(DW_GDB_INDEX));
}

static struct reader gdb_at(const struct gdb_index *g, uint64_t off)
{
	struct reader r = g->r;
	reader_seek(&r, off);
	return r;
}

/* Reports a type unit. Until DWARF 4, type units are in .debug_types. Later they are in
 * .debug_info, and only the signature identifies them. */
static void put_type(struct gdb_index *g, uint64_t off, uint64_t size, uint64_t index)
{
	ASSERT(index < g->type_count);
	const struct dwarf *d = g->out->dwarf;
	struct reader r = gdb_at(g, g->start[GDB_TYPES] + index * TYPE_SIZE);
	const uint64_t unit = read_u64(&r);
	read_skip(&r, 8);
	const uint64_t signature = read_u64(&r);
	if (unit < d->size[DW_TYPES])
		index_put(g->out, off, size, ABOUT_TYPES, unit);
	else
		index_put(g->out, off, size, ABOUT_TYPE_ID, signature);
}

/* Reports bytes of the index that describe a unit. `index`: its number, where compile units come
 * before type units. */
static void index_gdb_put_unit(struct gdb_index *g, uint64_t off, uint64_t size, uint32_t index)
{
	if (index < g->unit_count) {
		struct reader r = gdb_at(g, g->start[GDB_UNITS] + (uint64_t)index * UNIT_SIZE);
		index_put(g->out, off, size, ABOUT_INFO, read_u64(&r));
	} else if (index - g->unit_count < g->type_count) {
		put_type(g, off, size, index - g->unit_count);
	} else {
		index_put(g->out, off, size, ABOUT_ALL, 0);
	}
}

static void put_addresses(struct gdb_index *g)
{
	struct reader r = gdb_at(g, g->start[GDB_ADDRESSES]);
	r.size = g->start[GDB_SYMBOLS];
	while (reader_left(&r) >= ADDRESS_SIZE) {
		const uint64_t off = r.pos;
		const uint64_t addr = read_u64(&r);
		read_skip(&r, ADDRESS_SIZE - 8);
		index_put(g->out, off, ADDRESS_SIZE, ABOUT_ADDR, addr);
	}
	index_pad(g->out, r.pos, r.size);
}

static void index_gdb_put_symbols(struct gdb_index *g)
{
	const uint64_t pool = g->start[GDB_POOL];
	struct reader r = gdb_at(g, g->start[GDB_SYMBOLS]);
	r.size = g->start[GDB_SHORTCUTS];
	while (reader_left(&r) >= SYMBOL_SIZE) {
		const uint64_t off = r.pos;
		const uint32_t name = read_u32(&r);
		const uint32_t vector = read_u32(&r);
		if (name == 0 && vector == 0) {
			index_put(g->out, off, SYMBOL_SIZE, ABOUT_ALL, 0);
			continue;
		}
		/* Since version 7, the upper byte of a vector's first number is the symbol's
		 * kind. */
		struct reader units = gdb_at(g, pool + vector);
		const uint32_t count = read_u32(&units), first = read_u32(&units);
		const uint32_t unit = !reader_ok(&units) || count == 0 ? NO_UNIT
				      : g->version >= 7                ? first & 0xffffff
								       : first;
		if (unit == NO_UNIT)
			note_gdb(g, off, SYMBOL_SIZE, "%s: a symbol has no unit");
		index_gdb_put_unit(g, off, SYMBOL_SIZE, unit);
		vec_push(&g->uses, (struct gdb_use){ pool + vector, unit, true });
		vec_push(&g->uses, (struct gdb_use){ pool + name, unit, false });
	}
	index_pad(g->out, r.pos, r.size);
}

/* Returns the size of the text or vector at `off`, which may overlap the next one. 0 if damaged. */
static uint64_t use_size(const struct gdb_index *g, const struct gdb_use *u, uint64_t end)
{
	struct reader r = gdb_at(g, u->off);
	if (u->vector) {
		const uint64_t count = read_u32(&r);
		return reader_ok(&r) && count <= reader_left(&r) / 4 ? 4 + 4 * count : 0;
	}
	r.size = min_u64(end, r.size);
	const struct str name = reader_ok(&r) ? read_cstr(&r) : (struct str){ NULL, 0 };
	return reader_ok(&r) ? (uint64_t)name.len + 1 : 0;
}

/* Reports a text or vector. The piece ends before `next`, because names may share their ends. */
static void put_use(struct gdb_index *g, const struct gdb_use *u, uint64_t next)
{
	if (u->off >= g->r.size)
		return;
	ASSERT(next > u->off);
	const uint64_t end = min_u64(next, g->r.size);
	uint64_t size = use_size(g, u, end);
	if (size == 0 && next < g->r.size && !u->vector)
		size = next - u->off;
	if (size == 0)
		note_gdb(g, u->off, end - u->off, "%s: the constant pool is damaged");
	const uint64_t piece_end = u->off + min_u64(size, end - u->off);
	index_gdb_put_unit(g, u->off, piece_end - u->off, u->unit);
	if (size > 0 && end - piece_end < 4)
		index_pad(g->out, piece_end, end);
}

static void index_gdb_put_pool(struct gdb_index *g)
{
	const size_t count = g->uses.count;
	sort_by_key(g->uses.data, count, sizeof *g->uses.data);
	for (size_t i = 0; i < count;) {
		size_t next = i + 1;
		while (next < count && g->uses.data[next].off == g->uses.data[i].off)
			next++;
		put_use(g, &g->uses.data[i], next < count ? g->uses.data[next].off : UINT64_MAX);
		i = next;
	}
}

/* Reads the header. False if areas are not in order, or not inside the section. */
static bool index_gdb_read_header(struct gdb_index *g)
{
	struct reader *r = &g->r;
	uint64_t *start = g->start;
	g->version = read_u32(r);
	for (int i = GDB_UNITS; i <= GDB_POOL; i++)
		if (i != GDB_SHORTCUTS || g->version >= 9)
			start[i] = read_u32(r);
	if (g->version < 9)
		start[GDB_SHORTCUTS] = start[GDB_POOL];
	start[GDB_POOL + 1] = r->size;
	if (!reader_ok(r) || start[0] < r->pos)
		return false;
	for (int i = GDB_UNITS; i <= GDB_POOL; i++)
		if (start[i] > start[i + 1])
			return false;
	g->unit_count = (start[GDB_TYPES] - start[GDB_UNITS]) / UNIT_SIZE;
	g->type_count = (start[GDB_ADDRESSES] - start[GDB_TYPES]) / TYPE_SIZE;
	return true;
}

void gdb_index_pieces(struct dwarf *d, index_fn fn, void *ctx)
{
	struct index_out o = { .dwarf = d, .which = DW_GDB_INDEX, .fn = fn, .ctx = ctx };
	struct gdb_index g = { .out = &o, .r = reader_of(dwarf_bytes(d, DW_GDB_INDEX), false) };
	const uint64_t size = g.r.size;
	if (size == 0)
		return;
	const bool whole = index_gdb_read_header(&g);
	if (g.version < 4 || g.version > 9 || !whole) {
		note_gdb(&g, 0, size,
			 whole ? "%s: unknown version" : "%s: areas leave the section");
		return;
	}
	index_put(&o, 0, g.start[GDB_UNITS], ABOUT_ALL, 0);
	uint64_t off = g.start[GDB_UNITS];
	for (uint32_t i = 0; i < g.unit_count; i++, off += UNIT_SIZE)
		index_gdb_put_unit(&g, off, UNIT_SIZE, i);
	index_pad(g.out, off, g.start[GDB_TYPES]);
	off = g.start[GDB_TYPES];
	for (uint64_t i = 0; i < g.type_count; i++, off += TYPE_SIZE)
		put_type(&g, off, TYPE_SIZE, i);
	index_pad(g.out, off, g.start[GDB_ADDRESSES]);
	put_addresses(&g);
	index_gdb_put_symbols(&g);
	index_put(&o, g.start[GDB_SHORTCUTS], g.start[GDB_POOL] - g.start[GDB_SHORTCUTS], ABOUT_ALL,
		  0);
	index_gdb_put_pool(&g);
	index_finish(&o);
	vec_release(&g.uses);
}
