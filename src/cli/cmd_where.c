/* Implements heft where: shows what the given addresses belong to. */
#include "base/os/shell.h"
#include "cli/run.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { O_BLOCKS = O_OWN };

const struct opt where_opts[] = {
	{ O_BY, 'd', true, "by", "A,B,..", "owner by these data sources, and why" },
	{ O_DEMANGLE, 'C', false, "demangle", "none|short|full", "names (default: full)" },
#define OUTPUT_FORMATS "table|csv|tsv|json|markdown|terse"
#define OUTPUT_FORMATS_HELP                                                                        \
	"table (default), json: an object an address, csv,\n"                                      \
	"                              tsv, markdown: a line a frame, terse: functions\n"          \
	"                              and lines alone, as llvm-symbolizer"
#define OUTPUT_NO_STACKS
#define OUTPUT_TERSE
#define OUTPUT_LINES
#include "cli/output_opts.inc"
#include "cli/find_opts.inc"
#include "cli/exe_opts.inc"
	{ O_BLOCKS, 0, false, "blocks", NULL, "derive basic blocks where there is no map" },
	{ O_VERBOSE, 'v', false, NULL, NULL, "notes with offsets" },
#include "cli/raw_opts.inc"
	{ 0, 0, false, NULL, NULL, "Other:" },
#include "cli/last_opts.inc"
};

const char where_manual[] =
	"Tells what is at addresses of a program or dump: segment, section, symbol,\n"
	"basic block, compile unit, functions with what was inlined, source lines; and by\n"
	"-d its owner, to whom 'heft size -d' charges the byte.\n"
	"\n"
	"ADDR is hexadecimal, with 0x where a symbol has that name; 10#NUMBER; NAME or\n"
	"NAME+OFFSET of a section or symbol (the linker's name, 'ns::f' or 'f(int)'); or\n"
	"'-' to read them from standard input, one a line.\n";

static const struct choice formats[] = {
	LIST_FORMATS,
	{ "terse", HEFT_TERSE },
	{ NULL, 0 },
};

struct where_job {
	struct command_run run; /* Its operands are the file, then addresses */
	struct heft_where *where;
	FILE *to;
	bool unreadable, nothing; /* `unreadable`: true if a word is not an address. `nothing`: true
				   * if an address belongs to nothing */
	bool stopped;             /* True after the output failed */
	bool one;                 /* True if each question gets exactly one answer, so that a
				   * calling program can count the answers */
};

static bool where_add_source(void *ctx, const char *name)
{
	struct where_job *job = ctx;
	struct heft_err err;
	if (heft_where_add_source(job->where, name, &err))
		return true;
	return cli_unknown_source(job->run.cli, name);
}

static bool where_apply(void *ctx, const struct opt *o, const char *value)
{
	struct where_job *job = ctx;
	if (o->id == O_BY)
		return cli_each_name(job->run.cli, value, where_add_source, job);
	if (o->id != O_BLOCKS)
		return run_apply(job, o, value);
	heft_where_set_flags(job->where, HEFT_WHERE_BLOCKS);
	return true;
}

/* Least and greatest number of questions in a batch, and wanted size in bytes of its answers.
 * heft answers a batch in rising order of addresses, which is much faster. It writes the answers
 * in the order of the questions. The answers of one batch determine the number of questions in
 * the next. */
enum { BATCH_MIN = 1024, BATCH_SIZE = 65536, TEXT_SIZE = 32 << 20 };

struct question {
	uint64_t addr;
	uint32_t number;
};

struct cmd_where_answer {
	size_t start, size; /* Byte range in batch.text */
};

struct where_batch {
	struct question asked[BATCH_SIZE], scratch[BATCH_SIZE];
	struct cmd_where_answer answers[BATCH_SIZE];
	size_t asked_count, count; /* `asked_count`: number of addresses. `count`: number of
				    * lines, including lines that are not addresses */
	size_t limit;              /* Number of questions at which the batch is answered */
	char *text;
	size_t used, size;
};

static bool keep_piece(void *ctx, const void *data, size_t size)
{
	struct where_batch *b = ctx;
	if (size > b->size - b->used) {
		const size_t grown = 2 * b->size + size;
		char *text = realloc(b->text, grown);
		if (text == NULL)
			return false;
		b->text = text;
		b->size = grown;
	}
	ASSERT(size <= b->size - b->used);
	memcpy(b->text + b->used, data, size);
	b->used += size;
	return true;
}

/* Sorts by address: a stable radix sort by digits of base 2048, lowest digit first. Skips digits
 * that are equal in all addresses. */
