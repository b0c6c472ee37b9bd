/* Implements the data source `packages`: the package of each byte of code, in all languages.
 *
 * If a language has packages, a symbol's name contains its package (names/package_name.h). Other
 * code, mainly C, has its compile unit's package: the library of its object in the linker map.
 * Without a map, it is the crate or import path in the unit's name. Without these, it is the first
 * directory below the one that 90 % of these units share. Units without a directory are not
 * counted. A shared library is its own package.
 *
 * Rust functions without names belong to the crate that their panic places show (attr/panics.h).
 * Panic places and file names belong to the file's crate. */
#define _GNU_SOURCE /* memmem */
#include "source/packages.h"
#include "attr/panics.h"
#include "source/library_name.h"

#include "base/text.h"
#include "image/elf/elf_const.h"
#include "image/image.h"
#include "map/rollup.h"
#include "names/package_name.h"
#include "program/debuginfo.h"
#include "program/go_types.h"

/* Labels with a special meaning. */
#define LABEL_BY_UNIT (LABEL_NONE - 1) /* The package is not in the symbol's name */
#define LABEL_NEW     (LABEL_NONE - 2) /* Not looked up yet */
#define NO_PACKAGE    "(no package)"
#define GO_C          "(C)"               /* Code of a Go program whose units are unknown */
#define NO_CRATE      "(crate not known)" /* Code of a Rust program without symbols */

/* A crate, with the versions that paths in the program have */
struct packages_crate {
	struct str name; /* Name as paths spell it */
	struct text versions;
	unsigned count;
};

enum { VERSIONS_MAX = 4 };

struct packages {
	const struct source_file *f;
	struct package_input in;
	struct namespaces own_spaces; /* Used if the caller has no namespaces */
	struct demangler demangler;
	struct intern crate_names;         /* Names of crates, with "_" for "-" */
	VEC(struct packages_crate) crates; /* Indexed by the crate's id in crate_names */
	bool go, crates_read;
	unsigned languages;           /* Bits of enum language */
	const struct go_table *table; /* Go's tables of the only image, or NULL */
	uint64_t go_start, go_end;    /* Range of code in Go's tables */
	struct str last_path;         /* Of the last go_label(): neighbours mostly share it */
	label_id last_label;
	struct layer own_symbols, own_units; /* Empty if the caller has the layers */
	VEC(label_id) of_symbol, of_unit;    /* Per label: its package */
	struct str root;                     /* Directory that most units share, with a "/", or
					      * "" */
	struct text text;
	label_id nameless; /* Label of code with neither package nor unit */
	bool by_places;    /* True for Rust without symbols: positions of panics tell the crates */
	struct panic_owners told;
	VEC(label_id) crate_labels; /* Per crate of `told`: its label */
	struct spans *out;
};

static uint32_t crate_id(struct packages *p, struct str name)
{
	char *plain = mem_alloc(name.len + 1);
	for (size_t i = 0; i < name.len; i++)
		plain[i] = name.p[i] == '-' ? '_' : name.p[i];
	const uint32_t id = intern_add(&p->crate_names, (struct str){ plain, name.len });
	mem_free(plain);
	if (id == p->crates.count)
		vec_push(&p->crates, (struct packages_crate){ .name = name });
	return id;
}

static bool has_version(const struct packages_crate *c, struct str version)
{
	const struct str all = text_str(&c->versions);
	for (size_t at = 0; at < all.len;) {
		const char *const end = memchr(all.p + at, ',', all.len - at);
		const size_t len = end ? (size_t)(end - all.p) - at : all.len - at;
		if (str_eq((struct str){ all.p + at, len }, version))
			return true;
		at += len + 1;
	}
	return false;
}

static void learn_version(struct packages *p, struct str name, struct str version)
{
	const uint32_t id = crate_id(p, name);
	struct packages_crate *c = &p->crates.data[id];
	if (c->count == VERSIONS_MAX || has_version(c, version))
		return;
	if (c->count++ > 0)
		text_add_char(&c->versions, ',');
	text_add(&c->versions, version);
}

