/* Writes facts about a whole heap: the lines above a table, its parts, its history. */
#include "report/all_fields.h"
#include "report/heap_report.h"
#include "report/pss.h"

const char *const heap_part_names[HEFT_HEAP_PARTS] = {
	[HEFT_HEAP_BLOCKS] = "blocks",         [HEFT_HEAP_HEADERS] = "headers",
	[HEFT_HEAP_OVERHEAD] = "overhead",     [HEFT_HEAP_FREE] = "free",
	[HEFT_HEAP_UNRECORDED] = "unrecorded", [HEFT_HEAP_RECORDER] = "recorder",
	[HEFT_HEAP_OTHER] = "other",
};

static const char *const part_texts[HEFT_HEAP_PARTS] = {
	[HEFT_HEAP_BLOCKS] = "what the program asked for",
	[HEFT_HEAP_HEADERS] = "the recorder's, in front of blocks",
	[HEFT_HEAP_OVERHEAD] = "the allocator's headers and rounding",
	[HEFT_HEAP_FREE] = "given back to the allocator, or never handed out",
	[HEFT_HEAP_UNRECORDED] = "in use, but not recorded",
	[HEFT_HEAP_RECORDER] = "the recorder's tables",
	[HEFT_HEAP_OTHER] = "not explained",
};

/* Writes a line: its name, then the text of `fmt`. */
#define PUT_LINE(s, name, fmt, ...) label_printf(s, "%-11s" fmt, name, __VA_ARGS__)

/* Writes ", 1.50 s after the start". Avoids printf(), whose decimal point depends on the locale. */
static void summary_put_moment(struct sink *s, uint64_t ns)
{
	if (ns > 0)
		sink_printf(s, ", %" PRIu64 ".%02" PRIu64 " s after the start", ns / 1000000000,
			    ns / 10000000 % 100);
}

static const char *plural(uint64_t count)
{
	return count == 1 ? "" : "s";
}

static uint64_t all_parts(const struct heap_info *i)
{
	uint64_t sum = 0;
	for (size_t k = 0; k < HEFT_HEAP_PARTS; k++)
		sum += i->parts[k];
	return sum;
}

static void put_process(const struct heap_info *i, const char *name, struct sink *s)
{
	PUT_LINE(s, name, "%s", *i->of.command ? i->of.command : "(not known)");
	if (i->of.pid > 0)
		sink_printf(s, ", pid %" PRIu32, i->of.pid);
	sink_printf(s, "; %s", i->of.kind);
	if (i->of.signal > 0)
		sink_printf(s, ", signal %d", i->of.signal);
	if (i->of.has_fault)
		sink_printf(s, " at 0x%" PRIx64, i->of.fault_addr);
	sink_text(s, STR("\n"));
}

/* True if the program called an allocator's functions that are not recorded. */
static bool has_beside(const struct heap_info *i)
{
	return i->of.beside != NULL && *i->of.beside != '\0';
}

static void put_recorded(const struct heap_info *i, struct sink *s)
{
	const bool chunks = i->of.arenas > 0;
	sink_text(s, STR("recorded   "));
	if (!i->of.recorded && i->of.blocks > 0 && !chunks && *i->of.lacks) {
		sink_text(s, STR("blocks, but the recorder's tables are in memory that the dump "
				 "lacks: there are no call stacks\n"));
		return;
	}
	if (!i->of.recorded && (i->of.blocks == 0 || chunks)) {
		sink_text(s, STR("nothing: the recorder was not loaded, or its memory is not "
				 "here\n"));
		return;
	}
	if (i->of.sample > 0)
		sink_printf(s, "one block in %s, by chance: numbers are estimates",
			    shown_size(i->of.sample).p);
	else
		sink_text(s, has_beside(i) ? STR("every block of malloc and new")
					   : STR("every block"));
	sink_printf(s, "; %" PRIu64 " call stacks", i->of.stacks);
	if (i->of.depth > 0)
		sink_printf(s, " of up to %" PRIu32 " frames", i->of.depth);
	sink_printf(s, "; %" PRIu64 " thread%s", i->of.threads, plural(i->of.threads));
	if (i->of.recorder_bytes > 0)
		sink_printf(s, "; tables of %s", shown_size(i->of.recorder_bytes).p);
	sink_text(s, STR("\n"));
}

static void put_live(const struct heap_info *i, const char *name, struct sink *s)
{
	if (!i->of.live_known && i->of.live == 0) {
		PUT_LINE(s, name, "not known: %s\n", i->of.unknown);
		return;
	}
	PUT_LINE(s, name, "%s%s in %" PRIu64 " block%s", i->of.live_known ? "" : "at least ",
		 shown_size(i->of.live_bytes).p, i->of.live, plural(i->of.live));
	summary_put_moment(s, i->of.taken_at);
	if (!i->of.live_known)
		sink_printf(s, "; the rest is not known: %s", i->of.unknown);
	sink_text(s, STR("\n"));
}

