/* Lists the mapped files that a core names in its note NT_FILE. */
#include "heap/dump_internal.h"

#include "base/sort.h"
#include "heap/memory.h"

struct dump_files_piece {
	uint64_t start, end, off;
	const char *path;
	uint32_t file; /* 1 + index in the list of files */
};

typedef VEC(struct dump_files_piece) piece_vec;
typedef VEC(struct dump_file) file_vec;

static void group_pieces(const struct dump *d, piece_vec *pieces, file_vec *files)
{
	vec_each(struct dump_files_piece, p, pieces) {
		struct dump_file *last = vec_last(files);
		/* True if a piece belongs to the file before it. Both have the same path, and the
		 * piece lies in the range that the file's headers state. Without headers, the path
		 * is enough. */
		if (last && strcmp(last->path, p->path) == 0 &&
		    (!last->module || p->start < last->end)) {
			last->end = max_u64(last->end, p->end);
		} else {
			struct dump_file f = { .path = p->path, .start = p->start, .end = p->end };
			if (p->off == 0)
				dump_read_header(d, &f);
			vec_push(files, f);
		}
		p->file = (uint32_t)files->count;
	}
}

/* Adds the part [from, to) of a region, and returns `to`. */
static uint64_t push_part(region_vec *out, const struct region *r, uint64_t from, uint64_t to,
			  const struct dump_files_piece *p)
{
	ASSERT(from >= r->addr && to <= region_end(r));
	if (from >= to)
		return from;
	struct region part = region_part(r, from, to);
	if (p) {
		part.file = p->file;
		part.file_off = add_sat(p->off, from - p->start);
	}
	vec_push(out, part);
	return to;
}

static void split_regions(struct dump *d, const piece_vec *pieces)
{
	region_vec out = { 0 };
	size_t k = 0;
	for (size_t i = 0; i < d->region_count; i++) {
		const struct region *r = &d->regions[i];
		uint64_t at = r->addr;
		while (k < pieces->count && pieces->data[k].end <= at)
			k++;
		for (size_t n = k; n < pieces->count && pieces->data[n].start < region_end(r);
		     n++) {
			const struct dump_files_piece *p = &pieces->data[n];
			at = push_part(&out, r, at, max_u64(at, p->start), NULL);
			at = push_part(&out, r, at, min_u64(p->end, region_end(r)), p);
		}
		push_part(&out, r, at, region_end(r), NULL);
	}
	dump_set_regions(d, &out);
}

void dump_add_files(struct dump *d, const struct core *c)
{
	piece_vec pieces = { 0 };
	file_vec files = { 0 };
	uint64_t end = 0;
	vec_each(const struct core_file, f, &c->files)
		vec_push(&pieces,
			 (struct dump_files_piece){ f->start, f->end, f->off, f->path, 0 });
	vec_sort(&pieces);
	for (size_t i = 0; i < pieces.count; i++) { /* If pieces of a damaged note overlap, the
						   * first one wins. */
		struct dump_files_piece *p = &pieces.data[i];
		const uint64_t cut = p->start < end ? min_u64(end, p->end) - p->start : 0;
		p->start += cut;
		p->off = add_sat(p->off, cut);
		end = max_u64(end, p->end);
	}
	group_pieces(d, &pieces, &files);
	split_regions(d, &pieces);
	d->file_count = files.count;
	d->files = arena_new(&d->arena, struct dump_file, files.count + 1);
	if (files.count > 0)
		memcpy(d->files, files.data, files.count * sizeof *files.data);
	vec_release_all(&pieces, &files);
}
