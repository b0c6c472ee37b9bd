/* The source allocations: a block of the heap belongs to the call stack that asked for it,
 * outermost function first, as linker names with ";" between. */
#include "base/sort.h"
#include "base/text.h"
#include "source/process_layer.h"

/* A frame and its functions, outermost first with ";" between. */
struct named {
	uint64_t frame;
	struct str text;
};

struct naming {
	const struct source_file *f;
	const struct calls *calls;
	VEC(struct named) names; /* by frame */
	label_id *labels;        /* by stack; LABEL_NONE: not asked for yet */
	struct text text;
	struct arena arena;
};

/* ---- frames --------------------------------------------------------------------------------- */

/* A name must not look like two. */
static void add_name(struct text *t, const char *name)
{
	for (; *name; name++)
		text_add_char(t, *name == ';' || *name == '\n' ? ':' : *name);
}

static struct str frame_text(struct naming *n, uint64_t frame)
{
	const struct process_frame *frames;
	if (frame == HEAP_FRAME_CUT)
		return STR("[cut off]");
	const size_t count = process_name(n->f->process, frame - 1, &frames);
	text_set(&n->text, STR(""));
	for (size_t i = count; i-- > 0;) {
		add_name(&n->text, frames[i].name);
		if (i > 0)
			text_add_char(&n->text, ';');
	}
	return (struct str){ arena_copy(&n->arena, text_str(&n->text)), n->text.len };
}

/* Only stacks that blocks have. */
static void list_frames(struct naming *n)
{
	const struct calls *c = n->calls;
	uint8_t *seen = xcalloc(c->nodes.count + 1, 1);
	for (size_t i = 0; i < c->stacks.count; i++) {
		const struct call_stack *s = &c->stacks.data[i];
		for (uint32_t k = s->blocks ? s->node : 0; k > 0 && !seen[k];
		     k = c->nodes.data[k].parent) {
			seen[k] = 1;
			vec_push(&n->names, (struct named){ .frame = c->nodes.data[k].frame });
		}
	}
	free(seen);
}

/* Each once, in order of address, so that each module and unit is read once. */
static void name_frames(struct naming *n)
{
	size_t out = 0;
	list_frames(n);
	sort_by_key(n->names.data, n->names.count, sizeof *n->names.data);
	for (size_t i = 0; i < n->names.count; i++) {
		const uint64_t frame = n->names.data[i].frame;
		if (out > 0 && n->names.data[out - 1].frame == frame)
			continue;
		n->names.data[out++] = (struct named){ frame, frame_text(n, frame) };
	}
	n->names.count = out;
}

/* ---- stacks --------------------------------------------------------------------------------- */

static struct str text_of(const struct naming *n, uint64_t frame)
{
	const size_t i = lower_bound(n->names.data, n->names.count, sizeof *n->names.data, frame);
	return i < n->names.count ? n->names.data[i].text : STR("?");
}

static label_id make_label(struct naming *n, uint32_t stack)
{
	const struct calls *c = n->calls;
	VEC(uint32_t) chain = { 0 };
	if (stack >= c->stacks.count || c->stacks.data[stack].node == 0)
		return label_borrow(n->f->labels, STR("[no call stack]"));
	for (uint32_t k = c->stacks.data[stack].node; k > 0; k = c->nodes.data[k].parent)
		vec_push(&chain, k);
	text_set(&n->text, STR(""));
	for (size_t i = chain.count; i-- > 0;) {
		text_add(&n->text, text_of(n, c->nodes.data[chain.data[i]].frame));
		if (i > 0)
			text_add_char(&n->text, ';');
	}
	vec_release(&chain);
	return label_copy(n->f->labels, text_str(&n->text));
}

static label_id stack_label(struct naming *n, uint32_t stack)
{
	if (stack >= n->calls->stacks.count)
		stack = 0;
	if (n->labels[stack] == LABEL_NONE)
		n->labels[stack] = make_label(n, stack);
	return n->labels[stack];
}

static const char *const part_labels[] = {
	[HEAP_PART_HEADER] = "[heap headers]", [HEAP_PART_OVERHEAD] = "[allocator overhead]",
	[HEAP_PART_FREE] = "[free heap]",      [HEAP_PART_UNRECORDED] = "[unrecorded heap blocks]",
	[HEAP_PART_RECORDER] = "[recorder]",   [HEAP_PART_OTHER] = "[heap, not explained]",
};

static label_id part_label(struct naming *n, const struct process_heap *h,
			   const struct heap_part *p)
{
	if (p->kind == HEAP_PART_BLOCK)
		return stack_label(n, h->blocks.live.data[p->block].stack);
	return label_borrow(n->f->labels, str_of(part_labels[p->kind]));
}

static void claim_parts(struct naming *n, const struct process_heap *h, struct claims *vm)
{
	for (size_t i = 0; i < h->layout.parts.count; i++) {
		struct heap_part split[HEAP_SPLIT_MAX];
		const size_t count = heap_part_split(&h->layout.parts.data[i], &h->blocks, split);
		for (size_t k = 0; k < count; k++)
			claim(vm, split[k].addr, split[k].size, part_label(n, h, &split[k]),
			      WHY_ALLOCATION);
	}
}

void source_allocations(const struct source_file *f, struct layer *ret)
{
	struct claims vm = { 0 };
	if (!f->process) {
		note(f->notes, f->path, HEFT_NO_OFFSET, 0,
		     "no dump of a process: '%s' has nothing to say", f->source);
		layer_finish(f, ret);
		return;
	}
	const struct process_heap *h = process_read_heap(f->process);
	struct naming n = { .f = f, .calls = &h->calls };
	n.labels = xmalloc((h->calls.stacks.count + 1) * sizeof *n.labels);
	memset(n.labels, 0xff, (h->calls.stacks.count + 1) * sizeof *n.labels);
	name_frames(&n);
	claim_parts(&n, h, &vm);
	if (h->blocks.live.count == 0)
		note(f->notes, f->path, HEFT_NO_OFFSET, 0,
		     "no block of the heap has a header: the process did not run under the "
		     "recorder, "
		     "or its heap is not in the dump");
	process_finish(f, ret, &vm);
	free(n.labels);
	vec_release(&n.names);
	text_release(&n.text);
	arena_release(&n.arena);
}
