/* Reads a debug section once from start to end with little memory. Releases pages of a mapped file
 * after use. Unpacks packed sections piece by piece. */
#include "base/pages.h"
#include "program/debuginfo_internal.h"

enum {
	DROP_STEP = 8 << 20, /* Bytes to release at a time */
	AHEAD = 1 << 20,     /* Bytes to unpack ahead of the request */
};

struct debuginfo_pass {
	struct unpack_stream *stream; /* NULL for a section in a mapped file */
	uint8_t *bytes;               /* If there is a stream: memory for the unpacked bytes */
	struct bytes packed;          /* If there is a stream: the packed bytes in the file */
	uint64_t size, made, dropped, packed_dropped;
};

static struct debuginfo_pass *open_stream(const struct debuginfo_files *f,
					  const struct debuginfo_part *p)
{
	struct debuginfo_pass s = { .size = p->size,
				    .packed = section_bytes(f->image, p->section) };
	if (!section_unpack_stream(f->image, p->section, &s.stream))
		return NULL;
	s.bytes = pages_alloc(p->size);
	if (!s.bytes) {
		unpack_stream_close(s.stream);
		return NULL;
	}
	struct debuginfo_pass *pass = mem_alloc(sizeof *pass);
	*pass = s;
	return pass;
}

void debuginfo_pass_begin(struct dwarf *d, enum dw_section which)
{
	struct debuginfo_files *f = d->load_ctx;
	/* Only a section that has one part and no relocations can be used in place. */
	if (f->first[which + 1] - f->first[which] != 1 || debuginfo_needs_relocs(f, which) ||
	    d->passing[which] || f->passes[which])
		return;
	const struct debuginfo_part *p = &f->parts[f->first[which]];
	const bool packed = p->size != p->section->file_size || p->section->compressed;
	if (packed && (d->loaded[which] || p->size < DEBUGINFO_STREAM_MIN))
		return;
	if (!packed) {
		(void)dwarf_bytes(d, which);
		if (f->owned[which]) /* heft has a copy of the section, so its file pages are not in
				      * use */
			return;
		f->passes[which] = mem_zeroed(1, sizeof *f->passes[which]);
	} else {
		f->passes[which] = open_stream(f, p);
		if (!f->passes[which])
			return;
		d->bytes[which] = (struct bytes){ f->passes[which]->bytes, p->size };
		d->loaded[which] = true;
	}
	d->passing[which] = true;
}

static void unpack_to(struct dwarf *d, enum dw_section which, struct debuginfo_pass *p, uint64_t to)
{
	struct heft_err err;
	to = min_u64(to, p->size);
	if (to <= p->made)
		return;
	to = min_u64(add_sat(to, AHEAD), p->size);
	if (!unpack_stream_read(p->stream, p->bytes + p->made, to - p->made, &err)) {
		note(d->notes, d->path, HEFT_NO_OFFSET, p->packed.size,
		     "%s cannot be unpacked beyond byte %" PRIu64 ": %s", dw_section_name(which),
		     p->made, err.text);
		d->bytes[which].size = to = p->made;
		p->size = to;
	}
	p->made = to;
}

void debuginfo_pass(struct dwarf *d, enum dw_section which, uint64_t from, uint64_t to)
{
	struct debuginfo_files *f = d->load_ctx;
	struct debuginfo_pass *p = f->passes[which];
	ASSERT(p && d->passing[which]);
	if (p->stream)
		unpack_to(d, which, p, to);
	from = min_u64(from, d->bytes[which].size);
	if (from < p->dropped || from - p->dropped < DROP_STEP)
		return;
	if (p->stream) {
		const uint64_t used = unpack_stream_used(p->stream);
		pages_drop(p->bytes + p->dropped, from - p->dropped);
		image_forget(f->image,
			     bytes_sub(p->packed, p->packed_dropped,
				       min_u64(used, p->packed.size) - p->packed_dropped));
		p->packed_dropped = min_u64(used, p->packed.size);
	} else {
		image_forget(f->image, bytes_sub(d->bytes[which], p->dropped, from - p->dropped));
	}
	p->dropped = from;
}

void debuginfo_pass_end(struct dwarf *d, enum dw_section which)
{
	struct debuginfo_files *f = d->load_ctx;
	struct debuginfo_pass *p = f->passes[which];
	if (!p)
		return;
	if (p->stream) {
		image_forget(f->image, p->packed);
		unpack_stream_close(p->stream);
		pages_free(p->bytes);
		d->bytes[which] = (struct bytes){ NULL, 0 };
		d->loaded[which] = false;
	} else {
		image_forget(f->image, d->bytes[which]);
	}
	mem_free(p);
	f->passes[which] = NULL;
	d->passing[which] = false;
}
