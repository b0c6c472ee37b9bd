#include "program/raw_program.h"

#include "base/filename.h"
#include "image/linkmap/linkmap_image.h"
#include "image/raw/raw.h"

/* ---- programs that it may be ----------------------------------------------------------------- */

/* An ELF file that may be the program. */
struct candidate {
	char *path; /* owned */
	struct file file;
	struct input input;
	bool open;
};

static void close_candidate(struct candidate *c)
{
	if (c->open)
		input_close(&c->input);
	if (c->open)
		file_close(&c->file);
	mem_free(c->path);
	memset(c, 0, sizeof *c);
}

static bool open_candidate(struct candidate *c, struct heft_err *err)
{
	if (!file_open(&c->file, c->path, err))
		return false;
	const bool elf = elf_matches(c->file.bytes);
	c->open = elf && input_parse(&c->input, c->path, c->file.bytes, NULL, err) &&
		  c->input.image_count == 1;
	if (c->open)
		return true;
	file_close(&c->file);
	return elf ? false
		   : fail(err, HEFT_EFORMAT, 0,
			  "%s: not the program of a raw image: it is no ELF file", c->path);
}

static char *copied(const char *text)
{
	const size_t size = strlen(text) + 1;
	return memcpy(mem_alloc(size), text, size);
}

/* "fw.hex" is made of "fw.elf", "sketch.ino.hex" of "sketch.ino.elf", "fw.elf.bin" of "fw.elf". */
static char *path_beside(const char *path)
{
	static const char *const endings[] = { ".elf", ".axf", ".out", "" };
	const char *name = file_name(path), *dot = strrchr(name, '.');
	struct arena a = { 0 };
	char *found = NULL;
	for (size_t i = 0; dot && dot > name && !found && i < COUNT_OF(endings); i++) {
		const char *at = arena_format(&a, "%.*s%s", (int)(dot - path), path, endings[i]);
		if (strcmp(at, path) != 0 && file_exists(at))
			found = copied(at);
	}
	arena_release(&a);
	return found;
}

/* The i-th path where the program may be, for mem_free; NULL: there is none. */
static char *candidate_path(const struct program *p, size_t i)
{
	const struct program_wish *w = p->wish;
	if (w->elfs.count > 0)
		return i < w->elfs.count ? copied(w->elfs.data[i]) : NULL;
	return i == 0 && wish_finds_debug(w) ? path_beside(p->path) : NULL;
}

/* Opens the i-th one.  False with err->code 0: there is none.  One that nobody named is passed over
 * where it is no program. */
static bool next_candidate(const struct program *p, size_t i, struct candidate *ret,
			   struct heft_err *err)
{
	*ret = (struct candidate){ .path = candidate_path(p, i) };
	*err = (struct heft_err){ 0 };
	if (ret->path && open_candidate(ret, err))
		return true;
	mem_free(ret->path);
	if (p->wish->elfs.count == 0)
		*err = (struct heft_err){ 0 };
	return false;
}

/* ---- plain bytes ----------------------------------------------------------------------------- */

static bool told_base(const struct program_wish *w, uint64_t *ret)
{
	for (size_t i = 0; i < w->pieces.count; i++) {
		const struct dump_piece *piece = &w->pieces.data[i];
		if (!piece->path && piece->has_addr) {
			*ret = piece->addr;
			return true;
		}
	}
	return false;
}

static bool is_named_plain(const char *path)
{
	static const char *const endings[] = { ".bin", ".img", ".rom" };
	for (size_t i = 0; i < COUNT_OF(endings); i++)
		if (str_ends(str_of(path), str_of(endings[i])))
			return true;
	return false;
}

bool raw_is_plain(const struct program *p, struct bytes file, uint64_t *ret_base,
		  struct heft_err *err)
{
	struct candidate c;
	*err = (struct heft_err){ 0 };
	if (input_knows(file) || linkmap_matches(file))
		return false;
	if (told_base(p->wish, ret_base))
		return true;
	if (p->wish->elfs.count == 0 && !is_named_plain(p->path))
		return false;
	if (!next_candidate(p, 0, &c, err))
		return false;
	const bool ok = raw_lowest(&c.input.images[0], ret_base);
	close_candidate(&c);
	return ok;
}

/* ---- the program ----------------------------------------------------------------------------- */

static void note_match(const struct program *p, const char *path, const struct raw_match *m)
{
	const char *name = file_name(path);
	if (m->differing > 0)
		note(p->notes, p->path, HEFT_NO_OFFSET, m->differing,
		     "differs from %s, first at 0x%08" PRIx64, name, m->first_differing);
	if (m->missing > 0)
		note(p->notes, p->path, HEFT_NO_OFFSET, m->missing,
		     "lacks bytes of %s, first at 0x%08" PRIx64, name, m->first_missing);
}

/* One that somebody named may differ in anything. */
static bool is_of(const struct program *p, const struct raw_match *m)
{
	return m->same > (p->wish->elfs.count > 0 ? 0 : m->differing);
}

static bool join(struct program *p, struct candidate *c, const struct raw_match *m,
		 struct heft_err *err)
{
	if (!is_of(p, m)) {
		note(p->notes, p->path, HEFT_NO_OFFSET, 0,
		     "%s is another program: %" PRIu64 " of its bytes are here, %" PRIu64 " differ",
		     c->path, m->same, m->differing);
		return true;
	}
	if (!input_join(&p->input, c->path, c->file.bytes, err))
		return false;
	note_match(p, c->path, m);
	p->made_of = c->path;
	c->path = NULL;
	return true;
}

bool raw_find_program(struct program *p, struct heft_err *err)
{
	struct candidate best = { 0 }, c;
	struct raw_match match = { 0 };
	struct heft_err why;
	bool ok = true;
	if (!p->input.raw)
		return true;
	for (size_t i = 0; next_candidate(p, i, &c, &why); i++) {
		const struct raw_match m = raw_compare(p->input.raw, &c.input.images[0]);
		if (best.open && m.same <= match.same) {
			close_candidate(&c);
			continue;
		}
		close_candidate(&best);
		best = c;
		match = m;
	}
	if (why.code != 0)
		ok = fail(err, why.code, why.offset, "%s", why.text);
	else if (best.open)
		ok = join(p, &best, &match, err);
	close_candidate(&best);
	return ok;
}
