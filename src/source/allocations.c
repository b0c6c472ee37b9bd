/* Implements the data source `allocations`: the call stack that allocated a heap block owns it. A
 * label is the linkage names of its functions with ";" between, the outermost first, without the
 * allocator's own. */
#include "source/process_layer.h"

struct allocations_naming {
	const struct source_file *f;
	const struct calls *calls;
	label_id *labels; /* Per stack: its label. LABEL_NONE until needed */
	process_frame_vec frames;
	struct text name, text;
	struct claims *vm;
};

/* Adds the linkage name of a frame. Replaces ';' and line ends, which would separate names. */
static void allocations_add_frame(struct allocations_naming *n, const struct heft_frame *f)
{
	struct heft_frame raw = *f;
	if (*raw.linkage)
		raw.function = raw.linkage;
	text_set(&n->name, STR(""));
	process_add_name(&n->name, &raw);
	for (size_t i = 0; i < n->name.len; i++) {
		const char c = n->name.p[i];
		text_add_char(&n->text, c == ';' || c == '\n' ? ':' : c);
	}
}

/* Returns the index of the innermost frame that is not the allocator's, or 0. */
static size_t allocations_owner_of(const struct allocations_naming *n)
{
	for (size_t i = 0; i < n->frames.count; i++) {
		const enum process_frame_kind kind = process_frame_kind(&n->frames.data[i]);
		if (kind != PROCESS_FRAME_HELPER && kind != PROCESS_FRAME_ALLOCATOR)
			return i;
	}
	return 0;
}

static label_id make_label(struct allocations_naming *n, uint32_t stack)
{
	process_stack(n->f->process, stack, &n->frames);
	if (n->frames.count == 0)
		return label_borrow(n->f->labels, str_of(process_no_stack));
	text_set(&n->text, STR(""));
	const size_t owner = allocations_owner_of(n);
	for (size_t i = n->frames.count; i-- > owner;) {
		allocations_add_frame(n, &n->frames.data[i]);
		if (i > owner)
			text_add_char(&n->text, ';');
	}
	return label_copy(n->f->labels, text_str(&n->text));
}

static const char *const part_labels[] = {
	[HEAP_PART_HEADER] = "[heap headers]", [HEAP_PART_OVERHEAD] = "[allocator overhead]",
	[HEAP_PART_FREE] = "[free heap]",      [HEAP_PART_UNRECORDED] = "[unrecorded heap blocks]",
	[HEAP_PART_RECORDER] = "[recorder]",   [HEAP_PART_OTHER] = "[heap, not explained]",
};

static label_id part_label(struct allocations_naming *n, enum heap_part_kind kind,
			   const struct heap_found *block)
{
	const bool recorded = n->f->process->heap.glibc.arenas == 0;
	if (kind == HEAP_PART_BLOCK && !recorded)
		return label_borrow(n->f->labels, str_of(part_labels[HEAP_PART_UNRECORDED]));
	if (kind != HEAP_PART_BLOCK)
		return label_borrow(n->f->labels, str_of(part_labels[kind]));
	uint32_t stack = heap_stack_of(&n->f->process->heap.blocks, block);
	if (stack >= n->calls->stacks.count)
		stack = 0;
	if (n->labels[stack] == LABEL_NONE)
		n->labels[stack] = make_label(n, stack);
	return n->labels[stack];
}

static void allocations_claim_part(void *ctx, const struct heap_part *part,
				   const struct heap_found *block)
{
	struct allocations_naming *n = ctx;
	struct heap_part split[HEAP_SPLIT_MAX];
	const size_t count = heap_part_split(part, block, split);
	ASSERT(count <= HEAP_SPLIT_MAX);
	for (size_t k = 0; k < count; k++)
		claim(n->vm, split[k].addr, split[k].size, part_label(n, split[k].kind, block),
		      WHY_ALLOCATION);
}

void source_allocations(const struct source_file *f, struct layer *ret)
{
	struct claims vm = { 0 };
	if (!f->process) {
		note(f->notes, f->path, HEFT_NO_OFFSET, 0,
		     "no dump of a process: '%s' has nothing to say", f->source);
		layer_finish(f, ret, NULL, NULL);
		return;
	}
	const struct process_heap *h = process_read_heap(f->process);
	struct allocations_naming n = { .f = f, .calls = &h->calls, .vm = &vm };
	n.labels = mem_alloc((h->calls.stacks.count + 1) * sizeof *n.labels);
	memset(n.labels, 0xff, (h->calls.stacks.count + 1) * sizeof *n.labels);
	process_name_calls(f->process);
	heap_parts_each(&h->layout, allocations_claim_part, &n);
	if (h->blocks.live.count == 0)
		note(f->notes, f->path, HEFT_NO_OFFSET, 0,
		     "no block of the heap has a header: the process did not run under the "
		     "recorder, "
		     "or its heap is not in the dump");
	process_finish(f, ret, &vm);
	mem_free(n.labels);
	vec_release(&n.frames);
	text_release(&n.name);
	text_release(&n.text);
}
