/* Finds what is at an address of a file: heft_where_*. */
#include "measure/where.h"

#include "image/arch.h"
#include "image/elf/elf_const.h"
#include "program/facts.h"
#include "program/go_types.h"

#include <stdio.h>

/* Returns a copy of a text that stays valid until the handle is freed. Equal texts are stored
 * once. */
static const char *text_keep(struct heft_where *w, struct str text)
{
	return intern_get(&w->texts, intern_add(&w->texts, text)).p;
}

static enum heft_demangle where_style(const struct heft_where *w)
{
	return context_style(&w->context, HEFT_NAMES_FULL);
}

static void begin_owners(struct heft_where *w, struct owners *o)
{
	struct source_file file = measure_input(&w->program, w->process.open ? &w->process : NULL,
						owners_need(o) | NEED_DWARF);
	file.notes = &w->context.notes;
	owners_begin(o, &file, &w->context.wish);
}

/* Opens a dump: the core if it is already open as an image, otherwise the file. */
static bool open_memory(struct heft_where *w, const char *path, struct heft_err *err)
{
	const struct process_wish wish = { .find = &w->context.wish,
					   .dwarf = true,
					   .style = where_style(w),
					   .notes = &w->context.notes };
	return w->im ? process_of_image(&w->process, w->im, &wish, err)
		     : process_open(&w->process, path, &wish, err);
}

/* Opens a dump. Raw memory counts as a dump only if it has the recorder's pages. */
static bool where_open_dump(struct heft_where *w, const char *path)
{
	struct heft_err no_dump;
	if (!open_memory(w, path, &no_dump))
		return false;
	if (w->process.dump.kind != DUMP_RAW || w->process.heap.records.found)
		return true;
	process_close(&w->process);
	return false;
}

/* Fails for a file with several slices, because their addresses overlap. The message names them. */
static bool where_has_slices(const struct input *in, const char *path, struct heft_err *err)
{
	struct text names = { 0 };
	for (size_t i = 0; i < in->image_count; i++) {
		text_adds(&names, i > 0 ? STR(", ") : STR(""), in->images[i].member);
	}
	fail(err, HEFT_EUNSUPPORTED, HEFT_NO_OFFSET,
	     "%s: a universal file; --arch=NAME takes one of its slices: " STR_FMT, path,
	     STR_ARG(text_str(&names)));
	text_release(&names);
	return false;
}

/* Fails because a number is ambiguous in an archive: its members share addresses, but not names. */
static bool no_member(const struct heft_where *w, struct heft_err *err)
{
	return fail(err, HEFT_EUNSUPPORTED, HEFT_NO_OFFSET,
		    "%s: an archive; addresses are looked up in one of its members, such as "
		    "'%s(" STR_FMT ")', names in all",
		    w->program.path, w->program.path,
		    STR_ARG(w->program.input.image_count > 0 ? w->program.input.images[0].member
							     : STR("NAME.o")));
}

static bool open_image(struct heft_where *w, const char *path, struct heft_err *err)
{
	w->im = program_image(&w->program);
	if (!w->im)
		return w->program.input.fat ? where_has_slices(&w->program.input, path, err)
					    : w->owners.levels.count == 0 || no_member(w, err);
	if (w->im->kind == IMAGE_CORE ? !open_memory(w, path, err)
				      : !program_check_alone(&w->program, err))
		return false;
	begin_owners(w, &w->owners);
	return true;
}

static bool where_open_file(struct heft_where *w, const char *path, struct heft_err *err)
{
	if (dump_is_told(&w->context.wish.dump))
		return open_memory(w, path, err);
	return program_open(&w->program, path, USE_WHERE, &w->context.wish, &w->context.notes, err)
		       ? open_image(w, path, err)
		       : where_open_dump(w, path);
}

bool where_open(struct heft_where *w, const char *path, struct heft_err *err)
{
	const char *copy = text_keep(w, str_of(path));
	if (w->opened)
		return fail(err, HEFT_EARG, HEFT_NO_OFFSET, "a handle opens one file");
	w->opened = true;
	w->path = copy;
	context_take(&w->context);
	w->owners.style = context_style(&w->context, HEFT_NAMES_SHORT);
	if (!where_open_file(w, copy, err))
		return false;
	if (!w->im && !w->program.input.archive && w->owners.levels.count > 0)
		return fail(err, HEFT_EUNSUPPORTED, HEFT_NO_OFFSET,
			    "%s: data sources need a program or a core that is not packed", copy);
	return !w->process.open || process_check_debug_files(&w->process, err);
}

