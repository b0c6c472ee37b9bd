/* Claims what class_defs refer to: "class_def_item", "class_data_item",
 * "annotations_directory_item", "encoded_array_item". */
#include "package/dex_internal.h"

/* Types of encoded values: strings, and types whose payload does not have `value_arg + 1` bytes. */
enum {
	VALUE_STRING = 0x17,
	VALUE_ARRAY = 0x1c,
	VALUE_ANNOTATION = 0x1d,
	VALUE_NULL,
	VALUE_BOOLEAN
};

/* Claims the bytes to which the structure at `off` refers, for an item (index in dex.items). */
typedef bool read_fn(struct dex_parse *p, uint64_t off, uint32_t item);

static bool dex_class_read_at(struct dex_parse *p, uint32_t off, uint32_t item, read_fn *read)
{
	return off == 0 || (dex_claim(p, off, item) && (!read || read(p, off, item)));
}

static bool dex_class_whole(const struct dex_parse *p, const struct reader *r, uint64_t off)
{
	return reader_ok(r) || dex_damaged(p, off, "what begins here leaves the file");
}

/* Reads a list of offsets: either the annotations of one set, or one set of annotations per
 * parameter of a method. */
static bool dex_class_read_list(struct dex_parse *p, uint64_t off, uint32_t item, read_fn *read)
{
	struct reader r = dex_reader(p->d, off);
	for (uint32_t left = read_u32(&r); left > 0; left--) {
		const uint32_t to = read_u32(&r);
		if (!dex_class_whole(p, &r, off) || !dex_class_read_at(p, to, item, read))
			return false;
	}
	return dex_class_whole(p, &r, off);
}

static bool dex_class_read_set(struct dex_parse *p, uint64_t off, uint32_t item)
{
	return dex_class_read_list(p, off, item, NULL);
}

static bool read_set_list(struct dex_parse *p, uint64_t off, uint32_t item)
{
	return dex_class_read_list(p, off, item, dex_class_read_set);
}

/* Reads `left` entries of an annotations directory. Each has the index of a field or method, and
 * the offset of its annotations, which `read` then reads. */
static bool read_annotated(struct dex_parse *p, struct reader *r, uint32_t left,
			   const struct dex_ids *ids, uint32_t first, read_fn *read)
{
	for (; left > 0; left--) {
		const uint64_t at = r->pos;
		const uint32_t index = read_u32(r), off = read_u32(r);
		if (!dex_class_whole(p, r, at))
			return false;
		if (index >= ids->count)
			return dex_damaged(p, at, "annotations of a member that is not there");
		if (!dex_claim(p, at, first + index) ||
		    !dex_class_read_at(p, off, first + index, read))
			return false;
	}
	return true;
}

static bool dex_class_read_directory(struct dex_parse *p, uint64_t off, uint32_t item)
{
	const struct dex_part *part = p->part;
	struct reader r = dex_reader(p->d, off);
	const uint32_t own = read_u32(&r);
	const uint32_t fields = read_u32(&r), methods = read_u32(&r), parameters = read_u32(&r);
	return dex_class_whole(p, &r, off) && dex_class_read_at(p, own, item, dex_class_read_set) &&
	       read_annotated(p, &r, fields, &part->fields, dex_field_item(p, 0),
			      dex_class_read_set) &&
	       read_annotated(p, &r, methods, &part->methods, dex_method_item(p, 0),
			      dex_class_read_set) &&
	       read_annotated(p, &r, parameters, &part->methods, dex_method_item(p, 0),
			      read_set_list);
}

/* Finds the strings among the values of static fields; they are literals of the class. Arrays and
 * annotations do not occur there and end the search. */
