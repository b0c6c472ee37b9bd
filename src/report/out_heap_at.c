/* Writes single blocks of a heap: the block at an address, and damaged blocks. */
#include "report/all_fields.h"
#include "report/heap_report.h"

#include "base/filename.h"

static void heap_put_frame(struct sink *s, const struct heft_frame *f, bool brief)
{
	const char *module = file_name(f->module);
	if (*f->function)
		label_printf(s, "      %s", f->function);
	else
		label_printf(s, "      %s%s0x%" PRIx64, module, *f->module ? "+" : "", f->addr);
	if (*f->file)
		label_printf(s, " at %s", brief ? file_name(f->file) : f->file);
	if (*f->file && f->line > 0)
		sink_printf(s, ":%" PRIu32, f->line);
	if (*f->module && *f->function)
		label_printf(s, " [%s]", module);
	sink_text(s, f->inlined ? STR(" (inlined)\n") : STR("\n"));
}

static void heap_put_call(struct sink *s, const char *what, const struct heft_frame *const *frames,
			  size_t count)
{
	if (count > 0)
		sink_printf(s, "    %s\n", what);
	for (size_t i = 0; i < count; i++)
		heap_put_frame(s, frames[i], false);
}

/* Writes a block and the stack that allocated it. For neighbours (`brief`), writes only the
 * innermost frames. */
static void heap_put_block(struct sink *s, const struct heft_heap_block *b, const char *title,
			   bool brief)
{
	enum { FRAMES = 30, NEIGHBOUR_FRAMES = 3 };
	ASSERT(b->frame_count == 0 || b->frames != NULL);
	const size_t most = brief ? NEIGHBOUR_FRAMES : FRAMES;
	const size_t count = b->frame_count < most ? b->frame_count : most;
	sink_printf(s, "  %-10s0x%" PRIx64 ", %" PRIu64 " byte%s", title, b->addr, b->size,
		    b->size == 1 ? "" : "s");
	if (b->sequence > 0)
		sink_printf(s, ", allocation %" PRIu64, b->sequence);
	if (b->thread > 0)
		sink_printf(s, ", thread %" PRIu32, b->thread);
	sink_text(s, b->freed ? STR(", freed\n") : STR("\n"));
	if (count == 0)
		sink_text(s, STR("    by a stack that is not known\n"));
	else if (!brief)
		sink_text(s, STR("    allocated by\n"));
	for (size_t i = 0; i < count; i++)
		heap_put_frame(s, b->frames[i], brief);
	if (count < b->frame_count)
		sink_printf(s, "      ... %zu more\n", b->frame_count - count);
	if (!brief)
		heap_put_call(s, "freed by", b->freed_by, b->freed_by_count);
}

static void heap_put_hex(const struct heft_heap_place *at, struct sink *s)
{
	enum { ON_A_LINE = 16 };
	const uint8_t *p = at->bytes;
	for (size_t i = 0; p && i < at->byte_count; i += ON_A_LINE) {
		const size_t count = (size_t)min_u64(at->byte_count - i, ON_A_LINE);
		sink_printf(s, "    0x%012" PRIx64 " ", at->bytes_addr + i);
		for (size_t k = 0; k < count; k++)
			sink_printf(s, " %02x", p[i + k]);
		sink_printf(s, "%*s", (int)(3 * (ON_A_LINE - count)) + 2, "");
		for (size_t k = 0; k < count; k++)
			sink_printf(s, "%c", p[i + k] >= 0x20 && p[i + k] < 0x7f ? p[i + k] : '.');
		sink_text(s, STR("\n"));
	}
}

static void heap_put_state(const struct heft_heap_place *at, struct sink *s)
{
	const struct heft_heap_block *b = at->block;
	switch (at->state) {
	case HEFT_HEAP_NOWHERE: sink_text(s, STR("nothing is mapped there\n")); break;
	case HEFT_HEAP_MAPPED:
		if (*at->module)
			label_printf(s, "%s+0x%" PRIx64 "\n", file_name(at->module),
				     at->module_addr);
		else
			sink_text(s, at->lacking ? STR("not known: the dump lacks this memory\n")
						 : STR("no recorded block\n"));
		break;
	case HEFT_HEAP_STACK: sink_printf(s, "stack of thread %" PRIu32 "\n", at->thread); break;
	case HEFT_HEAP_IN_HEADER:
		sink_printf(s, "header of a live block, %" PRIu64 " bytes in front of it\n",
			    b->addr - at->addr);
		break;
	case HEFT_HEAP_BETWEEN:
		sink_printf(s, "in no block: %s\n", heap_part_names[at->part]);
		break;
	default:
		sink_printf(s, "%" PRIu64 " bytes into a %s block\n", at->addr - b->addr,
			    b->freed ? "freed" : "live");
		break;
	}
}