/* Returns the address of the first instruction in a WebAssembly function, where line tables begin.
 * Before it are the local variables: a count, then number and type of each group. */
static uint64_t behind_locals(const struct image *im, uint64_t addr)
{
	enum { HEAD_MAX = 256 };
	const struct section *s = image_section_at(im, addr);
	const uint64_t left = s ? s->addr + s->size - addr : 0;
	struct reader r = reader_of(image_at(im, addr, min_u64(left, HEAD_MAX)), false);
	for (uint64_t runs = read_uleb(&r); runs > 0 && reader_ok(&r); runs--) {
		(void)read_uleb(&r);
		read_skip(&r, 1);
	}
	return reader_ok(&r) ? addr + r.pos : addr;
}

static uint64_t behind_size(const struct image *im, uint64_t addr)
{
	for (size_t i = 0; i < im->entry_count && image_arch(im)->sizes_in_code; i++) {
		const struct image_entry *e = &im->entries[i];
		if (e->symbol == 0 && im->sections[e->section].addr + e->off == addr &&
		    e->addr == addr + e->size)
			return behind_locals(im, e->addr);
	}
	return addr;
}

/* Parses a frame as browsers print it: "...wasm-function[12]:0x345". A number is an offset in the
 * module. */
static bool where_frame_read(const struct image *im, const char *text, uint64_t *ret)
{
	uint64_t off;
	const char *frame = strstr(text, "wasm-function[");
	const char *colon = frame ? strstr(frame, "]:0x") : NULL;
	if (!colon || !image_arch(im)->sizes_in_code || !place_number(colon + 2, &off))
		return false;
	each_section(s, im) {
		if (s->alloc && off >= s->off && off - s->off < s->file_size) {
			*ret = s->addr + (off - s->off);
			return true;
		}
	}
	return false;
}

/* Returns what to add to a number of the user: in an object, the address of its first code.
 * Otherwise 0. */
static uint64_t base_of_numbers(const struct image *im, uint64_t addr)
{
	if (im->kind != IMAGE_OBJECT || addr >> OBJECT_SECTION_SHIFT != 0)
		return 0;
	for (size_t i = 1; i < im->section_count; i++)
		if (im->sections[i].exec && im->sections[i].alloc && im->sections[i].size > 0)
			return im->sections[i].addr;
	return 0;
}

static void asked_add(struct heft_where *w, size_t image)
{
	const struct text_places *p = &w->places;
	const struct image *im = &w->program.input.images[image];
	const uint64_t base = base_of_numbers(im, p->number);
	if (p->is_number)
		vec_push(&w->asked, (struct where_asked){ p->number + base, NULL, NULL, image });
	else if (p->section)
		vec_push(&w->asked, (struct where_asked){ p->section->addr + p->offset, NULL,
							  p->section, image });
	for (size_t i = 0; i < p->surest; i++) {
		const struct name_match *m = &p->matches.data[i];
		const uint64_t addr = p->offset == 0 ? behind_size(im, m->addr)
						     : m->addr + p->offset;
		vec_push(&w->asked,
			 (struct where_asked){ addr, m->symbol,
					       m->symbol ? m->symbol->section : NULL, image });
	}
}

static const char *asked_name(struct heft_where *w, const struct named_symbol *s)
{
	const struct str raw = str_of(s->name);
	return text_keep(w, demangle(&w->locator.demangler, raw, where_style(w)));
}

/* Adds a note about a symbol that the text names less exactly, such as foo.cold for foo. */
static void note_others(struct heft_where *w, const char *text, const struct text_places *p)
{
	if (p->surest >= p->matches.count)
		return;
	const struct name_match *m = &p->matches.data[p->surest];
	if (m->symbol)
		note(&w->context.notes, w->program.path, HEFT_NO_OFFSET, 0,
		     "'%.200s' is a name of 0x%" PRIx64 " %.200s too", text, m->addr,
		     asked_name(w, m->symbol));
}

