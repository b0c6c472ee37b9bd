/* Finds the PDB of a program, and opens it as the program's separate debug file. */
#include "program/companion_forms.h"

#include "debug/codeview/pdb_dwarf.h"
#include "image/debugfile.h"
#include "image/elf/elf_const.h"

bool pdb_file_named(const char *path)
{
	struct heft_err err;
	struct file f;
	if (!file_open(&f, path, &err))
		return false;
	const bool is = msf_matches(f.bytes);
	file_close(&f);
	return is;
}

bool pdb_file_check(struct bytes b, const char *path, struct heft_err *err)
{
	uint8_t guid[16];
	uint32_t age;
	return pdb_read_id(b, guid, &age) || fail(err, HEFT_EFORMAT, HEFT_NO_OFFSET,
						  "%s: the headers of the PDB are damaged", path);
}

bool pdb_file_is_of(struct bytes b, const struct image *im)
{
	uint8_t guid[16];
	uint32_t age;
	return pdb_read_id(b, guid, &age) && age == im->debug_age &&
	       same_build_id((struct bytes){ guid, sizeof guid }, im->build_id);
}

struct pdb_file_making {
	const struct image *im;
	struct image_build build;
	struct pdb pdb;
	struct pdb_dwarf dwarf;
	struct text bytes; /* Bytes of the image that is made */
};

static void pdb_file_put_symbol(struct pdb_file_making *m, const struct pdb_symbol *s,
				uint64_t size)
{
	const struct section *in = image_section_at(m->im, s->addr);
	if (!in)
		return;
	const char *name = arena_copy(&m->build.im->arena, s->name);
	const struct made_symbol made = { .symbol = { .name = { name, s->name.len },
						      .section = in->index,
						      .value = s->addr,
						      .size = size,
						      .type = s->code ? STT_FUNC : STT_OBJECT,
						      .bind = s->global ? STB_GLOBAL
									: STB_LOCAL } };
	build_symbol(&m->build, &made);
}

/* Which symbols at one address are kept: all, those without a linkage name, or those with one. */
enum kept { KEPT_ALL, KEPT_PLAIN, KEPT_LINKAGE };

static bool pdb_file_is_kept(const struct pdb_symbol *s, enum kept kept)
{
	if (kept == KEPT_ALL || kept == KEPT_PLAIN)
		return kept == KEPT_ALL || !s->linkage;
	return s->linkage && !str_starts(s->name, STR("??@")); /* "??@" is a hash in place of a
							        * long name */
}

/* Adds the symbols [first, end) of one address. Prefers linkage names to the compiler's own names,
 * because they distinguish overloads. */
static void put_group(struct pdb_file_making *m, size_t first, size_t end)
{
	enum { NEAR = 16 };
	const struct pdb_symbol *s = m->dwarf.symbols.data;
	enum kept kept = KEPT_ALL;
	ASSERT(first < end && end <= m->dwarf.symbols.count);
	uint64_t size = 0;
	for (size_t i = first; i < end; i++) {
		if (pdb_file_is_kept(&s[i], KEPT_LINKAGE))
			kept = KEPT_LINKAGE;
		else if (kept == KEPT_ALL && !s[i].linkage)
			kept = KEPT_PLAIN;
		size = s[i].size > size ? s[i].size : size;
	}
	for (size_t i = first; i < end; i++) {
		/* Skips a name that one of the last few symbols has. */
		bool repeated = false;
		for (size_t k = i - first > NEAR ? i - NEAR : first; k < i && !repeated; k++)
			repeated = pdb_file_is_kept(&s[k], kept) && str_eq(s[k].name, s[i].name);
		if (pdb_file_is_kept(&s[i], kept) && !repeated)
			pdb_file_put_symbol(m, &s[i], size);
	}
}

static void pdb_file_make(struct pdb_file_making *m, struct image *ret, const char *path,
			  struct notes *notes)
{
	ASSERT(m->bytes.len == 0 && ret != m->im);
	made_image_begin(&m->build, ret, m->im, path, notes);
	ret->build_id = m->im->build_id;
	made_image_add_dwarf(&m->build, &m->bytes, &m->dwarf.made);
	const struct pdb_symbol *s = m->dwarf.symbols.data;
	const size_t count = m->dwarf.symbols.count;
	for (size_t i = 0, end; i < count; i = end) {
		for (end = i + 1; end < count && s[end].addr == s[i].addr;)
			end++;
		put_group(m, i, end);
	}
	vec_each(const struct pdb_piece, p, &m->pdb.pieces) {
		vec_push(&m->build.starts, (struct build_start){ m->dwarf.base + p->rva, 0 });
		vec_push(&m->build.starts,
			 (struct build_start){ m->dwarf.base + p->rva + p->size, 0 });
	}
	build_finish(&m->build, 0, 0);
}

