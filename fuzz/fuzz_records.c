/* Tables of sections that only the symbols source reads.  The first byte chooses which: the input
 * behind it is the section, or a table about functions, a table of GPU code, a note section, what a
 * bundle has in a section. */
#include "../tests/lib/pclntab_made.h"
#include "attr/bundle/bundle.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { SECTION_ADDR = 0x100000 };

static void check_claims(const struct claims *c, uint64_t start, uint64_t size)
{
	for (size_t i = 0; i < c->list.count; i++) {
		const struct claim *at = &c->list.data[i];
		ASSERT(at->start >= start && at->start - start < size);
		ASSERT(at->size <= size - (at->start - start));
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const names[] = { ".BTF",
					     ".nv_fatbin",
					     ".hip_fatbin",
					     ".note.stapsdt",
					     ".gnu.build.attributes",
					     ".note.node.sea",
					     "pydata",
					     ".bun",
					     ".pkg",
					     ".llvm_bb_addr_map",
					     ".stack_sizes",
					     ".llvm_jump_table_sizes",
					     ".llvm.callgraph",
					     ".pseudo_probe_desc",
					     ".pseudo_probe",
					     ".sframe",
					     ".BTF.ext",
					     ".ctf" };
	struct image im;
	struct notes notes;
	struct labels labels = { 0 };
	if (size == 0 || size > 1 << 20)
		return 0;
	const struct bytes b = { data + 1, size - 1 };
	notes_init(&notes);
	make_image(&im, names[(data[0] >> 1) % COUNT_OF(names)], SECTION_ADDR, b, 64, data[0] & 1,
		   &notes);
	const struct input in = { .archive = false };
	const struct source_file f = {
		.path = "records", .labels = &labels, .notes = &notes, .input = &in
	};
	struct attr a = { .f = &f, .im = &im, .owner = BY_SYMBOL };
	attr_records(&a);
	attr_gpu(&a);
	ASSERT(a.file_claims.list.count == 0);
	im.by_build = false; /* as far as bundles are concerned */
	attr_node(&a);
	attr_bundle(&a);
	const struct section *const s = image_section_find(&im, ".pkg");
	if (s)
		(void)bundle_pkg(&(struct bundle){ .attr = &a, .in = s, .bytes = b });
	check_claims(&a.vm_claims, SECTION_ADDR, b.size);
	check_claims(&a.file_claims, 0, b.size);
	vec_release(&a.vm_claims.list);
	vec_release(&a.file_claims.list);
	image_release(&im);
	labels_release(&labels);
	notes_release(&notes);
	return 0;
}
