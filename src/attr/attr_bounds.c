/* Recognizes references to the bounds of sections. Code that walks through a section refers to the
 * section's first byte and to the byte after its last. Code that tests whether an address lies in
 * the section does the same. The next section may begin at that end address. A reference to that
 * address tells little about the next section's owner. */
#include "attr/attr_refs.h"

#include "base/sort.h"
#include "image/elf/elf_const.h"
#include "image/arch.h"
#include "code/addr_mask.h"

struct attr_bounds {
	const struct section *const *data; /* Data sections, sorted by address */
	size_t count;
	uint64_t low, room; /* No section begins in [low, low + room) */
	VEC(uint64_t)
	starts; /* Sorted: (index of a section << 32) + label of code that refers to its start */
};

/* Returns the index of the section that begins at an address, or the count if there is none. */
static size_t attr_bounds_section_at(struct attr_bounds *b, uint64_t addr)
{
	size_t at;
	if (addr - b->low < b->room) /* Usually in the range that was found last. */
		return b->count;
	BISECT(at, 0, b->count, mid, b->data[mid]->addr < addr);
	if (at < b->count && b->data[at]->addr == addr)
		return at;
	b->low = at > 0 ? b->data[at - 1]->addr + 1 : 0;
	b->room = (at < b->count ? b->data[at]->addr : UINT64_MAX) - b->low;
	return b->count;
}

static void attr_bounds_add_start(struct attr_bounds *b, uint64_t addr, label_id label)
{
	const size_t i = label == LABEL_NONE ? b->count : attr_bounds_section_at(b, addr);
	if (i + 1 < b->count && b->data[i]->addr + b->data[i]->size == b->data[i + 1]->addr)
		vec_push(&b->starts, (uint64_t)i << 32 | label);
}

/* True if a section ends at the address, and code of `label` also refers to its start. */
static bool attr_bounds_is_end(struct attr_bounds *b, uint64_t addr, label_id label)
{
	const size_t i = label == LABEL_NONE || b->starts.count == 0
				 ? b->count
				 : attr_bounds_section_at(b, addr);
	if (i == 0 || i == b->count)
		return false;
	const uint64_t key = (uint64_t)(i - 1) << 32 | label;
	const size_t low = vec_lower(&b->starts, key);
	return low < b->starts.count && b->starts.data[low] == key;
}

static void attr_bounds_list_starts(struct attr_bounds *b, const target_vec *targets,
				    const pointer_parts *pointers)
{
	for (size_t i = 0; i < targets->count; i++)
		attr_bounds_add_start(b, targets->data[i].addr, targets->data[i].label);
	for (size_t k = 0; k < pointers->count; k++)
		for (size_t i = 0; i < pointers->data[k].count; i++)
			attr_bounds_add_start(b, pointers->data[k].data[i].target,
					      pointers->data[k].data[i].owner);
	vec_sort(&b->starts);
}

void attr_bounds(const struct section *const *data, size_t count, target_vec *targets,
		 pointer_parts *pointers)
{
	struct attr_bounds b = { .data = data, .count = count };
	for (size_t i = 1; i < count; i++)
		ASSERT(data[i - 1]->addr <= data[i]->addr);
	attr_bounds_list_starts(&b, targets, pointers);
	for (size_t i = 0; i < targets->count; i++)
		if (attr_bounds_is_end(&b, targets->data[i].addr, targets->data[i].label))
			targets->data[i].weak = 1;
	for (size_t k = 0; k < pointers->count; k++)
		vec_each(struct pointer, p, &pointers->data[k])
			if (attr_bounds_is_end(&b, p->target, p->owner))
				p->owner = LABEL_NONE;
	vec_release(&b.starts);
}

bool attr_bounds_has(const struct attr *a, const struct place *p)
{
	const struct section *in = image_section_at(a->im, p->addr);
	const struct spans *owned = &a->vm;
	const size_t first = spans_from(owned, p->addr);
	if (!p->vague || !in || p->addr != in->addr)
		return p->vague && !in;
	return in->nobits ||
	       (first < owned->list.count && owned->list.data[first].start - in->addr < in->size);
}

/* The next functions find where data without a symbol ends. */

uint64_t ends_string(const struct image *im, const struct section *s, uint64_t addr, uint64_t end)
{
	const uint64_t wanted = SHF_MERGE | SHF_STRINGS;
	if (im->kind != IMAGE_OBJECT || (s->flags & wanted) != wanted || s->nobits)
		return end;
	const unsigned width = s->entsize == 2 || s->entsize == 4 ? (unsigned)s->entsize : 1;
	struct reader r = reader_of(section_bytes(im, s), im->big_endian);
	reader_seek(&r, addr - s->addr);
	while (reader_left(&r) >= width && s->addr + r.pos < end)
		if (read_uint(&r, width) == 0)
			return s->addr + r.pos;
	return end;
}

