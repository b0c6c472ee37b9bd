/* Reads the unwind tables of objects: __eh_frame (LSB 5.0 Core, "Exception Frames") and
 * __compact_unwind (mach-o/compact_unwind_encoding.h). Their pointers are differences of the file's
 * addresses, mostly without relocations. The image moves the sections, so attribution passes cannot
 * read these tables. */
#include "base/sort.h"
#include "image/macho/macho_internal.h"

enum { POINTER_PCREL = 0x10, POINTER_OMIT = 0xff };

/* A section and the address that the file states for it. */
struct macho_frames_stated {
	uint64_t addr;
	const struct macho_section *section;
};

struct macho_frames_cie {
	uint64_t off;
	uint8_t pointer, data; /* Encodings of the addresses of functions and of their data */
	bool ok;
};

struct macho_frames {
	struct macho *m;
	const struct macho_section *s;          /* Section that is being read. */
	VEC(struct macho_frames_stated) stated; /* Sorted by address. */
	macho_data_vec data_of;
	struct macho_frames_cie cie; /* The last CIE that was read */
};

/* Converts an address that the file states to the image's address. False if no section has it. */
static bool image_addr(const struct macho_frames *f, uint64_t addr, uint64_t *ret)
{
	const size_t i = vec_upper(&f->stated, addr);
	const struct macho_section *s = i > 0 ? f->stated.data[i - 1].section : NULL;
	if (!s || addr - s->addr >= s->size)
		return false;
	*ret = f->m->build.sections.data[s->index].addr + (addr - s->addr);
	return true;
}

static void macho_frames_add_data(struct macho_frames *f, uint64_t addr, uint64_t function)
{
	vec_push(&f->data_of, (struct macho_data){ addr, function });
}

static unsigned pointer_width(const struct macho_frames *f, uint8_t encoding)
{
	switch (encoding & 7) {
	case 2: return 2;
	case 3: return 4;
	case 4: return 8;
	default: return f->m->build.im->bits / 8;
	}
}

/* Reads an encoded address. False if it is not relative to its own place. */
static bool macho_frames_read_pointer(const struct macho_frames *f, struct reader *r,
				      uint8_t encoding, uint64_t *ret)
{
	const uint64_t place = f->s->addr + r->pos;
	const unsigned width = pointer_width(f, encoding), unused = 64 - 8 * width;
	const uint64_t v = read_uint(r, width);
	*ret = place + (uint64_t)((int64_t)(v << unused) >> unused);
	if (f->m->build.im->bits == 32)
		*ret = (uint32_t)*ret;
	return reader_ok(r) && v != 0 && (encoding & 0x70) == POINTER_PCREL;
}

/* Reads the augmentation after its 'z'. False if a letter is unknown. */
static bool read_encodings(const struct macho_frames *f, struct reader *r, const char *letters,
			   struct macho_frames_cie *ret)
{
	(void)read_uleb(r); /* Skip the size */
	for (; *letters; letters++) {
		switch (*letters) {
		case 'L': ret->data = read_u8(r); break;
		case 'R': ret->pointer = read_u8(r); break;
		case 'P': read_skip(r, pointer_width(f, read_u8(r))); break;
		case 'S':
		case 'B': break;
		default: return false;
		}
	}
	return reader_ok(r);
}

static void read_cie(struct macho_frames *f, uint64_t off)
{
	struct reader r = macho_reader(f->m, f->s->off, f->s->size);
	f->cie = (struct macho_frames_cie){ .off = off, .data = POINTER_OMIT };
	reader_seek(&r, add_sat(off, 4));
	const uint32_t id = read_u32(&r);
	const uint8_t version = read_u8(&r);
	const struct str letters = read_cstr(&r);
	(void)read_uleb(&r); /* Skips the alignment of code, the alignment of data, and the
			      * return register. */
	(void)read_sleb(&r);
	(void)(version == 1 ? read_u8(&r) : read_uleb(&r));
	f->cie.ok = reader_ok(&r) && id == 0 && str_starts(letters, STR("z")) &&
		    read_encodings(f, &r, letters.p + 1, &f->cie);
}

/* Reads an FDE, from the bytes after its CIE reference. */
static void read_fde(struct macho_frames *f, struct reader *r, uint64_t off, uint64_t size)
{
	uint64_t function, data;
	if (!macho_frames_read_pointer(f, r, f->cie.pointer, &function) ||
	    !image_addr(f, function, &function))
		return;
	build_entry(&f->m->build,
		    &(struct image_entry){
			    .section = f->s->index, .off = off, .size = size, .addr = function });
	read_skip(r, pointer_width(f, f->cie.pointer));
	(void)read_uleb(r);
	if (f->cie.data != POINTER_OMIT && macho_frames_read_pointer(f, r, f->cie.data, &data))
		macho_frames_add_data(f, data, function);
}

/* Reads __eh_frame. A CIE belongs to the function of the FDE after it. */
static void read_eh_frame(struct macho_frames *f)
{
	struct reader r = macho_reader(f->m, f->s->off, f->s->size);
	uint64_t waiting = 0; /* Bytes of CIEs before the next FDE. */
	f->cie = (struct macho_frames_cie){ .off = UINT64_MAX };
	while (reader_left(&r) > 8) {
		const uint64_t off = r.pos, size = read_u32(&r), place = r.pos;
		const uint32_t id = read_u32(&r);
		if (size < 4 || size > reader_left(&r) + 4)
			break;
		if (id == 0) {
			waiting += size + 4;
		} else {
			if (f->cie.off != place - id)
				read_cie(f, place - id);
			if (f->cie.ok)
				read_fde(f, &r, off - waiting, size + 4 + waiting);
			waiting = 0;
		}
		reader_seek(&r, place + size);
	}
}

/* Reads __compact_unwind. An entry: function, size, encoding, personality, data. */
static void read_compact(struct macho_frames *f)
{
	struct reader r = macho_reader(f->m, f->s->off, f->s->size);
	const unsigned word = f->m->build.im->bits / 8;
	while (reader_left(&r) >= 3 * word + 8) {
		const uint64_t stated = read_macho_word(&r, f->m);
		read_skip(&r, 8 + word);
		const uint64_t data = read_macho_word(&r, f->m);
		uint64_t function;
		if (data != 0 && image_addr(f, stated, &function))
			macho_frames_add_data(f, data, function);
	}
}

void macho_read_frames(struct macho *m)
{
	struct macho_frames f = { .m = m };
	if (m->build.im->kind != IMAGE_OBJECT)
		return;
	for (size_t i = 0; i < m->sections.count; i++)
		if (m->sections.data[i].size > 0)
			vec_push(&f.stated, (struct macho_frames_stated){ m->sections.data[i].addr,
									  &m->sections.data[i] });
	vec_sort(&f.stated);
	for (size_t i = 0; i < m->sections.count; i++) {
		const struct section *made = &m->build.sections.data[m->sections.data[i].index];
		f.s = &m->sections.data[i];
		if (str_eq(made->name, STR(".eh_frame")))
			read_eh_frame(&f);
		else if (str_eq(made->name, STR(".compact_unwind")))
			read_compact(&f);
	}
	macho_add_data(m, &f.data_of);
	vec_release_all(&f.data_of, &f.stated);
}
