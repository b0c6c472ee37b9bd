/* rows.c - caches rows by return address. All threads read and write the table without locks.
 *
 * An entry has a row (the unwind rule of an address), and the address xor the row. If another
 * thread writes the entry during a look-up, the two words do not match, so the row is not found.
 * The table starts small and is replaced by a larger one if there are too many misses. Old tables
 * are never unmapped, because threads may still read them. Together they are smaller than the new
 * one. */
#include "recorder.h"

enum { BITS_FIRST = 13, BITS_LAST = 18 };

static struct rows *rows_new(uint32_t bits)
{
	struct rows *t = map_memory(sizeof *t + (sizeof(uint64_t[2]) << bits));
	if (t == NULL)
		return NULL;
	t->table = (_Atomic(uint64_t)(*)[2])(t + 1);
	t->shift = 64 - bits;
	return t;
}

void rows_start(void)
{
	atomic_store(&recorder.rows, rows_new(BITS_FIRST));
}

static void rows_grow(const struct rows *t)
{
	const uint32_t bits = 64 - t->shift;
	if (bits >= BITS_LAST)
		return;
	struct rows *larger = rows_new(bits + 1);
	if (larger == NULL)
		return;
	struct rows *expected = (struct rows *)(uintptr_t)t;
	if (!atomic_compare_exchange_strong(&recorder.rows, &expected, larger))
		unmap_memory(larger, sizeof *larger + (sizeof(uint64_t[2]) << (bits + 1)));
	atomic_store(&recorder.row_misses, 0);
}

static void rows_put(uintptr_t pc, struct row row)
{
	struct rows *t = atomic_load_explicit(&recorder.rows, memory_order_acquire);
	const uint32_t misses = atomic_fetch_add(&recorder.row_misses, 1);
	if (misses > 1U << (64 - t->shift - 1)) {
		rows_grow(t);
		t = atomic_load_explicit(&recorder.rows, memory_order_acquire);
	}
	_Atomic(uint64_t) *e = row_entry(t, pc);
	const uint64_t word = row_word(row);
	const uint32_t number = atomic_fetch_add(&recorder.rows_filled, 1);
	if (number < ROWS_LISTED)
		atomic_store(&recorder.rows_list[number], (uint32_t)((e - t->table[0]) / 2));
	atomic_store_explicit(&e[0], pc ^ word, memory_order_relaxed);
	atomic_store_explicit(&e[1], word, memory_order_relaxed);
}

struct row row_miss(uintptr_t pc)
{
	struct row row = { 0, 0, CFA_NONE, FP_SAME };
	struct tables t;
	const uint32_t epoch = atomic_load(&recorder.row_epoch);
	if (tables_find(pc - 1, &t)) {
		modules_note(&t);
		if (t.hdr != NULL)
			row = cfi_row(&t, pc);
#ifndef HEAP_TABLES
		row.cfa = CFA_END; /* Cached only to note each module once */
#endif
	}
	/* Code without a table is not cached: code made at run time may get a table later. */
	if (row.cfa != CFA_NONE && epoch == atomic_load(&recorder.row_epoch))
		rows_put(pc, row);
	return row;
}

static void row_clear(const struct rows *t, size_t i)
{
	atomic_store_explicit(&t->table[i][0], 0, memory_order_relaxed);
	atomic_store_explicit(&t->table[i][1], 0, memory_order_relaxed);
}

/* Empties the table. If few rows were filled, clears only these, because some programs load and
 * unload modules often. */
void rows_forget(void)
{
	struct rows *t = atomic_load(&recorder.rows);
	atomic_fetch_add(&recorder.row_epoch, 1);
	const uint32_t filled = atomic_exchange(&recorder.rows_filled, 0);
	if (t == NULL)
		return;
	const size_t count = (size_t)1 << (64 - t->shift);
	for (size_t i = 0; filled > ROWS_LISTED && i < count; i++)
		row_clear(t, i);
	for (uint32_t i = 0; filled <= ROWS_LISTED && i < filled; i++)
		row_clear(t, atomic_load(&recorder.rows_list[i]) & (count - 1));
}
