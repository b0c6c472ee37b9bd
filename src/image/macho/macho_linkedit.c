/* Reads function starts, data in code, the export trie and the imports of chained fixups
 * (mach-o/loader.h, mach-o/fixup-chains.h). Each entry belongs to a symbol. */
#include "image/macho/macho_internal.h"

#include "base/sort.h"

static void macho_linkedit_add(struct macho *m, const struct macho_range *in, uint64_t off,
			       uint64_t size, uint64_t addr)
{
	build_entry(&m->build,
		    &(struct image_entry){
			    .section = in->index, .off = off, .size = size, .addr = addr });
}

/* Finds a symbol's index by name. 0 if there is none: *ret_at is then where to insert the name. */
static uint32_t macho_linkedit_find(const struct macho *m, struct str name, struct map_at *ret_at)
{
	uint32_t i;
	*ret_at = map_at(&m->names, hash_bytes(name.p, name.len));
	while (map_next(&m->names, ret_at, &i))
		if (str_eq(m->build.symbols.data[i].symbol.name, name))
			return i;
	return 0;
}

/* Fills the map of names. Limits the total size, because names of a valid table hardly overlap. */
static void macho_linkedit_read_names(struct macho *m)
{
	uint64_t left = 4 * m->strings.size;
	for (size_t i = m->first_symbol; i < m->build.symbols.count; i++) {
		const struct str name = m->build.symbols.data[i].symbol.name;
		struct map_at at;
		if (name.len == 0 || name.len > left)
			continue;
		left -= name.len;
		if (macho_linkedit_find(m, name, &at) == 0)
			map_put(&m->names, &at, (uint32_t)i);
	}
}

uint32_t macho_name_find(const struct macho *m, struct str name)
{
	struct map_at at;
	return macho_linkedit_find(m, macho_plain_name(name), &at);
}

/* Smallest number of file bytes per function. Limits the functions in a small file. */
enum { FUNCTION_BYTES = 16 };

/* Reads the function starts: differences as ULEB128, from the start of __TEXT. */
void macho_read_starts(struct macho *m)
{
	struct reader r = macho_reader(m, m->starts.off, m->starts.size);
	uint64_t addr = m->text_addr;
	while (reader_left(&r) > 0) {
		const uint64_t at = r.pos, step = read_uleb(&r);
		if (step == 0 || !reader_ok(&r) ||
		    !build_has_room(&m->build, m->build.starts.count, FUNCTION_BYTES,
				    m->starts.off + at))
			return;
		addr += step;
		vec_push(&m->build.starts, (struct build_start){ addr, 0 });
		macho_linkedit_add(m, &m->starts, at, r.pos - at, addr);
	}
}

/* Reads initialisers, stored as offsets from the start of __TEXT. */
static void read_init_offsets(struct macho *m, const struct macho_section *s)
{
	enum { OFFSET_SIZE = 4 };
	struct reader r = macho_reader(m, s->off, s->size);
	for (uint64_t at = 0; reader_left(&r) >= OFFSET_SIZE; at += OFFSET_SIZE)
		build_entry(&m->build,
			    &(struct image_entry){ .section = s->index,
						   .off = at,
						   .size = OFFSET_SIZE,
						   .addr = m->text_addr + read_u32(&r) });
}

void macho_add_data(struct macho *m, macho_data_vec *all)
{
	ASSERT(all->count == 0 || all->data);
	size_t i = 0;
	vec_sort(all);
	vec_each(const struct macho_section, s, &m->sections) {
		BISECT(i, 0, all->count, mid, all->data[mid].addr < s->addr);
		for (; i < all->count && all->data[i].addr - s->addr < s->size; i++) {
			const uint64_t addr = all->data[i].addr;
			const uint64_t next = i + 1 < all->count ? all->data[i + 1].addr : addr;
			const uint64_t end = next > addr ? next : s->addr + s->size;
			build_entry(&m->build, &(struct image_entry){ .section = s->index,
								      .off = addr - s->addr,
								      .size = end - addr,
								      .addr = all->data[i].owner });
		}
	}
}

/* Assigns the initial values of thread-local variables to the descriptors of the variables. The
 * third word of a descriptor is an offset from the first section with initial values. */
static void read_tlv(struct macho *m)
{
	const uint64_t word = m->build.im->bits / 8;
	uint64_t first = UINT64_MAX, off;
	macho_data_vec all = { 0 };
	vec_each(const struct macho_section, s, &m->sections) {
		const uint32_t type = s->flags & 0xff;
		if (type == S_THREAD_LOCAL_REGULAR || type == S_THREAD_LOCAL_ZEROFILL)
			first = min_u64(first, s->addr);
	}
	for (size_t i = 0; i < m->sections.count && first != UINT64_MAX; i++) {
		const struct macho_section *s = &m->sections.data[i];
		if ((s->flags & 0xff) != S_THREAD_LOCAL_VARIABLES)
			continue;
		for (uint64_t at = 0; at + 3 * word <= s->size; at += 3 * word) {
			if (!macho_word_at(m, s->addr + at + 2 * word, &off))
				break;
			vec_push(&all, (struct macho_data){ first + off, s->addr + at });
		}
	}
	macho_add_data(m, &all);
	vec_release(&all);
}