/* Searches all images for a name. Keeps only the best matches. */
static void names_ask(struct heft_where *w, const char *text)
{
	enum name_form best = NAME_PART;
	for (size_t i = 0; i < w->program.input.image_count; i++) {
		struct text_places *p = &w->places;
		if (!text_places_find(program_names(&w->program, i), text, p) || p->is_number)
			continue;
		const enum name_form form = p->section ? NAME_LINKER : p->matches.data[0].form;
		if (form < best)
			w->asked.count = 0;
		best = form < best ? form : best;
		if (form == best)
			asked_add(w, i);
		note_others(w, text, p);
	}
}

/* True if the program was stripped, and no other file has its symbols. */
static bool names_are_gone(struct heft_where *w)
{
	const struct image *im = program_image(&w->program);
	if (!im || im->kind != IMAGE_EXEC || program_debug_image(&w->program, true))
		return false;
	const char *known = facts_symbols(im);
	return strcmp(known, "dynamic") == 0 || strcmp(known, "none") == 0;
}

/* Fails because nothing in the file has this name. The message tells whether another module defines
 * it. */
static bool nothing_asked(struct heft_where *w, const char *text, struct heft_err *err)
{
	for (size_t i = 0; i < w->program.input.image_count; i++)
		if (name_index_has_import(program_names(&w->program, i), str_of(text)))
			return fail(
				err, HEFT_EARG, HEFT_NO_OFFSET,
				"%s: another module defines '%.200s', so it has no address here",
				w->path, text);
	return fail(err, HEFT_EARG, HEFT_NO_OFFSET,
		    "%s: '%.200s' is no address, section or symbol%s", w->path, text,
		    w->process.open     ? "; in a core, only addresses are looked up"
		    : names_are_gone(w) ? "; the file is stripped, so only exported names are known"
					: "");
}

static bool text_ask(struct heft_where *w, const char *text, struct heft_err *err)
{
	const bool archive = w->program.input.archive;
	uint64_t number;
	if (archive) {
		names_ask(w, text);
		if (w->asked.count == 0 && place_number(text, &number))
			return no_member(w, err);
	} else if (where_frame_read(w->im, text, &number)) {
		w->places = (struct text_places){ .matches = w->places.matches,
						  .is_number = true,
						  .number = number };
		vec_push(&w->asked, (struct where_asked){ number, NULL, NULL, 0 });
	} else if (text_places_find(program_names(&w->program, 0), text, &w->places)) {
		asked_add(w, 0);
		note_others(w, text, &w->places);
	}
	return w->asked.count > 0 || nothing_asked(w, text, err);
}

bool where_ask(struct heft_where *w, const char *text, uint64_t *ret_addr, size_t *ret_count,
	       struct heft_err *err)
{
	uint64_t number;
	w->asked.count = 0;
	if (!w->im && !w->process.open && !w->program.input.archive)
		return fail(err, HEFT_EARG, HEFT_NO_OFFSET, "no file is open");
	if (w->im || w->program.input.archive) {
		if (!text_ask(w, text, err))
			return false;
	} else if (place_number(text, &number)) {
		vec_push(&w->asked, (struct where_asked){ number, NULL, NULL, 0 });
	} else {
		return fail(err, HEFT_EARG, HEFT_NO_OFFSET, "no address: %.200s", text);
	}
	ASSERT(w->asked.count > 0);
	const bool named = w->program.input.archive || (w->im && !w->places.is_number);
	*ret_addr = w->asked.data[0].addr;
	*ret_count = named ? w->asked.count : 0;
	return true;
}

bool where_parse(struct heft_where *w, const char *text, uint64_t *ret_addr, struct heft_err *err)
{
	size_t count;
	if (!where_ask(w, text, ret_addr, &count, err))
		return false;
	return !w->program.input.archive || no_member(w, err);
}

/* An address in a program, or in a module of a process */
struct where_place {
	const struct image *im;
	struct locator *locator;
	uint64_t addr;      /* Address in the image */
	const char *module; /* Path of the module. "" for a program */
};

static const char *section_keep(struct heft_where *w, const struct section *s)
{
	char number[16];
	if (section_title(s).len > 0)
		return text_keep(w, section_title(s));
	snprintf(number, sizeof number, "#%" PRIu32, s->index);
	return text_keep(w, str_of(number));
}

static const char *segment_keep(struct heft_where *w, const struct segment *s)
{
	if (!w->segments)
		w->segments = arena_new(&w->arena, const char *, w->im->segment_count);
	const char **name = &w->segments[s - w->im->segments];
	if (!*name)
		*name = s->name.len > 0 ? arena_copy(&w->arena, s->name)
					: arena_format(&w->arena, SEGMENT_FMT, SEGMENT_ARG(s));
	return *name;
}

