/* Lists places where Rust code can panic (core::panic::Location): a pointer to the name of a file,
 * its length, a line and a column, both counted from 1. rustc chooses the order of the fields, the
 * same in all versions since 1.42. The text may end in a NUL that the length counts. */
#include "attr/attr_refs.h"
#include "attr/panics.h"

#include "base/sort.h"
#include "image/elf/elf_const.h"

enum { NAME_LONGEST = 4096 };

/* A pointer that may be the first word of a place. */
struct attr_panics_candidate {
	uint64_t addr, target;
};

typedef VEC(struct attr_panics_candidate) candidate_vec;

/* The words after the pointer. */
struct location {
	uint64_t size; /* of the described place */
	struct str file;
	uint32_t line, column;
};

/* Section of the last candidate. Most candidates are near each other. */
struct place_reader {
	const struct image *im;
	const struct section *in; /* or NULL */
	struct bytes bytes;       /* bytes of `in` */
};

static struct reader attr_panics_reader_at(struct place_reader *p, uint64_t addr)
{
	if (!p->in || addr - p->in->addr >= p->in->size) {
		p->in = image_section_at(p->im, addr);
		p->bytes = p->in ? section_bytes(p->im, p->in) : (struct bytes){ NULL, 0 };
	}
	struct reader r = reader_of(p->bytes, p->im->big_endian);
	if (p->in)
		reader_seek(&r, addr - p->in->addr);
	return r;
}

static bool read_location(struct place_reader *p, const struct attr_panics_candidate *c,
			  struct location *ret)
{
	const unsigned word = (unsigned)pointer_size(p->im);
	struct reader r = attr_panics_reader_at(p, add_sat(c->addr, word));
	const uint64_t size = read_uint(&r, word);
	ret->line = read_u32(&r);
	ret->column = read_u32(&r);
	ret->size = 2 * word + 8;
	if (!reader_ok(&r) || size > NAME_LONGEST || ret->line == 0 || ret->column == 0)
		return false;
	const struct bytes name = image_at(p->im, c->target, size);
	ret->file = (struct str){ (const char *)name.p, name.size };
	if (name.size > 0 && name.p[name.size - 1] == 0)
		ret->file.len--;
	if (name.size != size || !str_ends(ret->file, STR(".rs")))
		return false;
	for (size_t i = 0; i < ret->file.len; i++)
		if ((unsigned char)ret->file.p[i] < ' ')
			return false;
	return true;
}

static void attr_panics_list_places(struct panics *p, const struct image *im,
				    const pointer_parts *pointers)
{
	candidate_vec found = { 0 };
	struct place_reader reader = { .im = im };
	struct location l;
	for (size_t i = 0; i < pointers->count; i++) {
		const pointer_vec *part = &pointers->data[i];
		for (size_t k = 0; k < part->count; k++) {
			const struct attr_panics_candidate c = { part->data[k].addr,
								 part->data[k].target };
			if (read_location(&reader, &c, &l))
				vec_push(&found, c);
		}
	}
	sort_by_key(found.data, found.count, sizeof *found.data);
	for (size_t i = 0; i < found.count; i++) {
		const struct attr_panics_candidate *c = &found.data[i];
		if ((i == 0 || found.data[i - 1].addr != c->addr) && read_location(&reader, c, &l))
			panics_add(p,
				   &(struct panic_place){ .addr = c->addr,
							  .size = l.size,
							  .name_addr = c->target,
							  .name_size = l.file.len },
				   l.file, l.line, l.column);
	}
	vec_release(&found);
}

/* Tells whether most functions have only a name made from their address. Containers that list the
 * starts of functions get such symbols (build_name_starts). */
static bool most_are_nameless(const struct attr *a)
{
	struct symtab t;
	uint64_t named = 0, nameless = a->scratch->made_up;
	if (!symtab_open(&t, a->im, a->scratch->symtab))
		return true;
	for (size_t i = 1; i < t.count; i++) {
		const struct symbol s = symtab_get(&t, i);
		if (s.section == SYM_NO_SECTION || s.type != STT_FUNC)
			continue;
		if (str_starts(s.name, STR("sub_")))
			nameless++;
		else
			named++;
	}
	return nameless > named;
}

void attr_panics(const struct attr *a, const target_vec *targets, const pointer_parts *pointers)
{
	struct panics *const p = a->f->panics;
	if (!p || a->owner != BY_SYMBOL || a->f->input->image_count > 1 || a->debug)
		return;
	/* Stripped libraries keep symbols for the programs that load them. */
	if (a->scratch->symtab &&
	    !(image_states_sizes(a->im) ? a->scratch->sym_count < a->scratch->made_up
					: most_are_nameless(a)))
		return;
	ASSERT(p->places.count == 0);
	attr_panics_list_places(p, a->im, pointers);
	for (size_t i = 0; p->places.count > 0 && i < targets->count; i++)
		if (targets->data[i].label != LABEL_NONE)
			panics_use(p, targets->data[i].label, targets->data[i].addr);
}
