/* Reads short import objects, of which import libraries consist ("PE Format", Import Library
 * Format). An object has a header, the name of a symbol, and the name of its library. */
#include "image/pe/pe_internal.h"

enum { HEADER_SIZE = 20, CODE = 0 };

struct import_object_import {
	uint16_t machine, type;
	struct str name, library;
};

static bool read_import(struct bytes b, struct import_object_import *ret)
{
	struct reader r = reader_of(b, false);
	const uint16_t zero = read_u16(&r), all = read_u16(&r), version = read_u16(&r);
	ret->machine = read_u16(&r);
	read_skip(&r, 4); /* Skip the time */
	const uint32_t size = read_u32(&r);
	read_skip(&r, 2); /* Skips ordinal or hint. */
	ret->type = read_u16(&r) & 3;
	ret->name = read_cstr(&r);
	ret->library = read_cstr(&r);
	return reader_ok(&r) && zero == 0 && all == 0xffff && version == 0 &&
	       size <= b.size - HEADER_SIZE && ret->name.len > 0;
}

bool import_matches(struct bytes bytes)
{
	struct import_object_import i;
	uint16_t machine;
	uint8_t bits;
	return read_import(bytes, &i) && pe_find_machine(i.machine, &machine, &bits);
}

/* Makes an image with one symbol. This symbol owns all bytes. */
bool import_parse(struct image *im, const struct image_place *at, struct bytes bytes,
		  struct notes *notes, struct heft_err *err)
{
	struct import_object_import i;
	struct pe p;
	(void)err;
	pe_begin(&p, im, at, bytes, notes);
	(void)read_import(bytes, &i);
	im->format = "COFF import";
	im->kind = IMAGE_OBJECT;
	im->type = ET_REL;
	(void)pe_find_machine(i.machine, &im->machine, &im->bits);
	if (i.machine == PE_ARM64EC)
		im->machine_name = "ARM64EC";
	const struct section whole = { .name = STR("Import Object"),
				       .title = STR("Import Object"),
				       .type = SHT_PROGBITS,
				       .size = bytes.size,
				       .file_size = bytes.size };
	const uint32_t section = build_section(&p.build, &whole);
	const struct made_symbol made = {
		.symbol = { .name = i.name, .type = i.type == CODE ? STT_FUNC : STT_OBJECT }
	};
	build_entry(&p.build, &(struct image_entry){ .section = section,
						     .symbol = build_symbol(&p.build, &made),
						     .size = bytes.size });
	return pe_end(&p, true);
}
