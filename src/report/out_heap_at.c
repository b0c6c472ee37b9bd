/* Single blocks of a heap: what is at an address, what is damaged. */
#include "report/heap_report.h"

#include "base/filename.h"
#include "report/label_text.h"

/* ---- blocks --------------------------------------------------------------------------------- */

static void out_heap_at_put_frame(struct sink *s, const struct heft_frame *f, bool brief)
{
	sink_text(s, STR("      "));
	if (*f->function) {
		label_put(s, str_of(f->function), 0);
	} else {
		label_put(s, str_of(file_name(f->module)), 0);
		sink_printf(s, "%s0x%" PRIx64, *f->module ? "+" : "", f->addr);
	}
	if (*f->file) {
		sink_text(s, STR(" at "));
		label_put(s, str_of(brief ? file_name(f->file) : f->file), 0);
		if (f->line > 0)
			sink_printf(s, ":%" PRIu32, f->line);
	}
	if (*f->module && *f->function) {
		sink_text(s, STR(" ["));
		label_put(s, str_of(file_name(f->module)), 0);
		sink_text(s, STR("]"));
	}
	sink_text(s, f->inlined ? STR(" (inlined)\n") : STR("\n"));
}

static void out_heap_at_put_block(struct sink *s, const struct heft_heap_block *b)
{
	sink_printf(s, "0x%" PRIx64 ", %" PRIu64 " byte%s", b->addr, b->size,
		    b->size == 1 ? "" : "s");
	if (b->sequence > 0)
		sink_printf(s, ", allocation %" PRIu64, b->sequence);
	if (b->thread > 0)
		sink_printf(s, ", thread %" PRIu32, b->thread);
	if (b->freed)
		sink_text(s, STR(", freed"));
	sink_text(s, STR("\n"));
}

enum { FRAMES = 30, NEIGHBOUR_FRAMES = 3 };

static void put_call(struct sink *s, const char *what, const struct heft_frame *const *frames,
		     size_t count)
{
	if (count > 0)
		sink_printf(s, "    %s\n", what);
	for (size_t i = 0; i < count; i++)
		out_heap_at_put_frame(s, frames[i], false);
}

/* Of neighbours the innermost frames do. */
static void out_heap_at_put_stack(struct sink *s, const struct heft_heap_block *b, bool brief)
{
	const size_t most = brief ? NEIGHBOUR_FRAMES : FRAMES;
	const size_t count = b->frame_count < most ? b->frame_count : most;
	if (count == 0)
		sink_text(s, STR("    by a stack that is not known\n"));
	else if (!brief)
		sink_text(s, STR("    allocated by\n"));
	for (size_t i = 0; i < count; i++)
		out_heap_at_put_frame(s, b->frames[i], brief);
	if (count < b->frame_count)
		sink_printf(s, "      ... %zu more\n", b->frame_count - count);
	if (!brief)
		put_call(s, "freed by", b->freed_by, b->freed_by_count);
}

static void put_hex_line(struct sink *s, uint64_t addr, const uint8_t *p, size_t count)
{
	sink_printf(s, "    0x%012" PRIx64 " ", addr);
	for (size_t i = 0; i < 16; i++) {
		if (i < count)
			sink_printf(s, " %02x", p[i]);
		else
			sink_text(s, STR("   "));
	}
	sink_text(s, STR("  "));
	for (size_t i = 0; i < count; i++)
		sink_printf(s, "%c", p[i] >= 0x20 && p[i] < 0x7f ? p[i] : '.');
	sink_text(s, STR("\n"));
}

static void out_heap_at_put_hex(struct sink *s, const struct heft_heap_place *at)
{
	const uint8_t *p = at->bytes;
	for (size_t i = 0; p && i < at->byte_count; i += 16)
		put_hex_line(s, at->bytes_addr + i, p + i,
			     at->byte_count - i < 16 ? at->byte_count - i : 16);
}

/* ---- an address ----------------------------------------------------------------------------- */

static const char *const state_names[] = {
	[HEFT_HEAP_NOWHERE] = "nowhere",  [HEFT_HEAP_MAPPED] = "mapped",
	[HEFT_HEAP_STACK] = "stack",      [HEFT_HEAP_IN_LIVE] = "live",
	[HEFT_HEAP_IN_HEADER] = "header", [HEFT_HEAP_IN_FREED] = "freed",
	[HEFT_HEAP_BETWEEN] = "between",
};

