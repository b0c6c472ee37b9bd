/* Joins the call trees of all threads, and inline stacks, into one tree. Adds up their counters. */
#include "heap/calls.h"

#include "base/map.h"
#include "base/sort.h"

enum { NODE_MASK = (1 << HEAP_NODE_SHIFT) - 1, STACK_MASK = (1 << HEAP_STACK_SHIFT) - 1 };

/* A range of addresses that belongs to a module during one epoch. */
struct calls_range {
	uint64_t start, end;
	uint64_t module;
};

struct calls_ranges {
	struct calls_range *data;
	size_t count, cap;
};

/* Gives entries of the recorder's pages their indexes in the joined tree. Entry i of page n is at
 * to[starts[n - 1] + i] */
struct id_map {
	VEC(uint32_t) starts;
	VEC(uint32_t) to;
};

struct call_index {
	const struct dump *dump;
	VEC(uint32_t) stack_of; /* Per node: the stack whose innermost frame it is, or 0 */
	struct map children;    /* Nodes by caller, frame and module. */
	struct map added;       /* Stacks of calls_add(), by all of their frames */
	struct id_map stacks;
	VEC(uint32_t) noted;     /* Per module of the records: index in calls.modules */
	struct calls_ranges now; /* Address ranges of modules, sorted by start */
	uint32_t epoch;          /* Epoch of the ranges in `now`. */
	bool has_epoch;
};

static uint32_t calls_child(struct calls *c, struct call_node n)
{
	ASSERT(n.parent < c->nodes.count);
	struct call_index *x = c->index;
	uint32_t i;
	struct map_at at = map_at(&x->children,
				  hash_pair(n.frame, (uint64_t)n.module << 32 | n.parent));
	while (map_next(&x->children, &at, &i)) {
		const struct call_node *k = &c->nodes.data[i];
		if (k->frame == n.frame && k->parent == n.parent && k->module == n.module)
			return i;
	}
	if (c->nodes.count >= CALLS_NONE)
		return n.parent;
	i = (uint32_t)c->nodes.count;
	map_put(&x->children, &at, i);
	vec_push(&c->nodes, n);
	vec_push(&x->stack_of, 0);
	return i;
}

static uint32_t stack_at(struct calls *c, uint32_t node)
{
	ASSERT(node < c->nodes.count);
	uint32_t *known = &c->index->stack_of.data[node];
	if (node != 0 && *known == 0) {
		*known = (uint32_t)c->stacks.count;
		vec_push(&c->stacks, (struct call_stack){ .node = node });
	}
	return *known;
}

/* True if a mapped file may be the module `m`: same bias, and build ids equal or unknown. */
static bool may_be_module(const struct dump_file *f, const struct heap_module *m)
{
	return f->bias == m->bias && (f->build_id.size == 0 || m->build_id_size == 0 ||
				      (f->build_id.size == m->build_id_size &&
				       memcmp(f->build_id.p, m->build_id, m->build_id_size) == 0));
}

static bool same_module(const struct heap_module *a, const struct heap_module *b)
{
	return a->start == b->start && a->end == b->end && a->bias == b->bias &&
	       a->build_id_size == b->build_id_size &&
	       memcmp(a->build_id, b->build_id, a->build_id_size) == 0 &&
	       strcmp(a->path, b->path) == 0;
}

/* Lists the modules. A module that was loaded twice at one address is listed once. */
static void find_modules(struct calls *c, const struct dump *d, const struct records *r)
{
	struct by_start {
		uint64_t start, index;
	};
	VEC(struct by_start) order = { 0 };
	for (size_t i = 0; i < d->file_count; i++)
		vec_push(&c->modules, d->files[i]);
	for (size_t i = 0; i < r->modules.count; i++) {
		vec_push(&order, (struct by_start){ r->modules.data[i].start, i });
		vec_push(&c->index->noted, 0);
	}
	vec_sort(&order);
	const struct heap_module *last = NULL;
	for (size_t i = 0; i < order.count; i++) {
		const struct heap_module *m = &r->modules.data[order.data[i].index];
		/* Looks up by address, because with symbolic links a file has several names. */
		const struct dump_file *f = m->last == 0 ? dump_module(d, m->start) : NULL;
		uint32_t *at = &c->index->noted.data[order.data[i].index];
		if (f != NULL && may_be_module(f, m)) {
			*at = (uint32_t)(f - d->files);
			continue;
		}
		if (last == NULL || !same_module(last, m))
			vec_push(&c->modules,
				 (struct dump_file){
					 .path = m->path,
					 .module = true,
					 .start = m->start,
					 .end = m->end,
					 .bias = m->bias,
					 .build_id = { m->build_id, m->build_id_size } });
		last = m;
		*at = (uint32_t)c->modules.count - 1;
	}
	vec_release(&order);
}

