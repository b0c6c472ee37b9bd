/* config.h - Bloaty's configuration file: protobuf text format of one message.
 *
 * Reads the grammar and the fields of the reference tool; unknown fields, wrong types and
 * syntax errors are HEFT_EFORMAT with "path:line:column: what". */
#ifndef HEFT_MAP_CONFIG_H
#define HEFT_MAP_CONFIG_H

#include "base/arena.h"
#include "base/err.h"
#include "base/vec.h"

struct config_rewrite {
	const char *pattern, *replacement;
};

struct config_source {
	const char *name, *base;
	VEC(struct config_rewrite) rewrites;
};

typedef VEC(const char *) config_strings;

struct config {
	config_strings filenames, base_filenames, debug_filenames, source_maps, dsym_paths,
		data_sources;
	VEC(struct config_source) sources;
	bool has_rows, has_demangle, has_sort, has_verbose, has_raw_map;
	uint32_t rows;
	enum heft_demangle demangle;
	enum heft_domain sort_domain;
	uint32_t verbose;
	VEC(uint64_t) debug_vmaddrs, debug_fileoffs;
	const char *disassemble, *source_filter; /* NULL if not given */
	bool raw_map;
	struct arena arena; /* all strings; NUL-terminated, may hold NULs escaped in the file */
};

bool config_parse(struct config *c, const char *path, struct str text, struct heft_err *err);
void config_release(struct config *c);

#endif
