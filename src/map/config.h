/* config.h - Bloaty's configuration file: protobuf text format of one message.
 *
 * Reads the grammar and the fields of the reference tool, and memory_region;
 * unknown fields, wrong types, a second value for a field that takes one and syntax errors are
 * HEFT_EFORMAT with "path:line:column: what" (lines and columns count from 1, columns in bytes). */
#ifndef HEFT_MAP_CONFIG_H
#define HEFT_MAP_CONFIG_H

#include "base/arena.h"
#include "base/err.h"
#include "base/vec.h"

/* A name, a base and each rewrite's pattern were given; a replacement may be "". */
struct config_source {
	const char *name, *base;
	VEC(struct heft_rewrite) rewrites;
};

/* A memory region as the file states it, name and length given. */
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
	enum heft_domain sort_domain;
	uint32_t verbose;
	config_numbers debug_vmaddrs, debug_fileoffs;
	const char *disassemble, *source_filter; /* NULL if not given */
	bool raw_map;
	struct arena arena; /* all strings; NUL-terminated, no NUL inside */
};

/* Fills *c, whatever was in it.  config_release is due after success only. */
bool config_parse(struct config *c, const char *path, struct str text, struct heft_err *err);
void config_release(struct config *c);

#endif
