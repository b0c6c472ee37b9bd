/* wasm_internal.h - declarations that the files of wasm/ share. */
#pragma once

#include "image/build.h"
#include "image/elf/elf_internal.h"
#include "image/wasm/wasm.h"

/* Ids of sections (5.5.2). */
enum wasm_id {
	WASM_CUSTOM,
	WASM_TYPE,
	WASM_IMPORT,
	WASM_FUNCTION,
	WASM_TABLE,
	WASM_MEMORY,
	WASM_GLOBAL,
	WASM_EXPORT,
	WASM_START,
	WASM_ELEMENT,
	WASM_CODE,
	WASM_DATA,
	WASM_DATA_COUNT,
	WASM_TAG,
	WASM_IDS
};

/* One section of a WebAssembly file. */
struct wasm_section {
	unsigned id;
	struct str name;          /* Name of a custom section. */
	uint64_t start, off, end; /* Offsets of its id, of its contents after the name, of its
				   * end */
	uint32_t index;           /* Index of the image's section with its contents, or 0. */
	bool relocated;           /* True if the section's relocations were read */
};

/* A function. Imported functions have no body. */
struct wasm_function {
	uint64_t off, size;     /* Range in the code section's contents, with the size field */
	struct str name;        /* "" until a name is found. */
	uint64_t entry, length; /* Range of the entry in the name section that names it. */
	uint64_t head;          /* Bytes of the function's size field. */
};

/* Bytes that belong to a function (an import, export, type or slot of a table) or to a segment of
 * data (the expression for its address). */
struct wasm_entry {
	uint64_t index; /* Index of the function or of the segment of data. */
	bool data;
	const struct wasm_section *section;
	uint64_t off, size; /* Range in the section's contents. */
};

/* A type of functions: its range in the contents of the type section. */
struct wasm_type {
	uint64_t off, size;
	bool owned; /* True if a function owns the bytes of the type */
};

/* One data segment of a WebAssembly module. */
struct wasm_data {
	uint64_t off, size; /* Range of the data itself, in the contents of the data section */
	uint64_t addr;
	bool active;     /* True if the segment's address is known */
	struct str name; /* Name, borrowed. "" if it has none yet. */
	uint64_t entry, length;
	uint32_t index; /* Index of the image's section. */
};

/* Limits for build_has_room(): one piece of each kind per this many bytes of the file. Usual
 * modules have far fewer pieces. Bytes beyond the limit get the label of their section. */
enum {
	WASM_SECTION_BYTES = 64, /* Sections and data segments: each makes a section */
	WASM_FUNCTION_BYTES = 16,
	WASM_ENTRY_BYTES = 8
};

struct wasm {
	struct image_build build;
	VEC(struct wasm_section) sections;
	VEC(struct wasm_function) functions; /* Functions. Imported ones come first */
	VEC(struct wasm_data) data;
	VEC(struct wasm_entry) entries;
	VEC(struct wasm_type) types;
	const struct wasm_section *type_section;
	size_t imported; /* Number of imported functions. */
	struct wasm_section *code, *data_section, *linking, *names;
	uint32_t code_index; /* Index of the image's code section. */
};

/* Returns a reader over [off, end) of the file. */
struct reader wasm_reader(const struct wasm *w, uint64_t off, uint64_t end);
/* Reads and returns a name: a length, then that many bytes. "" if damaged. */
struct str wasm_name(struct reader *r);
/* Returns a copy of a name that ends with NUL. */
struct str wasm_keep(struct wasm *w, struct str name);

/* wasm_module.c: read the sections of a module. */
void wasm_read_types(struct wasm *w, const struct wasm_section *s);
void wasm_read_imports(struct wasm *w, const struct wasm_section *s);
void wasm_read_exports(struct wasm *w, const struct wasm_section *s);
void wasm_read_code(struct wasm *w, const struct wasm_section *s);
void wasm_read_data(struct wasm *w, const struct wasm_section *s);
void wasm_read_names(struct wasm *w, const struct wasm_section *s);
void wasm_read_functions(struct wasm *w, const struct wasm_section *s);
void wasm_read_elements(struct wasm *w, const struct wasm_section *s);
/* wasm_link.c: read the symbols and relocations of objects. */
void wasm_read_linking(struct wasm *w);
void wasm_read_relocs(struct wasm *w);