static void put_module_place(const struct heft_heap_place *at, struct sink *s)
{
	if (!*at->module) {
		sink_text(s, at->lacking ? STR("not known: the dump lacks this memory")
					 : STR("no recorded block"));
		return;
	}
	label_put(s, str_of(file_name(at->module)), 0);
	sink_printf(s, "+0x%" PRIx64, at->module_addr);
}

static void put_where(const struct heft_heap_place *at, struct sink *s)
{
	const struct heft_heap_block *b = at->block;
	switch (at->state) {
	case HEFT_HEAP_NOWHERE: sink_text(s, STR("nothing is mapped there")); break;
	case HEFT_HEAP_MAPPED: put_module_place(at, s); break;
	case HEFT_HEAP_STACK: sink_printf(s, "stack of thread %" PRIu32, at->thread); break;
	case HEFT_HEAP_IN_HEADER:
		sink_printf(s, "header of a live block, %" PRIu64 " bytes in front of it",
			    b->addr - at->addr);
		break;
	case HEFT_HEAP_BETWEEN: sink_printf(s, "in no block: %s", heap_part_names[at->part]); break;
	default:
		sink_printf(s, "%" PRIu64 " bytes into a %s block", at->addr - b->addr,
			    b->freed ? "freed" : "live");
		break;
	}
	sink_text(s, STR("\n"));
}

static void out_heap_at_put_mapping(const struct heft_heap_place *at, struct sink *s)
{
	sink_printf(s, "  mapping   0x%" PRIx64 " + 0x%" PRIx64 " %s%s%s", at->map_start,
		    at->map_size, at->read ? "r" : "-", at->write ? "w" : "-",
		    at->exec ? "x" : "-");
	sink_text(s, STR(" "));
	label_put(s, str_of(at->map_name), 0);
	sink_text(s, STR("\n"));
	if (!*at->symbol)
		return;
	sink_text(s, STR("  symbol    "));
	label_put(s, str_of(at->symbol), 0);
	sink_printf(s, "+0x%" PRIx64 "\n", at->symbol_offset);
}

static void put_neighbour(const struct heft_heap_block *b, const char *name, struct sink *s)
{
	if (!b)
		return;
	sink_printf(s, "  %-10s", name);
	out_heap_at_put_block(s, b);
	out_heap_at_put_stack(s, b, true);
}

static void out_heap_at_put_rest(const struct heft_heap_place *at, struct sink *s)
{
	put_where(at, s);
	if (at->state == HEFT_HEAP_NOWHERE)
		return;
	if (at->block) {
		sink_text(s, STR("  block     "));
		out_heap_at_put_block(s, at->block);
		out_heap_at_put_stack(s, at->block, false);
	}
	out_heap_at_put_hex(s, at);
	out_heap_at_put_mapping(at, s);
	put_neighbour(at->before, "before", s);
	put_neighbour(at->after, "after", s);
}

static void place_text(const struct heft_heap_place *at, struct sink *s)
{
	sink_printf(s, "0x%" PRIx64 ": ", at->addr);
	out_heap_at_put_rest(at, s);
}

void heap_put_process(const struct heft_heap_place *at, struct sink *s)
{
	struct heft_heap_place unnamed = *at;
	unnamed.symbol = "";
	sink_text(s, STR("  process "));
	out_heap_at_put_rest(&unnamed, s);
}

/* "frames" is there always. */
static void out_heap_at_json_frames(struct json *j, const char *key,
				    const struct heft_frame *const *frames, size_t count)
{
	if (count == 0 && strcmp(key, "frames") != 0)
		return;
	json_key(j, key);
	json_open(j, '[');
	for (size_t i = 0; i < count; i++)
		heap_json_frame(j, frames[i]);
	json_close(j, ']');
}

static void out_heap_at_json_block(struct json *j, const char *key, const struct heft_heap_block *b)
{
	if (!b)
		return;
	json_key(j, key);
	json_open(j, '{');
	json_member_uint(j, "address", b->addr);
	json_member_uint(j, "size", b->size);
	json_member_bool(j, "freed", b->freed);
	if (b->sequence > 0)
		json_member_uint(j, "sequence", b->sequence);
	if (b->thread > 0)
		json_member_uint(j, "thread", b->thread);
	out_heap_at_json_frames(j, "frames", b->frames, b->frame_count);
	out_heap_at_json_frames(j, "freed_by", b->freed_by, b->freed_by_count);
	json_close(j, '}');
}

