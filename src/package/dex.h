/* dex.h - assigns the bytes of a Dalvik executable to owners: classes, fields, methods, string
 * literals.
 *
 * Specification: "Dalvik executable format" of the Android Open Source Project, versions 035 to
 * 041. A file of version 041 may hold several parts, each with a header; all offsets count from the
 * start of the file. Checksums are not verified.
 *
 * Items cover the file without gaps or overlap. An item begins at an offset to which the file
 * refers, and ends at the next such offset, including alignment. Bytes that several items share
 * (equal code, line tables, annotations) are divided among them. So the sizes of all items add up
 * to the size of the file, whatever it says.
 *
 * - class: class_def, type, name, interfaces, static values, annotations, head of the class data
 * - field: its id, its entry in the class data, annotations
 * - method: its id, its entry in the class data, code, debug info, annotations
 * - string (a literal): id and text of strings that code or static values use
 * - table: the rest, by kind
 *
 * Borrows the bytes. One thread. */
#pragma once

#include "base/err.h"
#include "base/reader.h"
#include "base/text.h"
#include "base/vec.h"

enum dex_kind { DEX_TABLE, DEX_CLASS, DEX_FIELD, DEX_METHOD, DEX_STRING };

/* Index of a DEX_TABLE item, which owns bytes that belong to no class, member or literal. */
enum dex_table {
	DEX_NAMES,       /* Strings that are not literals: names of types, members, files */
	DEX_TYPES,       /* Types that are not defined in this file, prototypes and their
			  * parameters */
	DEX_MEMBERS,     /* Fields and methods that are not defined in this file */
	DEX_ANNOTATIONS, /* Annotations without an owner */
	DEX_REST,        /* Header, map, call sites, and unreferenced bytes */
	DEX_TABLES
};

struct dex_item {
	uint64_t size;  /* Bytes of the file. 0 if the file does not define it */
	uint32_t index; /* Index in the file's table of `kind`. For a table: its enum dex_table */
	uint32_t part;  /* Index in dex.parts. */
	uint32_t owner; /* Field, method: index of its class in dex.items. Others: own index */
	enum dex_kind kind;
};

/* States that a class uses a string as a literal. */
struct dex_use {
	uint64_t key; /* Index of a string item << 32 | index of a class item */
};

/* A table of the header. Its elements have the same size and are inside the file. */
struct dex_ids {
	uint64_t off;
	uint32_t count;
};

struct dex_part {
	struct dex_ids strings, types, protos, fields, methods, classes;
	uint32_t first; /* Index in dex.items. Order: tables, classes, fields, methods, strings */
};

struct dex {
	const char *path; /* Path for messages. Borrowed. */
	struct bytes bytes;
	VEC(struct dex_part) parts;
	VEC(struct dex_item) items;
	VEC(struct dex_use) uses; /* Uses, sorted by key, each once */
	uint64_t text_left;       /* Bytes of text that names may still read, to limit the time */
};

static inline uint32_t dex_use_class(const struct dex_use *u)
{
	return (uint32_t)u->key;
}

/* True if the bytes begin like a dex file. */
bool dex_matches(struct bytes b);
/* Parses a dex file. HEFT_EFORMAT with the offset if the file is cut off, refers to missing
 * elements, or has more references than its size allows. */
bool dex_parse(struct dex *ret, const char *path, struct bytes b, struct heft_err *err);
void dex_release(struct dex *d);

/* Appends the name of an item to `out`: "org.Outer$Class", "org.Class#field: int",
 * "org.Class#method(int,byte[]): void". Tables have no name. False (HEFT_EFORMAT) if an index or
 * text leaves the file, or if all texts read are far larger than the file. The functions below fail
 * the same way. */
bool dex_add_name(struct dex *d, const struct dex_item *i, struct text *out, struct heft_err *err);
/* Appends the path of a class item: "org/Outer$Class". */
bool dex_add_class_path(struct dex *d, const struct dex_item *i, struct text *out,
			struct heft_err *err);
/* Returns the name of the source file of a class item. "" if not stated. */
bool dex_source_file(struct dex *d, const struct dex_item *i, struct str *ret,
		     struct heft_err *err);
/* Returns the text of a string item, in modified UTF-8. */
bool dex_literal(struct dex *d, const struct dex_item *i, struct str *ret, struct heft_err *err);
