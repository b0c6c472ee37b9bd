/* Writes functions with their basic blocks, as text. */
#include "report/all_fields.h"
#include "base/number.h"

#include <stdio.h>

/* Words for the bits of enum heft_block_flag. */
static const char *const flag_words[] = { "return", "tail-call", "landing-pad", "fall-through",
					  "indirect-jump" };

void block_flags_put(struct sink *s, unsigned flags, const char *glue)
{
	const char *between = "";
	for (size_t i = 0; i < COUNT_OF(flag_words); i++) {
		if (!(flags >> i & 1))
			continue;
		sink_printf(s, "%s%s", between, flag_words[i]);
		between = glue;
	}
}

void out_block_head(const struct heft_block_function *f, struct sink *s)
{
	uint64_t size = 0;
	for (size_t i = 0; i < f->block_count; i++)
		size += f->blocks[i]->size;
	if (*f->member)
		label_printf(s, "%s: ", f->member);
	label_printf(s, "%s at 0x%" PRIx64 " %s+0x%" PRIx64 ", %zu block%s, %" PRIu64 " byte%s",
		     f->name, f->addr, f->section, f->section_offset, f->block_count,
		     f->block_count == 1 ? "" : "s", size, size == 1 ? "" : "s");
	if (f->range_count > 1)
		sink_printf(s, " in %zu parts", f->range_count);
	if (f->has_entry_count)
		sink_printf(s, ", entered %" PRIu64 " times", f->entry_count);
	sink_text(s, f->omitted ? STR(" (the map omits its blocks)\n") : STR("\n"));
}

/* Writes how often the block runs per call of the function, such as "0.875". The compiler's unit
 * differs between functions, so only the ratio to the first block has a meaning. False if it is
 * unknown. */
static bool runs_per_entry(char out[NUMBER_MAX], const struct heft_block_function *f,
			   const struct heft_block *b)
{
	const uint64_t entry = f->block_count > 0 ? f->blocks[0]->frequency : 0;
	if (!b->has_frequency || entry == 0)
		return false;
	const double runs = (double)b->frequency / (double)entry;
	/* Above 2^53 thousandths, a double is not exact to a thousandth. */
	const uint64_t thousandths = (uint64_t)(runs < 9e12 ? runs * 1000 + 0.5 : 9e15);
	snprintf(out, NUMBER_MAX, "%" PRIu64 ".%03u", thousandths / 1000,
		 (unsigned)(thousandths % 1000));
	return true;
}

void out_block(const struct heft_block_function *f, const struct heft_block *b,
	       const struct heft_block_count *count, struct sink *s)
{
	enum { CERTAIN = 31 }; /* The probability 1 is stored as 2^31 */
	char runs[NUMBER_MAX], share[NUMBER_MAX];
	sink_printf(s, "  %6" PRIu32 "  0x%08" PRIx64 " %8" PRIu64, b->id, b->addr, b->size);
	if (runs_per_entry(runs, f, b))
		sink_printf(s, "  runs %s times per entry", runs);
	if (b->flags)
		sink_text(s, STR("  "));
	block_flags_put(s, b->flags, ", ");
	for (size_t i = 0; i < b->successor_count; i++) {
		number_percent(share, b->successors[i].probability, UINT64_C(1) << CERTAIN);
		sink_printf(s, "%s %" PRIu32 " %s", i == 0 ? "  to" : ",", b->successors[i].id,
			    share);
	}
	if (count)
		sink_printf(s, "  ran %" PRIu64, count->count);
	sink_text(s, STR("\n"));
}

static struct str block_runs(struct field_at *at)
{
	_Static_assert((int)NUMBER_MAX <= (int)FIELD_ROOM, "a number has room");
	return runs_per_entry(at->room, at->in, at->of) ? str_of(at->room) : (struct str){ 0 };
}

#define SUCCESSOR(m) FIELD(struct heft_block_successor, m)
static const struct field successor_list[] = {
	{ KEY("id", "number of the block"), SUCCESSOR(id) },
	{ KEY("probability", "in units of 2^-31"), SUCCESSOR(probability) },
	{ KEY("frequency", "frequency after linking. Missing if the map does not state it"),
	  SUCCESSOR(frequency), .flags = FIELD_ANY },
};
#undef SUCCESSOR
const struct fields successor_fields = FIELDS("successor", successor_list);