void heap_json_place(struct json *j, const struct heft_heap_place *at)
{
	json_open(j, '{');
	json_member_uint(j, "address", at->addr);
	json_member_text(j, "state", str_of(state_names[at->state]));
	if (at->state == HEFT_HEAP_BETWEEN)
		json_member_text(j, "part", str_of(heap_part_names[at->part]));
	if (at->state != HEFT_HEAP_NOWHERE) {
		json_member_uint(j, "mapping", at->map_start);
		json_member_uint(j, "mapping_size", at->map_size);
		json_member_text(j, "mapping_name", str_of(at->map_name));
	}
	if (*at->module) {
		json_member_text(j, "module", str_of(at->module));
		json_member_uint(j, "module_address", at->module_addr);
	}
	if (*at->symbol) {
		json_member_text(j, "symbol", str_of(at->symbol));
		json_member_uint(j, "symbol_offset", at->symbol_offset);
	}
	if (at->thread > 0)
		json_member_uint(j, "thread", at->thread);
	if (at->lacking)
		json_member_bool(j, "lacking", true);
	out_heap_at_json_block(j, "block", at->block);
	out_heap_at_json_block(j, "before", at->before);
	out_heap_at_json_block(j, "after", at->after);
	json_close(j, '}');
}

static void place_json(const struct heft_heap_place *at, struct sink *s)
{
	struct json j = sink_json(s);
	heap_json_place(&j, at);
	sink_text(s, STR("\n"));
}

void out_heap_place(const struct heft_heap_place *at, bool json, struct sink *s)
{
	if (json)
		place_json(at, s);
	else
		place_text(at, s);
}

/* ---- damage --------------------------------------------------------------------------------- */