static void heap_put_place(const struct heft_heap_place *at, const char *symbol, struct sink *s)
{
	heap_put_state(at, s);
	if (at->state == HEFT_HEAP_NOWHERE)
		return;
	if (at->block)
		heap_put_block(s, at->block, "block", false);
	heap_put_hex(at, s);
	label_printf(s, "  mapping   0x%" PRIx64 " + 0x%" PRIx64 " %s%s%s %s\n", at->map_start,
		     at->map_size, at->read ? "r" : "-", at->write ? "w" : "-",
		     at->exec ? "x" : "-", at->map_name);
	if (*symbol)
		label_printf(s, "  symbol    %s+0x%" PRIx64 "\n", symbol, at->symbol_offset);
	if (at->before)
		heap_put_block(s, at->before, "before", true);
	if (at->after)
		heap_put_block(s, at->after, "after", true);
}

void heap_put_process(const struct heft_heap_place *at, struct sink *s)
{
	sink_text(s, STR("  process "));
	heap_put_place(at, "", s);
}

#define BLOCK(m)   FIELD(struct heft_heap_block, m)
#define CALL(t, m) FIELD_LIST(FIELD_OBJECTS, t, m, m##_count), .of = &heap_frame_fields
static const struct field heap_block_list[] = {
	{ KEY("address", "address of its first byte"), BLOCK(addr) },
	{ KEY("size", "bytes that were asked for"), BLOCK(size) },
	{ KEY("freed", "false: it is live"), BLOCK(freed) },
	{ KEY("sequence", "number of the allocation. Missing if the recorder kept none"),
	  BLOCK(sequence), .flags = FIELD_ANY },
	{ KEY("thread", "id of the thread that asked for it. Missing if the recorder kept none"),
	  BLOCK(thread), .flags = FIELD_ANY },
	{ KEY("frames", "who asked for it, innermost first; empty if unknown"),
	  FIELD_LIST(FIELD_OBJECTS, struct heft_heap_block, frames, frame_count),
	  .of = &heap_frame_fields },
	{ KEY("freed_by", "who freed it, innermost first. Missing if it is live, or unknown"),
	  CALL(struct heft_heap_block, freed_by), .flags = FIELD_ANY },
};
#undef BLOCK
const struct fields heap_block_fields = FIELDS("heap block", heap_block_list);

static const char *const state_names[] = {
	[HEFT_HEAP_NOWHERE] = "nowhere",  [HEFT_HEAP_MAPPED] = "mapped",
	[HEFT_HEAP_STACK] = "stack",      [HEFT_HEAP_IN_LIVE] = "live",
	[HEFT_HEAP_IN_HEADER] = "header", [HEFT_HEAP_IN_FREED] = "freed",
	[HEFT_HEAP_BETWEEN] = "between",
};

static struct str place_part(struct field_at *at)
{
	const struct heft_heap_place *p = at->of;
	return p->state == HEFT_HEAP_BETWEEN ? str_of(heap_part_names[p->part]) : (struct str){ 0 };
}

