/* Parses dex files: reads headers and tables, collects claims, divides the bytes among the
 * items. */
#include "package/dex_internal.h"

#include "base/sort.h"

enum { HEADER_SIZE = 0x70, CONTAINER_HEADER_SIZE = 0x78, CONTAINER_VERSION = 41 };

/* Values of 'type_codes' in the map. */
enum { MAP_STRING_IDS = 1, MAP_TYPE_IDS = 2, MAP_PROTO_IDS = 3, MAP_FIELD_IDS = 4 };
enum { MAP_METHOD_IDS = 5, MAP_TYPE_LISTS = 0x1001, MAP_ANNOTATION_SET_LISTS = 0x1002 };
enum { MAP_ANNOTATION_SETS = 0x1003, MAP_STRINGS = 0x2002, MAP_ANNOTATIONS = 0x2004 };
enum { MAP_ANNOTATION_DIRECTORIES = 0x2006 };

bool dex_damaged(const struct dex_parse *p, uint64_t off, const char *what)
{
	return fail(p->err, HEFT_EFORMAT, off, "%s: damaged: %s", p->path, what);
}

bool dex_claim(struct dex_parse *p, uint64_t off, uint32_t item)
{
	if (off >= p->d->bytes.size)
		return dex_damaged(p, off, "an offset leads out of the file");
	if (p->claims_left == 0)
		return dex_damaged(p, off, "more references than the file can have");
	p->claims_left--;
	vec_push(&p->claims, (struct dex_claim){ off, item, 0 });
	return true;
}

bool dex_use_string(struct dex_parse *p, uint64_t off, uint32_t string, uint32_t class_item)
{
	ASSERT(p->part);
	if (string >= p->part->strings.count)
		return dex_damaged(p, off, "a string that is not there");
	const uint64_t item = dex_string_item(p, string);
	vec_push(&p->d->uses, (struct dex_use){ item << 32 | class_item });
	return true;
}

bool dex_matches(struct bytes b)
{
	return b.size >= HEADER_SIZE && memcmp(b.p, "dex\n0", 5) == 0 && b.p[7] == '\0';
}

/* Returns the version of the dex header at an offset, 35 to 41. 0 if it is none of these. */
static unsigned version_at(struct bytes b, uint64_t off)
{
	const struct bytes head = bytes_sub(b, off, HEADER_SIZE);
	if (!head.p || !dex_matches(head))
		return 0;
	const unsigned tens = head.p[5] - (unsigned)'0', ones = head.p[6] - (unsigned)'0';
	const unsigned version = tens * 10 + ones;
	return tens <= 9 && ones <= 9 && version >= 35 && version <= 41 ? version : 0;
}

static bool read_ids(const struct dex_parse *p, struct reader *r, uint64_t each,
		     struct dex_ids *ret)
{
	const uint64_t at = r->pos, size = p->d->bytes.size;
	ret->count = read_u32(r);
	ret->off = read_u32(r);
	if (ret->count > 0 && (ret->off > size || ret->count > (size - ret->off) / each))
		return dex_damaged(p, at, "a table leaves the file");
	return true;
}

/* Reads the header of the part at `off`. *ret_end is the end of the part. */
static bool dex_read_header(struct dex_parse *p, uint64_t off, struct dex_part *ret,
			    uint64_t *ret_end)
{
	const unsigned version = version_at(p->d->bytes, off);
	const uint64_t least = version < CONTAINER_VERSION ? HEADER_SIZE : CONTAINER_HEADER_SIZE;
	struct reader r = dex_reader(p->d, off + 32);
	if (version == 0)
		return dex_damaged(p, off, "no header of a version that is read");
	const uint64_t size = read_u32(&r), header = read_u32(&r);
	const uint32_t order = read_u32(&r);
	read_skip(&r, 8); /* Skips size and offset of the link section. */
	p->map = read_u32(&r);
	if (order != 0x12345678 || header < least || size < header)
		return dex_damaged(p, off + 32, "sizes or byte order of the header");
	if (size > p->d->bytes.size - off)
		return dex_damaged(p, off + 32, "the file is cut off");
	*ret_end = off + size;
	return read_ids(p, &r, DEX_STRING_ID, &ret->strings) &&
	       read_ids(p, &r, DEX_TYPE_ID, &ret->types) &&
	       read_ids(p, &r, DEX_PROTO_ID, &ret->protos) &&
	       read_ids(p, &r, DEX_FIELD_ID, &ret->fields) &&
	       read_ids(p, &r, DEX_METHOD_ID, &ret->methods) &&
	       read_ids(p, &r, DEX_CLASS_DEF, &ret->classes);
}

static void add_items(struct dex_parse *p, enum dex_kind kind, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		const uint32_t item = (uint32_t)p->d->items.count;
		vec_push(&p->d->items,
			 (struct dex_item){
				 .index = i, .part = p->part_index, .owner = item, .kind = kind });
	}
}

