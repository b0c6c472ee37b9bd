/* Reads the functions of a program with their frames and calls. */
#include "stack/depths.h"

#include "base/err.h"
#include "base/file.h"
#include "base/sort.h"
#include "blocks/derive_map.h"
#include "program/plt.h"

struct depths_reading {
	struct stack_use *s;
	const struct image *im;
	const struct stack_hints *hints;
	struct plt plt;
	struct code_functions code;
	struct stack_frame frame;         /* Frame of the current function */
	uint32_t function;                /* Index of that function */
	const struct stack_hint *reaches; /* Hint: what indirect calls of the function may reach.
					   * NULL if there is none */
};

uint32_t stack_find(const struct stack_use *s, uint64_t addr)
{
	const struct stack_function *list = s->functions.data;
	const size_t i = upper_bound(list, s->functions.count, sizeof *list, addr);
	return i > 0 && addr - list[i - 1].addr < list[i - 1].size ? (uint32_t)(i - 1) : STACK_NONE;
}

const char *stack_name(struct stack_use *s, uint32_t function)
{
	ASSERT(function < s->functions.count);
	const uint64_t addr = s->functions.data[function].addr;
	const struct symbol_place *place = symbol_table_find(program_symbols(s->program), addr);
	return place && place->addr == addr ? place->name
					    : arena_format(&s->texts, "sub_%" PRIx64, addr);
}

struct str stack_told_word(unsigned bit)
{
	ASSERT(bit < STACK_TOLD);
	static const char *const words[STACK_TOLD] = { "recursion", "indirect calls",
						       "unknown callees", "alloca", "odd code" };
	return str_of(words[bit]);
}

void stack_told_words(struct text *to, unsigned told, const char *const functions[STACK_TOLD])
{
	const char *between = "";
	for (unsigned i = 0; i < STACK_TOLD; i++) {
		if (!(told >> i & 1))
			continue;
		text_adds(to, str_of(between), stack_told_word(i),
			  functions ? STR(" in ") : STR(""), str_of(functions ? functions[i] : ""));
		between = ", ";
	}
}

static struct stack_function *depths_function_of(const struct depths_reading *r)
{
	return &r->s->functions.data[r->function];
}

static void depths_add_edge(struct depths_reading *r, uint32_t to, const struct frame_call *c)
{
	ASSERT(to < r->s->functions.count);
	vec_push(&r->s->edges, (struct stack_edge){ to, c->tail, c->depth });
	depths_function_of(r)->edge_count++;
}

static void add_unknown(struct depths_reading *r, const char *name)
{
	depths_function_of(r)->own |= STACK_UNKNOWN;
	vec_push(&r->s->unknown, (struct stack_unknown){ r->function, name });
}

/* Adds a call of, or jump to, a known function. Ignores a jump into the middle of a function, which
 * connects it with a part that was moved away. In a section of stubs, such a jump counts. */
static bool depths_add_target(struct depths_reading *r, uint64_t target, const struct frame_call *c)
{
	const uint32_t to = stack_find(r->s, target);
	if (to == STACK_NONE)
		return false;
	if (!c->tail || r->s->functions.data[to].addr == target || r->code.list.data[to].stubs)
		depths_add_edge(r, to, c);
	return true;
}

/* Adds a direct call. If overlays share the address, it may call a function of any of them. */
static void add_direct(struct depths_reading *r, const struct frame_call *c)
{
	const uint64_t target = image_jump_target(r->im, c->from, c->target);
	bool found = depths_add_target(r, target, c);
	for (size_t i = 1; r->im->overlay_shift > 0 && i < r->im->section_count; i++) {
		const struct section *s = &r->im->sections[i];
		if (s->vm_bias > 0 && target >= s->addr - s->vm_bias &&
		    target - (s->addr - s->vm_bias) < s->size)
			found |= depths_add_target(r, target + s->vm_bias, c);
	}
	if (!found)
		add_unknown(r, "");
}

static const struct stack_hint *hint_find(const struct stack_hints *h, struct str name, bool states)
{
	for (size_t i = 0; i < h->list.count; i++)
		if (h->list.data[i].states == states && str_eq(h->list.data[i].name, name))
			return &h->list.data[i];
	return NULL;
}

/* Adds a call of an import. Its stack is unknown, unless this file has the function too, or the
 * user stated it. */
