/* Claims the symbol table of an archive. An entry and its name belong to the symbol, or to the
 * owner of the member that defines the symbol. Forms: GNU's "/" and "/SYM64/" (System V ABI,
 * "Archive File"). */
#include "attr/attr.h"

#include "base/sort.h"

static label_id owner_of_member(const struct source_file *f, const label_id *owners,
				uint64_t header)
{
	const struct input *in = f->input;
	size_t low;
	if (in->thin) {
		BISECT(low, 0, in->outside.count, mid, in->outside.data[mid].header < header);
		return low < in->outside.count && in->outside.data[low].header == header &&
				       in->outside.data[low].image < in->image_count
			       ? owners[in->outside.data[low].image]
			       : LABEL_NONE;
	}
	BISECT(low, 0, in->image_count, mid, in->images[mid].file_off <= header);
	return low < in->image_count ? owners[low] : LABEL_NONE;
}

static void one_table(const struct source_file *f, const struct ar_part *part,
		      const label_id *owners, struct claims *file)
{
	const unsigned width = str_eq(part->member, STR("/SYM64/")) ? 8 : 4;
	const struct bytes table = bytes_sub(f->input->file.bytes, part->off, part->size);
	struct reader entries = reader_of(table, true), names = entries;
	const uint64_t count = read_uint(&entries, width);
	const bool gnu = width == 8 || str_eq(part->member, STR("/"));
	if (!gnu || !reader_ok(&entries) || count > reader_left(&entries) / width)
		return;
	reader_seek(&names, entries.pos + count * width);
	for (uint64_t i = 0; i < count && reader_ok(&names); i++) {
		const uint64_t at = entries.pos, name_at = names.pos;
		const uint64_t header = read_uint(&entries, width);
		const struct str name = read_cstr(&names);
		const label_id label = owners ? owner_of_member(f, owners, header)
				       : name.len > 0 && reader_ok(&names)
					       ? label_copy(f->labels, name)
					       : LABEL_NONE;
		if (label == LABEL_NONE)
			continue;
		claim(file, part->off + at, width, label, WHY_SYMBOL_ENTRY);
		claim(file, part->off + name_at, name.len + 1, label, WHY_NAME);
	}
}

void attr_archive(const struct source_file *f, const label_id *owners, struct claims *file)
{
	for (size_t i = 0; i < f->input->parts.count; i++)
		if (f->input->parts.data[i].kind == AR_SYMBOL_TABLE)
			one_table(f, &f->input->parts.data[i], owners, file);
}