/* For an object: describes the section at the address, because objects have no segments. */
static void where_find_section(struct heft_where *w, const struct where_place *p,
			       struct heft_location *at)
{
	const struct section *s = image_section_at(p->im, p->addr);
	if (!s || p->im->bare)
		return;
	at->section = section_keep(w, s);
	at->section_offset = p->addr - s->addr;
	if (p->im->kind == IMAGE_OBJECT && at->section_offset < s->file_size) {
		at->in_file = true;
		at->file_offset = s->off + at->section_offset;
	}
}

/* Returns the address to which the machine copies the byte at `addr` at startup, else `addr`. */
static uint64_t runs_at(const struct image *im, uint64_t addr)
{
	uint64_t found = addr;
	for (size_t i = 0; im && i < im->segment_count; i++) {
		const struct segment *s = &im->segments[i];
		if (s->type != PT_LOAD)
			continue;
		if (addr >= s->addr && addr - s->addr < s->vm_size)
			return addr;
		if (addr >= s->load_addr && addr - s->load_addr < s->file_size)
			found = s->addr + (addr - s->load_addr);
	}
	return found;
}

/* Returns the address at which users see the bytes at `addr`. Overlays run at the same address, so
 * heft adds vm_bias to all but the first. Those are shown at the address where they are stored
 * until they run. */
static uint64_t stored_at(const struct image *im, uint64_t addr)
{
	each_segment(s, im)
		if (s->vm_bias > 0 && addr >= s->addr && addr - s->addr < s->file_size)
			return s->load_addr + (addr - s->addr);
	return addr;
}

/* Adds a note about other overlays that run at the same address. */
static void note_overlays(struct heft_where *w, uint64_t addr)
{
	struct text others = { 0 };
	each_section(s, w->im) {
		if (s->vm_bias == 0 || addr < s->addr - s->vm_bias ||
		    addr - (s->addr - s->vm_bias) >= s->size)
			continue;
		const char *at = arena_format(&w->answer, " (0x%" PRIx64 ")", addr + s->vm_bias);
		text_adds(&others, others.len > 0 ? STR(", ") : STR(""), section_title(s),
			  str_of(at));
	}
	if (others.len > 0)
		note(&w->context.notes, w->program.path, HEFT_NO_OFFSET, 0,
		     "at 0x%" PRIx64
		     " run overlays too, which have addresses of their own here: " STR_FMT,
		     addr, STR_ARG(text_str(&others)));
	text_release(&others);
}

static void find_segment(struct heft_where *w, uint64_t addr, struct heft_location *at)
{
	const struct segment *s = image_load_at(w->im, addr);
	if (!s)
		return;
	const uint64_t offset = addr - s->addr;
	at->segment = segment_keep(w, s);
	at->in_file = offset < s->file_size && input_has_offsets(&w->at->input);
	at->file_offset = at->in_file ? s->off + offset : 0;
}

static void where_find_symbol(const struct where_place *p, struct heft_location *at)
{
	const struct symbol_place *s = locator_symbol(p->locator, p->addr);
	if (!s)
		return;
	at->symbol = s->memo;
	at->symbol_linkage = s->name;
	at->symbol_offset = p->addr - s->addr;
	at->symbol_size = s->size;
	at->unit = s->file; /* Kept if DWARF does not tell the unit */
}

/* Names a function without a symbol as sizes by symbol do: sub_ADDRESS. The first call measures the
 * symbols. */
static void find_function(struct heft_where *w, uint64_t addr, struct heft_location *at)
{
	const struct section *s = image_section_at(w->im, addr);
	const struct source *symbols = source_find(STR("symbols"));
	struct owners *o = &w->functions;
	if (at->symbol || !s || !s->exec || w->at != &w->program)
		return;
	/* If the user asked for owners by symbol, those are measured anyway. */
	for (size_t i = 0; i < w->owners.levels.count; i++)
		if (w->owners.levels.data[i].source->run == symbols->run)
			o = &w->owners;
	if (o->levels.count == 0) {
		if (!owners_add(o, "symbols", NULL))
			return;
		begin_owners(w, o);
	}
	const struct heft_owner *const *found;
	const size_t count = owners_find(o, addr, &found);
	for (size_t i = 0; i < count && !at->symbol; i++) {
		uint64_t start;
		if (!name_is_generated(str_of(found[i]->label), &start) || start > addr)
			continue;
		at->symbol = at->symbol_linkage = found[i]->label;
		at->symbol_offset = addr - start;
		at->symbol_size = start == found[i]->start ? found[i]->size : 0;
	}
}