/* Compilers for x86-64 align arrays of 16 bytes and more to 16 (psABI 3.1.2). gcc aligns objects of
 * 32 bytes and more to 32. */
enum { ARRAY_ALIGN = 16, LARGE_ALIGN = 32 };

bool piece_continues(const struct data_piece *last, const struct data_piece *p)
{
	const uint64_t head = align_up(p->start, LARGE_ALIGN) - p->start;
	const bool inside = head > 0 && p->end - p->start >= head + LARGE_ALIGN;
	ASSERT(p->start <= p->end);
	return last->why == WHY_AFTER && last->end == p->start &&
	       (inside || last->label == p->label);
}

/* Returns how many of the last bytes of [start, end) may be another object. Zeros before the first
 * multiple of 32 may be padding: the object may begin at that multiple. Otherwise it may begin at
 * the last word, if that is at a multiple of 32. */
static uint64_t ends_rest(const struct image *im, uint64_t start, uint64_t end)
{
	const uint64_t word = pointer_size(im), head = align_up(start, LARGE_ALIGN) - start;
	if (head > 0 && end - start >= head + LARGE_ALIGN) {
		const struct bytes b = image_at(im, start, head);
		uint64_t zeros = 0;
		while (zeros < b.size && b.p[zeros] == 0)
			zeros++;
		const struct section *in = zeros == head ? image_section_at(im, start) : NULL;
		if (in && !in->write)
			return end - start - head;
	}
	return end % LARGE_ALIGN == word && end - start > word ? word : 0;
}

/* Returns the first address in (start, end) where an object may begin to which nothing refers: a
 * multiple of ARRAY_ALIGN after zeros, which may be padding. Returns `end` if there is none. Zeros
 * elsewhere, or at more than two places, are fields of a table. */
static uint64_t ends_padding(const struct vtables *v, uint64_t start, uint64_t end)
{
	enum { WORD = 4, PADDED_MOST = 2 };
	const uint64_t from = align_up(start, WORD);
	const struct pointer_place *places = v->places.data;
	const size_t count = v->places.count;
	struct reader r = reader_of(image_at(v->im, from, end - min_u64(from, end)),
				    v->im->big_endian);
	uint64_t zeros = 0, first = end;
	unsigned padded = 0;
	size_t k = count > 0 ? lower_bound(places, count, sizeof *places, from) : 0;
	for (uint64_t at = from; reader_left(&r) >= WORD; at += WORD) {
		while (k < count && places[k].addr + pointer_size(v->im) <= at)
			k++;
		const bool pointer = k < count && places[k].addr <= at;
		if (read_uint(&r, WORD) == 0 && !pointer) {
			zeros += WORD;
			continue;
		}
		if (zeros > 0 &&
		    (at % ARRAY_ALIGN != 0 || zeros >= LARGE_ALIGN || ++padded > PADDED_MOST))
			return end;
		if (zeros > 0)
			first = min_u64(first, at);
		zeros = 0;
	}
	return end - first >= ARRAY_ALIGN ? first : end;
}

void ends_claim(struct attr *a, const struct vtables *v, const struct data_piece *p, label_id label)
{
	const bool sure = p->why == WHY_CODE_ORDER || p->why == WHY_DATA_ORDER;
	ASSERT(p->start <= p->end);
	const uint64_t part = sure ? ends_padding(v, p->start, p->end) : p->end,
		       end = part - (sure ? ends_rest(a->im, p->start, part) : 0);
	claim(&a->vm_claims, p->start, end - p->start, label, (enum why)p->why);
	claim(&a->vm_claims, end, p->end - end, label, WHY_CODE_REF);
}

/* The next functions find where data ends if symbols have no size. */

bool extents_wanted(const struct image *im)
{
	return !image_states_sizes(im) && im->kind == IMAGE_EXEC && !image_arch(im)->absolute &&
	       (im->type == ET_DYN || im->protection.moves);
}

/* Remembers which labels refer to the current symbol. */
struct attr_extents_users {
	uint32_t *of; /* Per label: number of the last symbol to which the label refers */
	uint32_t symbol;
};

/* Returns true if the references to one address, targets [first, end), show that the symbol does
 * not own it: no label of these references also refers to the symbol. */
static bool is_of_others(const struct attr_extents_users *u, const target_vec *targets,
			 size_t first, size_t end, bool by_pointers)
{
	bool other = by_pointers;
	for (size_t i = first; i < end; i++) {
		const struct target *t = &targets->data[i];
		if (t->label == LABEL_NONE)
			continue;
		if (u->of[t->label] == u->symbol)
			return false;
		other = true;
	}
	return other;
}

