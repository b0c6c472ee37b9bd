/* Adds the sections and symbols of a program to a snapshot. */
#define _GNU_SOURCE /* For memmem(). */

#include "snapshot/collect_internal.h"

#include "base/sort.h"
#include "image/elf/elf_const.h"
#include "snapshot/collect_pack.h"
#include "snapshot/shares.h"

/* Places of an image's symbols, by section, then by address. At one address, longest first */
struct by_section {
	const struct named_place **list;
	size_t *first; /* Per section: index of its first place. Common symbols come after the
		        * last section */
	size_t section_count;
};

COMPARISON(collect_longer_first, struct named_place, ORDER(b->size, a->size))

static size_t bucket(const struct by_section *b, const struct named_place *p)
{
	return min_u64(p->section, b->section_count);
}

static void count_places(struct by_section *b, const struct named_place *list, size_t count)
{
	for (size_t i = 0; i < count; i++)
		b->first[bucket(b, &list[i]) + 1]++;
}

static void collect_put_places(struct by_section *b, size_t *next, const struct named_place *list,
			       size_t count)
{
	for (size_t i = 0; i < count; i++)
		b->list[next[bucket(b, &list[i])]++] = &list[i];
}

/* Sets *ret to image `index`'s part of a list of all images' places. Returns its length. */
static size_t places_of(const struct named_place *list, size_t all, const size_t *firsts,
			size_t images, size_t index, const struct named_place **ret)
{
	const size_t first = firsts[index], end = index + 1 < images ? firsts[index + 1] : all;
	*ret = end > first ? list + first : NULL;
	return end - first;
}

static void collect_sort_places(struct by_section *b, struct places *p, const struct image *im,
				size_t index)
{
	const struct named_place *in_vm, *outside;
	const size_t vm_count = places_of(p->list.data, p->list.count, p->images.data,
					  p->images.count, index, &in_vm);
	const size_t outside_count = places_of(p->outside.data, p->outside.count,
					       p->outside_images.data, p->outside_images.count,
					       index, &outside);
	if (outside_count > 1)
		sort_by_key_then(p->outside.data + p->outside_images.data[index], outside_count,
				 sizeof *outside, collect_longer_first);
	*b = (struct by_section){ mem_alloc((vm_count + outside_count + 1) * sizeof *b->list),
				  mem_zeroed(im->section_count + 2, sizeof *b->first),
				  im->section_count };
	count_places(b, in_vm, vm_count);
	count_places(b, outside, outside_count);
	for (size_t i = 0; i <= im->section_count; i++)
		b->first[i + 1] += b->first[i];
	size_t *next = mem_alloc((im->section_count + 1) * sizeof *next);
	memcpy(next, b->first, (im->section_count + 1) * sizeof *next);
	collect_put_places(b, next, in_vm, vm_count);
	collect_put_places(b, next, outside, outside_count);
	ASSERT(next[im->section_count] == vm_count + outside_count);
	mem_free(next);
}

static bool is_new(struct collect *c, label_id label)
{
	while (c->groups.count <= label)
		vec_push(&c->groups, 0);
	const bool seen = c->groups.data[label] == c->group;
	c->groups.data[label] = c->group;
	return !seen;
}

/* Adds the symbols of one address, which share the bytes. Equal outlined functions that a linker
 * folded become one symbol, because their names are only numbers. */
static void collect_add_group(struct collect *c, const struct named_place *const *list,
			      size_t count, uint64_t addr, uint64_t size)
{
	size_t outlined = 0;
	c->group++;
	for (size_t i = 0; i < count; i++) {
		const struct str name = label_text(c->in->file->labels, list[i]->label);
		if (str_starts(name, STR("OUTLINED_FUNCTION_")))
			outlined++;
		else if (count == 1 || is_new(c, list[i]->label))
			collect_native(c, addr, size, list[i]->label);
	}
	if (outlined > 0)
		collect_outlined(c, addr, size, outlined);
}

/* Adds symbols. Bytes belong to the symbol that starts first, and among these to the longest. A
 * symbol inside another one gets no bytes. */
static void add_places(struct collect *c, const struct named_place *const *list, size_t count)
{
	for (size_t i = 0, next; i < count; i = next) {
		const uint64_t addr = list[i]->addr;
		const uint64_t end = min_u64(c->limit, add_sat(addr, list[i]->size));
		const uint64_t from = max_u64(addr, c->end);
		next = i + 1;
		while (next < count && list[next]->addr == addr)
			next++;
		if (from >= end) {
			collect_add_group(c, list + i, next - i, addr, 0);
			continue;
		}
		ASSERT(c->end <= from && end <= c->limit);
		collect_gap(c, from);
		collect_take(c, from, end - from);
		collect_add_group(c, list + i, next - i, from, end - from);
	}
	collect_gap(c, c->limit);
	c->padding = 0;
}

