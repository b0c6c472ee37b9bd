/* Finds the relocations of an x86 Linux kernel that can be loaded at other addresses. The build
 * appends them to the kernel, after all contents of the ELF file, and then packs both. A list
 * begins with a word of 0. Then it has the low 32 bits of each relocated address, ascending. A
 * 32-bit kernel has one list. A 64-bit kernel has a list of 8-byte fields and a list of 4-byte
 * fields. Until Linux 6.14 a third list was between them: distances to per-processor variables.
 * Linux, arch/x86/tools/relocs.c writes the lists, arch/x86/boot/compressed/misc.c reads them. */
#include "image/elf/elf_internal.h"

/* Limits. Kernels have at most three lists and fewer than ten segments. Files with more are not
 * searched for kernel relocations. */
enum { LISTS_MOST = 3, SEGMENTS_MOST = 16 };

/* Converts a word to a VM address. False if no segment contains it. Words assume that the whole
 * kernel has one distance between VM and load addresses. Per-processor variables are linked for
 * address 0. */
bool elf_kernel_place(const struct image *im, uint32_t word, uint64_t *ret)
{
	const uint64_t addr = im->bits == 64 ? (uint64_t)(int64_t)(int32_t)word : word;
	const struct segment *first = NULL;
	each_segment(s, im) {
		if (s->type != PT_LOAD)
			continue;
		first = first ? first : s;
		const uint64_t at = addr - (first->addr - first->load_addr) - s->load_addr;
		if (at < s->file_size) {
			*ret = s->addr + at;
			return true;
		}
	}
	return false;
}

/* True if every word is an address in the kernel, and the words are a few lists, one after the
 * other, whose addresses ascend. */
static bool are_places(const struct image *im, struct bytes b)
{
	struct reader r = reader_of(b, im->big_endian);
	unsigned lists = 0;
	uint64_t last = 0, place;
	while (reader_left(&r) > 0) {
		const uint32_t word = read_u32(&r);
		lists += word == 0;
		if (lists == 0 || lists > LISTS_MOST || (word > 0 && word <= last) ||
		    (word > 0 && !elf_kernel_place(im, word, &place)))
			return false;
		last = word;
	}
	return last > 0;
}

void elf_find_kernel_relocs(struct image *im)
{
	const uint64_t end = max_u64(im->shdr_off + im->shdr_size, im->phdr_off + im->phdr_size);
	const struct bytes b = bytes_sub(im->bytes, end,
					 im->bytes.size - min_u64(end, im->bytes.size));
	ASSERT(im->type == ET_EXEC);
	if ((im->machine != EM_386 && im->machine != EM_X86_64) || im->section_count == 0 ||
	    im->segment_count > SEGMENTS_MOST || b.size % KERNEL_RELOC_SIZE != 0 ||
	    !are_places(im, b))
		return;
	struct section *all = arena_new(&im->arena, struct section, im->section_count + 1);
	memcpy(all, im->sections, im->section_count * sizeof *all);
	all[im->section_count] = (struct section){ .name = STR(""),
						   .title = STR("Relocation Entries"),
						   .index = (uint32_t)im->section_count,
						   .type = SHT_KERNEL_RELOCS,
						   .off = im->bytes.size - b.size,
						   .size = b.size,
						   .file_size = b.size };
	im->sections = all;
	im->section_count++;
	im->moves = true;
}