/* Names the description of a Go type, or a name in it, that begins at the address, as sizes by
 * symbol do. */
static void find_go_type(struct heft_where *w, uint64_t addr, struct heft_location *at)
{
	const struct go_table *g = at->symbol ? NULL : go_slot_open(&w->go, w->im, NULL);
	if (!g || addr < g->types.start || addr >= g->types.end)
		return;
	const struct str name = go_type_label(g, w->im, addr);
	if (name.len > 0)
		at->symbol = at->symbol_linkage = arena_format(&w->answer, "type:" STR_FMT,
							       STR_ARG(name));
}

static void where_find_names(struct heft_where *w, const struct where_place *p,
			     struct heft_location *at)
{
	where_find_section(w, p, at);
	if (!p->locator)
		return;
	where_find_symbol(p, at);
	const struct heft_frame *functions;
	const size_t count = locator_functions(p->locator, p->addr, &functions, &at->unit);
	w->kept.count = w->frames.count = 0;
	vec_reserve(&w->kept, count);
	for (size_t i = 0; i < count; i++) {
		vec_push(&w->kept, functions[i]);
		w->kept.data[i].module = p->module;
		vec_push(&w->frames, &w->kept.data[i]);
	}
	ASSERT(w->kept.count == count && w->frames.count == count);
	at->frames = w->frames.data;
	at->frame_count = count;
	/* Finds where a variable is declared. Only for addresses without frames, because writable
	 * sections may also have code. */
	const struct section *s = image_section_at(p->im, p->addr);
	struct declaration d;
	if (!s || (s->exec && !s->write) || at->frame_count > 0 ||
	    !locator_variable(p->locator, p->addr, &d))
		return;
	if (*d.unit)
		at->unit = d.unit;
	at->decl_file = *d.file ? d.file : NULL;
	at->decl_line = d.line;
	at->decl_column = d.column;
}

static void where_read_blocks(struct heft_where *w)
{
	const struct image *debug = program_debug_image(w->at, true);
	blockmap_read(&w->blocks, w->im, debug, &w->context.notes);
	if (w->blocks.functions.count == 0 && (w->flags & HEFT_WHERE_BLOCKS)) {
		blockmap_release(&w->blocks);
		blockmap_derive(&w->blocks, w->im, debug, BLOCKS_AUTO, 0, &w->context.notes);
	}
	blockmap_index(&w->blocks, &w->index);
	w->blocks_read = true;
}

static void where_find_block(struct heft_where *w, uint64_t addr, struct heft_location *at)
{
	if (!w->blocks_read)
		where_read_blocks(w);
	const uint32_t place = bbindex_find(&w->index, addr);
	if (place == BBINDEX_NONE)
		return;
	const struct bbmap_block *b = &w->blocks.blocks.data[place];
	const uint64_t start = blockmap_range_of(&w->blocks, place)->addr + b->off;
	ASSERT(start <= addr);
	if (addr - start >= b->size)
		return;
	w->block = (struct heft_block){
		.addr = start, .size = b->size, .id = b->id, .flags = b->flags
	};
	at->block = &w->block;
}

static void find_in_program(struct heft_where *w, uint64_t addr, struct heft_location *at)
{
	const struct where_place here = { w->im, &w->locator, addr, "" };
	w->locator.symbols = program_symbols(w->at);
	w->locator.symbolizer = program_symbolizer(w->at);
	w->locator.style = where_style(w);
	where_find_names(w, &here, at);
	find_function(w, addr, at);
	find_go_type(w, addr, at);
	where_find_block(w, addr, at);
	if (w->im->overlay_shift > 0)
		note_overlays(w, addr);
}

static bool find_in_process(struct heft_where *w, struct heft_location *at)
{
	const struct process_place found = process_locate(&w->process, at->addr);
	arena_release(&w->answer);
	if (found.module && found.module->input) {
		const struct where_place here = { &found.module->input->images[0], found.locator,
						  found.addr, found.module->path };
		where_find_names(w, &here, at);
	}
	if (!process_at(&w->process, at->addr, &w->answer, &w->place))
		return false;
	at->process = &w->place;
	return true;
}

