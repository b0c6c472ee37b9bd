/* Compares the frames that compilers state with those in the code, and takes the larger ones. The
 * code is certain, but the compiler knows code that heft could not decode. */
#include "stack/depths.h"
#include "stack/stated.h"

#include "base/err.h"
#include "names/demangle.h"

struct stating {
	struct stack_use *s;
	struct stated lines;
	struct demangler demangler;
	struct text work;
	uint32_t *same; /* Per name in .su files: number of functions with that name */
	uint32_t *name; /* Per function: 1 + id of its name in `lines`, or 0 */
	uint64_t differ;
};

/* Raises the frame of a function. The added bytes are in use at all of its calls. */
static void raise_frame(struct stack_use *s, struct stack_function *f, uint64_t size)
{
	ASSERT(size > f->frame);
	const uint64_t more = size - f->frame;
	for (uint32_t i = 0; i < f->edge_count; i++) {
		struct stack_edge *e = &s->edges.data[f->edge_first + i];
		if (!e->tail)
			e->depth += more;
	}
	f->frame = f->worst = size;
}

static void stated_frames_take(struct stating *t, struct stack_function *f, uint64_t size,
			       enum stated_kind kind)
{
	if (f->stated || f->kind == STACK_PART)
		return;
	const bool first = f->compiler == STACK_NOT_STATED;
	f->compiler = first ? size : max_u64(size, f->compiler);
	if (kind == STATED_BOUNDED)
		f->own &= (uint16_t)~STACK_DYNAMIC;
	if (kind == STATED_DYNAMIC)
		f->own |= STACK_DYNAMIC;
	/* Both sizes agree: compilers may omit parts such as the return address. */
	if (f->frame == size || f->frame == size + frame_word(t->s->isa))
		return;
	t->differ += first;
	if (size > f->frame)
		raise_frame(t->s, f, size);
}

static void stated_frames_read_section(struct stating *t, const struct image *im)
{
	const struct section *sec = im ? image_section_find(im, ".stack_sizes") : NULL;
	uint64_t addr, size;
	if (!sec)
		return;
	struct reader r = reader_of(section_bytes(im, sec), im->big_endian);
	while (reader_left(&r) > 0 && stack_sizes_next(&r, im->bits / 8, &addr, &size)) {
		const uint32_t i = stack_find(t->s, flow_entry(t->s->isa, addr));
		struct stack_function *f = i == STACK_NONE ? NULL : &t->s->functions.data[i];
		if (f && f->addr == flow_entry(t->s->isa, addr) && size <= UINT32_MAX)
			stated_frames_take(t, f, size, STATED_STATIC);
	}
	if (!reader_ok(&r))
		note(t->s->program->notes, im->path, sec->off, 0,
		     ".stack_sizes ends inside of an entry");
}

static bool stated_frames_find_name(struct stating *t, struct str linkage, uint32_t *ret)
{
	struct str name = linkage;
	size_t len = name.len;
	/* In the program, a copy's name may end in a number, ".1". In .su files it does not. */
	while (len > 0 && name.p[len - 1] >= '0' && name.p[len - 1] <= '9')
		len--;
	if (len > 1 && len < name.len && name.p[len - 1] == '.')
		name.len = len - 1;
	if (intern_find(&t->lines.names, name, ret))
		return true;
	if (!str_starts(linkage, STR("_Z")))
		return false;
	const struct str shown = demangle(&t->demangler, linkage, HEFT_NAMES_SHORT);
	return intern_find(&t->lines.names, su_plain_name(&t->work, shown), ret);
}

static void stated_frames_find_names(struct stating *t)
{
	for (uint32_t i = 0; i < t->s->functions.count; i++) {
		uint32_t id;
		if (!stated_frames_find_name(t, str_of(stack_name(t->s, i)), &id))
			continue;
		t->name[i] = id + 1;
		t->same[id]++;
	}
}

static void read_lines(struct stating *t)
{
	struct stack_use *s = t->s;
	t->same = mem_zeroed(t->lines.first.count + 1, sizeof *t->same);
	t->name = mem_zeroed(s->functions.count + 1, sizeof *t->name);
	stated_frames_find_names(t);
	for (uint32_t i = 0; i < s->functions.count; i++) {
		struct stack_function *f = &s->functions.data[i];
		const struct symbol_place *place = symbol_table_find(program_symbols(s->program),
								     f->addr);
		struct su_line line;
		if (t->name[i] == 0 || !place || place->addr != f->addr)
			continue;
		const struct str name = intern_get(&t->lines.names, t->name[i] - 1);
		if (stated_find(&t->lines, name, place->file, t->same[t->name[i] - 1] == 1, &line))
			stated_frames_take(t, f, line.size, line.kind);
	}
	mem_free_all(t->same, t->name);
}

bool stack_take_stated(struct stack_use *s, struct heft_err *err)
{
	struct stating t = { .s = s };
	for (size_t i = 0; i < s->functions.count; i++)
		s->functions.data[i].compiler = STACK_NOT_STATED;
	const bool good = usage_files_read(&t.lines, s->program, err);
	if (good && t.lines.lines.count > 0)
		read_lines(&t);
	if (good) {
		stated_frames_read_section(&t, program_image(s->program));
		stated_frames_read_section(&t, program_debug_in_use(s->program));
	}
	if (t.differ > 0)
		note(s->program->notes, s->program->path, HEFT_NO_OFFSET, 0,
		     "frames that are not as the compiler states them: %" PRIu64
		     "; the larger of the two counts",
		     t.differ);
	stated_release(&t.lines);
	demangler_release(&t.demangler);
	text_release(&t.work);
	return good;
}