const char *const heap_damage_words[] = {
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

static void put_fault(const struct heft_heap_damage *d, struct sink *s)
{
	const uint64_t end = d->block->addr + d->block->size;
	if (d->distance < 0)
		sink_printf(s, "the fault was %" PRIu64 " bytes in front of a block",
			    0 - (uint64_t)d->distance);
	else if (d->distance > 0 || d->addr >= end)
		sink_printf(s, "the fault was %" PRId64 " bytes behind the end of a block",
			    d->distance);
	else
		sink_printf(s, "the fault was %" PRIu64 " bytes into a block",
			    d->addr - d->block->addr);
}

static const char *const damage_texts[] = {
	[HEFT_HEAP_CANARY] = "a block was written past its end",
	[HEFT_HEAP_HEADER] = "the header of a block was written over",
	[HEFT_HEAP_CHUNK] = "what the allocator keeps between blocks was written over",
	[HEFT_HEAP_DOUBLE_FREE] = "",
	[HEFT_HEAP_CANARY_FREED] = "",
	[HEFT_HEAP_FAULT] = "",
	[HEFT_HEAP_FREED_USE] = "the fault was in a freed block",
	[HEFT_HEAP_FREED_POINTER] = "a register points into a freed block",
	[HEFT_HEAP_WILD_FREE] = "",
	[HEFT_HEAP_ALLOCATOR] = "",
	[HEFT_HEAP_FREED_WRITTEN] =
		"a freed block was written to: the allocator's list breaks here",
};

/* Of one block, or of some that nobody noted. */
static void put_double_free(const struct heft_heap_damage *d, struct sink *s)
{
	if (d->addr == 0)
		sink_printf(s, "blocks were freed twice, %" PRIu64 " in all", d->count);
	else if (d->count > 1)
		sink_printf(s, "the block was freed again, %" PRIu64 " times", d->count);
	else
		sink_text(s, STR("the block was freed twice"));
}

static void put_canary_freed(const struct heft_heap_damage *d, struct sink *s)
{
	if (d->addr == 0)
		sink_printf(s,
			    "blocks had been written past their end when they were freed, %" PRIu64
			    " in all",
			    d->count);
	else
		sink_text(s, STR("the block had been written past its end when it was freed"));
}

static void put_inside(const struct heft_heap_damage *d, struct sink *s)
{
	const uint64_t off = d->addr - d->block->addr, size = d->block->size;
	if (off < size)
		sink_printf(s, "freed, but it is byte %" PRIu64 " of a block", off);
	else
		sink_printf(s, "freed, but it is behind a block of %" PRIu64 " byte%s", size,
			    size == 1 ? "" : "s");
}

static void put_wild_free(const struct heft_heap_damage *d, struct sink *s)
{
	if (d->block && d->addr >= d->block->addr)
		put_inside(d, s);
	else if (d->block)
		sink_text(s, STR("freed, but it is the header of a block"));
	else
		sink_text(s, STR("freed, but it is in no block"));
	if (*d->place)
		sink_printf(s, ": %s", d->place);
}

static void out_heap_at_put_allocator(const struct heft_heap_damage *d, struct sink *s)
{
	if (d->block && !d->block->freed) {
		sink_text(s, STR("this block came to the C library's own free or realloc, past the "
				 "recorder"));
		return;
	}
	sink_text(s, STR("the allocator ended the program"));
	if (d->block)
		sink_text(s, STR(" as this block was freed"));
	else if (d->again_by_count > 0)
		sink_text(s, STR(" as memory was asked for"));
	if (*d->said == '\0')
		sink_text(s, STR("; what it found is not known"));
}

/* Words that depend on more than the kind. */
static void put_particular(const struct heft_heap_damage *d, struct sink *s)
{
	switch (d->kind) {
	case HEFT_HEAP_FAULT: put_fault(d, s); break;
	case HEFT_HEAP_DOUBLE_FREE: put_double_free(d, s); break;
	case HEFT_HEAP_CANARY_FREED: put_canary_freed(d, s); break;
	case HEFT_HEAP_WILD_FREE: put_wild_free(d, s); break;
	case HEFT_HEAP_ALLOCATOR: out_heap_at_put_allocator(d, s); break;
	case HEFT_HEAP_CANARY:
	case HEFT_HEAP_HEADER:
	case HEFT_HEAP_CHUNK:
	case HEFT_HEAP_FREED_USE:
	case HEFT_HEAP_FREED_WRITTEN:
	case HEFT_HEAP_FREED_POINTER: break;
	}
}

static void put_what(const struct heft_heap_damage *d, struct sink *s)
{
	const char *text = damage_texts[d->kind];
	if (d->addr > 0)
		sink_printf(s, "0x%" PRIx64 ": ", d->addr);
	put_particular(d, s);
	sink_text(s, str_of(text));
	if (d->count > 0 && *text)
		sink_printf(s, ", %" PRIu64 " bytes", d->count);
	sink_text(s, STR("\n"));
}

static void damage_json(const struct heft_heap_damage *d, struct sink *s)
{
	struct json j = sink_json(s);
	json_open(&j, '{');
	json_member_text(&j, "kind", str_of(heap_damage_words[d->kind]));
	json_member_uint(&j, "address", d->addr);
	json_member_uint(&j, "count", d->count);
	out_heap_at_json_block(&j, "block", d->block);
	out_heap_at_json_block(&j, "victim", d->victim);
	out_heap_at_json_frames(&j,
				d->kind == HEFT_HEAP_DOUBLE_FREE ? "freed_again_by" : "freed_by",
				d->again_by, d->again_by_count);
	if (*d->place)
		json_member_text(&j, "place", str_of(d->place));
	if (*d->said)
		json_member_text(&j, "said", str_of(d->said));
	json_close(&j, '}');
}

/* Where damage may be that nobody looked for. */
static void put_not_examined(const struct heap_info *info, struct sink *s)
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

/* What damage can be seen by: what is not there says nothing about the heap. */
static void put_examined(const struct heap_info *info, struct sink *s)
{
	if (info->of.blocks == 0 && info->of.freed_blocks == 0) {
		sink_text(
			s,
			STR("could not examine: no block in this dump has a header of the recorder "
			    "(heft heap run)\n"));
		put_not_examined(info, s);
		return;
	}
	if (info->of.arenas > 0) {
		sink_printf(s,
			    "examined   the allocator's words between %" PRIu64 " blocks\n"
			    "could not examine the blocks: none has a header of the recorder "
			    "(heft heap run)\n",
			    info->of.blocks);
		put_not_examined(info, s);
		return;
	}
	sink_printf(s, "examined   headers of %" PRIu64 " live and %" PRIu64 " freed blocks%s%s\n",
		    info->of.blocks, info->of.freed_blocks,
		    info->parts[HEFT_HEAP_OVERHEAD] > 0 ? ", the allocator's words between them"
							: "",
		    info->of.canaries ? ", canaries" : "");
	if (!info->of.canaries)
		sink_text(s, STR("not known  bytes behind blocks up to the next: no canaries "
				 "(heft heap run --canary)\n"));
	sink_text(s, STR("not known  what was written into blocks after they were freed\n"));
	if (info->of.sample > 0)
		sink_text(s, STR("not known  blocks that are not in the sample\n"));
	put_not_examined(info, s);
}

/* Where nothing was recorded blocks are chunks of the allocator. */
static bool has_headers(const struct heap_info *info)
{
	return info->of.arenas == 0 && (info->of.blocks > 0 || info->of.freed_blocks > 0);
}

/* The C library's last words, whatever they are about. */
static void put_said(const struct heap_info *info, bool json, struct sink *s)
{
	if (*info->said == '\0')
		return;
	if (json) {
		struct json j = sink_json(s);
		sink_text(s, STR("\"said\": "));
		json_text(&j, str_of(info->said));
		sink_text(s, STR(", "));
		return;
	}
	sink_text(s, STR("said       "));
	label_put(s, str_of(info->said), 0);
	sink_text(s, STR("\n"));
}

void out_heap_check_begin(const struct heap_info *info, size_t count, bool json, struct sink *s)
{
	if (json)
		sink_printf(s,
			    "{\"schema_version\": 1, \"blocks\": %" PRIu64
			    ", \"freed_blocks\": %" PRIu64 ", \"headers\": %s, \"canaries\": %s, "
			    "\"unsettled\": %zu, \"complete\": %s, ",
			    info->of.blocks, info->of.freed_blocks,
			    has_headers(info) ? "true" : "false",
			    info->of.canaries ? "true" : "false", info->unsettled,
			    *info->of.lacks ? "false" : "true");
	else if (count == 0 && has_headers(info))
		sink_printf(s, "no damage found in %" PRIu64 " blocks\n", info->of.blocks);
	if (!json)
		put_examined(info, s);
	put_said(info, json, s);
	if (json)
		sink_text(s, STR("\"damage\": ["));
}

void out_heap_damage(const struct heft_heap_damage *d, size_t index, bool json, struct sink *s)
{
	if (json) {
		sink_text(s, index > 0 ? STR(",\n") : STR("\n"));
		damage_json(d, s);
		return;
	}
	put_what(d, s);
	if (d->block) {
		sink_text(s, d->kind == HEFT_HEAP_HEADER || d->kind == HEFT_HEAP_CHUNK
				     ? STR("  suspect   ")
				     : STR("  block     "));
		out_heap_at_put_block(s, d->block);
		out_heap_at_put_stack(s, d->block, false);
	}
	put_call(s, d->kind == HEFT_HEAP_DOUBLE_FREE ? "freed again by" : "freed by", d->again_by,
		 d->again_by_count);
	if (d->victim) {
		sink_text(s, STR("  victim    "));
		out_heap_at_put_block(s, d->victim);
		out_heap_at_put_stack(s, d->victim, false);
	}
}

void out_heap_check_end(bool json, struct sink *s)
{
	if (json)
		sink_text(s, STR("\n]}\n"));
}

/* ---- threads -------------------------------------------------------------------------------- */

void out_heap_stacks_begin(size_t count, bool json, struct sink *s)
{
	if (json)
		sink_text(s, STR("{\"schema_version\": 1, \"threads\": ["));
	else if (count == 0)
		sink_text(s, STR("the dump tells of no thread\n"));
}

static void put_thread_frames(const struct heap_thread_stack *t, struct sink *s)
{
	if (t->count == 0)
		sink_text(s, STR("      not known\n"));
	for (size_t i = 0; i < t->count; i++)
		out_heap_at_put_frame(s, t->frames[i], false);
}

static void put_thread(const struct heap_thread_stack *t, struct sink *s)
{
	sink_printf(s, "thread %" PRIu32, t->id);
	if (*t->name) {
		sink_text(s, STR(", "));
		label_put(s, str_of(t->name), 0);
	}
}

void out_heap_stack(const struct heap_thread_stack *t, size_t index, bool json, struct sink *s)
{
	if (json) {
		struct json j = sink_json(s);
		sink_text(s, index > 0 ? STR(",\n") : STR("\n"));
		json_open(&j, '{');
		json_member_uint(&j, "thread", t->id);
		json_member_text(&j, "name", str_of(t->name));
		out_heap_at_json_frames(&j, "frames", t->frames, t->count);
		json_close(&j, '}');
		return;
	}
	put_thread(t, s);
	sink_text(s, STR("\n"));
	put_thread_frames(t, s);
}

void out_heap_death(const struct heap_info *info, const struct heap_thread_stack *t, struct sink *s)
{
	if (t->count == 0)
		return;
	put_thread(t, s);
	sink_printf(s, " ended by signal %d\n", info->of.signal);
	put_thread_frames(t, s);
}