static void depths_add_import(struct depths_reading *r, const struct plt_slot *slot,
			      const struct frame_call *c)
{
	struct symtab t;
	uint64_t addr;
	const struct str name = plt_name(&r->plt, slot);
	const struct stack_hint *hint = hint_find(r->hints, name, true);
	if (hint) {
		struct stack_function *f = depths_function_of(r);
		f->frame = max_u64(f->frame, c->depth + hint->worst);
		return;
	}
	if (symtab_open(&t, r->im, r->plt.dynsym)) {
		const struct symbol s = symtab_get(&t, slot->symbol);
		if (symbol_addr(r->im, &s, &addr) && stack_find(r->s, addr) != STACK_NONE) {
			depths_add_edge(r, stack_find(r->s, addr), c);
			return;
		}
	}
	add_unknown(r, arena_copy(&r->s->texts, name));
}

static void depths_add_indirect(struct depths_reading *r, const struct frame_call *c)
{
	if (!r->reaches) {
		depths_function_of(r)->own |= STACK_INDIRECT;
		return;
	}
	for (size_t i = 0; i < r->reaches->count; i++) {
		const struct str name = r->hints->names.data[r->reaches->first + i];
		uint32_t to = 0;
		while (to < r->s->functions.count && !str_eq(str_of(stack_name(r->s, to)), name))
			to++;
		depths_add_edge(r, to < r->s->functions.count ? to : STACK_NONE, c);
	}
}

static void depths_add_call(struct depths_reading *r, const struct frame_call *c)
{
	const struct plt_slot *slot = c->kind == FRAME_BY_SLOT ? plt_slot_at(&r->plt, c->target)
							       : NULL;
	const uint32_t next = c->kind == FRAME_FALL ? stack_find(r->s, c->target) : STACK_NONE;
	if (c->kind == FRAME_CALL || c->kind == FRAME_TAIL)
		add_direct(r, c);
	else if (next != STACK_NONE && r->s->functions.data[next].addr == c->target)
		depths_add_edge(r, next, c);
	else if (c->kind == FRAME_FALL)
		return;
	else if (slot)
		depths_add_import(r, slot, c);
	else
		depths_add_indirect(r, c);
}

static struct bytes depths_load(void *ctx, uint64_t addr, uint64_t size)
{
	return image_at(ctx, addr, size);
}

/* Reads a stub: its first jump, because the code after that looks up the function. */
static void read_stub(struct depths_reading *r)
{
	struct stack_function *f = depths_function_of(r);
	f->frame = f->worst = frame_word(r->s->isa);
	for (size_t i = 0; i < r->frame.calls.count; i++)
		if (r->frame.calls.data[i].kind == FRAME_BY_SLOT) {
			depths_add_call(r, &r->frame.calls.data[i]);
			return;
		}
	f->own |= STACK_INDIRECT;
}

static void depths_read_function(struct depths_reading *r, const struct derive_extent *x)
{
	ASSERT(r->function < r->s->functions.count);
	struct stack_use *s = r->s;
	const struct frame_memory memory = { depths_load, (void *)(uintptr_t)r->im,
					     r->code.data.data, r->code.data.count };
	struct stack_function *f = depths_function_of(r);
	frame_read(&r->frame, s->isa, x->code, x->addr, &memory);
	f->frame = f->worst = r->frame.size;
	f->own = (uint16_t)((r->frame.flags & FRAME_DYNAMIC ? STACK_DYNAMIC : 0u) |
			    (r->frame.flags & FRAME_NO_CODE ? STACK_ODD : 0u));
	f->edge_first = (uint32_t)s->edges.count;
	f->kind = x->stubs || x->cold              ? STACK_PART
		  : r->frame.flags & FRAME_HANDLER ? STACK_INTERRUPT
						   : STACK_CALLED;
	if (x->stubs) {
		read_stub(r);
		return;
	}
	for (size_t i = 0; i < r->frame.calls.count; i++)
		depths_add_call(r, &r->frame.calls.data[i]);
}

static void apply_hint(struct depths_reading *r)
{
	const struct str name = str_of(stack_name(r->s, r->function));
	const struct stack_hint *states = hint_find(r->hints, name, true);
	struct stack_function *f = depths_function_of(r);
	r->reaches = hint_find(r->hints, name, false);
	if (!states)
		return;
	f->stated = true;
	f->worst = f->frame = states->worst;
	f->next = STACK_NONE;
}

static void depths_read_all(struct depths_reading *r)
{
	const struct stack_use *s = r->s;
	for (r->function = 0; r->function < s->functions.count; r->function++) {
		if (r->hints->list.count > 0)
			apply_hint(r);
		if (!depths_function_of(r)->stated)
			depths_read_function(r, &r->code.list.data[r->function]);
	}
}

