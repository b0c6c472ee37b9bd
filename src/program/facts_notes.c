/* Reads two notes of the UAPI group (uapi-group.org/specifications: "Package Metadata for
 * Executable Files", "ELF dlopen() Metadata"). Their JSON names the package of a file, and the
 * libraries that it opens by itself. The dynamic table does not name these libraries. */
#include "program/facts.h"

#include "base/json_read.h"
#include "image/elf/elf_const.h"
#include "image/elf/elf_note.h"

enum { NT_FDO_PACKAGE = 0xcafe1a7e, NT_FDO_DLOPEN = 0x407c0c0a };

/* Appends a word. Writes `before` first, unless it is the first word. */
static void word_add(struct text *out, const char *before, struct str word)
{
	if (word.len > 0 && out->len > 0)
		text_add(out, str_of(before));
	text_add(out, word);
}

/* Returns the index of the current key in `keys`. `count` if it is not among them. */
static size_t key_find(const struct json_in *in, const char *const *keys, size_t count)
{
	size_t i = 0;
	while (i < count && !str_eq(text_str(&in->text), str_of(keys[i])))
		i++;
	return i;
}

static void package_add(struct text *out, struct json_in *in)
{
	static const char *const keys[] = { "type", "name", "version", "architecture", "os" };
	struct text values[COUNT_OF(keys)] = { { NULL, 0, 0 } };
	while (json_next(in) == JSON_KEY) {
		const size_t i = key_find(in, keys, COUNT_OF(keys));
		const enum json_token value = json_next(in);
		if (value == JSON_STRING && i < COUNT_OF(keys))
			text_set(&values[i], text_str(&in->text));
		(void)json_rest(in, value);
	}
	for (size_t i = 0; i < COUNT_OF(keys); i++) {
		word_add(out, i == 0 ? ", " : " ", text_str(&values[i]));
		text_release(&values[i]);
	}
}

/* Reads an array of library names until its end. The program needs any one of the libraries. */
static void sonames_read(struct text *out, struct json_in *in)
{
	enum json_token value;
	while ((value = json_next(in)) == JSON_STRING)
		word_add(out, " or ", text_str(&in->text));
	while (value != JSON_ARRAY_END && value != JSON_END) {
		(void)json_rest(in, value);
		value = json_next(in);
	}
}

/* Appends an object as "libx.so.1 or libx.so.0 (feature: priority)". */
static void library_add(struct text *out, struct json_in *in)
{
	enum { SONAME, FEATURE, PRIORITY, KEYS };
	static const char *const keys[KEYS] = { "soname", "feature", "priority" };
	struct text values[KEYS] = { { NULL, 0, 0 } };
	while (json_next(in) == JSON_KEY) {
		const size_t i = key_find(in, keys, KEYS);
		const enum json_token value = json_next(in);
		if (i == SONAME && value == JSON_ARRAY) {
			sonames_read(&values[SONAME], in);
			continue;
		}
		if (i < KEYS && value == JSON_STRING)
			text_set(&values[i], text_str(&in->text));
		(void)json_rest(in, value);
	}
	word_add(&values[FEATURE], ": ", text_str(&values[PRIORITY]));
	if (values[SONAME].len > 0 && values[FEATURE].len > 0) {
		text_add(&values[SONAME], STR(" ("));
		text_add(&values[SONAME], text_str(&values[FEATURE]));
		text_add(&values[SONAME], STR(")"));
	}
	word_add(out, ", ", text_str(&values[SONAME]));
	for (size_t i = 0; i < KEYS; i++)
		text_release(&values[i]);
}

struct facts_notes_told {
	struct text package, opens;
};

/* Reads a note. Its description is JSON, ended by NUL bytes. If the text is damaged, uses the part
 * before the damage. */
static void note_read(struct facts_notes_told *t, const struct elf_note *n)
{
	struct json_in in;
	if (!str_eq(n->owner, STR("FDO")))
		return;
	const uint8_t *end = n->desc.size ? memchr(n->desc.p, 0, n->desc.size) : NULL;
	json_in_init(&in,
		     (struct bytes){ n->desc.p, end ? (uint64_t)(end - n->desc.p) : n->desc.size });
	const enum json_token first = json_next(&in);
	if (n->type == NT_FDO_PACKAGE && first == JSON_OBJECT)
		package_add(&t->package, &in);
	else if (n->type == NT_FDO_DLOPEN && first == JSON_ARRAY)
		while (json_next(&in) == JSON_OBJECT)
			library_add(&t->opens, &in);
	json_in_release(&in);
}

void facts_add_notes(struct facts *f, const struct image *im, struct arena *arena)
{
	struct facts_notes_told t = { { NULL, 0, 0 }, { NULL, 0, 0 } };
	ASSERT(im->kind != IMAGE_CORE); /* The notes of a core describe its process */
	for (size_t i = 1; i < im->section_count; i++) {
		const struct section *s = &im->sections[i];
		struct elf_note n;
		if (s->type != SHT_NOTE || !s->alloc)
			continue;
		struct reader r = reader_of(section_bytes(im, s), im->big_endian);
		while (elf_note_next(&r, s->align, &n))
			note_read(&t, &n);
	}
	f->package = arena_copy(arena, text_str(&t.package));
	f->opens = arena_copy(arena, text_str(&t.opens));
	text_release(&t.package);
	text_release(&t.opens);
}
