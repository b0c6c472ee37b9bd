/* Reads the modules, sections, types and ids of a PDB. */
#include "debug/codeview/pdb.h"

#include "base/sort.h"
#include "debug/codeview/codeview.h"

enum { STREAM_INFO = 1, STREAM_TYPES = 2, STREAM_DBI = 3, STREAM_IDS = 4, NO_STREAM = 0xffff };

static bool read_info(struct pdb *p, struct reader *r)
{
	*r = reader_of(msf_stream(&p->msf, STREAM_INFO), false);
	read_skip(r, 8);
	p->age = read_u32(r);
	const uint8_t *guid = read_take(r, sizeof p->guid);
	if (guid)
		memcpy(p->guid, guid, sizeof p->guid);
	return guid != NULL;
}

/* Skips a bit set: the number of its words, then the words. Returns the number. */
static uint32_t skip_bits(struct reader *r)
{
	const uint32_t words = read_u32(r);
	read_skip(r, 4 * (uint64_t)words);
	return words;
}

/* Returns the number of the stream with a name, or NO_STREAM. The names are a hash table. */
static uint32_t pdb_find_named(struct reader *r, struct str name)
{
	const uint32_t size = read_u32(r);
	const struct bytes texts = { read_take(r, size), size };
	const uint32_t count = read_u32(r);
	read_skip(r, 4);
	skip_bits(r);
	skip_bits(r);
	for (uint32_t i = 0; i < count && reader_left(r) >= 8; i++) {
		struct str key;
		const uint32_t off = read_u32(r), stream = read_u32(r);
		if (texts.p && bytes_cstr(texts, off, &key) && str_eq(key, name))
			return stream;
	}
	return NO_STREAM;
}

struct dbi {
	struct reader modules, pieces, streams;
};

static bool pdb_read_header(struct pdb *p, struct dbi *d)
{
	struct reader r = reader_of(msf_stream(&p->msf, STREAM_DBI), false);
	uint32_t sizes[7];
	read_skip(&r, 8);
	p->age = read_u32(&r);
	read_skip(&r, 8);
	p->symbol_stream = read_u16(&r);
	read_skip(&r, 2);
	for (unsigned i = 0; i < 5; i++) /* Sizes of modules, section contributions, sections,
					  * files, type servers */
		sizes[i] = read_u32(&r);
	read_skip(&r, 4);
	sizes[5] = read_u32(&r); /* Number of streams */
	sizes[6] = read_u32(&r); /* Size of the data for edit and continue */
	read_skip(&r, 8);
	d->modules = read_sub(&r, sizes[0]);
	d->pieces = read_sub(&r, sizes[1]);
	read_skip(&r, (uint64_t)sizes[2] + sizes[3] + sizes[4] + sizes[6]);
	d->streams = read_sub(&r, sizes[5]);
	return reader_ok(&r);
}

static void read_modules(struct pdb *p, struct reader *r)
{
	while (reader_left(r) >= 64) {
		struct pdb_module m;
		read_skip(r, 34); /* Skips the first section contribution and flags. */
		m.stream = read_u16(r);
		m.symbol_size = read_u32(r);
		m.c11_size = read_u32(r);
		m.c13_size = read_u32(r);
		read_skip(r, 16);
		m.name = read_cstr(r);
		m.library = read_cstr(r);
		reader_seek(r, align_up(r->pos, 4));
		if (!reader_ok(r)) {
			p->damaged += r->size - r->bad;
			return;
		}
		vec_push(&p->modules, m);
	}
}

/* Reads the section headers. The headers have the form of a program's headers ("PE Format"). */
static void pdb_read_sections(struct pdb *p, struct reader *streams)
{
	enum { SECTION_HEADERS = 5, SECTION_SIZE = 40 };
	read_skip(streams, 2 * SECTION_HEADERS);
	struct reader r = reader_of(msf_stream(&p->msf, read_u16(streams)), false);
	while (reader_left(&r) >= SECTION_SIZE) {
		struct pdb_section s;
		read_skip(&r, 8);
		s.size = read_u32(&r);
		s.rva = read_u32(&r);
		read_skip(&r, 24);
		vec_push(&p->sections, s);
	}
}

