/* Claims GPU code inside a program. If symbols own bytes, claims kernels by name and architecture.
 * Bytes of a compressed kernel are counted in proportion to its unpacked bytes. */
#include "attr/attr.h"

#include "image/elf/elf_const.h"
#include "names/demangle.h"
#include "runtime/gpu_code.h"

struct gpu_claims {
	struct attr *attr;
	const struct section *in;
	const struct gpu_piece *piece;
	struct demangler *demangler;
};

static void attr_gpu_claim_code(const struct gpu_claims *g, uint64_t off, uint64_t size,
				label_id label)
{
	const struct bytes_place at = gpu_piece_place(g->piece, off, size);
	if (at.size > 0)
		attr_put(g->attr, g->in, at.off, at.size, label, WHY_SYMBOL);
}

static label_id kernel_label(const struct gpu_claims *g, struct str raw)
{
	const struct str name = demangle(g->demangler, raw, HEFT_NAMES_SHORT);
	return label_format(g->attr->f->labels, STR_FMT " (" STR_FMT ")", STR_ARG(name),
			    STR_ARG(g->piece->target));
}

/* Returns the kernel name in an NVIDIA section name: ".text.NAME", ".nv.info.NAME". */
static struct str kernel_of_section(struct str name)
{
	static const char *const fronts[] = { ".text.",           ".nv.info.",  ".nv.constant0.",
					      ".nv.shared.",      ".rel.text.", ".rela.text.",
					      ".nv.capmerc.text." };
	for (size_t i = 0; i < COUNT_OF(fronts); i++) {
		const struct str front = str_of(fronts[i]);
		if (str_starts(name, front))
			return (struct str){ name.p + front.len, name.len - front.len };
	}
	return STR("");
}

/* Claims AMD's functions, and their descriptors NAME.kd. */
static void attr_gpu_claim_symbols(const struct gpu_claims *g, const struct image *im)
{
	struct symtab t;
	const struct section *table = image_symbols(im);
	if (!table)
		table = image_section_type(im, SHT_DYNSYM, 1);
	if (!table || !symtab_open(&t, im, table))
		return;
	for (size_t i = 1; i < t.count; i++) {
		struct symbol s = symtab_get(&t, i);
		if (s.section == SYM_NO_SECTION || s.section >= im->section_count || s.size == 0 ||
		    s.name.len == 0)
			continue;
		const struct section *in = &im->sections[s.section];
		const bool named = kernel_of_section(in->name).len > 0;
		if (named || in->nobits || s.value < in->addr || s.value - in->addr >= in->size)
			continue;
		if (str_ends(s.name, STR(".kd")))
			s.name.len -= 3;
		attr_gpu_claim_code(g, in->off + (s.value - in->addr), s.size,
				    kernel_label(g, s.name));
	}
}

static void attr_gpu_claim_kernels(const struct gpu_claims *g, struct bytes code)
{
	struct image im;
	struct notes notes;
	struct heft_err err = { 0 };
	const struct image_place at = { .path = g->attr->im->path };
	notes_init(&notes); /* The user gets no notes about this image, which is inside a file */
	if (file_format_of_plain(code)->parse && image_parse(&im, &at, code, &notes, &err)) {
		attr_gpu_claim_symbols(g, &im);
		each_section(s, &im) {
			const struct str kernel = kernel_of_section(s->name);
			if (kernel.len > 0)
				attr_gpu_claim_code(g, s->off, s->file_size,
						    kernel_label(g, kernel));
		}
		image_release(&im);
	}
	notes_release(&notes);
}

/* Claims the kernels in GPU code `p` for their names, then its other bytes for the architecture. */
static void attr_gpu_claim_piece(void *ctx, const struct gpu_piece *p)
{
	static const char *const forms[] = { "GPU code", "GPU code", "PTX", "GPU code for LTO",
					     "SPIR-V" };
	struct gpu_claims *g = ctx;
	g->piece = p;
	if (p->form == GPU_CODE && p->code.size > 0)
		attr_gpu_claim_kernels(g, p->code);
	const label_id rest = label_format(g->attr->f->labels, "(%s " STR_FMT ")", forms[p->form],
					   STR_ARG(p->target));
	attr_gpu_claim_code(g, 0, p->length, rest);
	attr_put(g->attr, g->in, p->off, p->size, rest, WHY_SECTION);
}

bool attr_gpu_any(const struct image *im)
{
	bool any = false;
	for (size_t i = 1; i < im->section_count && !any; i++)
		any = gpu_code_begins(section_bytes(im, &im->sections[i]));
	return any;
}

bool attr_gpu_in(const struct image *im, const struct section *s)
{
	return s->alloc ? !s->exec : gpu_code_begins(section_bytes(im, s));
}

void attr_gpu(struct attr *a)
{
	struct demangler d = { 0 };
	const bool any = attr_gpu_any(a->im);
	ASSERT(a->owner == BY_SYMBOL);
	for (size_t i = 1; any && i < a->im->section_count; i++) {
		struct gpu_claims g = { .attr = a, .in = &a->im->sections[i], .demangler = &d };
		uint64_t first;
		if (!attr_gpu_in(a->im, g.in))
			continue;
		const uint64_t unread = gpu_code_walk(section_bytes(a->im, g.in),
						      attr_gpu_claim_piece, &g, &first);
		if (unread > 0 && gpu_code_alone(g.in->name))
			note(a->f->notes, a->f->path, a->im->file_off + g.in->off + first, unread,
			     "section " STR_FMT
			     " has no table of GPU code here; the rest of it has no owner",
			     STR_ARG(g.in->name));
	}
	demangler_release(&d);
}