static void sort_questions(struct where_batch *b)
{
	enum { BITS = 11, DIGITS = 1 << BITS };
	struct question *from = b->asked, *to = b->scratch;
	uint64_t varies = 0;
	for (size_t i = 1; i < b->asked_count; i++)
		varies |= from[i].addr ^ from[0].addr;
	for (unsigned shift = 0; shift < 64 && varies >> shift != 0; shift += BITS) {
		size_t starts[DIGITS + 1] = { 0 };
		for (size_t i = 0; i < b->asked_count; i++)
			starts[(from[i].addr >> shift & (DIGITS - 1)) + 1]++;
		for (size_t d = 0; d < DIGITS; d++)
			starts[d + 1] += starts[d];
		for (size_t i = 0; i < b->asked_count; i++)
			to[starts[from[i].addr >> shift & (DIGITS - 1)]++] = from[i];
		struct question *other = from;
		from = to;
		to = other;
	}
	if (from != b->asked)
		memcpy(b->asked, from, b->asked_count * sizeof *from);
}

/* Prints an error that makes the handle unusable. */
static void where_give_up(struct where_job *job, const struct heft_err *err)
{
	cli_failed(job->run.cli, err);
	job->stopped = job->unreadable = true;
}

static void put_answer(struct where_job *job, struct where_batch *b, struct cmd_where_answer *a,
		       const struct heft_location *at)
{
	const struct heft_sink sink = { keep_piece, b };
	a->start = b->used;
	if (!heft_where_write(job->where, at, &job->run.out.write, &sink, NULL)) {
		where_give_up(job, &(struct heft_err){ .offset = HEFT_NO_OFFSET,
						       .text = "out of memory" });
	}
	a->size = b->used - a->start;
}

static void find_answer(struct where_job *job, struct where_batch *b, const struct question *q)
{
	struct heft_location at = { .size = sizeof at };
	struct heft_err err;
	struct cmd_where_answer *a = &b->answers[q->number];
	if (!heft_where_find(job->where, q->addr, &at, &err)) {
		if (err.code != HEFT_ENOTFOUND) {
			where_give_up(job, &err);
			return;
		}
		job->nothing = true;
	}
	put_answer(job, b, a, &at);
}

static void answer_batch(struct where_job *job, struct where_batch *b)
{
	sort_questions(b);
	for (size_t i = 0; i < b->asked_count && !job->stopped; i++)
		find_answer(job, b, &b->asked[i]);
	for (size_t i = 0; i < b->count && !job->stopped; i++) {
		const struct cmd_where_answer *a = &b->answers[i];
		job->stopped = fwrite(b->text + a->start, 1, a->size, job->to) != a->size;
	}
	if (b->used > 0)
		b->limit = (size_t)TEXT_SIZE * b->count / b->used;
	if (b->limit < BATCH_MIN)
		b->limit = BATCH_MIN;
	if (b->limit > BATCH_SIZE)
		b->limit = BATCH_SIZE;
	b->count = b->asked_count = b->used = 0;
}

/* Answers with place `i` of an asked name, at once: places are valid until the next name. */
static void name_answer(struct where_job *job, struct where_batch *b, size_t i)
{
	struct heft_location at = { .size = sizeof at };
	struct heft_err err;
	if (!heft_where_answer(job->where, i, &at, &err)) {
		if (err.code != HEFT_ENOTFOUND) {
			where_give_up(job, &err);
			return;
		}
		job->nothing = true;
	}
	put_answer(job, b, &b->answers[b->count++], &at);
	if (b->count >= b->limit)
		answer_batch(job, b);
}

static void ask(struct where_job *job, struct where_batch *b, const char *text)
{
	static const struct heft_location nowhere = { .size = sizeof nowhere,
						      .addr = HEFT_NO_ADDRESS };
	struct heft_err err;
	uint64_t addr;
	size_t count = 0;
	ASSERT(b->count < BATCH_SIZE && b->asked_count <= b->count);
	const bool known = heft_where_ask(job->where, text, &addr, &count, &err);
	if (!known && (err.code == HEFT_ENOMEM || err.code == HEFT_EINTERNAL)) {
		where_give_up(job, &err);
		return;
	}
	if (!known) { /* Every line gets an answer, so that the calling program can count them. */
		cli_failed(job->run.cli, &err);
		job->unreadable = true;
		put_answer(job, b, &b->answers[b->count++], &nowhere);
	} else if (count > 0) {
		if (job->one && count > 1)
			cli_error(job->run.cli,
				  "note: %zu places are called '%s': this is the first", count,
				  text);
		for (size_t i = 0; i < count && (i == 0 || !job->one) && !job->stopped; i++)
			name_answer(job, b, i);
	} else {
		b->asked[b->asked_count++] = (struct question){ addr, (uint32_t)b->count++ };
	}
	if (b->count >= b->limit)
		answer_batch(job, b);
}

enum { LINES_SIZE = 1 << 21, BULK = 4096 };