static void choose_epoch(struct calls *c, const struct records *r, uint32_t epoch)
{
	struct call_index *x = c->index;
	if (x->has_epoch && x->epoch == epoch)
		return;
	x->now.count = 0;
	for (size_t i = 0; i < r->modules.count; i++) {
		const struct heap_module *m = &r->modules.data[i];
		if (m->first <= epoch && (m->last == 0 || epoch < m->last))
			vec_push(&x->now,
				 (struct calls_range){ m->start, m->end, x->noted.data[i] });
	}
	vec_sort(&x->now);
	x->epoch = epoch;
	x->has_epoch = true;
}

static uint32_t module_of(const struct calls *c, uint64_t frame)
{
	const struct call_index *x = c->index;
	if (frame == HEAP_FRAME_CUT || frame == 0)
		return CALLS_NONE;
	const struct calls_range *r = vec_before(&x->now, frame - 1);
	if (r && frame - 1 < r->end)
		return (uint32_t)r->module;
	const struct dump_file *f = dump_module(x->dump, frame - 1);
	return f != NULL ? (uint32_t)(f - x->dump->files) : CALLS_NONE;
}

static void id_map_start(struct id_map *m, const struct record_pages *pages, size_t entry_size)
{
	uint64_t sum = 0;
	for (size_t i = 0; i < pages->count; i++) {
		vec_push(&m->starts, (uint32_t)sum);
		sum += pages->data[i].entries.size / entry_size;
	}
	vec_push(&m->starts, (uint32_t)sum);
	vec_reserve(&m->to, (size_t)sum);
	ASSERT(m->starts.count == pages->count + 1);
}

/* Returns the index of an entry in the joined tree. CALLS_NONE if it is absent or not read yet. */
static uint32_t id_map_get(const struct id_map *m, uint32_t number, uint32_t index)
{
	if (number == 0 || number >= m->starts.count ||
	    index >= m->starts.data[number] - m->starts.data[number - 1])
		return CALLS_NONE;
	const size_t at = (size_t)m->starts.data[number - 1] + index;
	return at < m->to.count ? m->to.data[at] : CALLS_NONE;
}

static void id_map_release(struct id_map *m)
{
	vec_release_all(&m->starts, &m->to);
}

/* Returns the node of a frame's caller. The recorder writes callers first, so there is no cycle. */
static uint32_t find_caller(struct calls *c, const struct id_map *nodes, uint32_t parent,
			    struct notes *notes)
{
	if (parent == 0)
		return 0;
	const uint32_t at = id_map_get(nodes, parent >> HEAP_NODE_SHIFT, parent & NODE_MASK);
	if (at != CALLS_NONE)
		return at;
	note(notes, c->index->dump->path, HEFT_NO_OFFSET, sizeof(struct heap_node),
	     "frames of call stacks are missing: their pages are not in the dump");
	/* The page of the caller is missing. */
	return calls_child(c, (struct call_node){ HEAP_FRAME_CUT, 0, CALLS_NONE });
}

static void read_nodes(struct calls *c, struct id_map *nodes, const struct records *r,
		       struct notes *notes)
{
	const struct dump *d = c->index->dump;
	id_map_start(nodes, &r->nodes, sizeof(struct heap_node));
	map_reserve(&c->index->children, nodes->to.cap);
	for (size_t i = 0; i < r->nodes.count; i++) {
		const struct record_page *page = &r->nodes.data[i];
		if (page->entries.size != 0)
			choose_epoch(c, r, page->epoch);
		struct reader at = reader_of(page->entries, d->big_endian);
		while (reader_left(&at) > 0) {
			struct call_node n;
			n.frame = read_u64(&at);
			n.module = module_of(c, n.frame);
			n.parent = find_caller(c, nodes, read_u32(&at), notes);
			read_skip(&at, 4);
			vec_push(&nodes->to, calls_child(c, n));
		}
	}
	choose_epoch(c, r, r->process.module_epoch);
}

struct share_key {
	uint64_t key;
	uint64_t index;
};