static bool add_part_items(struct dex_parse *p, struct dex_part *part)
{
	const uint64_t count = DEX_TABLES + (uint64_t)part->classes.count + part->fields.count +
			       part->methods.count + part->strings.count;
	if (count > p->claims_left)
		return dex_damaged(p, HEFT_NO_OFFSET, "tables lie over one another");
	part->first = (uint32_t)p->d->items.count;
	add_items(p, DEX_TABLE, DEX_TABLES);
	add_items(p, DEX_CLASS, part->classes.count);
	add_items(p, DEX_FIELD, part->fields.count);
	add_items(p, DEX_METHOD, part->methods.count);
	add_items(p, DEX_STRING, part->strings.count);
	return true;
}

/* Claims the bytes after a table for DEX_REST. Does nothing at the end of the file. */
static bool dex_claim_end(struct dex_parse *p, uint64_t end)
{
	return end >= p->d->bytes.size || dex_claim(p, end, p->part->first + DEX_REST);
}

/* Claims each id of a table for its item in `owners`. If that is 0, claims it for table `rest`. */
static bool claim_ids(struct dex_parse *p, const struct dex_ids *ids, uint64_t each,
		      const uint32_t *owners, enum dex_table rest)
{
	bool ok = true;
	for (uint32_t i = 0; i < ids->count && ok; i++)
		ok = dex_claim(p, ids->off + i * each,
			       owners[i] ? owners[i] : p->part->first + rest);
	return ok && (ids->count == 0 || dex_claim_end(p, ids->off + ids->count * each));
}

/* Claims the ids of fields or methods. dex_read_classes() has set the class of each id that this
 * file defines. */
static bool claim_members(struct dex_parse *p, const struct dex_ids *ids, uint32_t first)
{
	uint32_t *owners = mem_zeroed((size_t)ids->count + 1, sizeof *owners);
	for (uint32_t i = 0; i < ids->count; i++)
		owners[i] = p->d->items.data[first + i].owner != first + i ? first + i : 0;
	const bool ok = claim_ids(p, ids, DEX_FIELD_ID, owners, DEX_MEMBERS);
	mem_free(owners);
	return ok;
}

static bool claim_protos(struct dex_parse *p)
{
	const struct dex_ids *t = &p->part->protos;
	struct reader r = dex_reader(p->d, t->count > 0 ? t->off : 0);
	for (uint32_t i = 0; i < t->count; i++) {
		if (!dex_claim(p, r.pos, p->part->first + DEX_TYPES))
			return false;
		read_skip(&r, 8);
		const uint32_t parameters = read_u32(&r);
		if (parameters != 0 && !dex_claim(p, parameters, p->part->first + DEX_TYPES))
			return false;
	}
	return t->count == 0 || dex_claim_end(p, r.pos);
}

/* Sets the class as the owner of the string with its name, for each class that the file defines. */
static void dex_name_classes(const struct dex_parse *p, uint32_t *owners)
{
	const struct dex_ids *t = &p->part->types;
	for (uint32_t i = 0; i < t->count; i++) {
		struct reader r = dex_reader(p->d, t->off + (uint64_t)i * DEX_TYPE_ID);
		const uint32_t string = read_u32(&r);
		if (p->class_of_type[i] != 0 && string < p->part->strings.count)
			owners[string] = p->class_of_type[i];
	}
}

static void name_literals(const struct dex_parse *p, uint32_t *owners)
{
	const uint32_t first = dex_string_item(p, 0), count = p->part->strings.count;
	for (size_t i = p->d->uses.count; i > 0; i--) {
		const uint32_t item = (uint32_t)(p->d->uses.data[i - 1].key >> 32);
		if (item < first || item - first >= count)
			break; /* This use belongs to an earlier part */
		owners[item - first] = item;
	}
}

static bool claim_strings(struct dex_parse *p)
{
	const struct dex_ids *t = &p->part->strings;
	uint32_t *owners = mem_zeroed((size_t)t->count + 1, sizeof *owners);
	struct reader r = dex_reader(p->d, t->count > 0 ? t->off : 0);
	bool ok = true;
	dex_name_classes(p, owners);
	name_literals(p, owners);
	for (uint32_t i = 0; i < t->count && ok; i++) {
		const uint32_t item = owners[i] ? owners[i] : p->part->first + DEX_NAMES;
		ok = dex_claim(p, r.pos, item) && dex_claim(p, read_u32(&r), item);
	}
	mem_free(owners);
	return ok && (t->count == 0 || dex_claim_end(p, r.pos));
}

static enum dex_table dex_table_of(unsigned type)
{
	switch (type) {
	case MAP_STRING_IDS:
	case MAP_STRINGS: return DEX_NAMES;
	case MAP_TYPE_IDS:
	case MAP_PROTO_IDS:
	case MAP_TYPE_LISTS: return DEX_TYPES;
	case MAP_FIELD_IDS:
	case MAP_METHOD_IDS: return DEX_MEMBERS;
	case MAP_ANNOTATION_SET_LISTS:
	case MAP_ANNOTATION_SETS:
	case MAP_ANNOTATIONS:
	case MAP_ANNOTATION_DIRECTORIES: return DEX_ANNOTATIONS;
	default: return DEX_REST;
	}
}