bool pdb_file_open(const struct image *im, const char *path, struct input *in, struct notes *notes,
		   struct heft_err *err)
{
	struct pdb_file_making m = { .im = im };
	memset(in, 0, sizeof *in);
	if (!file_open(&in->file, path, err))
		return false;
	if (!pdb_open(&m.pdb, in->file.bytes)) {
		(void)fail(err, HEFT_EFORMAT, HEFT_NO_OFFSET,
			   "%s: the headers of the PDB are damaged", path);
		pdb_close(&m.pdb);
		file_close(&in->file);
		return false;
	}
	/* The first segment of a PE image is its headers, which are at the image base. */
	pdb_dwarf_make(&m.dwarf, &m.pdb, im->segment_count > 0 ? im->segments[0].addr : 0);
	if (m.pdb.damaged > 0)
		note(notes, path, HEFT_NO_OFFSET, m.pdb.damaged, "the PDB has damaged records");
	in->images = mem_zeroed(1, sizeof *in->images);
	in->image_count = 1;
	in->notes = notes;
	pdb_file_make(&m, in->images, in->file.path, notes);
	in->owned = m.bytes.p;
	pdb_dwarf_release(&m.dwarf);
	pdb_close(&m.pdb);
	return true;
}

/* Returns the last component of a path. Windows paths may use both separators. */
static struct str pdb_file_last_part(struct str path)
{
	size_t start = path.len;
	while (start > 0 && path.p[start - 1] != '/' && path.p[start - 1] != '\\')
		start--;
	return (struct str){ path.p + start, path.len - start };
}

static bool pdb_file_try_path(const struct image *im, const char *path, struct notes *notes)
{
	struct heft_err err;
	struct file f;
	if (!file_exists(path) || !file_open(&f, path, &err))
		return false;
	const bool ok = pdb_file_is_of(f.bytes, im);
	if (!ok && msf_matches(f.bytes))
		note(notes, im->path, HEFT_NO_OFFSET, 0,
		     "%s belongs to another build (its GUID or age differs)", path);
	file_close(&f);
	return ok;
}

/* Searches a directory for the name that the image states, then for the image's own name. */
static const char *pdb_file_try_dir(const struct image *im, struct str dir, struct arena *a,
				    struct notes *notes)
{
	struct str own = pdb_file_last_part(str_of(im->path));
	const struct str named = pdb_file_last_part(im->debug_name);
	const char *path = arena_format(a, STR_FMT "/" STR_FMT, STR_ARG(dir), STR_ARG(named));
	if (named.len > 0 && pdb_file_try_path(im, path, notes))
		return path;
	const char *dot = strrchr(own.p, '.');
	own.len = dot ? (size_t)(dot - own.p) : own.len;
	if (named.len == own.len + 4 && str_starts(named, own))
		return NULL;
	path = arena_format(a, STR_FMT "/" STR_FMT ".pdb", STR_ARG(dir), STR_ARG(own));
	return pdb_file_try_path(im, path, notes) ? path : NULL;
}

static const char *program_pdb_file_find(const struct image *im, const struct debug_search *how,
					 struct arena *a, struct notes *notes)
{
	const struct str whole = str_of(im->path), name = pdb_file_last_part(whole);
	const size_t len = whole.len - name.len;
	const char *stated = arena_copy(a, im->debug_name);
	const char *found = pdb_file_try_dir(
		im, len > 0 ? (struct str){ whole.p, len - (len > 1) } : STR("."), a, notes);
	for (size_t i = 0; i < how->dir_count && !found; i++)
		found = pdb_file_try_dir(im, str_of(how->dirs[i]), a, notes);
	if (!found && stated[0] == '/' && pdb_file_try_path(im, stated, notes))
		found = stated;
	return found;
}

char *pdb_file_find(const struct image *im, const struct debug_search *how, struct notes *notes)
{
	enum { NAME_LENGTH_MAX = 4096 };
	struct arena scratch = { 0 };
	char *ret = NULL;
	if (im->debug_name.len == 0 || im->debug_name.len > NAME_LENGTH_MAX || im->member.len > 0)
		return NULL;
	const char *found = program_pdb_file_find(im, how, &scratch, notes);
	if (found) {
		const size_t size = strlen(found) + 1;
		ret = memcpy(mem_alloc(size), found, size);
	}
	arena_release(&scratch);
	return ret;
}