#define BLOCK(m) FIELD(struct heft_block, m)
static const struct field block_list[] = {
	{ KEY("id", "the compiler's number; of derived blocks the place in the function"),
	  BLOCK(id), .flags = FIELD_CSV, .column = "block" },
	{ KEY("address", "VM address"), BLOCK(addr), .flags = FIELD_CSV | FIELD_ADDRESS },
	{ KEY("size", "bytes of code"), BLOCK(size), .flags = FIELD_CSV },
	{ KEY("flags", "how it is entered and left"),
	  FIELD_AS(FIELD_FLAGS, struct heft_block, flags), .flags = FIELD_CSV,
	  FIELD_WORDS(flag_words) },
	{ KEY("calls", "addresses where its calls end. Missing if the map does not state it"),
	  FIELD_LIST(FIELD_NUMBERS, struct heft_block, calls, call_count), .flags = FIELD_ANY },
	{ KEY("hash",
	      "hash of its code, 16 hexadecimal digits. Missing if the map does not state it"),
	  FIELD_AS(FIELD_HASH, struct heft_block, hash), FIELD_IF(struct heft_block, has_hash) },
	{ KEY("frequency",
	      "how often it runs, in the compiler's unit. Missing if the map does not state it"),
	  BLOCK(frequency), FIELD_IF(struct heft_block, has_frequency) },
	{ KEY("runs_per_entry", "the frequency divided by the first block's, to three decimals. "
				"Missing if the map states no frequency"),
	  .kind = FIELD_PARTS, .get = block_runs, .flags = FIELD_CSV },
	{ KEY("post_link_frequency",
	      "frequency after linking. Missing if the map does not state it"),
	  BLOCK(post_link_frequency), .flags = FIELD_ANY },
	{ KEY("successors", "where control may go. Missing if the map does not state it"),
	  FIELD_LIST(FIELD_STRUCTS, struct heft_block, successors, successor_count),
	  .stride = sizeof(struct heft_block_successor), .flags = FIELD_ANY,
	  .of = &successor_fields },
};
#undef BLOCK
const struct fields block_fields = FIELDS("block", block_list);
const struct fields block_place_fields = { "block", block_list, 4 };

#define FUNCTION(m) FIELD(struct heft_block_function, m)
static const struct field function_list[] = {
	{ KEY("member", "member of the archive. Missing if the file is no archive"),
	  FUNCTION(member), .flags = FIELD_CSV | FIELD_ANY },
	{ KEY("function", "in the style of `-C`; `sub_ADDRESS` if no symbol is there"),
	  FUNCTION(name), .flags = FIELD_CSV },
	{ KEY("linkage_name", "as the linker sees it. Missing if no symbol is there"),
	  FUNCTION(linkage), .flags = FIELD_CSV | FIELD_ANY },
	{ KEY("section", "section of its first block"), FUNCTION(section), .flags = FIELD_CSV },
	{ KEY("address", "VM address"), FUNCTION(addr), .flags = FIELD_CSV | FIELD_ADDRESS,
	  .column = "function_address" },
	{ KEY("section_offset", "bytes from the start of the section"), FUNCTION(section_offset) },
	{ KEY("origin", "`map`, `symbols` or `derived` (from the code)"), FUNCTION(origin) },
	{ KEY("version", "version of the map; 0 if it states none"), FUNCTION(version) },
	{ KEY("parts", "how many ranges it has that lie apart"),
	  FIELD_AS(FIELD_NUMBER, struct heft_block_function, range_count) },
	{ KEY("entry_count", "how often it was entered. Missing if the map does not state it"),
	  FUNCTION(entry_count), FIELD_IF(struct heft_block_function, has_entry_count) },
	{ KEY("omitted", "true: the map states how many blocks there are, but not which. Missing "
			 "if it is false"),
	  FUNCTION(omitted), .flags = FIELD_ANY },
	{ KEY("blocks", "as the map has them, parts one after the other"),
	  FIELD_LIST(FIELD_OBJECTS, struct heft_block_function, blocks, block_count),
	  .of = &block_fields },
};
#undef FUNCTION
const struct fields block_function_fields = FIELDS("function", function_list);

/* Writes a line per block. */
static void blocks_lines(const struct heft_block_function *f, const struct heft_write_opts *opts,
			 struct sink *s)
{
	const size_t count = f ? f->block_count : 1;
	for (size_t i = 0; i < count; i++) {
		struct record r;
		record_open(&r, s, opts, f == NULL);
		record_fields(&r, &block_function_fields, f, NULL);
		record_fields(&r, &block_fields, f ? f->blocks[i] : NULL, f);
		record_close(&r);
	}
}

void out_blocks(const struct heft_block_function *f, const struct heft_write_opts *opts,
		struct sink *s)
{
	ASSERT(f == NULL || f->block_count == 0 || f->blocks != NULL);
	if (record_has(opts->format)) {
		blocks_lines(f, opts, s);
	} else if (opts->format == HEFT_JSON) {
		if (f)
			fields_line(s, &block_function_fields, f);
	} else if (f) {
		out_block_head(f, s);
		for (size_t i = 0; i < f->block_count; i++)
			out_block(f, f->blocks[i], NULL, s);
	} else {
		sink_printf(s, "  %6s  %-10s %8s  flags\n", "block", "address", "bytes");
	}
}