static bool dex_class_read_values(struct dex_parse *p, uint64_t off, uint32_t item)
{
	struct reader r = dex_reader(p->d, off);
	for (uint64_t left = read_uleb(&r); left > 0 && reader_ok(&r); left--) {
		const uint8_t head = read_u8(&r);
		const unsigned type = head & 0x1f, arg = head >> 5;
		if (type == VALUE_ARRAY || type == VALUE_ANNOTATION)
			return true;
		if (p->work_left == 0)
			return dex_damaged(p, off, "more values than the file can have");
		p->work_left--;
		if (type == VALUE_STRING && arg < 4) {
			const uint64_t at = r.pos, string = read_wide(&r, arg + 1);
			if (reader_ok(&r) && !dex_use_string(p, at, (uint32_t)string, item))
				return false;
		} else if (type != VALUE_NULL && type != VALUE_BOOLEAN) {
			read_skip(&r, (uint64_t)arg + 1);
		}
	}
	return dex_class_whole(p, &r, off);
}

static bool read_method_code(struct dex_parse *p, uint64_t off, uint32_t method, uint32_t item)
{
	struct reader r = dex_reader(p->d, off);
	read_skip(&r, 8);
	const uint32_t debug = read_u32(&r), units = read_u32(&r);
	if (!reader_ok(&r) || units > reader_left(&r) / 2)
		return dex_damaged(p, off, "code leaves the file");
	return dex_claim(p, off, method) && dex_class_read_at(p, debug, method, NULL) &&
	       dex_read_code(p, r.pos, units, item);
}

/* Reads members of a class: index minus the previous member's, flags and, for a method, code. */
static bool read_members(struct dex_parse *p, struct reader *r, uint64_t left, bool methods,
			 uint32_t item)
{
	const struct dex_ids *ids = methods ? &p->part->methods : &p->part->fields;
	const uint32_t first = methods ? dex_method_item(p, 0) : dex_field_item(p, 0);
	uint64_t index = 0;
	for (; left > 0; left--) {
		const uint64_t at = r->pos;
		index = add_sat(index, read_uleb(r));
		(void)read_uleb(r);
		const uint64_t code = methods ? read_uleb(r) : 0;
		if (!dex_class_whole(p, r, at))
			return false;
		if (index >= ids->count)
			return dex_damaged(p, at, "a member that is not there");
		const uint32_t member = first + (uint32_t)index;
		p->d->items.data[member].owner = item;
		if (!dex_claim(p, at, member) ||
		    (code != 0 && !read_method_code(p, code, member, item)))
			return false;
	}
	return true;
}

static bool read_class_data(struct dex_parse *p, uint64_t off, uint32_t item)
{
	struct reader r = dex_reader(p->d, off);
	uint64_t counts[4]; /* Numbers of static fields, instance fields, direct methods and
			     * virtual methods. */
	for (unsigned i = 0; i < 4; i++)
		counts[i] = read_uleb(&r);
	for (unsigned i = 0; i < 4; i++)
		if (!read_members(p, &r, counts[i], i >= 2, item))
			return false;
	return dex_class_whole(p, &r, off);
}

static bool read_class(struct dex_parse *p, struct reader *r, uint32_t item)
{
	const uint64_t at = r->pos;
	const uint32_t type = read_u32(r);
	read_skip(r, 8);
	const uint32_t interfaces = read_u32(r);
	read_skip(r, 4);
	const uint32_t annotations = read_u32(r), data = read_u32(r), values = read_u32(r);
	if (type >= p->part->types.count)
		return dex_damaged(p, at, "a class of a type that is not there");
	ASSERT(p->d->items.data[item].kind == DEX_CLASS);
	p->class_of_type[type] = item;
	return dex_claim(p, at, item) && dex_class_read_at(p, interfaces, item, NULL) &&
	       dex_class_read_at(p, annotations, item, dex_class_read_directory) &&
	       dex_class_read_at(p, data, item, read_class_data) &&
	       dex_class_read_at(p, values, item, dex_class_read_values);
}

bool dex_read_classes(struct dex_parse *p)
{
	const struct dex_ids *t = &p->part->classes;
	struct reader r = dex_reader(p->d, t->count > 0 ? t->off : 0);
	for (uint32_t i = 0; i < t->count; i++)
		if (!read_class(p, &r, dex_class_item(p, i)))
			return false;
	return t->count == 0 || r.pos >= p->d->bytes.size ||
	       dex_claim(p, r.pos, p->part->first + DEX_REST);
}
