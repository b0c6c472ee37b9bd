/* heap_report.h - writes reports about heaps, and pages about one heap. */
#pragma once

#include "base/json.h"
#include "holders/holders.h"
#include "report/report.h"

extern const char *const heap_part_names[HEFT_HEAP_PARTS]; /* "blocks" and so on */
/* Words for the kinds of damage: "canary" and so on. */
extern const char *const heap_damage_words[HEFT_HEAP_FREED_WRITTEN + 1];

/* Writes the report. Formats that show whole stacks write r->leaves. */
bool heap_report_write(const struct heap_report *r, const struct heft_write_opts *o, struct sink *s,
		       struct heft_err *err);
void out_heap_pprof(const struct heap_report *r, bool live_only, struct sink *s);

/* Returns the command for pages and JSON. By default, returns only the program's name, because
 * people publish these files. */
struct str heap_command(const struct heap_info *i);

/* Write parts of the pages (enum heft_heap_page) and of the lines above tables. */
void out_heap_summary(const struct heap_info *info, struct sink *s);
void out_heap_summaries(const struct heap_info *now, const struct heap_info *base, struct sink *s);
void out_heap_layout(const struct heap_info *info, bool json, struct sink *s);
void out_heap_timeline(const struct heap_info *info, const struct heft_heap_moment *moments,
		       size_t count, bool json, struct sink *s);
void out_heap_timeline_svg(const struct heap_info *info, const struct heft_heap_moment *moments,
			   size_t count, struct sink *s);
/* Search for damage, or walk the stacks of all threads, and write the results. */
void out_heap_check(struct heft_heap *h, bool json, struct sink *s);
void out_heap_stacks(struct heft_heap *h, bool json, struct sink *s);
/* Writes everything about an address of the process except its symbol. */
void heap_put_process(const struct heft_heap_place *at, struct sink *s);
void out_heap_place(const struct heft_heap_place *at, bool json, struct sink *s);
struct heap_digest;
void out_heap_digest(const struct heap_digest *d, struct sink *s);
