/* Input: a build.ninja, or, where it begins with '[', a compile_commands.json.  Each object that
 * was found for a source has a source itself. */
#include "base/file.h"
#include "project/build_paths.h"

/* A look-up may end at another source of the same object, but not at none. */
static void check_objects(const struct build_paths *b)
{
	for (size_t i = 0; i < b->sources.count; i++) {
		const struct str source = intern_get(&b->texts, b->sources.data[i].path);
		const struct str object = build_paths_object(b, source);
		ASSERT(object.len == 0 || build_paths_find(b, object).len > 0);
	}
}

static void read_one(const char *name, struct bytes bytes)
{
	struct file_inputs in = { 0 };
	struct build_paths b = { 0 };
	struct notes notes;
	struct heft_err err = { 0 };
	notes_init(&notes);
	if (file_inputs_add(&in, name, bytes, -1, &err)) {
		memory_set_inputs(&in);
		if (build_paths_read(&b, name, &notes, &err)) {
			build_paths_finish(&b);
			check_objects(&b);
			(void)build_paths_dir(&b);
		} else {
			ASSERT(err.code != HEFT_OK && err.text[0] != '\0');
		}
		memory_set_inputs(NULL);
	}
	build_paths_release(&b);
	file_inputs_release(&in);
	notes_release(&notes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size == 0)
		return 0;
	struct memory *own = memory_new(), *before = memory_enter(own);
	read_one(data[0] == '[' ? "/b/x.json" : "/b/build.ninja", (struct bytes){ data, size });
	memory_enter(before);
	memory_delete(own);
	return 0;
}
