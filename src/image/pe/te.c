/* TE images (Platform Initialization Specification, volume 1, "TE Image"): PE files of UEFI whose
 * headers were cut off for a short one.  Offsets in them count from where the whole file began. */
#include "image/pe/pe_internal.h"

enum { TE_SIZE = 40, SECTIONS_MAX = 96 };

/* EFI_TE_IMAGE_HEADER; false where it is none. */
static bool read_header(struct pe *p, struct bytes b)
{
	struct image *im = p->build.im;
	struct reader r = reader_of(b, false);
	read_skip(&r, 2);
	p->machine = read_u16(&r);
	p->section_count = read_u8(&r);
	read_skip(&r, 1); /* subsystem */
	const uint16_t stripped = read_u16(&r);
	const uint32_t entry = read_u32(&r);
	read_skip(&r, 4);
	p->base = read_u64(&r);
	p->directories[PE_BASE_RELOCATION].addr = read_u32(&r);
	p->directories[PE_BASE_RELOCATION].size = read_u32(&r);
	p->directories[PE_DEBUG].addr = read_u32(&r);
	p->directories[PE_DEBUG].size = read_u32(&r);
	if (!reader_ok(&r) || stripped < TE_SIZE ||
	    !pe_find_machine(p->machine, &im->machine, &im->bits))
		return false;
	p->cut = stripped - TE_SIZE;
	p->sections_off = TE_SIZE;
	im->entry = p->base + entry;
	return true;
}

bool te_matches(struct bytes bytes)
{
	struct image im = { .bits = 0 };
	struct pe p = { .build.im = &im };
	return bytes.size >= TE_SIZE && memcmp(bytes.p, "VZ", 2) == 0 && read_header(&p, bytes) &&
	       p.section_count > 0 && p.section_count <= SECTIONS_MAX;
}

bool te_parse(struct image *im, const struct image_place *at, struct bytes bytes,
	      struct notes *notes, struct heft_err *err)
{
	struct pe p;
	(void)err;
	pe_begin(&p, im, at, bytes, notes);
	(void)read_header(&p, bytes);
	im->format = "TE";
	im->kind = IMAGE_EXEC;
	im->type = ET_EXEC;
	pe_add_headers(&p);
	pe_read_sections(&p);
	pe_read_tables(&p);
	return pe_end(&p, true);
}