static void put_counted(const struct heap_info *i, struct sink *s)
{
	if (!i->of.counted)
		return;
	PUT_LINE(s, "peak", "%s", shown_size(i->of.peak_bytes).p);
	summary_put_moment(s, i->of.peak_at);
	sink_text(s, STR("\n"));
	PUT_LINE(s, "allocated", "%s in %" PRIu64 " calls", shown_size(i->of.alloc_bytes).p,
		 i->of.allocs);
	if (i->of.allocs > 0)
		sink_printf(s, ", %s of them temporary",
			    shown_share(i->of.temporary, i->of.allocs).p);
	sink_text(s, STR("\n"));
}

/* Writes facts from the C library's own data, if the program ran without heft's recorder. */
static void put_chunks(const struct heap_info *i, struct sink *s)
{
	const struct {
		const char *what;
		uint64_t count, bytes;
	} kinds[] = {
		{ "with mappings of their own", i->of.own_mappings, i->of.own_mapping_bytes },
		{ "freed and kept", i->of.cached, i->of.cached_bytes },
		{ "free", i->of.free_chunks, i->of.free_bytes },
	};
	if (i->of.arenas == 0)
		return;
	PUT_LINE(s, "allocator", "glibc's malloc: %" PRIu64 " heap%s", i->of.arenas,
		 plural(i->of.arenas));
	for (size_t k = 0; k < COUNT_OF(kinds); k++)
		if (kinds[k].count > 0)
			sink_printf(s, "; %s %" PRIu64 " of %s", kinds[k].what, kinds[k].count,
				    shown_size(kinds[k].bytes).p);
	sink_printf(s,
		    "; at the ends %s\n"
		    "not known  who asked for the blocks, and how large they were asked for\n",
		    shown_size(i->of.top_bytes).p);
}

static void put_parts(const struct heap_info *i, struct sink *s)
{
	const uint64_t sum = all_parts(i);
	const char *glue = ": ";
	if (sum == 0)
		return;
	PUT_LINE(s, "memory", "%s", shown_size(sum).p);
	for (size_t k = 0; k < HEFT_HEAP_PARTS; k++) {
		if (i->parts[k] == 0)
			continue;
		sink_printf(s, "%s%s %s", glue, heap_part_names[k],
			    shown_share(i->parts[k], sum).p);
		glue = ", ";
	}
	sink_text(s, STR("\n"));
}

/* Writes which memory the numbers above do not include. */
static void put_lacks(const struct heap_info *i, struct sink *s)
{
	static const char lacks[] = "lacks", trouble[] = "trouble";
	if (i->of.missing > 0)
		PUT_LINE(s, lacks, "%s that the dump file lost at its end\n",
			 shown_size(i->of.missing).p);
	if (i->of.left_out > 0)
		PUT_LINE(s, lacks,
			 "%s that the program wrote: left out of the dump "
			 "(coredump_filter, MADV_DONTDUMP)\n",
			 shown_size(i->of.left_out).p);
	if (*i->of.lacks && i->of.missing == 0 && i->of.left_out == 0)
		PUT_LINE(s, lacks, "memory: %s\n", i->of.lacks);
	if (i->of.lost > 0)
		PUT_LINE(s, lacks, "the stacks of %" PRIu64 " allocations: the tables were full\n",
			 i->of.lost);
	if (has_beside(i))
		PUT_LINE(s, lacks, "what these functions gave, which are not recorded: %s\n",
			 i->of.beside);
	if (i->of.unrecorded > 0)
		PUT_LINE(s, lacks, "%" PRIu64 " allocations made by signal handlers\n",
			 i->of.unrecorded);
	if (i->of.broken_chains > 0)
		PUT_LINE(s, trouble, "%" PRIu64 " chain%s of chunks broken: see heft heap check\n",
			 i->of.broken_chains, plural(i->of.broken_chains));
	if (i->of.double_frees > 0)
		PUT_LINE(s, trouble, "%" PRIu64 " block%s freed twice: see heft heap check\n",
			 i->of.double_frees, plural(i->of.double_frees));
}

void out_heap_summary(const struct heap_info *i, struct sink *s)
{
	put_process(i, "process", s);
	put_recorded(i, s);
	put_live(i, "live", s);
	put_counted(i, s);
	put_chunks(i, s);
	if (*i->of.allocators != '\0')
		PUT_LINE(s, "not known", "what these hold: %s\n", i->of.allocators);
	put_parts(i, s);
	put_lacks(i, s);
	sink_text(s, STR("\n"));
}

void out_heap_summaries(const struct heap_info *now, const struct heap_info *base, struct sink *s)
{
	put_process(base, "before", s);
	put_live(base, "", s);
	put_process(now, "now", s);
	put_live(now, "", s);
	sink_text(s, STR("\n"));
}