bool where_find(struct heft_where *w, uint64_t addr, struct heft_location *ret,
		struct heft_err *err)
{
	ASSERT(w->at == &w->program || w->at == &w->member);
	*ret = (struct heft_location){ .size = sizeof *ret, .addr = addr };
	const bool program = w->im && !w->process.open;
	const uint64_t at = program ? runs_at(w->im, addr) : addr;
	bool mapped = false;
	if (w->im)
		find_segment(w, at, ret);
	if (program)
		find_in_program(w, at, ret);
	else if (w->process.open)
		mapped = find_in_process(w, ret);
	if (!program || !(owners_need(&w->owners) & NEED_REGIONS))
		addr = at;
	else
		addr = stored_at(w->im, addr);
	ret->owner_count = owners_find(&w->owners, addr, &ret->owners);
	return ret->section || ret->segment || mapped ||
	       fail(err, HEFT_ENOTFOUND, HEFT_NO_OFFSET, "nothing is at this address");
}

/* Opens a member of an archive as a program. */
static bool member_open(struct heft_where *w, size_t image, struct heft_err *err)
{
	const struct image *im = &w->program.input.images[image];
	if (!w->program.input.archive || (w->im && w->im->bytes.p == im->bytes.p))
		return true;
	locator_release(&w->locator);
	bbindex_release(&w->index);
	blockmap_release(&w->blocks);
	program_close(&w->member);
	w->locator = (struct locator){ 0 };
	w->index = (struct bbindex){ 0 };
	w->blocks = (struct blockmap){ 0 };
	w->blocks_read = false;
	w->segments = NULL;
	w->im = NULL;
	const char *path = arena_format(&w->arena, "%s(" STR_FMT ")", w->program.path,
					STR_ARG(im->member));
	if (!program_parse(&w->member, path, im->bytes, &w->context.wish, &w->context.notes, err))
		return false;
	w->at = &w->member;
	w->im = program_image(&w->member);
	return w->im || fail(err, HEFT_EUNSUPPORTED, HEFT_NO_OFFSET, "%s: an archive itself", path);
}

/* Returns the address of `a` in the opened member. In `a`, it is the address in the archive. */
static uint64_t answer_addr(const struct heft_where *w, const struct where_asked *a)
{
	const bool member = w->program.input.archive && a->section &&
			    a->section->index < w->im->section_count;
	return member ? a->addr - a->section->addr + w->im->sections[a->section->index].addr
		      : a->addr;
}

/* If several symbols are at the address, sets the name to the one that was asked for. */
static void name_asked(struct heft_where *w, const struct where_asked *a, struct heft_location *at)
{
	const struct named_symbol *s = a->symbol;
	if (!s || a->addr < s->addr || (a->addr > s->addr && a->addr - s->addr >= s->size))
		return;
	at->symbol = asked_name(w, s);
	at->symbol_linkage = s->name;
	at->symbol_offset = a->addr - s->addr;
	at->symbol_size = s->size;
	at->unit = at->unit ? at->unit : s->file;
	at->is_tls = s->section && s->section->tls;
}

/* True for a variable of .tbss. Its address in the image is also an address of other bytes. */
static bool is_outside(const struct heft_where *w, const struct where_asked *a)
{
	const struct section *s = a->symbol ? a->symbol->section : NULL;
	return s && s->tls && s->nobits && w->im && w->im->kind != IMAGE_OBJECT &&
	       s->index < w->im->section_count;
}

bool where_answer(struct heft_where *w, size_t i, struct heft_location *ret, struct heft_err *err)
{
	*ret = (struct heft_location){ .size = sizeof *ret, .addr = HEFT_NO_ADDRESS };
	if (i >= w->asked.count)
		return fail(err, HEFT_EARG, HEFT_NO_OFFSET, "no answer has this number");
	const struct where_asked *a = &w->asked.data[i];
	if (!member_open(w, a->image, err))
		return false;
	ret->addr = answer_addr(w, a);
	if (is_outside(w, a)) {
		ret->section = section_keep(w, &w->im->sections[a->section->index]);
		ret->section_offset = a->addr - a->section->addr;
	} else if (!where_find(w, ret->addr, ret, err)) {
		return false;
	}
	name_asked(w, a, ret);
	if (w->program.input.archive)
		ret->member = text_keep(w, w->program.input.images[a->image].member);
	return true;
}