struct calls_reading {
	struct calls *c;
	const struct records *r;
	VEC(struct call_share) shares; /* One share per stack of the recorder's pages */
	VEC(struct share_key) keys;
	VEC(uint64_t) blocks; /* Number of blocks at the peak, per share */
	uint64_t live_bytes;
};

/* Returns a - b, or 0 if b is greater. In a dump of a running process, only one of two counters may
 * have changed. */
static uint64_t minus(uint64_t a, uint64_t b)
{
	return a > b ? a - b : 0;
}

static void read_counters(struct calls_reading *g, uint32_t to, const struct heap_stack *s,
			  const struct heap_remote *far, uint32_t slot)
{
	struct call_stack *st = &g->c->stacks.data[to];
	struct call_share share = { .stack = to, .slot = slot };
	share.allocs = s->allocs;
	share.alloc_bytes = s->alloc_bytes;
	share.live = minus(s->allocs, add_sat(s->frees, far->frees));
	share.live_bytes = minus(s->alloc_bytes, add_sat(s->freed_bytes, far->freed_bytes));
	/* If the stack's counters are unchanged since the peak, its live bytes were live at the
	 * peak, too. */
	const bool noted = s->peak_epoch == g->r->process.peak_epoch;
	share.at_peak_bytes = noted ? s->at_peak_bytes : share.live_bytes;
	vec_push(&g->blocks, noted ? s->at_peak_blocks : share.live);
	vec_push(&g->keys,
		 (struct share_key){ (uint64_t)to << 32 | slot, (uint64_t)g->shares.count });
	vec_push(&g->shares, share);
	st->peak_bytes = add_sat(st->peak_bytes, s->peak_bytes);
	st->temporary = add_sat(st->temporary, s->temporary);
	g->live_bytes = add_sat(g->live_bytes, share.live_bytes);
}

static void calls_read_stacks(struct calls_reading *g, const struct id_map *nodes,
			      struct notes *notes)
{
	struct calls *c = g->c;
	struct call_index *x = c->index;
	id_map_start(&x->stacks, &g->r->stacks, sizeof(struct heap_stack));
	for (uint32_t i = 0; i < g->r->stacks.count; i++) {
		const uint32_t id = (i + 1) << HEAP_STACK_SHIFT;
		const uint32_t count = x->stacks.starts.data[i + 1] - x->stacks.starts.data[i];
		for (uint32_t j = 0; j < count; j++) {
			struct heap_stack s;
			struct heap_remote far;
			uint32_t slot;
			if (!records_stack(g->r, x->dump, id + j, &s, &far, &slot))
				break;
			uint32_t node = id_map_get(nodes, s.node >> HEAP_NODE_SHIFT,
						   s.node & NODE_MASK);
			if (node == CALLS_NONE) {
				note(notes, x->dump->path, HEFT_NO_OFFSET, s.alloc_bytes,
				     "call stacks are missing: their pages are not in the dump");
				node = 0;
			}
			const uint32_t to = stack_at(c, node);
			vec_push(&x->stacks.to, to);
			read_counters(g, to, &s, &far, slot);
		}
	}
}

static void add_share(struct calls *c, const struct call_share *s, uint64_t blocks)
{
	ASSERT(s->stack < c->stacks.count);
	struct call_stack *st = &c->stacks.data[s->stack];
	st->allocs = add_sat(st->allocs, s->allocs);
	st->alloc_bytes = add_sat(st->alloc_bytes, s->alloc_bytes);
	st->live = add_sat(st->live, s->live);
	st->live_bytes = add_sat(st->live_bytes, s->live_bytes);
	st->at_peak = add_sat(st->at_peak, blocks);
	st->at_peak_bytes = add_sat(st->at_peak_bytes, s->at_peak_bytes);
	c->allocs = add_sat(c->allocs, s->allocs);
	c->alloc_bytes = add_sat(c->alloc_bytes, s->alloc_bytes);
	c->live = add_sat(c->live, s->live);
	c->live_bytes = add_sat(c->live_bytes, s->live_bytes);
	c->at_peak_bytes = add_sat(c->at_peak_bytes, s->at_peak_bytes);
	struct call_share *last = vec_last(&c->shares);
	if (last == NULL || last->stack != s->stack || last->slot != s->slot) {
		vec_push(&c->shares, *s);
		return;
	}
	last->allocs = add_sat(last->allocs, s->allocs);
	last->alloc_bytes = add_sat(last->alloc_bytes, s->alloc_bytes);
	last->live = add_sat(last->live, s->live);
	last->live_bytes = add_sat(last->live_bytes, s->live_bytes);
	last->at_peak_bytes = add_sat(last->at_peak_bytes, s->at_peak_bytes);
}