/* An edge of the trie, and the offset of the node to which it goes. */
struct macho_linkedit_edge {
	uint64_t off, size, node;
};

struct macho_linkedit_range {
	uint64_t off, size;
};

struct trie {
	struct macho *m;
	struct reader r;
	VEC(struct macho_linkedit_edge) edges; /* Edges to follow, the last one first */
	VEC(struct macho_linkedit_range)
	waiting;       /* Ranges of edges and nodes that belong to the next export that is read */
	uint64_t left; /* Bytes that may still be read. Nodes of a valid trie do not overlap. */
};

/* Reads a node. False if reading has to stop. */
static bool read_node(struct trie *t, const struct macho_linkedit_edge *from)
{
	enum { ABSOLUTE = 2, REEXPORT = 8 };
	reader_seek(&t->r, from->node);
	const uint64_t size = read_uleb(&t->r);
	struct reader terminal = read_sub(&t->r, size);
	const uint64_t flags = read_uleb(&terminal);
	const uint64_t addr = t->m->text_addr + read_uleb(&terminal);
	/* Reads the export of a node. False if it has no address in this file, such as a
	 * re-export. */
	const bool known = reader_ok(&terminal) && size > 0 && !(flags & (ABSOLUTE | REEXPORT));
	const uint8_t children = read_u8(&t->r);
	vec_push(&t->waiting, (struct macho_linkedit_range){ from->off, from->size });
	vec_push(&t->waiting, (struct macho_linkedit_range){ from->node, t->r.pos - from->node });
	for (unsigned i = 0; i < children && reader_ok(&t->r); i++) {
		struct macho_linkedit_edge e = { .off = t->r.pos };
		read_cstr(&t->r);
		e.node = read_uleb(&t->r);
		e.size = t->r.pos - e.off;
		vec_push(&t->edges, e);
	}
	const uint64_t used = t->r.pos - from->node;
	if (!reader_ok(&t->r) || used > t->left)
		return false;
	t->left -= used;
	if (size == 0 && children > 0)
		return true;
	for (size_t i = 0; known && i < t->waiting.count; i++) {
		const struct macho_linkedit_range *w = &t->waiting.data[i];
		macho_linkedit_add(t->m, &t->m->exports, w->off, w->size, addr);
	}
	t->waiting.count = 0;
	return true;
}

/* Reads the imports and their names from dyld_chained_fixups_header. */
static void macho_linkedit_read_imports(struct macho *m)
{
	enum { IMPORT = 1, IMPORT_ADDEND, IMPORT_ADDEND64 };
	struct reader r = macho_reader(m, m->fixups.off, m->fixups.size);
	read_skip(&r, 8); /* Skips version and starts. */
	const uint32_t imports = read_u32(&r), pool = read_u32(&r);
	const uint32_t count = read_u32(&r), format = read_u32(&r);
	const uint64_t size = format == IMPORT_ADDEND64 ? 16 : format == IMPORT_ADDEND ? 8 : 4;
	uint64_t left = m->fixups.size; /* Bytes of names that may still be read. Names of a
					 * valid table do not overlap. */
	if (!reader_ok(&r) || format < IMPORT || format > IMPORT_ADDEND64)
		return;
	reader_seek(&r, imports);
	for (uint32_t i = 0; i < count && reader_left(&r) >= size; i++) {
		struct reader at = r, text = r;
		const uint64_t word = read_uint(&at, size == 16 ? 8 : 4);
		const uint64_t name_at = pool + (size == 16 ? word >> 32 : word >> 9);
		reader_seek(&text, name_at);
		const struct str name = read_cstr(&text);
		const uint32_t symbol = macho_name_find(m, name);
		struct image_entry e = { m->fixups.index, symbol, r.pos, size, 0 };
		read_skip(&r, size);
		if (name.len >= left)
			return;
		left -= name.len;
		if (symbol == 0)
			continue;
		build_entry(&m->build, &e);
		e.off = name_at;
		e.size = name.len + 1;
		build_entry(&m->build, &e);
	}
}

