/* Writes a comment by a template: text with placeholders, such as `{why}`, for parts of the
 * comment. */
#include "review/comment.h"

#include "base/err.h"
#include "report/pss.h"

static const char standard[] = "{headline}\n\n{why}\n\n{verdict}\n\n{regions}\n\n{rows}\n\n"
			       "{owners}\n\n{sizes}\n\n{details}\n\n{page}\n";

static void put_title(const struct comment *c, struct sink *s)
{
	story_put_name(s, c->title);
}

static void put_old(const struct comment *c, struct sink *s)
{
	sink_text(s, str_of(said_size(comment_ships(c).before).p));
}

static void put_new(const struct comment *c, struct sink *s)
{
	sink_text(s, str_of(said_size(comment_ships(c).after).p));
}

static void put_page(const struct comment *c, struct sink *s)
{
	if (*c->page_url)
		sink_printf(s, "[The whole picture](%s)", c->page_url);
}

/* The parts of a comment by their placeholders. */
static const struct comment_part {
	const char *name;
	void (*put)(const struct comment *c, struct sink *s);
} comment_parts[] = {
	{ "headline", comment_put_headline },
	{ "title", put_title },
	{ "old", put_old },
	{ "new", put_new },
	{ "change", comment_put_change },
	{ "why", comment_put_cause },
	{ "sizes", comment_put_sizes },
	{ "regions", comment_put_regions },
	{ "verdict", comment_put_verdict },
	{ "owners", comment_put_owners },
	{ "rows", comment_put_rows },
	{ "details", comment_put_details },
	{ "page", put_page },
};

static const struct comment_part *part_find(struct str name)
{
	for (size_t i = 0; i < COUNT_OF(comment_parts); i++)
		if (str_eq(name, str_of(comment_parts[i].name)))
			return &comment_parts[i];
	return NULL;
}

/* Returns the name of the placeholder at the beginning of a text. "" if there is none. */
static struct str placeholder_at(struct str text)
{
	static const char letters[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";
	size_t end = 1;
	while (end < text.len && text.p[end] != '\0' && strchr(letters, text.p[end]))
		end++;
	return text.p[0] == '{' && end > 1 && end < text.len && text.p[end] == '}'
		       ? (struct str){ text.p + 1, end - 1 }
		       : STR("");
}

struct template_piece piece_take(struct str *rest)
{
	const struct str text = *rest;
	size_t i = 0;
	struct str name = STR("");
	while (i < text.len && (name = placeholder_at(str_from(text, i))).len == 0)
		i += text.p[i] == '\\' && i + 1 < text.len ? 2 : 1;
	ASSERT(i <= text.len);
	*rest = str_from(text, name.len > 0 ? i + name.len + 2 : i);
	return (struct template_piece){ str_upto(text, i), name };
}

bool comment_template_check(const char *path, struct str template, struct heft_err *err)
{
	struct text known = { 0 };
	bool any = false;
	for (size_t i = 0; i < COUNT_OF(comment_parts); i++)
		text_add_all(&known, i > 0 ? ", {" : "{", comment_parts[i].name, "}");
	for (size_t number = 1; template.len > 0; number++) {
		struct str line = str_take(&template, '\n');
		while (line.len > 0) {
			const struct str name = piece_take(&line).name;
			any = any || name.len > 0;
			if (name.len == 0 || part_find(name))
				continue;
			fail(err, HEFT_EFORMAT, HEFT_NO_OFFSET,
			     "%s:%zu: no placeholder '{%.*s}' exists; the placeholders are %.*s",
			     path, number, STR_ARG(str_upto(name, min_u64(name.len, 40))),
			     STR_ARG(text_str(&known)));
			text_release(&known);
			return false;
		}
	}
	if (!any)
		fail(err, HEFT_EFORMAT, HEFT_NO_OFFSET,
		     "%s: the template has no placeholder; the placeholders are %.*s", path,
		     STR_ARG(text_str(&known)));
	text_release(&known);
	return any;
}

static bool text_take_output(void *ctx, const void *data, size_t size)
{
	text_add(ctx, (struct str){ data, size });
	return true;
}

/* Appends a part without the line ends at its end. */
static void part_write(const struct comment_part *part, const struct comment *c, struct text *out)
{
	const size_t start = out->len;
	struct sink s;
	ASSERT(part != NULL);
	sink_start(&s, &(struct heft_sink){ text_take_output, out });
	part->put(c, &s);
	sink_flush(&s);
	while (out->len > start && out->p[out->len - 1] == '\n')
		out->len--;
}

/* Appends a line of the template. Omits it if all its placeholders are empty. Omits an empty line
 * at the beginning and after an empty line. */
static void line_write(const struct comment *c, struct str line, struct text *out)
{
	const size_t start = out->len;
	bool named = false, filled = false;
	while (line.len > 0) {
		const struct template_piece piece = piece_take(&line);
		text_add(out, piece.plain);
		const size_t before = out->len;
		if (piece.name.len > 0)
			part_write(part_find(piece.name), c, out);
		named = named || piece.name.len > 0;
		filled = filled || out->len > before;
	}
	const struct str above = { out->p, start };
	if (named && !filled)
		out->len = start;
	else if (out->len > start || (start > 0 && !str_ends(above, STR("\n\n"))))
		text_add_char(out, '\n');
}

void comment_write_template(const struct comment *c, struct sink *s)
{
	struct str rest = c->template.len > 0 ? c->template : str_of(standard);
	struct text out = { 0 };
	while (rest.len > 0) {
		struct str line = str_take(&rest, '\n');
		if (str_ends(line, STR("\r")))
			line.len--;
		line_write(c, line, &out);
	}
	sink_text(s, text_str(&out));
	text_release(&out);
}