static void calls_verify(const struct calls *c)
{
	ASSERT(c->index->stack_of.count == c->nodes.count);
	for (size_t i = 1; i < c->nodes.count; i++) {
		const struct call_node *n = &c->nodes.data[i];
		ASSERT(n->parent < i);
		ASSERT(n->module == CALLS_NONE || n->module < c->modules.count);
	}
	for (size_t i = 0; i < c->stacks.count; i++)
		ASSERT(c->stacks.data[i].node < c->nodes.count);
	for (size_t i = 0; i < c->shares.count; i++) {
		const struct call_share *s = &c->shares.data[i], *before = i > 0 ? s - 1 : NULL;
		ASSERT(s->stack < c->stacks.count);
		ASSERT(!before || before->stack < s->stack ||
		       (before->stack == s->stack && before->slot < s->slot));
	}
}

void calls_read(struct calls *ret, const struct dump *d, const struct records *r,
		struct notes *notes)
{
	struct call_index *x = mem_zeroed(1, sizeof *x);
	struct id_map nodes = { 0 };
	struct calls_reading g = { .c = ret, .r = r };
	*ret = (struct calls){ .index = x };
	x->dump = d;
	vec_push(&ret->nodes, (struct call_node){ .module = CALLS_NONE });
	vec_push(&x->stack_of, 0);
	vec_push(&ret->stacks, (struct call_stack){ 0 });
	ret->counted = r->stacks.count > 0;
	ret->sampled = r->process.sample != 0;
	find_modules(ret, d, r);
	read_nodes(ret, &nodes, r, notes);
	calls_read_stacks(&g, &nodes, notes);
	/* Counters are updated before the peak is. So if more bytes are live than at the recorded
	 * peak, the peak is now. */
	const bool peak_now = g.live_bytes > g.r->process.peak_bytes;
	vec_sort(&g.keys);
	ASSERT(g.keys.count == g.shares.count && g.blocks.count == g.shares.count);
	for (size_t i = 0; i < g.keys.count; i++) {
		const size_t at = (size_t)g.keys.data[i].index;
		struct call_share *s = &g.shares.data[at];
		if (peak_now)
			s->at_peak_bytes = s->live_bytes;
		add_share(g.c, s, peak_now ? s->live : g.blocks.data[at]);
	}
	if (HEFT_CHECKS)
		calls_verify(ret);
	id_map_release(&nodes);
	vec_release_all(&g.shares, &g.keys, &g.blocks);
}

void calls_release(struct calls *c)
{
	struct call_index *x = c->index;
	if (x != NULL) {
		vec_release(&x->stack_of);
		map_release(&x->children);
		map_release(&x->added);
		id_map_release(&x->stacks);
		vec_release_all(&x->noted, &x->now);
		mem_free(x);
	}
	vec_release_all(&c->modules, &c->nodes, &c->stacks, &c->shares);
	*c = (struct calls){ 0 };
}

uint32_t calls_by_id(const struct calls *c, uint32_t id)
{
	const uint32_t at = id_map_get(&c->index->stacks, id >> HEAP_STACK_SHIFT, id & STACK_MASK);
	return at != CALLS_NONE ? at : 0;
}

static bool has_frames(const struct calls *c, uint32_t stack, const uint64_t *frames, size_t count)
{
	ASSERT(stack < c->stacks.count);
	uint32_t node = c->stacks.data[stack].node;
	for (size_t i = 0; i < count; i++) {
		if (node == 0 || c->nodes.data[node].frame != frames[i])
			return false;
		node = c->nodes.data[node].parent;
	}
	return node == 0;
}

uint32_t calls_add(struct calls *c, const uint64_t *frames, size_t count)
{
	struct call_index *x = c->index;
	uint32_t stack;
	struct map_at at = map_at(&x->added, hash_bytes(frames, count * sizeof *frames));
	while (map_next(&x->added, &at, &stack))
		if (has_frames(c, stack, frames, count))
			return stack;
	uint32_t node = 0;
	for (size_t i = count; i-- > 0;)
		node = calls_child(c,
				   (struct call_node){ frames[i], node, module_of(c, frames[i]) });
	stack = stack_at(c, node);
	if (stack != 0)
		map_put(&x->added, &at, stack);
	return stack;
}
