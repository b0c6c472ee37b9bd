/* Handles the options that all reports share. */
#include "cli/output.h"

#include <string.h>
#include <unistd.h>

const struct choice table_formats[] = {
	LIST_FORMATS, { "folded", HEFT_FOLDED }, { "pprof", HEFT_PPROF }, { "svg", HEFT_SVG },
	{ NULL, 0 },
};

const struct choice list_formats[] = { LIST_FORMATS, { NULL, 0 } };

void output_init(struct output *out, const struct choice *formats)
{
	ASSERT(formats != NULL && formats[0].word != NULL);
	*out = (struct output){ .formats = formats, .color = TERM_AUTO };
	out->write.size = sizeof out->write;
	out->write.format = (enum heft_format)formats[0].value;
}

/* Writes the names of the formats: "one of table, csv, json". */
static void name_formats(const struct output *out, char *text, size_t room)
{
	size_t used = (size_t)snprintf(text, room, "one of");
	for (const struct choice *c = out->formats; c->word != NULL && used < room; c++)
		used += (size_t)snprintf(text + used, room - used, "%s %s",
					 c == out->formats ? "" : ",", c->word);
}

/* Sets the format. Fails if two options name different formats. */
static enum output_answer set_format(struct output *out, const struct cli *cli, const struct opt *o,
				     const char *word)
{
	char wanted[200];
	const struct choice *c = out->formats;
	while (c->word != NULL && strcmp(c->word, word) != 0)
		c++;
	if (c->word == NULL && o->id != O_FORMAT) {
		name_formats(out, wanted, sizeof wanted);
		cli_error(cli, "--%s: there is no such format here; it is %s", o->name, wanted);
		return OUTPUT_BAD;
	}
	if (c->word == NULL) {
		name_formats(out, wanted, sizeof wanted);
		cli_bad_value(cli, o, word, wanted);
		return OUTPUT_BAD;
	}
	if (out->format_opt != NULL && out->write.format != (enum heft_format)c->value) {
		cli_error(cli, "--%s and --%s ask for different formats", out->format_opt->name,
			  o->name);
		return OUTPUT_BAD;
	}
	out->format_opt = o;
	out->write.format = (enum heft_format)c->value;
	return OUTPUT_TAKEN;
}

static enum output_answer set_color(struct output *out, const struct cli *cli, const struct opt *o,
				    const char *value)
{
	static const struct choice whens[] = { { "auto", TERM_AUTO },
					       { "always", TERM_ALWAYS },
					       { "never", TERM_NEVER },
					       { NULL, 0 } };
	unsigned when;
	if (!cli_choice(cli, o, value, whens, &when))
		return OUTPUT_BAD;
	out->color = (enum term_when)when;
	return OUTPUT_TAKEN;
}

enum output_answer output_apply(struct output *out, const struct cli *cli, const struct opt *o,
				const char *value)
{
	uint64_t rows;
	switch (o->id) {
	case O_FORMAT: return set_format(out, cli, o, value);
	case O_CSV:
	case O_TSV:
	case O_JSON:
	case O_MARKDOWN:
	case O_FOLDED:
	case O_PPROF:
	case O_SVG:
	case O_TERSE: return set_format(out, cli, o, o->name);
	case O_ROWS:
		if (!cli_number(cli, o, value, INT32_MAX, &rows))
			return OUTPUT_BAD;
		out->rows = (uint32_t)rows;
		out->has_rows = true;
		break;
	case O_COLOR: return set_color(out, cli, o, value);
	case O_CSV_SAFE: out->write.csv_safe = true; break;
	case O_WIDE: out->wide = true; break;
	case O_OUTPUT:
		out->path = strcmp(value, "-") == 0 ? NULL : value;
		out->has_path = true;
		break;
	default: return OUTPUT_OTHER;
	}
	return OUTPUT_TAKEN;
}

bool output_settle(struct output *out, const struct cli *cli)
{
	const bool terminal = out->path == NULL;
	out->write.color = terminal ? term_color(out->color) : out->color == TERM_ALWAYS;
	out->write.width = terminal && !out->wide ? term_width() : 0;
	if (out->write.format != HEFT_PPROF || !terminal || !isatty(STDOUT_FILENO))
		return true;
	cli_error(cli, "--format=pprof is not for a terminal; name a file with -o");
	return false;
}

uint32_t output_rows(const struct output *out, uint32_t usual)
{
	/* The formats after those of lists are for tools and pictures, which take all rows. */
	const bool all = out->write.format > HEFT_MARKDOWN;
	return out->has_rows ? out->rows : all ? 0 : usual;
}

struct heft_sink output_sink(const struct output *out, FILE *to)
{
	const bool raw = out->path != NULL || !isatty(STDOUT_FILENO);
	const bool plain = raw || out->write.format == HEFT_TABLE;
	return (struct heft_sink){ plain ? outfile_put : outfile_put_tame, to };
}