void macho_read_linkedit(struct macho *m)
{
	ASSERT(m->exports.index < m->build.sections.count);
	ASSERT(m->indexes.count <= m->build.im->bytes.size);
	macho_linkedit_read_names(m);
	if (m->symbols.index != 0)
		macho_read_stabs(m);
	if (m->build.im->kind == IMAGE_OBJECT)
		return;
	/* Reads data_in_code_entry. */
	enum { ENTRY_SIZE = 8 };
	struct reader r = macho_reader(m, m->data_in_code.off, m->data_in_code.size);
	while (reader_left(&r) >= ENTRY_SIZE) {
		const uint64_t at = r.pos;
		const uint32_t off = read_u32(&r);
		read_skip(&r, ENTRY_SIZE - 4);
		macho_linkedit_add(m, &m->data_in_code, at, ENTRY_SIZE, m->text_addr + off);
	}
	for (size_t i = 0; i < m->sections.count; i++)
		if ((m->sections.data[i].flags & 0xff) == S_INIT_FUNC_OFFSETS)
			read_init_offsets(m, &m->sections.data[i]);
	read_tlv(m);
	/* Reads the export trie depth first. Edges and nodes belong to the first export after
	 * them. */
	const struct macho_range *in = &m->exports;
	struct trie t = { .m = m, .r = macho_reader(m, in->off, in->size), .left = in->size };
	if (in->index != 0)
		vec_push(&t.edges, (struct macho_linkedit_edge){ 0 });
	while (t.edges.count > 0) {
		const struct macho_linkedit_edge from = t.edges.data[--t.edges.count];
		if (!read_node(&t, &from))
			break;
	}
	vec_release_all(&t.edges, &t.waiting);
	macho_linkedit_read_imports(m);
	macho_read_chains(m);
	macho_read_opcodes(m);
}

/* Reads the code signature (kern/cs_blobs.h), an index of blobs. All its numbers are big-endian.
 * One blob, the code directory, has a hash of each page of the file. A hash belongs to the owners
 * of the bytes in its page. */

enum {
	SUPER_BLOB = (int)0xfade0cc0,
	CODE_DIRECTORY = (int)0xfade0c02,
	PRIMARY = 0, /* Type of the main code directory. Others are alternates. */
	HARDENED_RUNTIME = 0x10000,
	PIECE = 4, /* Bytes of a hash that are assigned to one owner. */
};

/* Fields of CS_CodeDirectory that heft reads. */
struct directory {
	uint64_t off; /* Offset in the signature. */
	uint32_t flags, hashes, count;
	uint8_t hash_size, page_shift;
};

static bool macho_signature_read_directory(struct reader *r, uint64_t off, struct directory *ret)
{
	reader_seek(r, off);
	const bool known = read_u32(r) == (uint32_t)CODE_DIRECTORY;
	read_skip(r, 8); /* Skips length and version. */
	ret->off = off;
	ret->flags = read_u32(r);
	ret->hashes = read_u32(r);
	read_skip(r, 8); /* Skips identifier and special slots. */
	ret->count = read_u32(r);
	read_skip(r, 4); /* Skip the code limit */
	ret->hash_size = read_u8(r);
	read_skip(r, 2); /* Skips hash type and platform. */
	ret->page_shift = read_u8(r);
	return known && reader_ok(r);
}

static bool macho_signature_mapped_at(const struct macho *m, uint64_t off, uint64_t *ret)
{
	vec_each(const struct macho_segment, s, &m->segments) {
		if (off - s->off < s->size) {
			*ret = s->addr + (off - s->off);
			return true;
		}
	}
	return false;
}

/* Assigns the hash of page `i` to owners. Each piece of the hash belongs to the owner of the same
 * part of the page. */
static void add_hash(struct macho *m, const struct macho_range *range, const struct directory *d,
		     uint64_t i)
{
	const uint64_t size = UINT64_C(1) << d->page_shift, page = i << d->page_shift;
	struct image_entry e = { .section = range->index,
				 .off = d->off + d->hashes + i * d->hash_size };
	for (uint64_t at = 0; at < d->hash_size; at += PIECE, e.off += PIECE) {
		e.size = min_u64(PIECE, d->hash_size - at);
		if (macho_signature_mapped_at(m, page + at * size / d->hash_size, &e.addr))
			build_entry(&m->build, &e);
	}
}

static void add_hashes(struct macho *m, const struct macho_range *range, const struct directory *d,
		       uint64_t *left)
{
	enum { SHIFT_MAX = 30 };
	if (d->hash_size == 0 || d->page_shift == 0 || d->page_shift > SHIFT_MAX)
		return;
	for (uint64_t i = 0; i < d->count && *left >= d->hash_size; i++) {
		*left -= d->hash_size;
		add_hash(m, range, d, i);
	}
}

void macho_read_signature(struct macho *m, const struct macho_range *range)
{
	ASSERT(range->index < m->build.sections.count);
	struct reader r = reader_of(bytes_sub(m->build.im->bytes, range->off, range->size), true);
	uint64_t left = range->size; /* Bytes of hashes that may still be read. Directories of a
				      * valid signature do not overlap. */
	m->is_signed = read_u32(&r) == (uint32_t)SUPER_BLOB;
	read_skip(&r, 4);
	const uint32_t count = read_u32(&r);
	for (uint32_t i = 0; i < count && reader_left(&r) >= 8; i++) {
		const uint32_t type = read_u32(&r), off = read_u32(&r);
		struct reader at = r;
		struct directory d;
		if (!macho_signature_read_directory(&at, off, &d))
			continue;
		if (type == PRIMARY)
			m->hardened = d.flags & HARDENED_RUNTIME;
		add_hashes(m, range, &d, &left);
	}
}