#define AT(m)    FIELD(struct heft_heap_place, m)
#define AT_IF(m) FIELD_IF(struct heft_heap_place, m)
static const struct field place_list[] = {
	{ KEY("address", "the address that was asked for"), AT(addr) },
	{ KEY("state", "what is there"), FIELD_AS(FIELD_WORD, struct heft_heap_place, state),
	  FIELD_WORDS(state_names) },
	{ KEY("part", "a key of `parts`. Missing if `state` is not `between`"), .get = place_part },
	{ KEY("mapping", "start of the mapping. Missing if nothing is mapped there"), AT(map_start),
	  AT_IF(state) },
	{ KEY("mapping_size", "bytes of the mapping. Missing if nothing is mapped there"),
	  AT(map_size), AT_IF(state) },
	{ KEY("mapping_name",
	      "a label of the source `mappings`. Missing if nothing is mapped there"),
	  AT(map_name), AT_IF(state) },
	{ KEY("module", "path of the program or library. Missing if no module is there"),
	  AT(module), .flags = FIELD_ANY },
	{ KEY("module_address",
	      "as the headers of the module count. Missing if no module is there"),
	  AT(module_addr), AT_IF(module) },
	{ KEY("symbol", "in the style of `-C`. Missing if no symbol is there"), AT(symbol),
	  .flags = FIELD_ANY },
	{ KEY("symbol_offset", "bytes from the start of the symbol. Missing if no symbol is there"),
	  AT(symbol_offset), AT_IF(symbol) },
	{ KEY("thread", "id of the thread whose stack it is. Missing if it is no stack"),
	  AT(thread), .flags = FIELD_ANY },
	{ KEY("lacking", "true: the program may have written there, and the dump lacks it. Missing "
			 "if it is false"),
	  AT(lacking), .flags = FIELD_ANY },
	{ KEY("block", "the block that the address is in. Missing if there is none"), AT(block),
	  .of = &heap_block_fields },
	{ KEY("before", "the live block before it. Missing if there is none"), AT(before),
	  .of = &heap_block_fields },
	{ KEY("after", "the live block after it. Missing if there is none"), AT(after),
	  .of = &heap_block_fields },
};
#undef AT
#undef AT_IF
const struct fields place_fields = FIELDS("place", place_list);

void out_heap_place(const struct heft_heap_place *at, bool json, struct sink *s)
{
	if (json) {
		fields_line(s, &place_fields, at);
		return;
	}
	sink_printf(s, "0x%" PRIx64 ": ", at->addr);
	heap_put_place(at, at->symbol, s);
}

const char *const heap_damage_words[HEFT_HEAP_FREED_WRITTEN + 1] = {
	[HEFT_HEAP_CANARY] = "canary",
	[HEFT_HEAP_HEADER] = "header",
	[HEFT_HEAP_CHUNK] = "chunk",
	[HEFT_HEAP_DOUBLE_FREE] = "double-free",
	[HEFT_HEAP_FAULT] = "fault",
	[HEFT_HEAP_FREED_USE] = "freed-use",
	[HEFT_HEAP_CANARY_FREED] = "canary-freed",
	[HEFT_HEAP_FREED_POINTER] = "freed-pointer",
	[HEFT_HEAP_WILD_FREE] = "wild-free",
	[HEFT_HEAP_ALLOCATOR] = "allocator",
	[HEFT_HEAP_FREED_WRITTEN] = "freed-written",
};

/* Texts for the kinds of damage that have no details. */
static const char *const damage_texts[] = {
	[HEFT_HEAP_CANARY] = "a block was written past its end",
	[HEFT_HEAP_HEADER] = "the header of a block was written over",
	[HEFT_HEAP_CHUNK] = "what the allocator keeps between blocks was written over",
	[HEFT_HEAP_FREED_USE] = "the fault was in a freed block",
	[HEFT_HEAP_FREED_POINTER] = "a register points into a freed block",
	[HEFT_HEAP_FREED_WRITTEN] =
		"a freed block was written to: the allocator's list breaks here",
};

static void damage_put_fault(const struct heft_heap_damage *d, struct sink *s)
{
	const struct heft_heap_block *b = d->block;
	if (d->distance < 0)
		sink_printf(s, "the fault was %" PRIu64 " bytes in front of a block",
			    0 - (uint64_t)d->distance);
	else if (d->distance > 0 || d->addr >= b->addr + b->size)
		sink_printf(s, "the fault was %" PRId64 " bytes behind the end of a block",
			    d->distance);
	else
		sink_printf(s, "the fault was %" PRIu64 " bytes into a block", d->addr - b->addr);
}

static void damage_put_wild_free(const struct heft_heap_damage *d, struct sink *s)
{
	const struct heft_heap_block *b = d->block;
	if (!b)
		sink_text(s, STR("freed, but it is in no block"));
	else if (d->addr < b->addr)
		sink_text(s, STR("freed, but it is the header of a block"));
	else if (d->addr - b->addr < b->size)
		sink_printf(s, "freed, but it is byte %" PRIu64 " of a block", d->addr - b->addr);
	else
		sink_printf(s, "freed, but it is behind a block of %" PRIu64 " byte%s", b->size,
			    b->size == 1 ? "" : "s");
	if (*d->place)
		label_printf(s, ": %s", d->place);
}

