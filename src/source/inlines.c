/* Implements the data source `inlines`. */
#include "debugowners/lines.h"
#include "source/source.h"

void source_inlines(const struct source_file *f, struct layer *ret)
{
	struct claims vm = { 0 };
	for (size_t i = 0; i < f->input->image_count; i++) {
		const struct image *im = &f->input->images[i];
		/* In source maps, lines count from 0, and Bloaty shows them so. Debug info is from
		 * a source map if its image has the same bytes as the WebAssembly module. */
		const bool from_0 = f->as_bloaty && f->debug && im->own_spaces &&
				    f->debug->images[0].bytes.p == im->bytes.p;
		struct lines l = {
			.f = f, .im = im, .with_line = true, .line_bias = from_0, .vm = &vm
		};
		l.info = source_dwarf(f, im, f->debug ? &f->debug->images[0] : NULL);
		struct debuginfo *own = source_own_dwarf(f, im, l.info);
		if (l.info)
			lines_of_all(&l);
		if (own) {
			l.info = own;
			lines_of_all(&l);
		}
		if (!l.info)
			note(f->notes, f->path, HEFT_NO_OFFSET, 0,
			     "no debug info: source lines are not known");
		else if (l.row_count == 0)
			note(f->notes, f->path, HEFT_NO_OFFSET, 0,
			     "debug info without line tables for the code: source lines are not "
			     "known");
	}
	layer_finish(f, ret, &vm, NULL);
}
