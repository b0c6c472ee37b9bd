/* report.h - rows to bytes.  One function a format; all take the public row tree.
 *
 * out_* write through a struct sink, which remembers the first failure. */
#ifndef HEFT_REPORT_REPORT_H
#define HEFT_REPORT_REPORT_H

#include "base/json.h"
#include "base/reader.h"
#include "heft.h"

/* `write` returns false to stop the output. */
struct sink {
	bool (*write)(void *ctx, const void *data, size_t size);
	void *ctx;
	bool failed;
	size_t used; /* bytes of buffer */
	char buffer[8192];
};

void sink_start(struct sink *s, bool (*write)(void *ctx, const void *data, size_t size), void *ctx);
void sink_text(struct sink *s, struct str text);
/* Blanks in front of the text, so that both take `width` bytes at least. */
void sink_right(struct sink *s, struct str text, size_t width);
/* A field of a line of CSV: one with a separator, a quote or a line end is put in quotes, which are
 * doubled inside (RFC 4180). */
void sink_csv(struct sink *s, const char *field);
void sink_printf(struct sink *s, const char *fmt, ...) PRINTF_LIKE(2, 3);
/* JSON that goes to the sink. */
struct json sink_json(struct sink *s);
/* Hands over what is buffered; false if any write failed. */
bool sink_flush(struct sink *s);

/* What the formats need to know of a profile. */
struct report {
	const struct heft_row *top;      /* "TOTAL" */
	const char *const *source_names; /* one a level, as typed */
	size_t source_count;
	uint32_t stacks; /* bit i: labels of level i are stacks, frames with ";" between */
	bool diff;
	bool filtered;
	struct heft_sizes omitted;
	struct heft_write_opts opts;
	const char *version;                /* of heft, for out_json */
	const struct heft_file_info *files; /* for out_json */
	size_t file_count;
	const struct heft_note *notes; /* for out_json */
	size_t note_count;
};

/* The table people read, laid out as the reference tool's.  Each row is one line: control
 * characters in labels are shown as escapes. */
void out_table(const struct report *r, struct sink *s);

/* One line a leaf row, no total.  `separator` ',' quotes fields as RFC 4180 does; '\t'
 * writes tabs, line ends and backslashes of a field as \t \n \r \\. */
void out_csv(const struct report *r, struct sink *s, char separator);

/* One document; docs/json.md says what its members mean. */
void out_json(const struct report *r, struct sink *s);

/* One line a leaf row, no total, as flame graph tools read stacks: the labels from the first level
 * down with ";" between, a space, the bytes (of opts.domain HEFT_VM, else of the file); in a diff
 * the bytes before and now.  Rows without bytes are left out. */
void out_folded(const struct report *r, struct sink *s);

/* One frame of such a line: what the format gives a meaning becomes something like it.  Labels of
 * stacks are several frames with ";" between, as the format has it. */
void folded_put(struct sink *s, const char *label, bool stack);

/* What is at an address. */
void out_where(const struct heft_location *at, enum heft_where_format format, struct sink *s);

struct json;

/* Names of enum heft_block_flag, `glue` between them; and as the array "flags". */
void block_flags_put(struct sink *s, unsigned flags, const char *glue);
void block_flags_json(struct json *j, unsigned flags);

/* A function with its basic blocks; NULL: what stands above all of them. */
void out_blocks(const struct heft_block_function *f, enum heft_blocks_format format,
		struct sink *s);
/* Its first line; a block; an instruction, indented. */
void out_block_head(const struct heft_block_function *f, struct sink *s);
void out_block(const struct heft_block *b, struct sink *s);
void out_insn(uint64_t addr, struct bytes bytes, const char *name, const char *operands,
	      struct sink *s);

#endif