/* Finds versions of crates in paths, which panics and debug info have. */
static void learn_versions(struct packages *p, struct bytes b, struct str mark)
{
	const uint8_t *at = b.p, *const end = b.p + b.size;
	struct str name, version;
	while (at < end && (at = memmem(at, (size_t)(end - at), mark.p, mark.len)) != NULL) {
		at += mark.len;
		const size_t room = strnlen((const char *)at, min_u64((uint64_t)(end - at), 256));
		struct str path = { (const char *)at, room };
		if (str_starts(path, STR("src/")))
			path = (struct str){ path.p + 4, path.len - 4 };
		if (crate_version(path, &name, &version))
			learn_version(p, name, version);
	}
}

/* Returns a label such as "serde 1.0.1". The hash in `raw` distinguishes crates of one name. */
static label_id crate_label(struct packages *p, struct str raw, struct str crate)
{
	for (size_t i = 0; !p->crates_read && i < p->f->input->image_count; i++) {
		learn_versions(p, p->f->input->images[i].bytes, STR("registry/"));
		learn_versions(p, p->f->input->images[i].bytes, STR("/rust/deps/"));
	}
	p->crates_read = true;
	const uint32_t id = crate_id(p, crate);
	const struct packages_crate *c = &p->crates.data[id];
	char hash[CRATE_HASH_ROOM];
	text_set(&p->text, c->count > 0 ? c->name : crate);
	if (c->count > 1 && crate_hash(raw, crate, hash)) {
		text_adds(&p->text, STR(" #"), str_of(hash));
	} else if (c->count > 0) {
		text_adds(&p->text, STR(" "), text_str(&c->versions));
	}
	return label_copy(p->in.out, text_str(&p->text));
}

static label_id go_label(struct packages *p, struct str path)
{
	if (path.len == 0)
		return LABEL_BY_UNIT;
	if (str_eq(path, p->last_path))
		return p->last_label;
	char *out = mem_alloc(path.len);
	const size_t len = go_package_text(path, out);
	p->last_path = path;
	p->last_label = label_copy(p->in.out, (struct str){ out, len });
	mem_free(out);
	return p->last_label;
}

/* Returns a label by address if a name of Go has no package: its assembly functions, and long names
 * of types, which Go replaces by hashes. LABEL_BY_UNIT outside of both. */
static label_id find_by_place(struct packages *p, struct str name, uint64_t addr)
{
	const struct str types = STR("(Go types)");
	if (addr >= p->go_start && addr < p->go_end)
		return label_borrow(p->in.out,
				    str_starts(name, STR("type")) ? types : STR("(Go assembly)"));
	if (addr < p->table->types.start || addr >= p->table->types.end)
		return LABEL_BY_UNIT;
	const struct str path = go_type_package(p->table, &p->f->input->images[0], addr);
	return path.len > 0 ? go_label(p, path) : label_borrow(p->in.out, types);
}

/* Removes the underscore that Mach-O puts before names. Go's own names begin with none. */
static struct str go_name(const struct packages *p, struct str name)
{
	const bool mangled = p->table && str_starts(name, STR("_")) &&
			     str_eq(str_of(p->f->input->images[0].format), STR("Mach-O"));
	return (struct str){ name.p + mangled, name.len - mangled };
}

static label_id find_by_name(struct packages *p, label_id symbol)
{
	const struct str raw = go_name(p, label_text(p->in.symbol_labels, symbol));
	struct str found, space = STR("");
	if (p->in.space_of)
		space = intern_get(p->in.space_texts, p->in.space_of[symbol]);
	if (str_ends(raw, STR(" (debug info)")))
		return label_borrow(p->in.out, STR("(debug info)"));
	switch (package_of(
		p->in.spaces, &p->demangler,
		&(struct package_of){ raw, p->in.space_of ? &space : NULL, p->languages },
		&found)) {
	case PACKAGE_GO: return go_label(p, found);
	case PACKAGE_CRATE: return crate_label(p, raw, found);
	case PACKAGE_SPACE: return label_copy(p->in.out, found);
	case PACKAGE_NONE: break;
	}
	return LABEL_BY_UNIT;
}

