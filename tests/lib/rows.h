/* rows.h - row trees and captured output for the tests of the report formats. */
#ifndef TESTS_ROWS_H
#define TESTS_ROWS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/vec.h"
#include "report/report.h"

/* All a sink was given; NUL-terminated by captured(). */
struct capture {
	VEC(char) text;
	size_t calls;
};

static bool capture_write(void *ctx, const void *data, size_t size)
{
	struct capture *c = ctx;
	c->calls++;
	vec_reserve(&c->text, size + 1);
	memcpy(c->text.data + c->text.count, data, size);
	c->text.count += size;
	return true;
}

static inline const char *captured(struct capture *c)
{
	vec_reserve(&c->text, 1);
	c->text.data[c->text.count] = '\0';
	return c->text.data;
}

/* Values of rows made by row(), now and base of enum heft_size_measure; never given back. */
static inline uint64_t *new_values(void)
{
	static uint64_t pool[600][2 * HEFT_SIZE_MEASURES];
	static size_t used;
	assert_true(used < COUNT_OF(pool));
	return pool[used++];
}

static inline struct heft_row diff_row(const char *label, uint64_t file, uint64_t vm,
				       uint64_t base_file, uint64_t base_vm)
{
	uint64_t *v = new_values();
	v[HEFT_SIZE_FILE] = file;
	v[HEFT_SIZE_VM] = vm;
	v[HEFT_SIZE_MEASURES + HEFT_SIZE_FILE] = base_file;
	v[HEFT_SIZE_MEASURES + HEFT_SIZE_VM] = base_vm;
	return (struct heft_row){ .label = label, .now = v, .base = v + HEFT_SIZE_MEASURES };
}

/* A row without children: labels and sizes in bytes. */
static inline struct heft_row row(const char *label, uint64_t file, uint64_t vm)
{
	return diff_row(label, file, vm, 0, 0);
}

static inline void set_count(struct heft_row *r, uint64_t now, uint64_t base)
{
	uint64_t *v = (uint64_t *)(uintptr_t)r->now;
	v[HEFT_SIZE_COUNT] = now;
	v[HEFT_SIZE_MEASURES + HEFT_SIZE_COUNT] = base;
}

/* A report of sizes as the library makes it: counts too if the test asks for them.  It refers
 * to itself, and must stay where it is. */
static inline void sizes_report(struct report *made, const struct report *r)
{
	static const struct heft_measure measures[HEFT_SIZE_MEASURES] = {
		{ "file", "file", HEFT_BYTES, false, false },
		{ "vm", "vm", HEFT_BYTES, false, false },
		{ "count", "symbols", HEFT_COUNT, false, false },
		{ "copies", "copies", HEFT_BYTES, false, false },
	};
	static const struct size_report empty = { 0 };
	*made = *r;
	made->table.measures = measures;
	if (made->table.measure_count == 0)
		made->table.measure_count = HEFT_SIZE_COUNT;
	if (!made->ctx)
		made->ctx = &empty;
	size_report_init(made);
}

/* Lives as long as the block it is used in. */
#define CHILDREN(r, ...)                                                                           \
	((r)->children = (const struct heft_row *const[]){ __VA_ARGS__ },                          \
	 (r)->child_count = COUNT_OF(((const struct heft_row *const[]){ __VA_ARGS__ })))

#endif