/* Ends the symbol `p` before the first target that only others use (is_of_others()). Moves targets
 * inside it, from index `first` on, to its address. Returns the next target's index. */
static size_t end_symbol(const struct attr_extents_users *u, struct place *p, target_vec *targets,
			 size_t first, bool by_pointers)
{
	size_t i = first;
	while (i < targets->count && targets->data[i].addr - p->addr < p->size) {
		const uint64_t addr = targets->data[i].addr;
		size_t end = i;
		while (end < targets->count && targets->data[end].addr == addr)
			end++;
		if (addr > p->addr && is_of_others(u, targets, i, end, by_pointers)) {
			p->size = addr - p->addr;
			break;
		}
		for (; i < end; i++) {
			struct target *t = &targets->data[i];
			if (t->addr == p->addr && t->label != LABEL_NONE)
				u->of[t->label] = u->symbol;
		}
	}
	for (size_t k = first; k < i; k++)
		targets->data[k] = (struct target){ p->addr, p->label, WHY_SYMBOL };
	return i;
}

void extents_find(struct attr *a, target_vec *targets)
{
	place_vec *v = &a->scratch->guessed;
	const struct spans *owned = &a->vm;
	bool complete = false; /* True if the symbol table contains local data. */
	for (size_t i = 0; i < v->count && !complete; i++)
		complete = v->data[i].local;
	struct attr_extents_users users = { mem_zeroed(a->f->labels->kinds.count, sizeof *users.of),
					    0 };
	const size_t count = targets->count;
	size_t at = 0, owner = 0;
	for (size_t i = 0; i < v->count; i++) {
		struct place *p = &v->data[i];
		const struct section *in = &a->im->sections[p->section];
		if (i > 0 && p->addr == v->data[i - 1].addr) { /* same address as the last symbol */
			p->size = v->data[i - 1].size;
			continue;
		}
		ASSERT(i == 0 || p->addr > v->data[i - 1].addr);
		users.symbol++;
		while (owner < owned->list.count && owned->list.data[owner].start <= p->addr)
			owner++;
		if (owner < owned->list.count) /* The next owner after a symbol ends the symbol */
			p->size = min_u64(p->size, owned->list.data[owner].start - p->addr);
		while (at < count && targets->data[at].addr < p->addr)
			at++;
		at = end_symbol(&users, p, targets, at, !complete && !in->write);
		vec_push(targets, (struct target){ p->addr, p->label, WHY_SYMBOL });
	}
	mem_free(users.of);
}

/* The next functions list the bytes without an owner. Most references are to owned bytes, which a
 * bit mask of these bytes rejects without a search of sections and owners. */

typedef void nobody_fn(void *ctx, uint64_t from, uint64_t to);

/* Calls fn with each range of [from, end) that has no owner. A range may be empty. */
static void nobody_each(const struct spans *vm, uint64_t from, uint64_t end, nobody_fn *fn,
			void *ctx)
{
	size_t i = spans_from(vm, from);
	if (i > 0)
		from = max_u64(from, vm->list.data[i - 1].start + vm->list.data[i - 1].size);
	for (; i < vm->list.count && from < end; i++) {
		const struct span *s = &vm->list.data[i];
		fn(ctx, from, min_u64(s->start, end));
		from = s->start + s->size;
	}
	fn(ctx, from, end);
}

static void nobody_mark(void *ctx, uint64_t from, uint64_t to)
{
	addr_mask_add(ctx, from, to);
}

static void nobody_list(void *ctx, uint64_t from, uint64_t to)
{
	struct spans *code = ctx;
	if (from < to)
		vec_push(&code->list, (struct span){ from, to - from, LABEL_NONE });
}

void attr_nobody_code(const struct attr *a, struct spans *ret)
{
	const struct image *im = a->im;
	const struct section **code = mem_zeroed(im->section_count, sizeof *code);
	uint64_t done = 0;
	size_t count = 0;
	ASSERT(ret->list.count == 0);
	each_section(s, im) {
		if (s->exec && !s->nobits && section_is_data(s) &&
		    image_section_at(im, s->addr) == s)
			code[count++] = s;
	}
	qsort(code, count, sizeof *code, attr_sections_by_addr);
	for (size_t i = 0; i < count; i++) {
		/* If sections overlap, the first section gets the shared bytes. */
		const uint64_t end = add_sat(code[i]->addr, code[i]->size);
		if (end > done)
			nobody_each(&a->vm, max_u64(code[i]->addr, done), end, nobody_list, ret);
		done = max_u64(done, end);
	}
	mem_free(code);
}

