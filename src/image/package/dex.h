/* dex.h - who owns the bytes of a Dalvik executable: classes, fields, methods, string literals.
 *
 * "Dalvik executable format" of the Android Open Source Project, versions 035 to 041; those of 041
 * may hold several parts, each with a header of its own, whose offsets all count from the start of
 * the file.  Checksums are not looked at.
 *
 * Items tile the file: one begins where something that the file refers to begins and ends where the
 * next does, alignment included.  What several share (code, line tables, annotations that were
 * found to be equal) is divided among them. So the sizes of all items add up to the size of the
 * file, whatever it says.
 *
 *   class    its class_def, type, name, interfaces, static values, annotations, the head of its
 *            class data
 *   field    its id, its entry in the class data, annotations
 *   method   its id, its entry in the class data, code, debug info, annotations
 *   string   a literal: id and text of what code loads, and of the values of static fields
 *   table    what these leave, by kind
 *
 * Borrows the bytes.  One thread. */
#ifndef HEFT_IMAGE_PACKAGE_DEX_H
#define HEFT_IMAGE_PACKAGE_DEX_H

#include "base/err.h"
#include "base/reader.h"
#include "base/text.h"
#include "base/vec.h"

enum dex_kind { DEX_TABLE, DEX_CLASS, DEX_FIELD, DEX_METHOD, DEX_STRING };

/* Index of an item that is a table. */
enum dex_table {
	DEX_NAMES,       /* strings that are no literals: of types, members, files */
	DEX_TYPES,       /* types of others, prototypes and their parameters */
	DEX_MEMBERS,     /* fields and methods of others */
	DEX_ANNOTATIONS, /* annotations nobody has */
	DEX_REST,        /* header, map, call sites, what nothing refers to */
	DEX_TABLES
};

struct dex_item {
	uint64_t size;  /* bytes of the file; 0: not defined here */
	uint32_t index; /* in the file's table of its kind; enum dex_table */
	uint32_t part;  /* in parts */
	uint32_t owner; /* of fields and methods: item of the class; else the item itself */
	enum dex_kind kind;
};

/* A literal and a class that uses it, as items. */
struct dex_use {
	uint64_t key; /* string item << 32 | class item */
};

/* A table of the header: elements of one size, all inside the file. */
struct dex_ids {
	uint64_t off;
	uint32_t count;
};

struct dex_part {
	struct dex_ids strings, types, protos, fields, methods, classes;
	uint32_t first; /* its first item: tables, then classes, fields, methods, strings */
};

struct dex {
	const char *path; /* borrowed, for messages */
	struct bytes bytes;
	VEC(struct dex_part) parts;
	VEC(struct dex_item) items;
	VEC(struct dex_use) uses; /* by key, each once */
	uint64_t text_left;       /* bytes of text that names may still take */
};

static inline uint32_t dex_use_class(const struct dex_use *u)
{
	return (uint32_t)u->key;
}

/* Whether the bytes begin as a dex file does. */
bool dex_matches(struct bytes b);
/* False where it is cut off, refers to what is not there, or to the same things more often than a
 * file can by its size: HEFT_EFORMAT and the offset. */
bool dex_parse(struct dex *ret, const char *path, struct bytes b, struct heft_err *err);
void dex_release(struct dex *d);

/* The names of items: appended to `out`.  All are false where indices or texts leave the file, or
 * texts are much more than the file: HEFT_EFORMAT.
 *
 * "org.Outer$Class", "org.Class#field: int", "org.Class#method(int,byte[]): void"; tables have
 * none. */
bool dex_add_name(struct dex *d, const struct dex_item *i, struct text *out, struct heft_err *err);
/* "org/Outer$Class" of a class item. */
bool dex_add_class_path(struct dex *d, const struct dex_item *i, struct text *out,
			struct heft_err *err);
/* The name of the source file of a class item; "": not stated. */
bool dex_source_file(struct dex *d, const struct dex_item *i, struct str *ret,
		     struct heft_err *err);
/* The text of a string item, in modified UTF-8. */
bool dex_literal(struct dex *d, const struct dex_item *i, struct str *ret, struct heft_err *err);

#endif
