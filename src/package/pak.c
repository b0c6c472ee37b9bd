/* Parses Chromium's data packs. */
#include "package/pak.h"

enum { HEADER_V4 = 9, HEADER_V5 = 12 };

struct pak_header {
	unsigned version;
	uint8_t encoding;
	uint32_t count, aliases;
};

/* Reads the header. False if the bytes are not a data pack, or if its tables exceed the bytes. */
static bool pak_read_header(struct reader *r, struct pak_header *ret)
{
	*ret = (struct pak_header){ .version = read_u32(r) };
	if (ret->version == 4) {
		ret->count = read_u32(r);
		ret->encoding = read_u8(r);
	} else if (ret->version == 5) {
		ret->encoding = read_u8(r);
		read_skip(r, 3);
		ret->count = read_u16(r);
		ret->aliases = read_u16(r);
	} else {
		return false;
	}
	const uint64_t tables = ((uint64_t)ret->count + 1) * PAK_ENTRY_SIZE +
				(uint64_t)ret->aliases * PAK_ALIAS_SIZE;
	return reader_ok(r) && ret->encoding <= 2 && tables <= reader_left(r);
}

bool pak_matches(struct bytes b)
{
	struct reader r = reader_of(b, false);
	struct pak_header h;
	if (!pak_read_header(&r, &h))
		return false;
	/* The first entry's offset is the end of the tables, where the data begins. */
	const uint64_t end = r.pos + ((uint64_t)h.count + 1) * PAK_ENTRY_SIZE +
			     (uint64_t)h.aliases * PAK_ALIAS_SIZE;
	read_skip(&r, 2);
	return read_u32(&r) == end;
}

void pak_release(struct pak *p)
{
	vec_release_all(&p->entries, &p->aliases);
}

static bool read_entries(struct pak *ret, struct reader *r, const struct pak_header *h,
			 uint64_t end)
{
	uint64_t before = r->pos + ((uint64_t)h->count + 1) * PAK_ENTRY_SIZE +
			  (uint64_t)h->aliases * PAK_ALIAS_SIZE;
	for (uint32_t i = 0; i <= h->count; i++) {
		const uint16_t id = read_u16(r);
		const uint64_t off = read_u32(r);
		if (off < before || off > end)
			return false;
		if (i > 0)
			ret->entries.data[i - 1].size = off - before;
		if (i < h->count)
			vec_push(&ret->entries, (struct pak_entry){ .id = id, .off = off });
		before = off;
	}
	for (uint32_t i = 0; i < h->aliases; i++) {
		const struct pak_alias a = { read_u16(r), read_u16(r) };
		if (a.entry >= h->count)
			return false;
		vec_push(&ret->aliases, a);
	}
	ASSERT(ret->entries.count == h->count && ret->aliases.count == h->aliases);
	return reader_ok(r);
}

bool pak_parse(struct pak *ret, const char *path, struct bytes b, struct heft_err *err)
{
	struct reader r = reader_of(b, false);
	struct pak_header h;
	*ret = (struct pak){ 0 };
	if (!pak_read_header(&r, &h))
		return fail(err, HEFT_EFORMAT, r.pos, "%s: no data pack, or cut off", path);
	ret->version = h.version;
	ret->encoding = h.encoding;
	if (read_entries(ret, &r, &h, b.size))
		return true;
	const uint64_t off = r.pos;
	pak_release(ret);
	return fail(err, HEFT_EFORMAT, off, "%s: the tables of the data pack are damaged", path);
}