static const struct image *depths_image_of(const struct program *p, struct heft_err *err)
{
	const struct image *im = program_image(p);
	if (p->input.linkmap) {
		fail(err, HEFT_EUNSUPPORTED, HEFT_NO_OFFSET,
		     "%s: a linker map has no code; name the program that it is of", p->path);
		return NULL;
	}
	if (!im || p->input.image_count != 1 || im->kind != IMAGE_EXEC) {
		fail(err, HEFT_EUNSUPPORTED, HEFT_NO_OFFSET,
		     "%s: not a linked program; stacks of others are not known", p->path);
		return NULL;
	}
	if (flow_isa_of(im) == CODE_NONE) {
		fail(err, HEFT_EUNSUPPORTED, HEFT_NO_OFFSET,
		     "%s: the stack of this machine's code is not known (that of x86, AArch64, "
		     "Thumb, RISC-V, AVR and Xtensa is)",
		     p->path);
		return NULL;
	}
	return im;
}

/* True for a debug file, whose code is in another file. */
static bool depths_is_debug_file(const struct image *im)
{
	bool elsewhere = false;
	each_section(s, im) {
		if (s->exec && s->size > 0 && !s->nobits)
			return false;
		elsewhere = elsewhere || (s->exec && s->nobits);
	}
	return elsewhere;
}

static bool has_functions(const struct stack_use *s, struct heft_err *err)
{
	const char *path = s->program->path;
	if (s->functions.count > 0)
		return true;
	if (depths_is_debug_file(program_image(s->program)))
		return fail(err, HEFT_EUNSUPPORTED, HEFT_NO_OFFSET,
			    "%s: a debug file has no code; name the program that it is of", path);
	return fail(err, HEFT_EUNSUPPORTED, HEFT_NO_OFFSET,
		    "%s: no function was found in it: it has no code, or no symbols, unwind tables "
		    "or entry that tell where code is",
		    path);
}

/* Reads frames and calls from code, then frames that compilers state, then the user's hints. */
static bool read_program(struct stack_use *s, struct stack_hints *hints, struct heft_err *err)
{
	struct program *p = s->program;
	struct depths_reading r = { .s = s, .im = program_image(p), .hints = hints };
	code_functions_list(r.im, program_debug(p, false) ? program_debug_in_use(p) : NULL, s->isa,
			    p->notes, &r.code);
	plt_read(&r.plt, r.im);
	for (size_t i = 0; i < r.code.list.count; i++)
		vec_push(&s->functions,
			 (struct stack_function){ .addr = r.code.list.data[i].addr,
						  .size = r.code.list.data[i].code.size });
	const bool good = has_functions(s, err) && stack_hints_settle(s, hints, err);
	if (good)
		depths_read_all(&r);
	plt_release(&r.plt);
	frame_release(&r.frame);
	code_functions_release(&r.code);
	return good && stack_take_stated(s, err);
}

static void stack_verify(const struct stack_use *s)
{
	ASSERT(vec_sorted(&s->functions));
	for (size_t i = 0; i < s->functions.count; i++) {
		const struct stack_function *f = &s->functions.data[i];
		ASSERT(f->edge_first <= s->edges.count);
		ASSERT(f->edge_count <= s->edges.count - f->edge_first);
		ASSERT(f->worst >= f->frame || f->stated);
		ASSERT(f->next == STACK_NONE || f->next < s->functions.count);
	}
	for (size_t i = 0; i < s->edges.count; i++)
		ASSERT(s->edges.data[i].to < s->functions.count);
	for (size_t i = 0; i < s->unknown.count; i++)
		ASSERT(s->unknown.data[i].function < s->functions.count);
}

bool stack_read(struct stack_use *ret, struct program *p, struct heft_err *err)
{
	const struct image *im = depths_image_of(p, err);
	struct stack_hints hints = { 0 };
	struct file file = { 0 };
	memset(ret, 0, sizeof *ret);
	if (!im)
		return false;
	*ret = (struct stack_use){ .program = p, .isa = flow_isa_of(im) };
	/* Hints borrow from the file's text. */
	const char *const path = p->wish->calls;
	bool good = !path || file_open_stream(&file, path, err);
	if (good && path)
		good = stack_hints_parse(
			&hints, path, (struct str){ (const char *)file.bytes.p, file.bytes.size },
			err);
	good = good && read_program(ret, &hints, err);
	stack_hints_release(&hints);
	file_close(&file);
	if (good) {
		stack_sum(ret);
		stack_find_starts(ret);
		if (HEFT_CHECKS)
			stack_verify(ret);
	}
	return good;
}

void stack_release(struct stack_use *s)
{
	vec_release_all(&s->functions, &s->edges, &s->unknown);
	arena_release(&s->texts);
}