static void packages_find_names(struct packages *p, const struct spans *s, bool vm)
{
	for (size_t i = 0; i < s->list.count; i++) {
		const label_id symbol = s->list.data[i].label;
		ASSERT(symbol < p->of_symbol.count);
		label_id *of = &p->of_symbol.data[symbol];
		/* The name of a described type lacks the path of its package. */
		if (*of == LABEL_NEW && vm && p->table &&
		    s->list.data[i].start - p->table->types.start <
			    p->table->types.end - p->table->types.start &&
		    str_starts(label_text(p->in.symbol_labels, symbol), STR("type:")))
			*of = LABEL_BY_UNIT;
		if (*of == LABEL_NEW)
			*of = label_is_fallback(p->in.symbol_labels, symbol)
				      ? LABEL_NONE
				      : find_by_name(p, symbol);
		if (*of == LABEL_BY_UNIT && vm && p->table)
			*of = find_by_place(p, go_name(p, label_text(p->in.symbol_labels, symbol)),
					    s->list.data[i].start);
	}
}

static void learn_names(struct packages *p, const struct spans *s)
{
	for (size_t i = 0; i < s->list.count; i++) {
		label_id *of = &p->of_symbol.data[s->list.data[i].label];
		if (*of == LABEL_NEW)
			continue;
		const struct str raw = label_text(p->in.symbol_labels, s->list.data[i].label);
		if (!p->in.space_of)
			namespaces_learn(p->in.spaces, &p->demangler, raw);
		p->languages |= language_marked(raw);
		*of = LABEL_NEW;
	}
}

/* True if a unit's package is only its directory. */
static bool of_directory(const struct packages *p, struct str unit)
{
	struct str found;
	return !unit_of_archive(unit, &found) && !unit_of_crate(unit, &found) &&
	       !(p->go && !str_starts(unit, STR("/")));
}

static struct str directory_package(const struct packages *p, struct str unit)
{
	const char *slash;
	const bool no_root = p->root.len == 0 && str_starts(unit, STR("/"));
	if (no_root || !str_starts(unit, p->root)) {
		slash = unit.len > 0 ? memrchr(unit.p, '/', unit.len) : NULL;
		return (struct str){ unit.p, slash ? (size_t)(slash - unit.p) : 0 };
	}
	const struct str rest = { unit.p + p->root.len, unit.len - p->root.len };
	slash = rest.len > 0 ? memchr(rest.p, '/', rest.len) : NULL;
	if (slash)
		return (struct str){ rest.p, (size_t)(slash - rest.p) };
	/* The file is in the shared directory itself. */
	const size_t end = p->root.len > 0 ? p->root.len - 1 : 0;
	size_t start = end;
	while (start > 0 && p->root.p[start - 1] != '/')
		start--;
	return (struct str){ p->root.p + start, end - start };
}

static label_id find_by_unit(struct packages *p, label_id unit)
{
	const struct str path = label_text(p->in.unit_labels, unit);
	struct str found = path;
	if (unit_of_crate(path, &found))
		return crate_label(p, path, found);
	if (!unit_of_archive(path, &found) && !unit_is_shared_library(path) &&
	    of_directory(p, path))
		found = directory_package(p, path);
	if (p->go && str_eq(found, STR("go.go"))) /* Source that Go's linker states for all code */
		found = STR("");
	return found.len > 0 ? label_copy(p->in.out, found) : p->nameless;
}

typedef VEC(struct str) str_vec;

/* Finds the component that most paths have after `dir`, and returns how many have it. Right only if
 * these are more than half (Boyer-Moore majority vote, then a count). */
static size_t next_component(const str_vec *paths, struct str dir, struct str *ret)
{
	struct str chosen = STR("");
	size_t votes = 0, count = 0;
	for (int pass = 0; pass < 2; pass++) {
		for (size_t i = 0; i < paths->count; i++) {
			const struct str path = paths->data[i];
			const char *const slash = str_starts(path, dir) && path.len > dir.len
							  ? memchr(path.p + dir.len, '/',
								   path.len - dir.len)
							  : NULL;
			if (!slash)
				continue;
			const struct str up = { path.p, (size_t)(slash - path.p) + 1 };
			count += pass == 1 && str_eq(up, chosen);
			if (pass == 1)
				continue;
			if (votes == 0)
				chosen = up;
			votes = str_eq(up, chosen) ? votes + 1 : votes - 1;
		}
	}
	*ret = chosen;
	return count;
}