/* A range of addresses, at first empty: { UINT64_MAX, 0 }. */
struct nobody_range {
	uint64_t low, high;
};

static void nobody_range_add(struct nobody_range *r, const struct section *s)
{
	r->low = min_u64(r->low, s->addr);
	r->high = max_u64(r->high, add_sat(s->addr, s->size));
}

/* Opens a mask for the addresses of all mapped sections. Sections far from the largest one are in
 * the mask's second range. Example: the variables per processor of a Linux kernel begin at 0. */
static void nobody_open(const struct image *im, struct addr_mask *ret)
{
	enum { NEAR_BITS = 31 };
	struct nobody_range near = { UINT64_MAX, 0 }, far = near;
	const struct section *largest = NULL;
	each_section(s, im)
		if (s->alloc && (!largest || s->size > largest->size))
			largest = s;
	each_section(s, im) {
		if (!s->alloc || s->size == 0)
			continue;
		const uint64_t away = s->addr > largest->addr ? s->addr - largest->addr
							      : largest->addr - s->addr;
		nobody_range_add(away >> NEAR_BITS == 0 ? &near : &far, s);
	}
	addr_range_open(&ret->near, min_u64(near.low, near.high), near.high, ADDR_MASK_NEAR);
	if (far.low < far.high)
		addr_range_open(&ret->far, far.low, far.high, ADDR_MASK_FAR);
}

void attr_nobody(const struct attr *a, const struct section *const *data, size_t count, bool code,
		 struct addr_mask *ret)
{
	nobody_open(a->im, ret);
	/* Sections may overlap. Their bytes are marked only once. */
	uint64_t done = 0;
	for (size_t i = 0; i < count; i++) {
		const uint64_t end = add_sat(data[i]->addr, data[i]->size);
		ASSERT(i == 0 || data[i - 1]->addr <= data[i]->addr);
		if ((data[i]->exec && !code) || end <= done)
			continue;
		nobody_each(&a->vm, max_u64(data[i]->addr, done), end, nobody_mark, ret);
		done = end;
	}
}

/* The next functions find where tables of virtual functions begin and end. */

/* Maximal distance of a base object from the object's top, in bytes. */
enum { OFFSET_MAX = 1 << 20 };

/* Returns the index of the pointer at addr. Returns the count if there is none. */
static size_t place_at(const struct vtables *v, uint64_t addr)
{
	const struct pointer_place *p = v->places.data;
	const size_t count = v->places.count;
	if (count == 0 || addr < p[0].addr || addr > p[count - 1].addr)
		return count;
	const size_t i = lower_bound(p, count, sizeof *p, addr);
	return p[i].addr == addr ? i : count;
}

static size_t vtables_next_place(const struct vtables *v, size_t i)
{
	const uint64_t addr = v->places.data[i].addr;
	while (i < v->places.count && v->places.data[i].addr == addr)
		i++;
	return i;
}

static bool is_function(const struct vtables *v, size_t i, uint64_t addr)
{
	return i < v->places.count && v->places.data[i].addr == addr &&
	       v->places.data[i].to != POINTEE_DATA;
}

/* True if `start` has the two words before a table's functions (see attr_refs.h), and a function
 * follows. Stores the function's index in *ret. */
static bool is_head(const struct vtables *v, uint64_t start, size_t *ret)
{
	const uint64_t word = v->im->bits / 8u;
	const struct pointer_place *p = v->places.data;
	const size_t type = place_at(v, start + word);
	if (type == v->places.count || pointee_is_code(p[type].to) ||
	    (type > 0 && p[type - 1].addr == start))
		return false;
	*ret = vtables_next_place(v, type);
	struct reader r = reader_of(image_at(v->im, start, word), v->im->big_endian);
	const uint64_t to_top = read_uint(&r, (unsigned)word);
	const uint64_t below = word == 8 ? -to_top : (uint32_t)-to_top;
	return is_function(v, *ret, start + 2 * word) && reader_ok(&r) && below < OFFSET_MAX &&
	       below % word == 0;
}

uint64_t vtable_start(const struct vtables *v, uint64_t addr)
{
	const uint64_t head = 2 * (v->im->bits / 8u);
	size_t function;
	return addr >= head && is_head(v, addr - head, &function) ? addr - head : addr;
}

uint64_t vtable_end(const struct vtables *v, uint64_t start, uint64_t end)
{
	const uint64_t word = v->im->bits / 8u;
	uint64_t at = start;
	size_t i;
	while (at < end && is_head(v, at, &i)) {
		at += 2 * word;
		for (; at < end && is_function(v, i, at); i = vtables_next_place(v, i))
			at += word;
	}
	ASSERT(end >= start);
	return at > start ? min_u64(at, end) : end;
}