/* Returns the file format's name for a section, such as ".text" for ".text.hot". Or NULL. */
static const char *format_section(const struct section *s)
{
	const char *known = s->alloc && s->type != SHT_NOTE ? snap_folded(s->name) : NULL;
	/* In a separate debug file, .tdata has no bytes, so it counts as .tbss. */
	if (known && s->nobits && strcmp(known, ".tdata") == 0)
		return ".tbss";
	return known && snap_is_native_name(known, !s->nobits) ? known : NULL;
}

/* Returns the name of a section in the snapshot. Objects have a section per function, so their
 * sections get the format's name. Sections of programs keep their own names. */
static const char *collect_section_name(struct collect *c, const struct section *s,
					const char *known)
{
	const bool own = c->image->kind != IMAGE_OBJECT && s->name.len > 0 && known &&
			 strcmp(known, ".tbss") != 0;
	if (known && !own)
		return known;
	const struct str name = s->name.len > 0 ? s->name : section_title(s);
	if (name.len > 0)
		return arena_copy(&c->s->arena, name);
	return arena_format(&c->s->arena, "#%" PRIu32, s->index);
}

/* Begins a section of the snapshot, whose symbols come next, and adds to its size. */
static void collect_go_to(struct collect *c, const struct snap_section *like, uint64_t size)
{
	c->to = snapshot_section_like(c->s, like);
	c->s->sections.data[c->to].size += size;
}

void collect_set_mark(struct collect *c, bool whole)
{
	text_set(&c->scratch, STR("** "));
	if (!whole)
		return;
	text_adds(&c->scratch, str_of(c->image->format), STR(" Section: "));
}

/* Adds one symbol for all bytes of a section that have no symbol. */
static void collect_add_rest(struct collect *c, struct snap_section like, uint64_t size,
			     bool in_file, bool in_memory)
{
	if (size == 0)
		return;
	like.in_file = in_file;
	like.in_memory = in_memory;
	collect_go_to(c, &like, size);
	collect_set_mark(c, true);
	text_add(&c->scratch, str_of(like.name));
	collect_named(c, 0, size, text_str(&c->scratch));
}

static void begin_section(struct collect *c, const struct section *s, uint64_t size)
{
	const uint64_t base = s->alloc ? s->addr : 0;
	c->section = s;
	c->begin = c->end = base;
	c->padding = 0;
	c->limit = add_sat(base, size);
	c->bytes = s->alloc && !s->nobits ? image_at(c->image, base, size) : (struct bytes){ 0 };
	c->gaps = 0;
	c->unit = (struct span_cursor){ c->in->units, 0 };
	c->owner_cursor = (struct span_cursor){ &c->in->by_symbol.layer->vm, 0 };
	c->owner = LABEL_NONE;
	c->literal_end = 0;
	c->slice = lower_bound(c->slices.list.data, c->slices.list.count,
			       sizeof *c->slices.list.data, base);
	c->not_wide[0] = c->not_wide[1] = c->not_text = base;
	c->piece = 0;
	collect_map_pieces(c);
}

/* True for code, except for sections of stubs (.plt). Those are one symbol. */
static bool collect_is_code(const struct section *s)
{
	return s->exec && !str_starts(s->name, STR(".plt")) && !str_starts(s->name, STR(".iplt"));
}

/* Adds a section. If its bytes are in the file all or not at all, and likewise in the VM image,
 * each byte belongs to a symbol. Otherwise one symbol gets the whole section. */
static void collect_section(struct collect *c, const struct section *s,
			    const struct share_of_section *share,
			    const struct named_place *const *list, size_t count)
{
	const char *known = format_section(s);
	const bool in_file = s->nobits ? share->file == 0
				       : share->file == s->size && s->file_size == s->size;
	const bool whole = in_file && (share->vm == 0 || share->vm == s->size);
	const bool tiled = whole && s->size > 0 && (known || count > 0 || collect_is_code(s));
	const uint64_t both = min_u64(share->file, share->vm);
	const struct snap_section like = { .container = c->container,
					   .native = true,
					   .in_file = !s->nobits,
					   .in_memory = share->vm > 0,
					   .code = s->exec,
					   .name = collect_section_name(c, s, known) };
	if (tiled || count > 0) {
		collect_go_to(c, &like, tiled ? s->size : 0);
		begin_section(c, s, tiled ? s->size : 0);
		c->owned_by_others = share->vm > 0 && (known || collect_is_code(s));
		add_places(c, list, count);
	}
	if (tiled)
		return;
	c->section = s;
	collect_add_rest(c, like, both, true, true);
	collect_add_rest(c, like, share->file - both, true, false);
	collect_add_rest(c, like, share->vm - both, false, true);
	if (share->vm == 0 && share->file == 0 && s->nobits && s->alloc)
		collect_add_rest(c, like, s->size, false, false);
}

