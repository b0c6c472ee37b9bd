/* Reads parts of large packed debug sections. Keeps these parts in memory, and no others. */
#include "base/pages.h"
#include "base/sort.h"
#include "program/debuginfo_internal.h"

enum {
	PIECE = 1 << 18,   /* Bytes to unpack at a time, and size of struct debuginfo_kept.piece */
	RESTARTS_MOST = 2, /* How often a section is unpacked again from its start. After that, it
			    * is kept as a whole */
};

/* A part of the section, whose bytes are unpacked */
struct kept_part {
	uint64_t from, to;
};

struct debuginfo_kept {
	const struct debuginfo_part *part;
	struct unpack_stream *stream; /* Unpacks it. NULL after its end */
	uint8_t *bytes, *piece;       /* `bytes`: memory for the whole section. `piece`: scratch */
	uint64_t size, made;          /* `made`: offset in the section that the stream has
				       * reached */
	uint64_t dropped;             /* Number of packed bytes whose pages were released */
	unsigned restarts;
	VEC(struct kept_part) list; /* Sorted by offset. Parts do not touch */
};

static void kept_close(struct debuginfo_kept *k)
{
	if (k->stream)
		unpack_stream_close(k->stream);
	k->stream = NULL;
}

/* Begins to unpack the section at its start. */
static bool kept_start(const struct debuginfo_files *f, struct debuginfo_kept *k)
{
	kept_close(k);
	k->made = k->dropped = 0;
	return section_unpack_stream(f->image, k->part->section, &k->stream);
}

static struct debuginfo_kept *kept_open(const struct debuginfo_files *f,
					const struct debuginfo_part *p)
{
	struct debuginfo_kept k = { .part = p,
				    .size = p->size,
				    .bytes = pages_alloc_sparse(p->size) };
	if (!k.bytes || !kept_start(f, &k)) {
		pages_free(k.bytes);
		return NULL;
	}
	k.piece = mem_alloc(PIECE);
	struct debuginfo_kept *ret = mem_alloc(sizeof *ret);
	*ret = k;
	return ret;
}

void debuginfo_parts_begin(struct dwarf *d, enum dw_section which)
{
	struct debuginfo_files *f = d->load_ctx;
	if (f->first[which + 1] - f->first[which] != 1 || debuginfo_needs_relocs(f, which) ||
	    d->loaded[which])
		return;
	const struct debuginfo_part *p = &f->parts[f->first[which]];
	if (p->size < DEBUGINFO_STREAM_MIN ||
	    (p->size == p->section->file_size && !p->section->compressed))
		return;
	ASSERT(!d->passing[which] && !d->parting[which]);
	if (!f->kept[which])
		f->kept[which] = kept_open(f, p);
	if (!f->kept[which])
		return;
	d->bytes[which] = (struct bytes){ f->kept[which]->bytes, f->kept[which]->size };
	d->loaded[which] = d->parting[which] = true;
}

void debuginfo_parts_end(struct dwarf *d, enum dw_section which)
{
	/* A later caller that needs bytes outside of these parts loads the whole section. */
	d->bytes[which] = (struct bytes){ NULL, 0 };
	d->loaded[which] = d->parting[which] = false;
}

void debuginfo_parts_close(struct debuginfo_files *f)
{
	for (size_t i = 0; i < DW_SECTIONS; i++) {
		struct debuginfo_kept *k = f->kept[i];
		if (!k)
			continue;
		kept_close(k);
		pages_free(k->bytes);
		mem_free(k->piece);
		vec_release(&k->list);
		mem_free(k);
		f->kept[i] = NULL;
	}
}

/* Releases the pages of packed bytes that the stream has read. */
static void kept_forget(const struct debuginfo_files *f, struct debuginfo_kept *k)
{
	enum { STEP = 4 << 20 };
	const struct bytes packed = section_bytes(f->image, k->part->section);
	const uint64_t used = min_u64(unpack_stream_used(k->stream), packed.size);
	if (used < k->dropped + STEP)
		return;
	image_forget(f->image, bytes_sub(packed, k->dropped, used - k->dropped));
	k->dropped = used;
}

/* Unpacks the bytes before `to`. Stores them in the section if `keep` is true, otherwise drops
 * them. The section ends at damage. */
static void kept_unpack(struct dwarf *d, enum dw_section which, uint64_t to, bool keep)
{
	struct debuginfo_files *f = d->load_ctx;
	struct debuginfo_kept *k = f->kept[which];
	struct heft_err err;
	while (k->stream && k->made < min_u64(to, k->size)) {
		const uint64_t size = min_u64(PIECE, min_u64(to, k->size) - k->made);
		if (!unpack_stream_read(k->stream, keep ? k->bytes + k->made : k->piece, size,
					&err)) {
			note(d->notes, d->path, HEFT_NO_OFFSET, k->part->section->file_size,
			     "%s cannot be unpacked beyond byte %" PRIu64 ": %s",
			     dw_section_name(which), k->made, err.text);
			k->size = d->bytes[which].size = k->made;
			kept_close(k);
			return;
		}
		k->made += size;
		kept_forget(f, k);
	}
}

/* Adds a part to the list. Joins it with the parts that it touches. */
static void kept_add(struct debuginfo_kept *k, uint64_t from, uint64_t to)
{
	size_t first, end;
	BISECT(first, 0, k->list.count, i, k->list.data[i].to < from);
	for (end = first; end < k->list.count && k->list.data[end].from <= to; end++) {
		from = min_u64(from, k->list.data[end].from);
		to = max_u64(to, k->list.data[end].to);
	}
	if (end == first) {
		vec_reserve(&k->list, 1);
		memmove(&k->list.data[first + 1], &k->list.data[first],
			(k->list.count - first) * sizeof *k->list.data);
		k->list.count++;
	} else {
		memmove(&k->list.data[first + 1], &k->list.data[end],
			(k->list.count - end) * sizeof *k->list.data);
		k->list.count -= end - first - 1;
	}
	k->list.data[first] = (struct kept_part){ from, to };
}

/* Unpacks a part, if it is not kept yet. Its start may be kept already. */
static void kept_read(struct dwarf *d, enum dw_section which, uint64_t from, uint64_t to)
{
	struct debuginfo_files *f = d->load_ctx;
	struct debuginfo_kept *k = f->kept[which];
	size_t at;
	to = min_u64(to, k->size);
	BISECT(at, 0, k->list.count, i, k->list.data[i].to < from);
	if (at < k->list.count && k->list.data[at].from <= from)
		from = max_u64(from, k->list.data[at].to);
	if (from >= to)
		return;
	if (from < k->made) {
		if (k->restarts++ == RESTARTS_MOST) {
			from = 0;
			to = k->size;
		}
		if (!kept_start(f, k))
			return;
	}
	kept_unpack(d, which, from, false);
	kept_unpack(d, which, to, true);
	kept_add(k, from, to);
	if (k->list.data[0].from == 0 && k->list.data[0].to >= k->size)
		kept_close(k);
}

void debuginfo_part(struct dwarf *d, enum dw_section which, uint64_t from, uint64_t to)
{
	ASSERT(d->parting[which] && from <= to);
	kept_read(d, which, from, to);
}

bool debuginfo_parts_load(struct dwarf *d, enum dw_section which)
{
	const struct debuginfo_kept *k = ((struct debuginfo_files *)d->load_ctx)->kept[which];
	if (!k)
		return false;
	kept_read(d, which, 0, k->size);
	d->bytes[which] = (struct bytes){ k->bytes, k->size };
	return true;
}
