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

/* A row without children: labels and sizes in bytes. */
static inline struct heft_row row(const char *label, uint64_t file, uint64_t vm)
{
	return (struct heft_row){ .label = label, .now = { .file = file, .vm = vm } };
}

static inline struct heft_row diff_row(const char *label, uint64_t file, uint64_t vm,
				       uint64_t base_file, uint64_t base_vm)
{
	return (struct heft_row){ .label = label,
				  .now = { .file = file, .vm = vm },
				  .base = { .file = base_file, .vm = base_vm } };
}

/* Lives as long as the block it is used in. */
#define CHILDREN(r, ...)                                                                           \
	((r)->children = (const struct heft_row *const[]){ __VA_ARGS__ },                          \
	 (r)->child_count = COUNT_OF(((const struct heft_row *const[]){ __VA_ARGS__ })))

#endif