static void find_root(struct packages *p)
{
	str_vec paths = { 0 };
	const struct spans *s = &p->in.units->vm;
	struct str next;
	for (size_t i = 0; i < s->list.count; i++) {
		const label_id unit = s->list.data[i].label;
		const struct str path = label_text(p->in.unit_labels, unit);
		if (p->of_unit.data[unit] != LABEL_NEW)
			continue;
		p->of_unit.data[unit] = LABEL_NONE;
		if (!label_is_fallback(p->in.unit_labels, unit) && of_directory(p, path) &&
		    !str_ends(path, STR(".o")) && memchr(path.p, '/', path.len) != NULL)
			vec_push(&paths, path);
	}
	p->root = STR("");
	while (paths.count > 0 && next_component(&paths, p->root, &next) * 10 >= paths.count * 9 &&
	       next.len > 0)
		p->root = next;
	for (size_t i = 0; i < p->of_unit.count; i++)
		p->of_unit.data[i] = LABEL_NEW;
	vec_release(&paths);
}

struct told_code {
	uint64_t all;
	uint64_t panics; /* Bytes of functions that refer to positions of panics */
	uint64_t told;
};

static struct told_code measure_told(const struct packages *p)
{
	const struct image *im = &p->f->input->images[0];
	const struct spans *s = &p->in.symbols->vm;
	const struct panics *found = p->f->panics;
	bool *const panics = mem_zeroed(p->told.label_count, sizeof *panics);
	struct told_code ret = { 0 };
	for (size_t i = 0; i < found->uses.count; i++)
		panics[found->uses.data[i].function] = true;
	vec_each(const struct span, at, &s->list) {
		const struct section *in = image_section_at(im, at->start);
		if (!in || !in->exec)
			continue;
		ret.all += at->size;
		ret.panics += panics[at->label] ? at->size : 0;
		ret.told += p->told.of_function[at->label] != PANIC_NO_CRATE ? at->size : 0;
	}
	mem_free(panics);
	return ret;
}

static void run_places(struct packages *p)
{
	panics_tell(p->f->panics, p->in.symbol_labels->kinds.count, &p->told);
	for (size_t i = 0; i < p->told.crates.entries.count; i++)
		vec_push(&p->crate_labels, label_copy(p->in.out, p->told.crates.entries.data[i]));
	for (size_t i = 0; i < p->of_symbol.count; i++) {
		const uint32_t crate = p->told.of_function[i];
		ASSERT(crate == PANIC_NO_CRATE || crate < p->crate_labels.count);
		if (p->of_symbol.data[i] == LABEL_BY_UNIT && crate != PANIC_NO_CRATE)
			p->of_symbol.data[i] = p->crate_labels.data[crate];
	}
	/* Notes how much code has a known package. In Rust, a third or more of the code can panic.
	 * If less than a tenth can, most code is of other languages. */
	const struct told_code code = measure_told(p);
	if (code.panics >= code.all / 10)
		p->nameless = label_borrow(p->in.out, str_of(NO_CRATE));
	note(p->f->notes, p->f->path, HEFT_NO_OFFSET, 0,
	     "there are no symbols: the crate of a function in Rust is told by the places where "
	     "it can panic, for %.0f %% of the code",
	     code.all > 0 ? 100.0 * (double)code.told / (double)code.all : 0.0);
}

/* Gives source positions of panics (attr/panics.h) and names of files to the crates of these files.
 * Otherwise these bytes would belong to the owners that refer to them. */
static void packages_put_places(struct packages *p, struct layer *ret)
{
	const struct panics *found = p->f->panics;
	struct claims claims = { 0 };
	struct spans vm = { 0 }, file = { 0 };
	vec_each(const struct panic_place, at, &found->places) {
		const label_id label = p->crate_labels.data[p->told.of_file[at->file]];
		claim(&claims, at->addr, at->size, label, WHY_DATA_REF);
		claim(&claims, at->name_addr, at->name_size, label, WHY_DATA_REF);
	}
	claims_resolve(&claims, UINT64_MAX, &vm);
	basemap_clip_vm(p->f->map, &vm);
	basemap_translate(p->f->map, &vm, &file);
	spans_overlay(&vm, &ret->vm);
	spans_overlay(&file, &ret->file);
	ret->vm = vm;
	ret->file = file;
}