static void damage_put_allocator(const struct heft_heap_damage *d, struct sink *s)
{
	if (d->block && !d->block->freed) {
		sink_text(s, STR("this block came to the C library's own free or realloc, past the "
				 "recorder"));
		return;
	}
	sink_printf(s, "the allocator ended the program%s%s",
		    d->block                ? " as this block was freed"
		    : d->again_by_count > 0 ? " as memory was asked for"
					    : "",
		    *d->said == '\0' ? "; what it found is not known" : "");
}

static void damage_put(const struct heft_heap_damage *d, struct sink *s)
{
	if (d->addr > 0)
		sink_printf(s, "0x%" PRIx64 ": ", d->addr);
	switch (d->kind) {
	case HEFT_HEAP_FAULT: damage_put_fault(d, s); break;
	case HEFT_HEAP_DOUBLE_FREE:
		/* Without an address, the damage is a number of unknown blocks. */
		if (d->addr == 0)
			sink_printf(s, "blocks were freed twice, %" PRIu64 " in all", d->count);
		else if (d->count > 1)
			sink_printf(s, "the block was freed again, %" PRIu64 " times", d->count);
		else
			sink_text(s, STR("the block was freed twice"));
		break;
	case HEFT_HEAP_CANARY_FREED:
		if (d->addr == 0)
			sink_printf(s,
				    "blocks had been written past their end when they were freed, "
				    "%" PRIu64 " in all",
				    d->count);
		else
			sink_text(s, STR("the block had been written past its end when it was "
					 "freed"));
		break;
	case HEFT_HEAP_WILD_FREE: damage_put_wild_free(d, s); break;
	case HEFT_HEAP_ALLOCATOR: damage_put_allocator(d, s); break;
	default:
		sink_text(s, str_of(damage_texts[d->kind]));
		if (d->count > 0)
			sink_printf(s, ", %" PRIu64 " bytes", d->count);
		break;
	}
	sink_text(s, STR("\n"));
}

/* Damage, with the call stacks of the frees that belong to its kind. */
struct shown_damage {
	struct heft_heap_damage of;
	const struct heft_frame *const *freed_again_by, *const *freed_by;
	size_t freed_again_by_count, freed_by_count;
};

#define DAMAGE(m) FIELD(struct shown_damage, of.m)
static const struct field damage_list[] = {
	{ KEY("kind", "what is wrong"), FIELD_AS(FIELD_WORD, struct shown_damage, of.kind),
	  FIELD_WORDS(heap_damage_words) },
	{ KEY("address", "address of the damage; 0 if there is no one place"), DAMAGE(addr) },
	{ KEY("count", "blocks, or bytes, by the kind; 0 if nothing is counted"), DAMAGE(count) },
	{ KEY("block", "the block that is damaged, suspect, or near. Missing if it is unknown"),
	  DAMAGE(block), .of = &heap_block_fields },
	{ KEY("victim",
	      "the block whose header or bytes were written over. Missing if it is unknown"),
	  DAMAGE(victim), .of = &heap_block_fields },
	{ KEY("freed_again_by", "of a double free: the second call. Missing if there is none"),
	  CALL(struct shown_damage, freed_again_by), .flags = FIELD_ANY },
	{ KEY("freed_by",
	      "of `wild-free` and `allocator`: the call that freed. Missing if there is none"),
	  CALL(struct shown_damage, freed_by), .flags = FIELD_ANY },
	{ KEY("place",
	      "of `wild-free`: what is mapped there, if no block has it. Missing if there is none"),
	  DAMAGE(place), .flags = FIELD_ANY },
	{ KEY("said",
	      "the message with which the C library ended the process. Missing if there is none"),
	  DAMAGE(said), .flags = FIELD_ANY },
};
#undef DAMAGE
const struct fields damage_fields = FIELDS("damage", damage_list);