static void read_pieces(struct pdb *p, struct reader *r)
{
	enum { PIECE_SIZE = 28 };
	const uint32_t second = 0xeffe0000u + 20140516; /* Version with longer entries */
	const unsigned size = PIECE_SIZE + (read_u32(r) == second ? 4 : 0);
	while (reader_left(r) >= size) {
		const uint64_t end = r->pos + size;
		const uint16_t section = read_u16(r);
		read_skip(r, 2);
		const uint32_t off = read_u32(r);
		struct pdb_piece c = { .size = read_u32(r) };
		read_skip(r, 4);
		c.module = read_u16(r);
		reader_seek(r, end);
		if (pdb_rva(p, section, off, &c.rva) && c.size > 0 && c.size <= INT32_MAX &&
		    c.module < p->modules.count)
			vec_push(&p->pieces, c);
	}
	sort_by_key(p->pieces.data, p->pieces.count, sizeof *p->pieces.data);
}

static void read_types(struct pdb *p, uint32_t stream, struct pdb_types *t)
{
	struct reader r = reader_of(msf_stream(&p->msf, stream), false), record;
	uint16_t kind;
	read_skip(&r, 4);
	const uint32_t header = read_u32(&r);
	t->first = read_u32(&r);
	read_skip(&r, 4);
	const uint32_t size = read_u32(&r);
	reader_seek(&r, header);
	r = read_sub(&r, size);
	t->bytes = (struct bytes){ r.base, r.size };
	for (uint64_t at = 0; read_record(&r, &kind, &record); at = r.pos)
		vec_push(&t->offsets, (uint32_t)at);
	if (!reader_ok(&r))
		p->damaged += r.size - r.bad;
}

bool pdb_type(const struct pdb_types *t, uint32_t index, uint16_t *ret_kind, struct reader *ret)
{
	if (index < t->first || index - t->first >= t->offsets.count)
		return false;
	struct reader r = reader_at(t->bytes, false, t->offsets.data[index - t->first]);
	return read_record(&r, ret_kind, ret);
}

/* Returns a number: 15 bits, or a kind and then a number of that kind. 0 for other kinds. */
static uint64_t read_numeric(struct reader *r)
{
	const uint16_t first = read_u16(r);
	if (first < 0x8000)
		return first;
	switch (first) {
	case 0x8000: return read_u8(r);
	case 0x8001:
	case 0x8002: return read_u16(r);
	case 0x8003:
	case 0x8004: return read_u32(r);
	case 0x8009:
	case 0x800a: return read_u64(r);
	default: return 0;
	}
}

/* Returns the size in bytes of a built-in type. It has no record: the low bits of the index are the
 * type, and bits 8 to 10 are the kind of pointer to it. */
static uint64_t simple_size(uint32_t index)
{
	static const uint8_t pointers[8] = { 0, 2, 4, 4, 4, 6, 8, 16 };
	/* Sizes by the index's low 4 bits. Bits 4 to 7 select the table (TYPE_ENUM_e, cvinfo.h). */
	static const uint8_t integers[5] = { 1, 2, 4, 8, 16 };
	static const uint8_t reals[7] = { 4, 8, 10, 16, 6, 4, 2 };
	static const uint8_t others[16] = { 1, 2, 2, 2, 4, 4, 8, 8, 16, 16, 2, 4, 1 };
	const unsigned low = index & 0xf;
	if (index >> 8 & 7)
		return pointers[index >> 8 & 7];
	switch (index >> 4 & 0xf) {
	case 1:
	case 2:
	case 3: return low < 5 ? integers[low] : 0;
	case 4: return low < 7 ? reals[low] : 0;
	case 5: return low < 4 ? 2 * reals[low] : 0;
	case 6: return low == 8 || low == 9;
	case 7: return others[low];
	default: return index == 8 ? 4 : 0;
	}
}

uint64_t pdb_type_size(const struct pdb *p, uint32_t index)
{
	struct reader r;
	uint16_t kind;
	for (unsigned steps = 0; steps < 16; steps++) {
		if (index < 0x1000)
			return simple_size(index);
		if (!pdb_type(&p->types, index, &kind, &r))
			return 0;
		switch (kind) {
		case LF_MODIFIER: index = read_u32(&r); continue;
		case LF_ENUM:
			read_skip(&r, 4);
			index = read_u32(&r);
			continue;
		case LF_POINTER: read_skip(&r, 4); return read_u32(&r) >> 13 & 0x3f;
		case LF_ARRAY: read_skip(&r, 8); return read_numeric(&r);
		case LF_UNION: read_skip(&r, 8); return read_numeric(&r);
		case LF_CLASS:
		case LF_STRUCTURE:
		case LF_INTERFACE: read_skip(&r, 16); return read_numeric(&r);
		default: return 0;
		}
	}
	return 0;
}

