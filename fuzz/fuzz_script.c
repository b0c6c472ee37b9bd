/* Input: a linker script, which includes itself.  What region.h promises holds. */
#include "image/script.h"

static bool open_again(void *ctx, struct str name, struct str *ret)
{
	(void)name;
	*ret = *(const struct str *)ctx;
	return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct str text = { (const char *)data, size };
	const struct script_files files = { open_again, &text };
	struct memory_regions r = { 0 };
	struct script_sections sections = { 0 };
	struct notes notes;
	notes_init(&notes);
	script_regions(&r, &sections, "fuzz.ld", text, &files, &notes);
	ASSERT(r.list.count <= REGIONS_MAX);
	for (size_t i = 0; i < r.list.count; i++) {
		const struct memory_region *m = &r.list.data[i];
		ASSERT(m->length > 0 && m->length <= UINT64_MAX - m->origin && m->name[0] != '\0');
	}
	for (size_t i = 0; i < sections.list.count; i++) {
		const struct str name = str_of(sections.list.data[i].name);
		ASSERT(script_section_find(&sections, name) == &sections.list.data[i]);
	}
	script_sections_release(&sections);
	regions_release(&r);
	notes_release(&notes);
	return 0;
}