struct where_lines {
	char text[LINES_SIZE + 1];
	size_t used;
	bool end; /* True at the end of the input */
};

/* Answers the complete lines of the buffer. Moves the incomplete last line to the front. A line
 * longer than the buffer is cut. */
static void ask_lines(struct where_job *job, struct where_batch *b, struct where_lines *l)
{
	char *line = l->text, *stop = l->text + l->used;
	while (line < stop && !job->stopped) {
		char *end = memchr(line, '\n', (size_t)(stop - line));
		if (end == NULL && !l->end && (line > l->text || l->used < LINES_SIZE))
			break;
		char *next = end != NULL ? end + 1 : stop, *last = end != NULL ? end : stop;
		while (last > line && strchr(" \t\r", last[-1]) != NULL)
			last--;
		*last = '\0';
		const char *word = line + strspn(line, " \t");
		if (*word != '\0')
			ask(job, b, word);
		line = next;
	}
	ASSERT(line <= stop);
	l->used = (size_t)(stop - line);
	memmove(l->text, line, l->used);
}

/* Reads the available input. Blocks only for the first byte, because the calling program may wait
 * for each answer. After a large read, waits a millisecond for more. False (errno) on failure. */
static bool read_more(struct where_lines *l)
{
	bool some = false;
	while (!l->end && l->used < LINES_SIZE &&
	       (!some || os_input_waits(l->used < BULK ? 0 : 1))) {
		const ssize_t n = read(STDIN_FILENO, l->text + l->used, LINES_SIZE - l->used);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return false;
		l->used += (size_t)n;
		l->end = n == 0;
		some = true;
	}
	return true;
}

/* Answers all lines of input. Writes the answers before it waits for more. False on failure. */
static bool answer_input(struct where_job *job, struct where_batch *b)
{
	struct where_lines *l = malloc(sizeof *l);
	bool good = l != NULL;
	job->one = true;
	if (l == NULL)
		errno = ENOMEM;
	else
		l->used = l->end = 0;
	while (good && !job->stopped && !l->end) {
		good = read_more(l);
		ask_lines(job, b, l);
		answer_batch(job, b);
		job->stopped = fflush(job->to) != 0 || job->stopped;
	}
	if (!good)
		cli_error(job->run.cli, "standard input: cannot read: %s", strerror(errno));
	job->one = false;
	free(l);
	return good;
}

/* Answers the questions among the words. A word "-" reads questions from standard input. Returns
 * false, after a message, if standard input or memory fails. */
static bool answer_words(struct where_job *job, struct where_batch *b)
{
	bool good = true;
	for (size_t i = 1; i < job->run.word_count && good && !job->stopped; i++) {
		if (strcmp(job->run.words[i], "-") != 0) {
			ask(job, b, job->run.words[i]);
			continue;
		}
		answer_batch(job, b);
		good = answer_input(job, b);
	}
	answer_batch(job, b);
	return good;
}

/* Writes the answers to all words. Called by outfile_write(). */
static bool answer_all(void *ctx, FILE *to, struct heft_err *err)
{
	struct where_job *job = ctx;
	struct where_batch *b = calloc(1, sizeof *b);
	job->to = to;
	if (b == NULL) {
		job->unreadable = true;
		cli_error(job->run.cli, "out of memory");
		return true;
	}
	b->limit = BATCH_MIN;
	const bool good = heft_where_write(job->where, NULL, &job->run.out.write,
					   &(struct heft_sink){ outfile_put, to }, err);
	if (good && !answer_words(job, b))
		job->unreadable = true;
	free(b->text);
	free(b);
	return good;
}

static int where_run(struct where_job *job)
{
	struct heft_err err;
	const char **words = job->run.words;
	if (!run_has_words(&job->run, 2, SIZE_MAX, "a file and at least one address") ||
	    cli_swapped(job->run.cli, words[0], words[1]))
		return EXIT_TROUBLE;
	if (!heft_where_open(job->where, words[0], &err))
		return cli_failed(job->run.cli, &err);
	const int status = outfile_write(job->run.cli, job->run.out.path, answer_all, job);
	notes_print_each(job->run.cli, job->run.session, job->run.verbose);
	if (status != EXIT_FINE || job->unreadable)
		return EXIT_TROUBLE;
	return job->nothing ? EXIT_NO : EXIT_FINE;
}

int cmd_where(const struct cli *cli, int argc, char **argv)
{
	static const struct cli_words words = { .option = where_apply };
	struct where_job job = { .run = run_new(cli, formats) };
	job.where = cli_made(cli, heft_where_new(job.run.session));
	int status = cli_parse(&job, argc, argv, &words);
	if (status == CLI_GO_ON)
		status = where_run(&job);
	run_release(&job.run);
	heft_where_free(job.where);
	return status;
}
