/* Finds the packages of the types that a Go program describes for its runtime. */
#include "program/go_types.h"

#include "names/package_name.h"

/* Kinds of types, with Go's numbers (package reflect) */
enum kind {
	KIND_ARRAY = 17,
	KIND_CHAN,
	KIND_FUNC,
	KIND_INTERFACE,
	KIND_MAP,
	KIND_POINTER,
	KIND_SLICE,
	KIND_STRUCT = 25,
	KIND_LAST,
};

enum { KIND_MASK = 31, HAS_PATH = 1, HAS_STAR = 2, STEPS_MAX = 8 };

struct types {
	const struct go_table *table;
	const struct image *im;
	unsigned width; /* Bytes of a pointer. */
};

struct description {
	uint64_t addr;
	uint64_t own; /* Address of the fields that only this kind has */
	enum kind kind;
	bool has_path;
};

static uint64_t go_types_word_at(const struct types *t, uint64_t addr)
{
	struct reader r = reader_of(image_at(t->im, addr, t->width), t->im->big_endian);
	return read_uint(&r, t->width);
}

static bool describes(const struct types *t, uint64_t addr)
{
	return addr >= t->table->types.start && addr < t->table->types.end;
}

static bool read_description(const struct types *t, uint64_t addr, struct description *ret)
{
	const uint64_t size = 4 * (uint64_t)t->width + 16;
	struct reader r = reader_of(image_at(t->im, addr, size), t->im->big_endian);
	read_skip(&r, 2 * (uint64_t)t->width + 4); /* Skips size, size with pointers, hash */
	const uint8_t flags = read_u8(&r);
	read_skip(&r, 2); /* Skips two alignments */
	const uint8_t kind = read_u8(&r) & KIND_MASK;
	*ret = (struct description){
		.addr = addr, .own = addr + size, .kind = kind, .has_path = flags & HAS_PATH
	};
	return describes(t, addr) && addr % t->width == 0 && r.size == size && kind > 0 &&
	       kind <= KIND_LAST;
}

/* Returns the size of the fields that only this kind has. 0 for maps: it differs by version. */
static uint64_t own_size(const struct types *t, enum kind kind)
{
	switch (kind) {
	case KIND_ARRAY: return 3 * (uint64_t)t->width;
	case KIND_CHAN: return 2 * (uint64_t)t->width;
	case KIND_FUNC: return t->width;
	case KIND_INTERFACE:
	case KIND_STRUCT: return 4 * (uint64_t)t->width;
	case KIND_POINTER:
	case KIND_SLICE: return t->width;
	case KIND_MAP:
	case KIND_LAST: break;
	}
	return 0;
}

/* Reads a name: flags, length, text. Until Go 1.16 the length is 2 bytes, high byte first. Since
 * then it has 7 bits per byte. Names have 1 to 255 bytes. */
static struct str go_types_name_at(const struct types *t, uint64_t addr)
{
	struct reader r = reader_at(image_at(t->im, addr, 4096), t->im->big_endian, 1);
	uint64_t len = read_uleb(&r);
	if (len == 0 && t->table->tab.layout < PCLNTAB_18)
		len = read_u8(&r);
	const uint8_t *const p = read_take(&r, len);
	return p ? (struct str){ (const char *)p, len } : STR("");
}

/* Returns the address of a type that this type consists of or points to. 0 if there is none. */
static uint64_t go_types_part_of(const struct types *t, const struct description *d)
{
	switch (d->kind) {
	case KIND_ARRAY:
	case KIND_CHAN:
	case KIND_POINTER:
	case KIND_SLICE: return go_types_word_at(t, d->own);
	case KIND_MAP: return go_types_word_at(t, d->own + t->width);
	case KIND_FUNC: return go_types_word_at(t, d->own + t->width + (d->has_path ? 16 : 0));
	case KIND_STRUCT:
		return go_types_word_at(t, go_types_word_at(t, d->own + t->width) + t->width);
	case KIND_INTERFACE:
	case KIND_LAST: break;
	}
	return 0;
}

struct str go_type_package(const struct go_table *g, const struct image *im, uint64_t addr)
{
	const struct types t = { g, im, g->tab.pointer };
	ASSERT(t.width == 4 || t.width == 8);
	struct description d;
	for (unsigned i = 0; i < STEPS_MAX && read_description(&t, addr, &d); i++) {
		struct str path = STR("");
		if (d.has_path && d.kind != KIND_MAP) {
			const uint64_t at = d.own + own_size(&t, d.kind);
			struct reader r = reader_of(image_at(im, at, 4), im->big_endian);
			const uint64_t off = read_u32(&r), name = g->types.start + off;
			path = off != 0 && describes(&t, name) ? go_types_name_at(&t, name) : path;
		}
		/* The own fields of a struct or interface begin with the package's path. */
		if (path.len == 0 && (d.kind == KIND_INTERFACE || d.kind == KIND_STRUCT)) {
			const uint64_t name = go_types_word_at(&t, d.own);
			path = describes(&t, name) ? go_types_name_at(&t, name) : path;
		}
		if (go_package_is_path(path))
			return path;
		addr = go_types_part_of(&t, &d);
	}
	return STR("");
}

/* True if a text can be the name of a type. */
static bool go_types_is_name(struct str name)
{
	for (size_t i = 0; i < name.len; i++)
		if (name.p[i] < ' ' || name.p[i] > '~')
			return false;
	return name.len > 0;
}

