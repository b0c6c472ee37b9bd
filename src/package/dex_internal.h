/* dex_internal.h - declarations that the dex*.c files share. */
#pragma once

#include "package/dex.h"

enum { DEX_STRING_ID = 4, DEX_TYPE_ID = 4, DEX_PROTO_ID = 12, DEX_FIELD_ID = 8, DEX_METHOD_ID = 8 };
enum { DEX_CLASS_DEF = 32 };

#define DEX_NO_INDEX UINT32_MAX

/* A claim: an item (index in dex.items) has the bytes from `off` until the next claim. */
struct dex_claim {
	uint64_t off;
	uint32_t item, unused;
};

struct dex_parse {
	struct dex *d;
	const char *path;
	struct heft_err *err;
	VEC(struct dex_claim) claims;
	uint64_t claims_left, work_left; /* References and steps of work that are left. At 0,
					  * parsing stops, because the file refers to the same bytes
					  * repeatedly */
	/* State of the current part. */
	const struct dex_part *part;
	uint32_t part_index;
	uint64_t map;
	uint32_t *class_of_type; /* Per type: index of the class in dex.items. 0 if it has none */
};

static inline struct reader dex_reader(const struct dex *d, uint64_t off)
{
	struct reader r = reader_at(d->bytes, false, off);
	return r;
}

/* dex.c: fails with an error about `off`. Always returns false. */
bool dex_damaged(const struct dex_parse *p, uint64_t off, const char *what);
/* Claims bytes for an item, from an offset on. Fails if the offset is outside of the file. */
bool dex_claim(struct dex_parse *p, uint64_t off, uint32_t item);
/* Return the index in dex.items of an element of the current part. */
static inline uint32_t dex_class_item(const struct dex_parse *p, uint32_t index)
{
	return p->part->first + DEX_TABLES + index;
}

static inline uint32_t dex_field_item(const struct dex_parse *p, uint32_t index)
{
	return dex_class_item(p, p->part->classes.count) + index;
}

static inline uint32_t dex_method_item(const struct dex_parse *p, uint32_t index)
{
	return dex_field_item(p, p->part->fields.count) + index;
}

static inline uint32_t dex_string_item(const struct dex_parse *p, uint32_t index)
{
	return dex_method_item(p, p->part->methods.count) + index;
}

/* Records that a class uses a string of the current part as a literal. */
bool dex_use_string(struct dex_parse *p, uint64_t off, uint32_t string, uint32_t class_item);

/* dex_class.c: claims what the class_defs of the current part refer to, and finds literals. */
bool dex_read_classes(struct dex_parse *p);
/* dex_code.c: finds the literals that code loads. The code has `count` 16-bit units from offset
 * `off` on. */
bool dex_read_code(struct dex_parse *p, uint64_t off, uint64_t count, uint32_t class_item);