struct str pdb_id_text(const struct pdb *p, uint32_t id)
{
	struct reader r;
	uint16_t kind;
	if (!pdb_type(&p->ids, id, &kind, &r) || kind != LF_STRING_ID)
		return STR("");
	read_skip(&r, 4);
	return read_cstr(&r);
}

static struct str pdb_class_name(const struct pdb *p, uint32_t index)
{
	struct reader r;
	uint16_t kind;
	if (!pdb_type(&p->types, index, &kind, &r))
		return STR("");
	if (kind == LF_ENUM) {
		read_skip(&r, 12);
		return read_cstr(&r);
	}
	if (kind != LF_CLASS && kind != LF_STRUCTURE && kind != LF_UNION && kind != LF_INTERFACE)
		return STR("");
	read_skip(&r, kind == LF_UNION ? 8 : 16);
	(void)read_numeric(&r);
	return read_cstr(&r);
}

struct str pdb_function_name(const struct pdb *p, uint32_t id, struct arena *a)
{
	struct reader r;
	uint16_t kind;
	if (!pdb_type(&p->ids, id, &kind, &r) || (kind != LF_FUNC_ID && kind != LF_MFUNC_ID))
		return STR("");
	const uint32_t scope = read_u32(&r);
	read_skip(&r, 4);
	const struct str name = read_cstr(&r);
	const struct str around = kind == LF_MFUNC_ID ? pdb_class_name(p, scope)
						      : pdb_id_text(p, scope);
	if (around.len == 0)
		return name;
	return str_of(arena_format(a, STR_FMT "::" STR_FMT, STR_ARG(around), STR_ARG(name)));
}

bool pdb_read_id(struct bytes file, uint8_t ret_guid[16], uint32_t *ret_age)
{
	struct pdb p = { 0 };
	struct reader info;
	struct dbi d;
	const bool ok = msf_open(&p.msf, file) && read_info(&p, &info) && pdb_read_header(&p, &d);
	memcpy(ret_guid, p.guid, sizeof p.guid);
	*ret_age = p.age;
	msf_close(&p.msf);
	return ok;
}

bool pdb_open(struct pdb *p, struct bytes file)
{
	struct reader info;
	struct dbi d;
	memset(p, 0, sizeof *p);
	if (!msf_open(&p->msf, file) || !read_info(p, &info) || !pdb_read_header(p, &d))
		return false;
	struct reader r = reader_at(msf_stream(&p->msf, pdb_find_named(&info, STR("/names"))),
				    false, 8);
	const uint32_t size = read_u32(&r);
	const uint8_t *text = read_take(&r, size);
	p->names = (struct bytes){ text, text ? size : 0 };
	read_modules(p, &d.modules);
	pdb_read_sections(p, &d.streams);
	read_pieces(p, &d.pieces);
	read_types(p, STREAM_TYPES, &p->types);
	read_types(p, STREAM_IDS, &p->ids);
	ASSERT(sorted_by_key(p->pieces.data, p->pieces.count, sizeof *p->pieces.data));
	return true;
}

void pdb_close(struct pdb *p)
{
	vec_release_all(&p->modules, &p->pieces, &p->sections, &p->types.offsets, &p->ids.offsets);
	msf_close(&p->msf);
}

bool pdb_rva(const struct pdb *p, uint16_t section, uint32_t off, uint64_t *ret)
{
	if (section == 0 || section > p->sections.count)
		return false;
	const struct pdb_section *s = &p->sections.data[section - 1];
	*ret = (uint64_t)s->rva + off;
	return off < s->size;
}

const struct pdb_piece *pdb_piece_at(const struct pdb *p, uint64_t rva)
{
	const size_t i = upper_bound(p->pieces.data, p->pieces.count, sizeof *p->pieces.data, rva);
	const struct pdb_piece *c = i > 0 ? &p->pieces.data[i - 1] : NULL;
	return c && rva - c->rva < c->size ? c : NULL;
}
