/* Distinguishes addresses from numbers in the code and data of a Go program. */
#include "program/go_words.h"

#include "image/arch.h"
#include "image/elf/elf_const.h"

struct go_mask_run {
	struct go_mask *m;
	uint64_t at, count; /* `at`: number of bits written. `count`: number of bits that fit */
};

static void go_mask_push(struct go_mask_run *r, bool bit)
{
	if (bit && r->at < r->count)
		r->m->bits[r->at / 8] |= (uint8_t)(1u << r->at % 8);
	r->at++;
}

/* Repeats bits. False if they do not fit. */
static bool go_mask_repeat(struct go_mask_run *r, uint64_t count, uint64_t times)
{
	if (count == 0 || count > r->at || times > (r->count - r->at) / count)
		return false;
	for (uint64_t i = count * times; i > 0; i--) {
		const uint64_t from = r->at - count;
		go_mask_push(r, r->m->bits[from / 8] >> from % 8 & 1);
	}
	return true;
}

/* Runs the bit program (package runtime, mbitmap.go). 1 to 0x7f: as many bits follow, lowest first.
 * 0x80, then numbers n and c: repeats the last n bits c times. 0x81 to 0xff: the same with n in the
 * low bits. 0 ends it. False if damaged: it describes too many words. */
static bool go_mask_run(struct go_mask_run *r, struct reader *program)
{
	for (uint8_t op; (op = read_u8(program)) != 0 && reader_ok(program) && r->at <= r->count;) {
		if (op < 0x80) {
			for (unsigned byte = 0, i = 0; i < op; i++) {
				byte = i % 8 == 0 ? read_u8(program) : byte >> 1;
				go_mask_push(r, byte & 1);
			}
			continue;
		}
		const uint64_t count = op == 0x80 ? read_uleb(program) : op & 0x7fu;
		if (!go_mask_repeat(r, count, read_uleb(program)))
			return false;
	}
	return reader_ok(program) && r->at <= r->count;
}

void go_mask_read(struct go_mask *m, const struct image *im, const struct go_table *table)
{
	const struct go_part *p = table ? &table->parts[GO_MASK] : NULL;
	const uint64_t size = table ? table->data.end - table->data.start : 0;
	if (size == 0 || p->size == 0 || image_at(im, table->data.start, size).size < size)
		return;
	*m = (struct go_mask){ table->data, table->tab.pointer, NULL };
	struct go_mask_run r = { m, 0, size / m->word };
	struct reader program = reader_of(image_at(im, p->addr, p->size), im->big_endian);
	ASSERT(m->word > 0 && !m->bits);
	m->bits = mem_zeroed(r.count / 8 + 1, 1);
	if (!go_mask_run(&r, &program) || r.at == 0)
		go_mask_release(m);
}

void go_mask_release(struct go_mask *m)
{
	mem_free(m->bits);
	*m = (struct go_mask){ { 0, 0 }, 0, NULL };
}

void go_words_read(struct go_words *w, const struct image *im, const struct go_table *table)
{
	*w = (struct go_words){ .im = im, .table = table };
	if (table && table->tab.layout >= PCLNTAB_16)
		go_table_code(table, &w->code.start, &w->code.end);
	go_mask_read(&w->mask, im, table);
}

void go_words_release(struct go_words *w)
{
	go_mask_release(&w->mask);
}

/* Judges a reference. Code for x86-64 and AArch64 computes all addresses from its own place. Code
 * for 386 has addresses only as memory operands. Code for ARM loads addresses and numbers from
 * pools. Addresses of zeroed variables may look like numbers: they count only if the code then
 * loads or stores there. */
enum go_ref go_words_judge(const struct go_words *w, const struct code_ref *ref)
{
	if (ref->use == USE_ACCESS)
		return GO_ADDRESS;
	if (!image_arch(w->im)->pools || ref->use == USE_SCRATCH)
		return GO_NUMBER;
	return image_at(w->im, ref->to, 1).size > 0 ? GO_ADDRESS : GO_EITHER;
}

/* True if a word is not an address. Go's linker groups variables that point only to each other
 * (tasks that initialise packages). Read-only data contains offsets, and numbers that look like
 * addresses of variables. */
bool go_words_no_address(const struct go_words *w, uint64_t place, bool place_written,
			 uint64_t target, bool target_written)
{
	enum { OTHERS = 4096 }; /* Maximal size, in bytes, of the records after the first */
	const struct go_table *g = w->table;
	ASSERT(g);
	/* Records of Go's linker about the program: the build, the checksum of its cryptography,
	 * its parts. From Go 1.18 on they come before the variables without pointers. */
	const struct go_part *build = &g->parts[GO_BUILD_INFO];
	const uint64_t size = g->noptr.start - build->addr;
	if (g->tab.layout >= PCLNTAB_18 &&
	    place - build->addr < (size < build->size + OTHERS ? size : build->size))
		return true;
	if (place >= g->noptr.start && place < g->noptr.end)
		return target < g->noptr.start || target >= g->noptr.end || target % g->tab.pointer;
	return g->noptr.end > 0 && !place_written && target_written;
}
