/* wasm_internal.h - what the files of wasm/ share. */
#ifndef HEFT_IMAGE_WASM_INTERNAL_H
#define HEFT_IMAGE_WASM_INTERNAL_H

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

/* A section of the file. */
struct wasm_section {
	unsigned id;
	struct str name;          /* of a custom one */
	uint64_t start, off, end; /* its id; its contents, behind the name; one past */
	uint32_t index;           /* of the image's section that has its contents, 0 if none */
	bool relocated;           /* its relocations were read */
};

/* A function: imported ones have no body. */
struct wasm_function {
	uint64_t off, size; /* in the contents of the code section, the size in front included */
	struct str name;    /* "" as yet */
	uint64_t entry, length; /* the bytes that name it, in the name section */
	uint64_t head;          /* bytes of the size in front */
};

/* Bytes that are there because of a function (an import, export, type or slot of a table) or of a
 * segment of data (what says where it goes). */
struct wasm_entry {
	uint64_t index; /* of the function, or of the segment of data */
	bool data;
	const struct wasm_section *section;
	uint64_t off, size; /* in its contents */
};

/* A type of functions, in the contents of its section. */
struct wasm_type {
	uint64_t off, size;
	bool owned; /* by a function that has it */
};

/* A segment of data. */
struct wasm_data {
	uint64_t off, size; /* in the contents of the data section; of the bytes alone */
	uint64_t addr;
	bool active;     /* its address is known */
	struct str name; /* borrowed; "" as yet */
	uint64_t entry, length;
	uint32_t index; /* of the image's section */
};

/* For build_has_room: how many bytes of the file each piece of a kind has.  Modules in use have far
 * fewer pieces; what lies beyond has the label of its section. */
enum {
	WASM_SECTION_BYTES = 64, /* also of segments of data, each of which makes a section */
	WASM_FUNCTION_BYTES = 16,
	WASM_ENTRY_BYTES = 8
};

struct wasm {
	struct image_build build;
	VEC(struct wasm_section) sections;
	VEC(struct wasm_function) functions; /* imported ones first */
	VEC(struct wasm_data) data;
	VEC(struct wasm_entry) entries;
	VEC(struct wasm_type) types;
	const struct wasm_section *type_section;
	size_t imported; /* functions */
	struct wasm_section *code, *data_section, *linking, *names;
	uint32_t code_index; /* of the image's section of code */
};

/* A reader over [off, end) of the file. */
struct reader wasm_reader(const struct wasm *w, uint64_t off, uint64_t end);
/* A name: its length and so many bytes; "" where that is damaged. */
struct str wasm_name(struct reader *r);
/* A copy that ends with a NUL. */
struct str wasm_keep(struct wasm *w, struct str name);

/* wasm_module.c: what the sections of a module hold. */
void wasm_read_types(struct wasm *w, const struct wasm_section *s);
void wasm_read_imports(struct wasm *w, const struct wasm_section *s);
void wasm_read_exports(struct wasm *w, const struct wasm_section *s);
void wasm_read_code(struct wasm *w, const struct wasm_section *s);
void wasm_read_data(struct wasm *w, const struct wasm_section *s);
void wasm_read_names(struct wasm *w, const struct wasm_section *s);
void wasm_read_functions(struct wasm *w, const struct wasm_section *s);
void wasm_read_elements(struct wasm *w, const struct wasm_section *s);
/* wasm_link.c: of objects, symbols and relocations. */
void wasm_read_linking(struct wasm *w);
void wasm_read_relocs(struct wasm *w);

#endif
