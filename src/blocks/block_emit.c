/* Writes the blocks of an image into a copy of its file. */
#include "blocks/block_emit.h"
#include "blocks/block_check.h"

#include "image/elf/elf_append.h"
#include "image/elf/elf_const.h"
#include "program/plt.h"

/* Copies the ranges and blocks of a function to an entry, without details such as frequencies. */
static void copy_function(const struct blockmap *b, const struct blockmap_function *f,
			  struct bbmap_entry *ret)
{
	ASSERT(f->range_first + f->range_count <= b->ranges.count);
	ret->features = f->features & BBMAP_NO_BLOCKS;
	ret->ranges.count = ret->blocks.count = 0;
	for (uint32_t i = f->range_first; i < f->range_first + f->range_count; i++) {
		const struct blockmap_range *r = &b->ranges.data[i];
		vec_push(&ret->ranges, (struct bbmap_range){ .addr = r->addr,
							     .stated = r->stated,
							     .first = ret->blocks.count,
							     .count = r->count });
		for (uint64_t k = r->first; k < r->first + r->count; k++)
			vec_push(&ret->blocks, b->blocks.data[k]);
	}
}

/* Returns a flag per function: true if it is derived and the check says that it is wrong. NULL if
 * there is no such function. Free the flags with mem_free(). */
static bool *find_doubtful(const struct blockmap *b, const struct image *debug, struct notes *notes)
{
	struct block_check c = { .decoded = 0 };
	bool *doubtful = NULL;
	uint64_t count = 0;
	if (b->functions.count == 0 || b->functions.data[0].origin != BLOCKS_DERIVED)
		return NULL;
	blockmap_check(b, debug, &c);
	doubtful = mem_zeroed(b->functions.count, sizeof *doubtful);
	vec_each(const struct check_finding, f, &c.findings) {
		if (f->number == SIZE_MAX || !check_is_wrong(f->rule))
			continue;
		ASSERT(f->number < b->functions.count);
		count += !doubtful[f->number];
		doubtful[f->number] = true;
	}
	block_check_release(&c);
	if (count > 0)
		note(notes, b->image->path, HEFT_NO_OFFSET, 0,
		     "functions whose blocks cannot be told for certain (%" PRIu64
		     ") are left out of the new map",
		     count);
	return doubtful;
}

static void blockmap_encode(const struct blockmap *b, const struct image *debug,
			    struct bbmap_encoder *x, struct notes *notes)
{
	bool *doubtful = find_doubtful(b, debug, notes);
	struct blockmap_detail detail = { 0 };
	struct bbmap_entry copy = { 0 };
	uint64_t dropped = 0;
	for (size_t i = 0; i < b->functions.count; i++) {
		const struct blockmap_function *f = &b->functions.data[i];
		const struct bbmap_entry *e = blockmap_detail_get(&detail, b, f);
		/* Skips PLT stubs, because compilers write no map for them. */
		const struct section *s = image_section_at(b->image, f->addr);
		if ((f->origin == BLOCKS_DERIVED && s && section_is_plt(s)) ||
		    (doubtful && doubtful[i]))
			continue;
		/* The map lacks a range that the entry has, because there is no code. */
		if (!e || e->ranges.count != f->range_count) {
			copy_function(b, f, &copy);
			e = &copy;
		}
		dropped += !bbmap_encode(x, e);
	}
	if (dropped > 0)
		note(notes, b->image->path, HEFT_NO_OFFSET, 0,
		     "functions whose blocks overlap (%" PRIu64 ") are left out of the new map",
		     dropped);
	mem_free(doubtful);
	blockmap_detail_release(&detail);
	vec_release_all(&copy.ranges, &copy.blocks);
}

/* Finds the file's own section with a map. Sets *ret to its index, or 0. Fails if there is one and
 * `replace` is false. */
static bool find_old(const struct image *im, bool replace, uint32_t *ret, struct heft_err *err)
{
	*ret = 0;
	for (size_t i = 1; i < im->section_count; i++) {
		if (!section_is_block_map(&im->sections[i]))
			continue;
		if (!replace)
			return fail(err, HEFT_EARG, HEFT_NO_OFFSET,
				    "%s: has a basic-block map already, which would have to be "
				    "replaced",
				    im->path);
		if (*ret != 0)
			return fail(err, HEFT_EUNSUPPORTED, HEFT_NO_OFFSET,
				    "%s: has several basic-block maps; one can be replaced",
				    im->path);
		*ret = (uint32_t)i;
	}
	return true;
}

bool blockmap_emit(const struct blockmap *b, const struct blockmap_copy *copy,
		   const struct heft_sink *sink, struct notes *notes, struct heft_err *err)
{
	const struct image *im = b->image;
	const unsigned version = copy->version;
	struct bbmap_encoder x = { .version = (uint8_t)version,
				   .addr_size = im->bits / 8,
				   .big_endian = im->big_endian };
	struct elf_addition a = { .name = ".llvm_bb_addr_map",
				  .type = SHT_LLVM_BB_ADDR_MAP,
				  .flags = SHF_LINK_ORDER,
				  .align = 1 };
	if (version < BBMAP_VERSION_MIN || version > BBMAP_VERSION_MAX)
		return fail(err, HEFT_EARG, HEFT_NO_OFFSET,
			    "basic-block maps have versions %d to %d", BBMAP_VERSION_MIN,
			    BBMAP_VERSION_MAX);
	if (!elf_can_append(im, err) || !find_old(im, copy->replace, &a.replaced, err))
		return false;
	blockmap_encode(b, copy->debug, &x, notes);
	if (x.bytes.count == 0)
		return fail(err, HEFT_EUNSUPPORTED, HEFT_NO_OFFSET, "%s: no basic blocks to write",
			    im->path);
	/* A map section is linked to one code section (sh_link): that of the first function. */
	const struct section *text = image_section_at(im, b->functions.data[0].addr);
	a.link = text ? text->index : 0;
	a.flags = text ? SHF_LINK_ORDER : 0;
	a.bytes = (struct bytes){ x.bytes.data, x.bytes.count };
	const bool good = elf_append(im, &a, sink, err);
	vec_release(&x.bytes);
	return good;
}