label_id packages_label(struct packages *p, label_id symbol, label_id unit)
{
	ASSERT(symbol < p->of_symbol.count);
	const label_id by_name = p->of_symbol.data[symbol];
	const struct str name = label_text(p->in.symbol_labels, symbol);
	label_id label = by_name;
	/* Debug sections have rows of their own. */
	if (by_name == LABEL_BY_UNIT ||
	    (by_name == LABEL_NONE && !str_starts(name, STR("[section .debug")) &&
	     !str_starts(name, STR("[section .zdebug")))) {
		label = LABEL_NONE;
		if (p->of_unit.count > 0 && !label_is_fallback(p->in.unit_labels, unit)) {
			label_id *const of = &p->of_unit.data[unit];
			if (*of == LABEL_NEW)
				*of = find_by_unit(p, unit);
			label = *of;
		}
	}
	return label == LABEL_NONE && by_name == LABEL_BY_UNIT ? p->nameless : label;
}

static void packages_put_piece(void *ctx, uint64_t start, uint64_t size, const label_id *labels)
{
	struct packages *p = ctx;
	const label_id label = packages_label(p, labels[0], labels[1]);
	spans_push(p->out, start, size, label == LABEL_NONE ? labels[0] : label);
}

static void packages_join(struct packages *p, const struct spans *symbols,
			  const struct spans *units, struct spans *ret)
{
	const struct rollup_level levels[] = { { .spans = symbols }, { .spans = units } };
	p->out = ret;
	if (symbols->list.count > 0)
		rollup_pieces(levels, units ? 2 : 1, packages_put_piece, p);
}

static void find_go(struct packages *p)
{
	const struct input *in = p->f->input;
	for (size_t i = 0; i < in->image_count; i++) {
		const struct go_table *t = go_slot_open(p->f->go, &in->images[i], NULL);
		p->go = p->go || t;
		p->table = in->image_count == 1 ? t : NULL;
	}
	p->languages = p->go ? LANGUAGE_GO : 0;
	if (p->table)
		go_table_code(p->table, &p->go_start, &p->go_end);
}

/* Finds the packages in all names of symbols. */
static void packages_learn(struct packages *p)
{
	for (size_t i = 0; i < p->in.symbol_labels->kinds.count; i++)
		vec_push(&p->of_symbol, LABEL_NONE);
	learn_names(p, &p->in.symbols->vm);
	learn_names(p, &p->in.symbols->file);
	packages_find_names(p, &p->in.symbols->vm, true);
	packages_find_names(p, &p->in.symbols->file, false);
}

/* Lists the compile units. Their packages are found when needed. */
static void packages_learn_units(struct packages *p)
{
	for (size_t i = 0; i < p->in.unit_labels->kinds.count; i++)
		vec_push(&p->of_unit, LABEL_NEW);
	find_root(p);
}

/* Runs the data source `symbols`. */
static void run_symbols(struct packages *p)
{
	struct source_file f = *p->f;
	f.places = NULL;
	p->in.symbols = f.symbols;
	if (!p->in.symbols) {
		source_symbols(&f, &p->own_symbols);
		p->in.symbols = &p->own_symbols;
	}
	/* Reads the debug info of all images, if it is available. It tells namespaces of C++ from
	 * classes, whose names look the same in symbols. */
	bool told = !p->table;
	for (size_t i = 0; i < f.input->image_count && told; i++)
		told = source_dwarf(&f, &f.input->images[i], f.debug ? &f.debug->images[0] : NULL);
	if (told)
		source_namespaces(&f, &p->own_spaces);
	packages_learn(p);
}

/* True if compile units are needed. A Go program needs none: names show all packages except C's,
 * and Go's tables have no units of C. */