/* Writes which possible damage the check did not examine. */
static void check_put_not_examined(const struct heap_info *info, struct sink *s)
{
	if (info->unsettled > 0)
		sink_printf(
			s, "not known  %zu places where a thread was at work when it was stopped\n",
			info->unsettled);
	if (*info->of.lacks)
		sink_printf(s, "not known  memory that is not in the dump: %s\n", info->of.lacks);
	if (*info->of.allocators)
		sink_printf(s, "not known  what these hold: %s\n", info->of.allocators);
}

/* Writes which marks the check examined. Without marks, damage is invisible. */
static void check_put_examined(const struct heap_info *info, struct sink *s)
{
	static const char no_header[] = "a header of the recorder (heft heap run)";
	if (info->of.blocks == 0 && info->of.freed_blocks == 0) {
		sink_printf(s, "could not examine: no block in this dump has %s\n", no_header);
	} else if (info->of.arenas > 0) {
		sink_printf(s,
			    "examined   the allocator's words between %" PRIu64 " blocks\n"
			    "could not examine the blocks: none has %s\n",
			    info->of.blocks, no_header);
	} else {
		sink_printf(
			s,
			"examined   headers of %" PRIu64 " live and %" PRIu64 " freed blocks%s%s\n",
			info->of.blocks, info->of.freed_blocks,
			info->parts[HEFT_HEAP_OVERHEAD] > 0 ? ", the allocator's words between them"
							    : "",
			info->of.canaries ? ", canaries" : "");
		if (!info->of.canaries)
			sink_text(s, STR("not known  bytes behind blocks up to the next: no "
					 "canaries (heft heap run --canary)\n"));
		sink_text(s,
			  STR("not known  what was written into blocks after they were freed\n"));
		if (info->of.sample > 0)
			sink_text(s, STR("not known  blocks that are not in the sample\n"));
	}
	check_put_not_examined(info, s);
}

/* Opens the array that out_heap_damage() fills. */
static void heap_open_array(const struct field_at *at, struct json *j)
{
	(void)at;
	json_open(j, '[');
}

struct heap_check {
	struct heap_info info;
	bool has_headers, complete;
};

#define CHECK(m) FIELD(struct heap_check, m)
static const struct field check_list[] = {
	SCHEMA_1,
	{ KEY("blocks", "live blocks that were looked at"), CHECK(info.of.blocks) },
	{ KEY("freed_blocks", "freed blocks that were looked at"), CHECK(info.of.freed_blocks) },
	{ KEY("headers", "blocks have headers of the recorder; false: only the allocator's words "
			 "could be examined: status 2 without damage"),
	  CHECK(has_headers) },
	{ KEY("canaries", "bytes behind blocks were looked at"), CHECK(info.of.canaries) },
	{ KEY("unsettled", "places left out, where a thread was at work when it was stopped"),
	  FIELD_AS(FIELD_NUMBER, struct heap_check, info.unsettled) },
	{ KEY("complete", "false: memory is missing in the dump: status 2 without damage"),
	  CHECK(complete) },
	{ KEY("said",
	      "the message with which the C library ended the process. Missing if there is none"),
	  CHECK(info.said), .flags = FIELD_ANY },
	{ KEY("damage", "in the order of addresses"), .kind = FIELD_PUT, .put = heap_open_array,
	  .type = "array of damages" },
};
#undef CHECK
const struct fields heap_check_fields = FIELDS("check of a heap", check_list);

static void check_put_begin(const struct heap_info *info, size_t count, bool json, struct sink *s)
{
	/* Without a recording, blocks are chunks of the allocator. */
	const bool has_headers = info->of.arenas == 0 &&
				 (info->of.blocks > 0 || info->of.freed_blocks > 0);
	if (json) {
		const struct heap_check check = { *info, has_headers, *info->of.lacks == '\0' };
		struct json j = sink_json(s);
		json_open(&j, '{');
		fields_members(&j, &heap_check_fields, &check, NULL);
		return;
	}
	if (count == 0 && has_headers)
		sink_printf(s, "no damage found in %" PRIu64 " blocks\n", info->of.blocks);
	check_put_examined(info, s);
	if (*info->said != '\0')
		label_printf(s, "said       %s\n", info->said);
}

