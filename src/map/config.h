/* config.h - parses Bloaty's configuration file, one message in protobuf text format.
 *
 * Accepts Bloaty's grammar and fields, and also memory_region. Syntax errors, unknown fields, wrong
 * types and a repeated single field fail with HEFT_EFORMAT with "path:line:column: what" (lines and
 * columns count from 1, columns in bytes). */
#ifndef HEFT_MAP_CONFIG_H
#define HEFT_MAP_CONFIG_H

#include "base/arena.h"
#include "base/err.h"
#include "base/vec.h"

/* A custom source: name, base source and rewrites (pattern, replacement). A replacement may be
 * "". */
struct config_source {
	const char *name, *base;
	VEC(struct heft_rewrite) rewrites;
};

/* A memory region of the configuration file. */
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
	const char *disassemble, *source_filter; /* NULL if the file does not have the field */
	bool raw_map;
	struct arena arena; /* Owner of all strings. A string ends with a NUL and contains no
			     * other */
};

/* Parses a file into *c, overwriting it. config_release() is needed only after success. */
bool config_parse(struct config *c, const char *path, struct str text, struct heft_err *err);
void config_release(struct config *c);

#endif