struct str go_type_name(const struct go_table *g, const struct image *im, uint64_t addr)
{
	const struct types t = { g, im, g->tab.pointer };
	const uint64_t word = t.width;
	struct description d;
	if (!read_description(&t, addr, &d))
		return STR("");
	/* Before the kind: flags, two alignments. After it: function, bits of pointers, name. */
	struct reader r = reader_of(image_at(im, addr, 4 * word + 12), im->big_endian);
	read_skip(&r, 2 * word + 4);
	const uint8_t flags = read_u8(&r), align = read_u8(&r), inside = read_u8(&r);
	read_skip(&r, 1 + 2 * word);
	const uint64_t at = g->types.start + read_u32(&r);
	const bool aligned = align > 0 && (align & (align - 1)) == 0 && inside <= align;
	struct str name = aligned && describes(&t, at) ? go_types_name_at(&t, at) : STR("");
	if (flags & HAS_STAR && str_starts(name, STR("*")))
		name = str_from(name, 1);
	return go_types_is_name(name) ? name : STR("");
}

struct str go_type_label(const struct go_table *g, const struct image *im, uint64_t addr)
{
	enum { NAME_FLAGS = 15 };
	const struct types t = { g, im, g->tab.pointer };
	const struct str type = go_type_name(g, im, addr);
	struct reader r = reader_of(image_at(im, addr, 1), im->big_endian);
	if (type.len > 0 || !describes(&t, addr) || read_u8(&r) > NAME_FLAGS)
		return type;
	return go_types_is_name(go_types_name_at(&t, addr)) ? STR(".namedata.*") : STR("");
}

/* Returns the end of the descriptions. A damaged section may state more bytes than the file has. */
static uint64_t go_types_end(const struct go_table *g, const struct image *im)
{
	return g->types.start + image_at(im, g->types.start, g->types.end - g->types.start).size;
}

static bool go_types_has_name(const struct go_table *g, const struct image *im, uint64_t addr)
{
	return str_starts(go_type_label(g, im, addr), STR("."));
}

/* Returns the address after the name at `addr`, its tag, and the offset of its package's path,
 * without a byte that aligns the next name. 0 if there is no name. */
static uint64_t go_types_name_end(const struct go_table *g, const struct image *im, uint64_t addr)
{
	enum { HAS_TAG = 2, HAS_PACKAGE = 4, OFFSET = 4 };
	struct reader r = reader_of(image_at(im, addr, 4096), im->big_endian);
	const uint8_t flags = read_u8(&r);
	for (unsigned left = flags & HAS_TAG ? 2 : 1; left > 0; left--) {
		const uint64_t len = read_uleb(&r);
		read_skip(&r, len > 0 ? len : read_u8(&r));
	}
	read_skip(&r, flags & HAS_PACKAGE ? OFFSET : 0);
	if (!reader_ok(&r) || !go_types_has_name(g, im, addr))
		return 0;
	return addr + r.pos + !go_types_has_name(g, im, addr + r.pos);
}

uint64_t go_types_next_name(const struct go_table *g, const struct image *im, uint64_t addr)
{
	const uint64_t end = go_types_end(g, im);
	uint64_t at = go_types_name_end(g, im, addr);
	if (at > 0 && go_types_has_name(g, im, at))
		return at;
	/* In strings, which may look like a name, a second name rarely follows. */
	for (at = max_u64(at, g->types.start); at < end; at++) {
		const uint64_t next = go_types_name_end(g, im, at);
		if (next > 0 && go_types_has_name(g, im, next))
			return at;
	}
	return 0;
}

uint64_t go_types_next(const struct go_table *g, const struct image *im, uint64_t addr)
{
	/* Go's linker aligns symbols of so many bytes to it, and descriptions are larger. */
	const uint64_t align = 32, end = go_types_end(g, im);
	addr = align_up(max_u64(addr + 1, g->types.start), align);
	for (; addr < end; addr += align)
		if (go_type_name(g, im, addr).len > 0)
			return addr;
	return 0;
}

void go_type_refers(const struct go_table *g, const struct image *im, uint64_t addr,
		    void (*fn)(void *ctx, uint64_t place, uint64_t target), void *ctx)
{
	enum { METHOD_SIZE = 16 };
	const struct types t = { g, im, g->tab.pointer };
	const uint64_t fixed = 4 * (uint64_t)t.width + 16;
	struct description d;
	if (!read_description(&t, addr, &d))
		return;
	struct reader r = reader_of(image_at(im, addr + fixed - 4, 4), im->big_endian);
	const uint32_t pointer = read_u32(&r);
	uint64_t text, end;
	go_table_code(g, &text, &end);
	text = g->tab.text != 0 ? g->tab.text : text;
	if (pointer != 0 && describes(&t, g->types.start + pointer))
		fn(ctx, addr + fixed - 4, g->types.start + pointer);
	/* Maps have fields that differ by version. */
	if (!d.has_path || d.kind == KIND_MAP)
		return;
	/* The path, the numbers of all methods and of exported ones, the distance of the list */
	const uint64_t more = d.own + own_size(&t, d.kind);
	r = reader_of(image_at(im, more, 12), im->big_endian);
	read_skip(&r, 4);
	const unsigned count = read_u16(&r);
	read_skip(&r, 2);
	const uint64_t list = more + read_u32(&r);
	/* A method has the distances of its name, its type, and two functions. -1: none */
	r = reader_of(image_at(im, list, (uint64_t)count * METHOD_SIZE), im->big_endian);
	for (uint64_t at = list; reader_left(&r) >= METHOD_SIZE; at += METHOD_SIZE) {
		read_skip(&r, 4);
		const uint32_t type = read_u32(&r), code[] = { read_u32(&r), read_u32(&r) };
		if (type != 0 && describes(&t, g->types.start + type))
			fn(ctx, at + 4, g->types.start + type);
		for (unsigned i = 0; i < COUNT_OF(code); i++)
			if (code[i] != 0 && code[i] != UINT32_MAX)
				fn(ctx, at + 8 + 4 * i, text + code[i]);
	}
}
