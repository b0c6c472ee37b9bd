/* What compilers state of frames: an even first byte, a .su file; an odd one, a section
 * .stack_sizes. */
#include "stack/stated.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Every line lies in the text, is found again, and by its file too. */
static void check_lines(struct str text)
{
	struct stated s = { 0 };
	struct su_line line, found;
	struct str rest = text;
	uint64_t bad = 0;
	const uint64_t said = stated_add(&s, text);
	while (su_next(&rest, &line, &bad)) {
		ASSERT(line.name.len > 0 && line.file.len > 0);
		ASSERT(line.file.p >= text.p && line.name.p + line.name.len <= text.p + text.len);
		if (memchr(line.name.p, '(', line.name.len) ||
		    memchr(line.file.p, 0, line.file.len))
			continue;
		char *file = mem_alloc(line.file.len + 1);
		memcpy(file, line.file.p, line.file.len);
		file[line.file.len] = '\0';
		if (stated_find(&s, line.name, file, true, &found))
			ASSERT(found.size == line.size && found.kind == line.kind);
		mem_free(file);
	}
	ASSERT(bad == said);
	stated_release(&s);
}

static void check_section(struct bytes b)
{
	struct reader r = reader_of(b, false);
	uint64_t addr, value, entries = 0;
	while (reader_left(&r) > 0 && stack_sizes_next(&r, 4, &addr, &value))
		entries++;
	ASSERT(entries * 5 <= b.size);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size == 0)
		return 0;
	if (data[0] & 1)
		check_section((struct bytes){ data + 1, size - 1 });
	else
		check_lines((struct str){ (const char *)data + 1, size - 1 });
	return 0;
}
