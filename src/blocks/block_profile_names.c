/* Lists the linkage names of the functions of a block map. */
#include "blocks/block_profile_names.h"

#include "base/intern.h"
#include "base/sort.h"
#include "image/code_symbols.h"
#include "image/elf/elf_const.h"

struct found {
	uint64_t addr;
	const char *text;
	uint32_t id; /* Id of `text` */
	bool local;
};

struct block_profile_names_reading {
	VEC(struct found) list; /* Sorted by addr */
	struct intern texts;
	VEC(uint32_t) uses; /* Per id of a name: number of functions with it */
};

COMPARISON(block_profile_names_by, struct found *const, ORDER((*a)->local, (*b)->local),
	   strcmp((*a)->text, (*b)->text))

static void block_profile_names_collect(struct block_profile_names_reading *r,
					const struct image *im, uint32_t type)
{
	struct code_symbols all;
	struct symbol s;
	uint64_t addr;
	code_symbols_start(&all, im, type);
	while (code_symbols_next(&all, &s, &addr)) {
		if (!symbol_is_function(&s) || s.name.len == 0)
			continue;
		const uint32_t id = intern_borrow(&r->texts, s.name);
		if (id == r->uses.count)
			vec_push(&r->uses, 0);
		vec_push(&r->list, (struct found){ addr, s.name.p, id, s.bind == STB_LOCAL });
		r->uses.data[id]++;
	}
	vec_sort(&r->list);
}

/* Adds the names at one address. A name that occurs there twice is added once. */
static void block_profile_names_add(struct profile_names *n, struct block_profile_names_reading *r,
				    uint64_t addr)
{
	const struct found *list = r->list.data;
	VEC(const struct found *) here = { 0 };
	for (size_t i = lower_bound(list, r->list.count, sizeof *list, addr);
	     i < r->list.count && list[i].addr == addr; i++)
		vec_push(&here, &list[i]);
	vec_sort_by(&here, block_profile_names_by);
	for (size_t i = 0; i < here.count; i++) {
		size_t same = 1;
		while (i + 1 < here.count && here.data[i + 1]->id == here.data[i]->id) {
			same++;
			i++;
		}
		const struct found *f = here.data[i];
		ASSERT(f->addr == addr && r->uses.data[f->id] >= same);
		vec_push(&n->list,
			 (struct profile_name){ f->text, f->local, r->uses.data[f->id] > same });
	}
	vec_release(&here);
}

void profile_names_read(struct profile_names *n, const struct blockmap *b,
			const struct image *debug)
{
	const struct section *own = image_section_type(b->image, SHT_SYMTAB, 1);
	struct block_profile_names_reading r = { 0 };
	memset(n, 0, sizeof *n);
	if (own)
		block_profile_names_collect(&r, b->image, SHT_SYMTAB);
	else if (debug && image_section_type(debug, SHT_SYMTAB, 1))
		block_profile_names_collect(&r, debug, SHT_SYMTAB);
	else
		block_profile_names_collect(&r, b->image, SHT_DYNSYM);
	n->first = mem_zeroed(b->functions.count + 1, sizeof *n->first);
	for (size_t i = 0; i < b->functions.count; i++) {
		n->first[i] = n->list.count;
		block_profile_names_add(n, &r, b->functions.data[i].addr);
	}
	n->first[b->functions.count] = n->list.count;
	vec_release_all(&r.list, &r.uses);
	intern_release(&r.texts);
}

void profile_names_release(struct profile_names *n)
{
	vec_release(&n->list);
	mem_free(n->first);
}
