/* page_tabs.h - adds tabs for what heft measures: profiles, snapshots, heaps, samples.
 *
 * Allocates memory that the page owns (base/mem.h). Borrows arguments only during the call. */
#pragma once

#include "blocks/block_counts.h"
#include "holders/holders.h"
#include "measure/profile.h"
#include "measure/snapshot_handle.h"
#include "page/cards/symbol_code.h"
#include "page/page.h"

/* Adds a tab for a profile that has run. `code` may be NULL; then the tab shows no code. */
void page_add_profile(struct page *page, const char *title, const struct heft_profile *profile,
		      const struct symbol_code *code);
/* Adds a tab for the diff of two snapshots. Without `before`, it has the symbols of `after`. */
void page_add_lists(struct page *page, const char *title, const struct snapshot *before,
		    const struct heft_snapshot *after);
/* Adds a tab for the stacks of a heap report. `damage`: output of `heft heap check`, or NULL. */
void page_add_stacks(struct page *page, const char *title, const struct heft_heap *heap,
		     const struct heft_heap_report *report, const char *damage);
void page_add_samples(struct page *page, const char *title, struct heft_samples *s);
