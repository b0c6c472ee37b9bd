/* Makes a companion image with the symbols of a stripped Go program. */
#include "program/companion_forms.h"

#include "image/elf/elf_const.h"
#include "names/package_name.h"

struct go_symbols_making {
	const struct image *im;
	struct image_build build;
	const struct go_table *table;
	struct str package;
	uint64_t damaged;
};

/* Adds a file symbol for the function's package. The symbols after it belong to the package, which
 * is Go's unit. */
static void put_package(struct go_symbols_making *m, struct str function)
{
	const struct str package = go_package(function);
	if (str_eq(package, m->package))
		return;
	m->package = package;
	const struct made_symbol s = {
		.symbol = { .name = { arena_copy(&m->build.im->arena, package), package.len },
			    .section = SYM_ABSOLUTE,
			    .type = STT_FILE,
			    .bind = STB_LOCAL }
	};
	build_symbol(&m->build, &s);
}

static void go_symbols_put_function(struct go_symbols_making *m, const struct pclntab_func *f)
{
	const struct section *in = image_section_at(m->im, f->addr);
	if (!in || !in->exec || f->name.len == 0) {
		m->damaged++;
		return;
	}
	put_package(m, f->name);
	build_symbol(&m->build, &(struct made_symbol){ .symbol = { .name = f->name,
								   .section = in->index,
								   .value = f->addr,
								   .size = f->size,
								   .type = STT_FUNC,
								   .bind = STB_LOCAL } });
}

static void put_functions(struct go_symbols_making *m)
{
	const struct pclntab *t = &m->table->tab;
	struct pclntab_func f;
	for (uint64_t i = 0; i < t->func_count; i++) {
		if (go_table_func(m->table, m->im, i, &f))
			go_symbols_put_function(m, &f);
		else
			m->damaged++;
	}
	if (m->damaged > 0)
		note(m->build.im->notes, m->im->path, m->im->file_off + m->table->section->off, 0,
		     "the table of Go's functions has %" PRIu64 " damaged entries", m->damaged);
}

/* Adds the tables of the whole program. Most tables belong to package runtime. Lists of types
 * belong to no package, so their symbols come before the first file symbol. */
static void go_symbols_put_parts(struct go_symbols_making *m)
{
	for (size_t n = GO_PARTS; n > 0; n--) {
		const size_t i = n - 1;
		const struct go_part *p = &m->table->parts[i];
		const struct section *in = p->size > 0 ? image_section_at(m->im, p->addr) : NULL;
		if (!in)
			continue;
		if (i < GO_TYPE_LINKS)
			put_package(m, str_of(p->name));
		build_symbol(&m->build, &(struct made_symbol){ .symbol = { .name = str_of(p->name),
									   .section = in->index,
									   .value = p->addr,
									   .size = p->size,
									   .type = STT_OBJECT,
									   .bind = STB_LOCAL } });
	}
}

/* Makes the companion image. Returns memory that it borrows, which the caller frees. */
static void *go_symbols_make(struct go_symbols_making *m, struct image *ret, unsigned what,
			     const struct go_dwarf *d, struct notes *notes)
{
	struct text bytes = { 0 };
	made_image_begin(&m->build, ret, m->im, m->im->path, notes);
	for (size_t i = 0; d && i < GO_DWARF_SECTIONS; i++)
		made_image_add(&m->build, &bytes, str_of(go_dwarf_names[i]), &d->sections[i]);
	if (what & GO_SYMBOLS) {
		go_symbols_put_parts(m);
		put_functions(m);
	}
	build_finish(&m->build, 0, 0);
	return bytes.p;
}

void go_symbols_open(const struct image *im, const struct go_table *table, unsigned what,
		     struct input *ret, void **ret_owned, struct notes *notes)
{
	struct go_symbols_making m = { .im = im, .table = table };
	struct go_dwarf d;
	ASSERT(im->kind == IMAGE_EXEC && table->section && what != 0);
	const bool lines = (what & GO_LINES) != 0 && go_dwarf_make(&d, im, table);
	*ret = (struct input){ .images = mem_zeroed(1, sizeof *ret->images),
			       .image_count = 1,
			       .notes = notes };
	*ret_owned = go_symbols_make(&m, &ret->images[0], what, lines ? &d : NULL, notes);
	if (lines)
		go_dwarf_release(&d);
}