static void check_put_damage(const struct heft_heap_damage *d, size_t index, bool json,
			     struct sink *s)
{
	ASSERT(d->kind < COUNT_OF(damage_texts));
	const bool double_free = d->kind == HEFT_HEAP_DOUBLE_FREE;
	if (json) {
		struct shown_damage shown = { .of = *d };
		struct json j = sink_json(s);
		if (double_free) {
			shown.freed_again_by = d->again_by;
			shown.freed_again_by_count = d->again_by_count;
		} else {
			shown.freed_by = d->again_by;
			shown.freed_by_count = d->again_by_count;
		}
		sink_text(s, index > 0 ? STR(",\n") : STR("\n"));
		fields_object(&j, &damage_fields, &shown, NULL);
		return;
	}
	damage_put(d, s);
	if (d->block)
		heap_put_block(s, d->block,
			       d->kind == HEFT_HEAP_HEADER || d->kind == HEFT_HEAP_CHUNK ? "suspect"
											 : "block",
			       false);
	heap_put_call(s, double_free ? "freed again by" : "freed by", d->again_by,
		      d->again_by_count);
	if (d->victim)
		heap_put_block(s, d->victim, "victim", false);
}

static const struct field threads_list[] = {
	SCHEMA_1,
	{ KEY("threads", "of the process"), .kind = FIELD_PUT, .put = heap_open_array,
	  .type = "array of threads" },
};
const struct fields threads_fields = FIELDS("threads", threads_list);

static const struct field thread_list[] = {
	{ KEY("thread", "id of the thread"), FIELD(struct heap_thread_stack, id) },
	{ KEY("name", "name of the thread; empty if unknown"),
	  FIELD(struct heap_thread_stack, name) },
	{ KEY("frames", "innermost first; empty if its stack is unknown"),
	  FIELD_LIST(FIELD_OBJECTS, struct heap_thread_stack, frames, count),
	  .of = &heap_frame_fields },
};
const struct fields thread_fields = FIELDS("thread", thread_list);

static void thread_put(const struct heap_thread_stack *t, struct sink *s)
{
	if (t->count == 0)
		sink_text(s, STR("      not known\n"));
	for (size_t i = 0; i < t->count; i++)
		heap_put_frame(s, t->frames[i], false);
}

static void thread_put_stack(const struct heap_thread_stack *t, size_t index, bool json,
			     struct sink *s)
{
	if (json) {
		struct json j = sink_json(s);
		sink_text(s, index > 0 ? STR(",\n") : STR("\n"));
		fields_object(&j, &thread_fields, t, NULL);
		return;
	}
	label_printf(s, "thread %" PRIu32 "%s%s\n", t->id, *t->name ? ", " : "", t->name);
	thread_put(t, s);
}

void out_heap_stacks(struct heft_heap *h, bool json, struct sink *s)
{
	process_walk_threads(&h->process);
	const size_t count = h->process.dump.thread_count;
	struct json j = sink_json(s);
	if (json) {
		json_open(&j, '{');
		fields_members(&j, &threads_fields, NULL, NULL);
	} else if (count == 0) {
		sink_text(s, STR("the dump tells of no thread\n"));
	}
	for (size_t i = 0; i < count; i++) {
		const struct heap_thread_stack t = heap_thread_stack(h, i);
		thread_put_stack(&t, i, json, s);
	}
	sink_text(s, json ? STR("\n]}\n") : STR(""));
}

/* Writes the stack of the thread that crashed, below the damage. */
static void check_put_death(struct heft_heap *h, struct sink *s)
{
	if (!dump_is_fatal(&h->process.dump) || h->process.dump.thread_count == 0)
		return;
	const struct heap_thread_stack t = heap_thread_stack(h, 0);
	if (t.count == 0)
		return;
	label_printf(s, "thread %" PRIu32 "%s%s ended by signal %d\n", t.id, *t.name ? ", " : "",
		     t.name, h->info.of.signal);
	thread_put(&t, s);
}

void out_heap_check(struct heft_heap *h, bool json, struct sink *s)
{
	const size_t count = heap_find_damage(h);
	h->info.unsettled = h->damages.unsettled;
	check_put_begin(&h->info, count, json, s);
	for (size_t i = 0; i < count; i++) {
		const struct heft_heap_damage d = heap_damage(h, i);
		check_put_damage(&d, i, json, s);
	}
	if (json)
		sink_text(s, STR("\n]}\n"));
	else
		check_put_death(h, s);
}
