/* Runs the bit program (documentation of package runtime, mbitmap.go). 1 to 0x7f: that many bits
 * follow, lowest first. 0x80, a number n, a number c: repeat the last n bits c times. 0x81 to 0xff:
 * the same with n in the low bits. 0 ends it. */
#include "attr/go/go_mask.h"

#include "base/base.h"

struct go_mask_run {
	struct go_mask *m;
	uint64_t at, count; /* at: number of bits written. count: number of bits available. */
};

static void go_mask_push(struct go_mask_run *r, bool bit)
{
	if (bit && r->at < r->count)
		r->m->bits[r->at / 8] |= (uint8_t)(1u << r->at % 8);
	r->at++;
}

/* Repeats bits. False if there is no room. */
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

/* Runs the program. False if it describes more words than exist, as damaged ones do. */
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