/* Adds the common symbols of an object: variables that get memory only when linked. */
static void add_common(struct collect *c, const struct named_place *const *list, size_t count)
{
	static const struct section common = { .nobits = true };
	struct snap_section like = { .container = c->container, .native = true, .name = "COMMON" };
	for (size_t i = 0; i < count; i++) {
		collect_go_to(c, &like, list[i]->size);
		begin_section(c, &common, 0);
		collect_native(c, 0, list[i]->size, list[i]->label);
	}
}

static void add_overhead(struct collect *c, const struct snap_section *like, uint64_t size,
			 const char *name)
{
	if (size == 0)
		return;
	collect_go_to(c, like, size);
	text_set(&c->scratch, STR("Overhead: "));
	text_adds(&c->scratch, str_of(c->image->format), str_of(name));
	collect_named(c, 0, 0, text_str(&c->scratch));
	c->s->symbols.data[c->s->symbols.count - 1].padding = (int64_t)size;
}

/* Returns the text id of an archive member's name, such as "libx.a(y.o)". 0 for other images. */
static uint32_t object_of(struct collect *c, const struct image *im)
{
	return im->kind != IMAGE_OBJECT || im->member.len == 0
		       ? 0
		       : collect_member_path(c->s, c->in->file->path, im->member);
}

/* True if string constants may lack a final 0: .comment names Rust's compiler. */
static bool texts_lack_ends(const struct image *im)
{
	static const char rust[] = "rustc version";
	const struct section *s = image_section_find(im, ".comment");
	const struct bytes b = s ? section_bytes(im, s) : (struct bytes){ 0 };
	return b.size > 0 && memmem(b.p, b.size, rust, sizeof rust - 1) != NULL;
}

static void collect_image(struct collect *c, size_t index)
{
	const struct image *im = &c->in->file->input->images[index];
	struct by_section places;
	struct shares shares;
	c->image = im;
	c->object = object_of(c, im);
	if (im->kind == IMAGE_EXEC && !c->in->no_literals)
		slices_read(&c->slices, im);
	c->texts_lack_ends = texts_lack_ends(im);
	contents_init(&c->contents, im);
	c->read = (struct code_pass){ .im = im };
	collect_sort_places(&places, c->in->places, im, index);
	shares_find(&shares, c->in->file->map, im);
	for (size_t i = 1; i <= im->section_count; i++) {
		const struct named_place *const *list = places.list + places.first[i];
		const size_t count = places.first[i + 1] - places.first[i];
		if (i == im->section_count)
			add_common(c, list, count);
		else
			collect_section(c, &im->sections[i], &shares.sections[i], list, count);
	}
	c->section = NULL;
	/* Adds overhead symbols for the bytes outside of sections: headers, and bytes between
	 * sections. */
	const struct snap_section file = { .container = c->container,
					   .in_file = true,
					   .name = SNAP_UNSECTIONED };
	struct snap_section loaded = { .container = c->container,
				       .native = true,
				       .in_file = true,
				       .in_memory = true,
				       .name = SNAP_UNSECTIONED };
	add_overhead(c, &file, shares.file_only, " file");
	add_overhead(c, &loaded, shares.loaded, " segments");
	loaded.in_file = false;
	add_overhead(c, &loaded, shares.memory_only, " segments, in memory alone");
	image_forget(im, im->bytes); /* Everything in the image was read */
	shares_release(&shares);
	mem_free_all(places.list, places.first);
	slices_release(&c->slices);
	contents_release(&c->contents);
}

void snapshot_collect(struct snapshot *s, uint32_t container, const struct collect_input *in)
{
	struct collect c = { .s = s, .container = container, .in = in, .label = LABEL_NONE };
	const size_t first = s->symbols.count;
	collect_map_names(in);
	for (size_t i = 0; i < in->file->input->image_count; i++)
		collect_image(&c, i);
	collect_complete_paths(&c, first);
	if (in->by_unit.layer)
		collect_charges(&c, first);
	vec_release_all(&c.sources, &c.pieces, &c.owned, &c.groups, &c.labels, &c.owners,
			&c.object_of_owner);
	text_release(&c.scratch);
	supersize_name_release(&c.name);
	demangler_release(&c.demangler);
}