#define INFO(m) FIELD(struct heap_info, m)
static const struct field layout_list[] = {
	SCHEMA_1,
	{ KEY("parts", "bytes of the heap's memory"), FIELD_AS(FIELD_SUMS, struct heap_info, parts),
	  FIELD_WORDS(heap_part_names) },
	{ KEY("pinned_pages", "pages that blocks hold less than a quarter of"),
	  INFO(of.pinned_pages) },
	{ KEY("pinned_bytes", "free bytes of these pages"), INFO(of.pinned_bytes) },
	{ KEY("unknown", "why the parts do not cover the whole heap. Missing if there is none"),
	  INFO(of.unknown), .flags = FIELD_ANY },
};
#undef INFO
const struct fields layout_fields = FIELDS("layout", layout_list);

static void layout_put_row(struct sink *s, uint64_t part, uint64_t whole, const char *name,
			   const char *text)
{
	sink_printf(s, "%7s%9s  %-12s%s\n", shown_share(part, whole).p, shown_size(part).p, name,
		    text);
}

void out_heap_layout(const struct heap_info *i, bool json, struct sink *s)
{
	const uint64_t sum = all_parts(i);
	if (json) {
		fields_line(s, &layout_fields, i);
		return;
	}
	if (sum == 0) {
		sink_printf(s, "the layout of the heap is not known: %s\n",
			    *i->of.unknown ? i->of.unknown : "the dump has no blocks");
		return;
	}
	for (size_t k = 0; k < HEFT_HEAP_PARTS; k++)
		layout_put_row(s, i->parts[k], sum, heap_part_names[k], part_texts[k]);
	layout_put_row(s, sum, sum, "TOTAL", "");
	sink_printf(s, "\n%s free in %" PRIu64 " page%s that blocks hold less than a quarter of\n",
		    shown_size(i->of.pinned_bytes).p, i->of.pinned_pages,
		    i->of.pinned_pages == 1 ? "" : "s");
	if (*i->of.unknown)
		sink_printf(s, "not known: %s\n", i->of.unknown);
}

#define MOMENT(m) FIELD(struct heft_heap_moment, m)
static const struct field moment_list[] = {
	{ KEY("at_ns", "nanoseconds since the start"), MOMENT(at) },
	{ KEY("live_bytes", "bytes that were live then"), MOMENT(live_bytes) },
	{ KEY("peak_bytes", "most bytes that were live since the moment before"),
	  MOMENT(peak_bytes) },
};
#undef MOMENT
const struct fields moment_fields = FIELDS("moment", moment_list);

struct timeline {
	const struct heft_heap_moment *moments;
	size_t count;
};

static const struct field timeline_list[] = {
	SCHEMA_1,
	{ KEY("timeline", "moments by time"),
	  FIELD_LIST(FIELD_STRUCTS, struct timeline, moments, count),
	  .stride = sizeof(struct heft_heap_moment), .flags = FIELD_LINES, .of = &moment_fields },
};
const struct fields timeline_fields = FIELDS("timeline", timeline_list);

enum { LINES = 40, BAR = 40 };

/* Writes one line for the moments [first, end): the live bytes of the last one, compared with
 * `most`, the maximum of all moments. */
static void put_moments(const struct heft_heap_moment *m, size_t first, size_t end, uint64_t most,
			struct sink *s)
{
	static const char bar[] = "########################################";
	const struct heft_heap_moment *last = &m[end - 1];
	uint64_t high = 0;
	ASSERT(first < end);
	for (size_t i = first; i < end; i++)
		high = max_u64(high, max_u64(m[i].peak_bytes, m[i].live_bytes));
	const size_t length = most > 0 ? (size_t)((double)high / (double)most * (double)BAR + 0.5)
				       : 0;
	sink_printf(s, "%8" PRIu64 ".%02" PRIu64 "%10s%10s  %.*s\n", last->at / 1000000000,
		    last->at / 10000000 % 100, shown_size(last->live_bytes).p, shown_size(high).p,
		    (int)(length < BAR ? length : BAR), bar);
}

void out_heap_timeline(const struct heap_info *info, const struct heft_heap_moment *m, size_t count,
		       bool json, struct sink *s)
{
	uint64_t most = 0;
	const size_t lines = count < LINES ? count : LINES;
	if (json) {
		const struct timeline t = { m, count };
		fields_line(s, &timeline_fields, &t);
		return;
	}
	out_heap_summary(info, s);
	for (size_t i = 0; i < count; i++)
		most = max_u64(most, max_u64(m[i].peak_bytes, m[i].live_bytes));
	sink_text(s, STR("    second      live      peak\n"));
	for (size_t i = 0; i < lines; i++)
		put_moments(m, i * count / lines, (i + 1) * count / lines, most, s);
}
