/* The memory regions of a program's machine. */
#include "program/program.h"

#include "base/text.h"
#include "image/elf/elf_const.h"
#include "image/linkmap/linkmap_image.h"
#include "image/script.h"

/* Files that a script includes, open until it is read. */
struct includes {
	const char *script;
	VEC(struct file) files;
};

/* Beside the script, else where heft runs. */
static bool open_include(void *ctx, struct str name, struct str *ret)
{
	struct includes *in = ctx;
	struct arena scratch = { 0 };
	struct heft_err err;
	struct file f;
	const char *beside = input_member_path(&scratch, in->script, name);
	const bool ok = file_open(&f, beside, &err) ||
			file_open(&f, arena_copy(&scratch, name), &err);
	arena_release(&scratch);
	if (!ok)
		return false;
	vec_push(&in->files, f);
	*ret = (struct str){ (const char *)f.bytes.p, f.bytes.size };
	return true;
}

static bool read_script(struct program *p, const char *path, struct script_sections *sections,
			struct heft_err *err)
{
	struct includes in = { .script = path };
	const struct script_files files = { open_include, &in };
	const size_t before = p->regions.list.count;
	struct file f;
	if (!file_open(&f, path, err))
		return false;
	script_regions(&p->regions, sections, path,
		       (struct str){ (const char *)f.bytes.p, f.bytes.size }, &files, p->notes);
	for (size_t i = 0; i < in.files.count; i++)
		file_close(&in.files.data[i]);
	vec_release(&in.files);
	file_close(&f);
	return p->regions.list.count > before ||
	       fail(err, HEFT_EFORMAT, HEFT_NO_OFFSET,
		    "%s: no memory region: not a linker script with MEMORY", path);
}

/* What they are called does not tell it of all sections. */
static void note_doubts(const struct program *p)
{
	struct text names = { 0 };
	if (p->input.linkmap && p->wish->scripts.count == 0)
		linkmap_doubts(p->input.linkmap, &names);
	if (names.len > 0)
		note(p->notes, p->path, HEFT_NO_OFFSET, 0,
		     "counted as stored, unless the linker script (--script) says NOLOAD: " STR_FMT,
		     STR_ARG(text_str(&names)));
	text_release(&names);
}

bool program_read_scripts(struct program *p, struct heft_err *err)
{
	struct script_sections sections = { 0 };
	bool ok = true;
	for (size_t i = 0; ok && i < p->wish->scripts.count; i++)
		ok = read_script(p, p->wish->scripts.data[i], &sections, err);
	note_doubts(p);
	ok = ok && input_tell_sections(&p->input, p->path, &sections, err);
	script_sections_release(&sections);
	return ok;
}

const struct memory_regions *program_regions(struct program *p)
{
	const struct image *im = program_image(p);
	if (p->regions_read || !im || im->kind != IMAGE_EXEC)
		return &p->regions;
	const struct linkmap *map = program_map(p);
	p->regions_read = true;
	regions_copy(&p->regions, &p->wish->regions);
	if (p->regions.list.count == 0 && map)
		regions_of_map(&p->regions, map, p->path, p->notes);
	if (p->regions.list.count == 0)
		regions_of_segments(&p->regions, im);
	return &p->regions;
}
