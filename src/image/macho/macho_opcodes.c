/* Reads the tables of LC_DYLD_INFO (mach-o/loader.h): instructions that dyld runs to set pointers.
 * Each instruction belongs to the next pointer that is set. */
#include "image/macho/macho_internal.h"

enum { OPCODE = 0xf0, IMMEDIATE = 0x0f };

enum { REBASE_SET_SEGMENT = 0x20, REBASE_ADD_ADDR = 0x30, REBASE_ADD_SCALED = 0x40 };
enum { REBASE_IMM_TIMES = 0x50, REBASE_TIMES = 0x60, REBASE_AND_ADD = 0x70 };
enum { REBASE_TIMES_SKIPPING = 0x80 };

enum { BIND_SET_ORDINAL = 0x20, BIND_SET_SYMBOL = 0x40, BIND_SET_ADDEND = 0x60 };
enum { BIND_SET_SEGMENT = 0x70, BIND_ADD_ADDR = 0x80, BIND_DO = 0x90, BIND_AND_ADD = 0xa0 };
enum { BIND_AND_ADD_SCALED = 0xb0, BIND_TIMES_SKIPPING = 0xc0, BIND_THREADED = 0xd0 };

struct macho_opcodes_run {
	struct macho *m;
	struct reader r;
	uint64_t addr, word; /* Address of the next pointer to set; size of a pointer in bytes. */
};

static void set_segment(struct macho_opcodes_run *x, uint8_t number)
{
	const uint64_t off = read_uleb(&x->r);
	x->addr = off + (number < x->m->segments.count ? x->m->segments.data[number].addr : 0);
}

/* Number of pointers that one instruction sets, and the distance between them. */
struct macho_opcodes_places {
	uint64_t count, step;
};

/* Runs an instruction of the rebase table. True if it sets pointers, from x->addr on. */
static bool rebase(struct macho_opcodes_run *x, uint8_t op, uint8_t imm,
		   struct macho_opcodes_places *ret)
{
	*ret = (struct macho_opcodes_places){ imm, x->word };
	switch (op) {
	case REBASE_SET_SEGMENT: set_segment(x, imm); return false;
	case REBASE_ADD_ADDR: x->addr += read_uleb(&x->r); return false;
	case REBASE_ADD_SCALED: x->addr += imm * x->word; return false;
	case REBASE_IMM_TIMES: return true;
	case REBASE_TIMES: ret->count = read_uleb(&x->r); return true;
	case REBASE_AND_ADD:
		ret->count = 1;
		ret->step += read_uleb(&x->r);
		return true;
	case REBASE_TIMES_SKIPPING:
		ret->count = read_uleb(&x->r);
		ret->step += read_uleb(&x->r);
		return true;
	default: return false;
	}
}

static bool macho_opcodes_bind(struct macho_opcodes_run *x, uint8_t op, uint8_t imm,
			       struct macho_opcodes_places *ret)
{
	*ret = (struct macho_opcodes_places){ 1, x->word };
	switch (op) {
	case BIND_SET_ORDINAL: read_uleb(&x->r); return false;
	case BIND_SET_ADDEND: read_sleb(&x->r); return false;
	case BIND_SET_SEGMENT: set_segment(x, imm); return false;
	case BIND_ADD_ADDR: x->addr += read_uleb(&x->r); return false;
	case BIND_DO: return true;
	case BIND_AND_ADD: ret->step += read_uleb(&x->r); return true;
	case BIND_AND_ADD_SCALED: ret->step += imm * x->word; return true;
	case BIND_TIMES_SKIPPING:
		ret->count = read_uleb(&x->r);
		ret->step += read_uleb(&x->r);
		return true;
	case BIND_THREADED:
		if (imm == 0)
			read_uleb(&x->r);
		return false;
	default: return false;
	}
}

/* Adds the pointers that one instruction sets. A valid table sets each pointer in the file once,
 * which limits their number. */
static void add_pointers(struct macho_opcodes_run *x, const struct macho_opcodes_places *p,
			 uint64_t from)
{
	const uint64_t room = x->m->build.im->bytes.size / x->word;
	uint64_t size = x->r.pos - from, target;
	for (uint64_t i = 0; i < p->count && x->m->pointers.count < room; i++) {
		if (!macho_word_at(x->m, x->addr + i * p->step, &target))
			return;
		macho_add_pointer(x->m, x->addr + i * p->step, target, from, size);
		size = 0;
	}
}

/* Reads one of the tables MACHO_REBASE, MACHO_BIND and so on. */
static void macho_opcodes_read_table(struct macho *m, size_t table)
{
	ASSERT(table < MACHO_OPCODES && m->opcodes[table].index < m->build.sections.count);
	const struct macho_range *in = &m->opcodes[table];
	struct macho_opcodes_run x = { m, macho_reader(m, in->off, in->size), 0,
				       m->build.im->bits / 8 };
	uint64_t from = 0; /* Offset of the first instruction for the next pointer. */
	while (in->index != 0 && reader_left(&x.r) > 0) {
		const uint64_t at = x.r.pos;
		const uint8_t byte = read_u8(&x.r), op = byte & OPCODE, imm = byte & IMMEDIATE;
		struct macho_opcodes_places p;
		if (table != MACHO_REBASE && op == BIND_SET_SYMBOL) {
			/* Assigns a name in the table to its symbol. A symbol may be bound at many
			 * places. A strong definition of a weak name may be bound at none. */
			const uint32_t symbol = macho_name_find(m, read_cstr(&x.r));
			if (symbol != 0 && reader_ok(&x.r))
				build_entry(&m->build, &(struct image_entry){ in->index, symbol, at,
									      x.r.pos - at, 0 });
			from = from == at ? x.r.pos : from;
		} else if (table == MACHO_REBASE ? rebase(&x, op, imm, &p)
						 : macho_opcodes_bind(&x, op, imm, &p)) {
			const struct image_entry e = { in->index, 0, from, x.r.pos - from, x.addr };
			if (table == MACHO_REBASE)
				add_pointers(&x, &p, from);
			else
				build_entry(&m->build, &e);
			x.addr += p.count * p.step;
			from = x.r.pos;
		}
	}
	macho_set_pointers(m, in);
}

void macho_read_opcodes(struct macho *m)
{
	for (size_t i = 0; i < MACHO_OPCODES; i++)
		macho_opcodes_read_table(m, i);
}