/* Claims the start of each section, so that its unreferenced bytes belong to its enum dex_table. */
static bool claim_map(struct dex_parse *p)
{
	if (p->map == 0)
		return true;
	struct reader r = dex_reader(p->d, p->map);
	if (!dex_claim(p, p->map, p->part->first + DEX_REST))
		return false;
	for (uint32_t left = read_u32(&r); left > 0; left--) {
		const unsigned type = read_u16(&r);
		read_skip(&r, 2);
		const uint32_t count = read_u32(&r), off = read_u32(&r);
		if (!reader_ok(&r))
			return dex_damaged(p, p->map, "the map leaves the file");
		if (count > 0 && !dex_claim(p, off, p->part->first + dex_table_of(type)))
			return false;
	}
	return dex_claim_end(p, r.pos);
}

COMPARISON(compare_claims, struct dex_claim, ORDER(a->item, b->item))

/* Divides `size` bytes among the items of claims [first, end), which all begin at one offset.
 * Tables get no bytes if there are other items. Otherwise the first table gets all bytes. */
static void share_out(struct dex_parse *p, size_t first, size_t end, uint64_t size)
{
	ASSERT(first < end && end <= p->claims.count);
	struct dex_item *items = p->d->items.data;
	const struct dex_claim *c = p->claims.data;
	size_t kept = first;
	for (size_t i = first; i < end; i++) {
		const bool again = i > first && c[i].item == c[i - 1].item;
		if (!again && items[c[i].item].kind != DEX_TABLE)
			p->claims.data[kept++] = c[i];
	}
	const size_t count = kept > first ? kept - first : 1;
	for (size_t i = 0; i < count; i++)
		items[c[first + i].item].size += size / count + (i < size % count);
}

static void tile(struct dex_parse *p)
{
	const size_t count = p->claims.count;
	sort_by_key_then(p->claims.data, count, sizeof *p->claims.data, compare_claims);
	ASSERT(count > 0 && p->claims.data[0].off == 0); /* The header is claimed */
	for (size_t i = 0; i < count;) {
		const uint64_t off = p->claims.data[i].off;
		size_t end = i + 1;
		while (end < count && p->claims.data[end].off == off)
			end++;
		share_out(p, i, end,
			  (end < count ? p->claims.data[end].off : p->d->bytes.size) - off);
		i = end;
	}
}

static bool dex_read_part(struct dex_parse *p, uint64_t off, uint64_t *ret_end)
{
	struct dex_part part = { 0 };
	p->part_index = (uint32_t)p->d->parts.count;
	if (!dex_read_header(p, off, &part, ret_end) || !add_part_items(p, &part))
		return false;
	p->part = &part;
	vec_push(&p->d->parts, part);
	p->class_of_type = mem_zeroed((size_t)part.types.count + 1, sizeof *p->class_of_type);
	const bool ok = dex_claim(p, off, part.first + DEX_REST) && dex_read_classes(p) &&
			claim_ids(p, &part.types, DEX_TYPE_ID, p->class_of_type, DEX_TYPES) &&
			claim_protos(p) && claim_members(p, &part.fields, dex_field_item(p, 0)) &&
			claim_members(p, &part.methods, dex_method_item(p, 0)) &&
			claim_strings(p) && claim_map(p) && dex_claim_end(p, *ret_end);
	mem_free(p->class_of_type);
	p->part = NULL;
	return ok;
}

/* Reads all parts. Only files of version 041 have several. */
static bool read_parts(struct dex_parse *p)
{
	const struct bytes b = p->d->bytes;
	uint64_t off = 0;
	do
		if (!dex_read_part(p, off, &off))
			return false;
	while (version_at(b, 0) == CONTAINER_VERSION && off < b.size);
	return true;
}

bool dex_parse(struct dex *ret, const char *path, struct bytes b, struct heft_err *err)
{
	struct dex_parse p = { .d = ret, .path = path, .err = err };
	*ret = (struct dex){ .path = path, .bytes = b };
	if (b.size > UINT32_MAX)
		return fail(err, HEFT_EFORMAT, HEFT_NO_OFFSET, "%s: too large for its offsets",
			    path);
	/* Limits: a claim takes at least 2 bytes of the file. Several methods may share code, which
	 * is walked again for each, so the work may exceed the size. */
	p.claims_left = b.size / 2 + 64;
	p.work_left = b.size * 2;
	ret->text_left = b.size * 16;
	const bool ok = read_parts(&p);
	ASSERT(!ok || ret->parts.count > 0);
	if (ok) {
		tile(&p);
		size_t kept = 0;
		sort_by_key(ret->uses.data, ret->uses.count, sizeof *ret->uses.data);
		for (size_t i = 0; i < ret->uses.count; i++)
			if (i == 0 || ret->uses.data[i].key != ret->uses.data[i - 1].key)
				ret->uses.data[kept++] = ret->uses.data[i];
		ret->uses.count = kept;
	} else {
		dex_release(ret);
	}
	vec_release(&p.claims);
	return ok;
}

void dex_release(struct dex *d)
{
	vec_release_all(&d->parts, &d->items, &d->uses);
}
