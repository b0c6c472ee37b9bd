/* config.h - parses Bloaty's configuration file: protobuf text format of one message.
 *
 * Accepts the grammar and fields of Bloaty, and memory_region. Unknown fields, wrong types, a
 * second value for a single field, and syntax errors are HEFT_EFORMAT with "path:line:column: what"
 * (lines and columns count from 1, columns in bytes). */
#ifndef HEFT_MAP_CONFIG_H
#define HEFT_MAP_CONFIG_H

#include "base/arena.h"
#include "base/err.h"
#include "base/vec.h"

/* A source with a name, a base and rewrites: a pattern and a replacement. The replacement may be
 * "". */
struct config_source {
	const char *name, *base;
	VEC(struct heft_rewrite) rewrites;
};

/* A memory region of the file, with name and length. */
struct config_region {
	const char *name;
	uint64_t origin, length;
};

typedef VEC(const char *) config_strings;
typedef VEC(uint64_t) config_numbers;

struct config {
	config_strings filenames, base_filenames, debug_filenames, source_maps, dsym_paths,
		data_sources;
	VEC(struct config_source) sources;
	VEC(struct config_region) regions;
	bool has_rows, has_demangle, has_sort, has_verbose, has_raw_map;
	uint32_t rows;
	enum heft_demangle demangle;
	enum heft_domain sort;
	uint32_t verbose;
	config_numbers debug_vmaddrs, debug_fileoffs;
	const char *disassemble, *source_filter; /* NULL if not given */
	bool raw_map;
	struct arena arena; /* All strings. NUL-terminated, without NUL inside. */
};

/* Parses a file into *c, ignoring its contents. config_release() is needed only after success. */
bool config_parse(struct config *c, const char *path, struct str text, struct heft_err *err);
void config_release(struct config *c);

#endif
