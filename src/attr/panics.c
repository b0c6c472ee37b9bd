/* Collects the places where a Rust program can panic, and infers the crates of its functions.
 *
 * A place (core::panic::Location) has a pointer to the name of a file, its length, a line and a
 * column, both counted from 1. rustc's order of the fields is the same since version 1.42. The text
 * may end in a NUL that the length counts. */
#include "attr/panics.h"

#include "attr/attr_refs.h"
#include "base/sort.h"
#include "image/elf/elf_const.h"

/* Limits of the rules for the crate of a function. A spot is a source position that can panic. Rule
 * 1: the function has at least NAMED_BY spots in the crate and none in others. Rule 2: most of its
 * spots are in the crate, and of the NEAR functions on each side at least NEAR_AGREE have other
 * spots of the crate. In programs with symbols, both rules are right for at least 93 % of the
 * bytes. */
enum { NAMED_BY = 4, NEAR = 4, NEAR_AGREE = 4 };
/* A spot is probably in inlined code if more functions than this refer to it. */
enum { USERS_MAX = 2 };

void panics_clear(struct panics *p)
{
	intern_release(&p->files);
	vec_release_all(&p->places, &p->uses, &p->spots);
	map_release(&p->spot_ids);
	*p = (struct panics){ 0 };
}

static uint32_t spot_id(struct panics *p, const struct panic_spot *s)
{
	uint32_t id;
	const uint64_t key = (uint64_t)s->line << 32 | s->column;
	struct map_at at = map_at(&p->spot_ids, hash_pair(key, s->file));
	while (map_next(&p->spot_ids, &at, &id)) {
		const struct panic_spot *o = &p->spots.data[id];
		if (o->file == s->file && o->line == s->line && o->column == s->column)
			return id;
	}
	vec_push(&p->spots, *s);
	map_put(&p->spot_ids, &at, (uint32_t)p->spots.count - 1);
	return (uint32_t)p->spots.count - 1;
}

void panics_add(struct panics *p, const struct panic_place *place, struct str file, uint32_t line,
		uint32_t column)
{
	struct panic_place made = *place;
	ASSERT(p->places.count == 0 || p->places.data[p->places.count - 1].addr <= place->addr);
	made.file = intern_borrow(&p->files, file);
	made.spot = spot_id(p, &(struct panic_spot){ made.file, line, column });
	vec_push(&p->places, made);
}

void panics_use(struct panics *p, label_id function, uint64_t addr)
{
	const size_t count = p->places.count, size = sizeof *p->places.data;
	if (count == 0 || addr < p->places.data[0].addr || addr > p->places.data[count - 1].addr)
		return;
	const size_t i = lower_bound(p->places.data, count, size, addr);
	if (p->places.data[i].addr == addr)
		vec_push(&p->uses, (struct panic_use){ function, (uint32_t)i });
}

enum { NAME_LONGEST = 4096 };

struct panic_candidate {
	uint64_t addr, target;
};

typedef VEC(struct panic_candidate) candidate_vec;

/* The fields of a panic place after its pointer to the file name. */
struct location {
	uint64_t size;
	struct str file;
	uint32_t line, column;
};

/* Reads possible panic places. Remembers the section of the last one, because all are together */
struct place_reader {
	const struct image *im;
	const struct section *in; /* Section of the last place. NULL: none yet */
	struct bytes bytes;       /* Bytes of `in` */
};

static struct reader panic_reader_at(struct place_reader *p, uint64_t addr)
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