static bool packages_need_units(const struct packages *p)
{
	const struct source_file *f = p->f;
	bool needed = !p->table;
	for (size_t i = 0; i < p->of_symbol.count && !needed; i++)
		needed = p->of_symbol.data[i] == LABEL_BY_UNIT;
	if (!needed || !p->table) /* An archive may have no image */
		return needed;
	const struct image *im = &f->input->images[0];
	/* An image made from Go's tables has the path of the program. */
	const bool beside = f->debug && strcmp(f->debug->images[0].path, im->path) != 0;
	return beside || f->linkmap || debuginfo_present(im) ||
	       image_section_type(im, SHT_SYMTAB, 1);
}

/* Runs the data source `compileunits`, without its notes: `symbols` has made them too. */
static void packages_run_units(struct packages *p)
{
	struct notes notes;
	struct source_file f = *p->f;
	notes_init(&notes);
	f.notes = &notes;
	f.origins = NULL;
	f.trace = NULL;
	p->in.units = f.units;
	if (!p->in.units) {
		source_compileunits(&f, &p->own_units);
		p->in.units = &p->own_units;
	}
	packages_learn_units(p);
	notes_release(&notes);
}

static void packages_release(struct packages *p)
{
	for (size_t i = 0; i < p->crates.count; i++)
		text_release(&p->crates.data[i].versions);
	vec_release(&p->crates);
	intern_release(&p->crate_names);
	namespaces_release(&p->own_spaces);
	demangler_release(&p->demangler);
	layer_release(&p->own_symbols);
	layer_release(&p->own_units);
	vec_release_all(&p->of_symbol, &p->of_unit);
	text_release(&p->text);
	panic_owners_release(&p->told);
	vec_release(&p->crate_labels);
}

/* Chooses the label for code whose name has no package. */
static void packages_settle(struct packages *p)
{
	const struct source_file *f = p->f;
	p->by_places = f->panics && f->panics->places.count > 0 && !p->table &&
		       !debuginfo_present(&f->input->images[0]);
	p->nameless = label_borrow(p->in.out, str_of(p->table && !p->in.units ? GO_C : NO_PACKAGE));
	if (p->by_places)
		run_places(p);
}

void source_packages(const struct source_file *f, struct layer *ret)
{
	struct packages p = {
		.f = f,
		.root = STR(""),
		.in = { .symbol_labels = f->labels, .unit_labels = f->labels, .out = f->labels }
	};
	p.in.spaces = &p.own_spaces;
	find_go(&p);
	run_symbols(&p);
	if (packages_need_units(&p))
		packages_run_units(&p);
	packages_settle(&p);
	const struct layer *symbols = p.in.symbols, *units = p.in.units;
	packages_join(&p, &symbols->vm, units ? &units->vm : NULL, &ret->vm);
	packages_join(&p, &symbols->file, units ? &units->file : NULL, &ret->file);
	if (p.by_places)
		packages_put_places(&p, ret);
	basemap_check_vm(f->map, &ret->vm);
	basemap_check_file(f->map, &ret->file);
	/* Sets the label of each claim to the package of its symbol. */
	struct origins *o = p.f->origins;
	for (size_t i = 0; o && i < o->claims.list.count; i++) {
		struct claim *c = &o->claims.list.data[i];
		const label_id known = c->label < p.of_symbol.count ? p.of_symbol.data[c->label]
								    : LABEL_NONE;
		const bool own = known < LABEL_NEW;
		c->label = own ? known : spans_label(&ret->vm, c->start);
	}
	packages_release(&p);
}

struct packages *packages_new(const struct source_file *f, const struct package_input *in)
{
	struct packages *p = mem_alloc(sizeof *p);
	ASSERT(in->symbols && in->units && in->symbol_labels && in->unit_labels && in->spaces);
	*p = (struct packages){ .f = f, .root = STR(""), .in = *in };
	find_go(p);
	packages_learn(p);
	if (packages_need_units(p))
		packages_learn_units(p);
	else
		p->in.units = NULL;
	packages_settle(p);
	return p;
}

void packages_free(struct packages *p)
{
	if (p)
		packages_release(p);
	mem_free(p);
}