static bool read_location(struct place_reader *p, const struct panic_candidate *c,
			  struct location *ret)
{
	const unsigned word = (unsigned)pointer_size(p->im);
	struct reader r = panic_reader_at(p, add_sat(c->addr, word));
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

static void panics_list(struct panics *p, const struct image *im, const pointer_parts *pointers)
{
	candidate_vec found = { 0 };
	struct place_reader reader = { .im = im };
	struct location l;
	for (size_t i = 0; i < pointers->count; i++) {
		const pointer_vec *part = &pointers->data[i];
		for (size_t k = 0; k < part->count; k++) {
			const struct panic_candidate c = { part->data[k].addr,
							   part->data[k].target };
			if (read_location(&reader, &c, &l))
				vec_push(&found, c);
		}
	}
	vec_sort(&found);
	for (size_t i = 0; i < found.count; i++) {
		const struct panic_candidate *c = &found.data[i];
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

/* True if most functions have a generated name (build_name_starts), as in containers with only a
 * list of function starts. */
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
	ASSERT(p);
	if (a->owner != BY_SYMBOL || !input_is_one_image(a->f->input) || a->debug)
		return;
	/* Stripped libraries keep the symbols to which programs link. */
	if (a->scratch->symtab &&
	    !(image_states_sizes(a->im) ? a->scratch->sym_count < a->scratch->made_up
					: most_are_nameless(a)))
		return;
	ASSERT(p->places.count == 0);
	panics_list(p, a->im, pointers);
	for (size_t i = 0; p->places.count > 0 && i < targets->count; i++)
		if (targets->data[i].label != LABEL_NONE)
			panics_use(p, targets->data[i].label, targets->data[i].addr);
}

/* Adds a crate and returns its id. Without a version, "-" is spelled "_", as in symbols. */
static uint32_t crate_add(struct panic_owners *o, const struct crate_path *c, struct text *room)
{
	text_set(room, c->kind == CRATE_OWN ? STR(OWN_CRATE) : c->name);
	for (size_t i = 0; i < room->len && c->version.len == 0; i++)
		if (room->p[i] == '-')
			room->p[i] = '_';
	if (c->version.len > 0) {
		text_adds(room, STR(" "), c->version);
	}
	const uint32_t id = intern_add(&o->crates, text_str(room));
	if (id == o->library.count)
		vec_push(&o->library, c->kind == CRATE_LIBRARY);
	return id;
}

static void panics_tell_files(const struct panics *p, struct panic_owners *o)
{
	struct text room = { 0 };
	o->of_file = mem_zeroed(p->files.entries.count, sizeof *o->of_file);
	for (size_t i = 0; i < p->files.entries.count; i++) {
		const struct crate_path c = crate_of_path(p->files.entries.data[i]);
		o->of_file[i] = crate_add(o, &c, &room);
	}
	text_release(&room);
}

/* A function that refers to panic places. Its source positions (spots) are sorted numbers: crate <<
 * 32 | index in panics.spots */
struct panics_user {
	label_id function;
	size_t first, count;   /* Range in panics_teller.spots */
	size_t own, own_count; /* Range in panics_teller.spots: its spots in `crate` */
	uint32_t crate;        /* Crate of most of its spots. A crate of Rust's library only if all
				* its spots are in that library. */
	uint32_t other_crates; /* Number of other crates, without Rust's library */
	bool tied;             /* True if another crate has as many spots */
};

struct panics_teller {
	const struct panics *panics;
	struct panic_owners *owners;
	VEC(struct panics_user) users; /* Functions, in the order of their code */
	uint64_t *spots;
	uint32_t *spot_users; /* Per spot (panics.spots): number of functions that refer to it */
};

/* Lists the functions that refer to panic places. Until the crates are known, `of_function` holds
 * indexes into this list. */
static void panics_list_users(struct panics_teller *t)
{
	const struct panics *p = t->panics;
	uint32_t *const of = t->owners->of_function;
	size_t total = 0;
	for (size_t i = 0; i < p->uses.count; i++) {
		const label_id f = p->uses.data[i].function;
		ASSERT(f < t->owners->label_count);
		if (of[f] == PANIC_NO_CRATE) {
			of[f] = (uint32_t)t->users.count;
			vec_push(&t->users, (struct panics_user){ .function = f });
		}
		t->users.data[of[f]].count++;
	}
	for (size_t i = 0; i < t->users.count; i++) {
		t->users.data[i].first = total;
		total += t->users.data[i].count;
		t->users.data[i].count = 0;
	}
}

static void list_spots(struct panics_teller *t)
{
	const struct panics *p = t->panics;
	t->spots = mem_zeroed(p->uses.count, sizeof *t->spots);
	for (size_t i = 0; i < p->uses.count; i++) {
		struct panics_user *u =
			&t->users.data[t->owners->of_function[p->uses.data[i].function]];
		const struct panic_place *place = &p->places.data[p->uses.data[i].place];
		t->spots[u->first + u->count++] = (uint64_t)t->owners->of_file[place->file] << 32 |
						  place->spot;
	}
}

/* Removes duplicate spots (source positions) of a function, and counts it as a user of each. */
static void panics_squeeze(struct panics_teller *t, struct panics_user *u)
{
	uint64_t *const s = t->spots + u->first;
	size_t count = 0;
	qsort(s, u->count, sizeof *s, compare_numbers);
	for (size_t i = 0; i < u->count; i++)
		if (count == 0 || s[count - 1] != s[i])
			s[count++] = s[i];
	u->count = count;
	for (size_t i = 0; i < count; i++)
		t->spot_users[(uint32_t)s[i]]++;
}

/* Sets the function's crate: the one with the most spots (source positions), and the first of
 * equals. A crate of Rust's library is set only if there are no others. */
static void panics_choose(const struct panics_teller *t, struct panics_user *u)
{
	bool library = true;
	for (size_t i = 0, end; i < u->count; i = end) {
		const uint64_t *const s = t->spots + u->first;
		const uint32_t crate = (uint32_t)(s[i] >> 32);
		const bool in_library = t->owners->library.data[crate];
		for (end = i; end < u->count && s[end] >> 32 == crate; end++)
			;
		u->other_crates += !in_library;
		if (in_library && !library)
			continue;
		if ((library && !in_library) || end - i > u->own_count) {
			u->own = u->first + i;
			u->own_count = end - i;
			u->crate = crate;
			u->tied = false;
		} else if (end - i == u->own_count) {
			u->tied = true;
		}
		library = library && in_library;
	}
	u->other_crates -= u->other_crates > 0;
	ASSERT(u->own_count > 0 && u->own + u->own_count <= u->first + u->count);
}

static bool in_library(const struct panics_teller *t, const struct panics_user *u)
{
	return t->owners->library.data[u->crate];
}

/* Returns true if function `other` has the crate of `u`, and a spot that `u` does not have. */
static bool agrees(const struct panics_teller *t, const struct panics_user *u,
		   const struct panics_user *other)
{
	if (other->crate != u->crate)
		return false;
	for (size_t i = 0; i < other->own_count; i++)
		if (!bsearch(&t->spots[other->own + i], &t->spots[u->own], u->own_count,
			     sizeof *t->spots, compare_numbers))
			return true;
	return false;
}

/* Counts how many of the nearest functions agree on the crate. `step` is the direction. If
 * `library` is false, skips functions with only spots of Rust's library. */
static unsigned agreeing(const struct panics_teller *t, size_t i, int step, bool library)
{
	const struct panics_user *const u = &t->users.data[i];
	unsigned seen = 0, ret = 0;
	for (i += (size_t)step; i < t->users.count && seen < NEAR; i += (size_t)step) {
		const struct panics_user *other = &t->users.data[i];
		if (!library && in_library(t, other))
			continue;
		seen++;
		ret += agrees(t, u, other);
	}
	return ret;
}

static void tell_functions(struct panics_teller *t)
{
	uint32_t *const of = t->owners->of_function;
	panics_list_users(t);
	list_spots(t);
	t->spot_users = mem_zeroed(t->panics->spots.count, sizeof *t->spot_users);
	for (size_t i = 0; i < t->users.count; i++) {
		panics_squeeze(t, &t->users.data[i]);
		panics_choose(t, &t->users.data[i]);
	}
	for (size_t i = 0; i < t->users.count; i++) {
		const struct panics_user *const u = &t->users.data[i];
		const bool library = in_library(t, u);
		const bool named = !library && u->other_crates == 0 && u->own_count >= NAMED_BY;
		bool private = false; /* True if few functions refer to one of its spots */
		for (size_t k = 0; k < u->own_count && !private; k++)
		private = t->spot_users[(uint32_t)t->spots[u->own + k]] <= USERS_MAX;
		const bool near = !u->tied && private &&
				  agreeing(t, i, -1, library) + agreeing(t, i, 1, library) >=
					  NEAR_AGREE;
		of[u->function] = named || near ? u->crate : PANIC_NO_CRATE;
	}
	vec_release(&t->users);
	mem_free_all(t->spots, t->spot_users);
}

void panics_tell(const struct panics *p, size_t label_count, struct panic_owners *ret)
{
	*ret = (struct panic_owners){ .label_count = label_count };
	ret->of_function = mem_zeroed(label_count, sizeof *ret->of_function);
	memset(ret->of_function, 0xff, label_count * sizeof *ret->of_function);
	panics_tell_files(p, ret);
	tell_functions(&(struct panics_teller){ .panics = p, .owners = ret });
}

void panic_owners_release(struct panic_owners *o)
{
	intern_release(&o->crates);
	vec_release(&o->library);
	mem_free_all(o->of_file, o->of_function);
}
