/* Functions that neither a symbol nor an unwind table names: entry points, the targets of
 * direct calls and of relocated pointers, in stripped images.  Each reaches to the next one,
 * the next owner or the end of its section.  Firmware has no relocations: there the words that
 * vector tables, variables and literal pools hold are pointers to Thumb code if they are odd, and
 * of RISC-V what code makes of constants. */
#include "source/attr/attr.h"
#include "source/attr/code_pass.h"

#include "base/sort.h"
#include "code/data_refs.h"
#include "code/extent.h"
#include "code/flow.h"
#include "debug/unwind.h"
#include "image/elf_const.h"
#include "program/made_by.h"

/* Gaps shorter than the usual alignment of functions are padding, but in firmware, whose functions
 * begin anywhere.  Others are not worth a look at all the calls while they are less than a
 * GAPS_SHARE-th of the code. */
enum { GAP_MIN = 16, GAPS_SHARE = 64, CHUNK = 1 << 20, LOOKS_PER_BYTE = 16 };

struct start {
	uint64_t addr;
	uint64_t whole; /* has code that only its own table of unwinding leads to */
};

typedef VEC(struct start) start_vec;

struct discover {
	struct attr *a;
	struct spans gaps;  /* code nobody has; label = section index */
	uint64_t code_size; /* bytes of code in all */
	enum code_isa isa;
	start_vec starts;
	start_vec data; /* of firmware: addresses that are said to be those of data */
	uint64_t looks; /* bytes of code that calls may still be followed for */
};

static bool may_hold_functions(const struct section *s)
{
	return s->exec && !s->nobits && section_is_data(s);
}

static void add_gap(struct discover *d, uint64_t from, uint64_t to, uint32_t section)
{
	if (from < to && to - from >= (extent_known(d->isa) ? 2 : GAP_MIN))
		spans_push(&d->gaps, from, to - from, section);
}

/* What of a section no span covers. */
static void section_gaps(struct discover *d, const struct section *s)
{
	const struct spans *vm = &d->a->vm;
	uint64_t at = s->addr;
	const uint64_t end = s->addr + s->size;
	for (size_t i = 0; i < vm->list.count && vm->list.data[i].start < end; i++) {
		const struct span *k = &vm->list.data[i];
		if (k->start + k->size <= at)
			continue;
		add_gap(d, at, k->start, s->index);
		at = k->start + k->size;
	}
	add_gap(d, at, end, s->index);
}

static int by_addr(const void *a, const void *b)
{
	const struct section *x = *(const struct section *const *)a;
	const struct section *y = *(const struct section *const *)b;
	return x->addr < y->addr ? -1 : x->addr > y->addr;
}

static void find_gaps(struct discover *d)
{
	const struct image *im = d->a->im;
	const struct section **code = mem_zeroed(im->section_count, sizeof *code);
	size_t count = 0;
	uint64_t end = 0;
	for (size_t i = 1; i < im->section_count; i++)
		if (may_hold_functions(&im->sections[i]))
			code[count++] = &im->sections[i];
	qsort(code, count, sizeof *code, by_addr);
	for (size_t i = 0; i < count; i++) {
		/* Sections that overlap are damage; the first has the bytes. */
		if (code[i]->addr >= end) {
			section_gaps(d, code[i]);
			d->code_size += code[i]->size;
			end = code[i]->addr + code[i]->size;
		}
	}
	mem_free(code);
}

static void add_start(struct discover *d, uint64_t addr)
{
	if (spans_find(&d->gaps, addr))
		vec_push(&d->starts, (struct start){ .addr = addr });
}

static void add_data(struct discover *d, uint64_t addr)
{
	if (spans_find(&d->gaps, addr))
		vec_push(&d->data, (struct start){ .addr = addr });
}

/* Programs for ARM that begin with Thumb code are taken for Thumb code as a whole: microcontrollers
 * have no other. */
static enum code_isa isa_of(const struct image *im)
{
	const enum code_isa isa = flow_isa_of(im);
	return isa == CODE_THUMB && !(im->entry & 1) ? CODE_NONE : isa;
}

static bool is_of_firmware(enum code_isa isa)
{
	return isa == CODE_THUMB || isa == CODE_RISCV32 || isa == CODE_RISCV64 || isa == CODE_AVR ||
	       isa == CODE_XTENSA;
}

/* Whether code does not go on to an address from what stands in front of it. */
static bool is_behind_end(const struct discover *d, uint64_t addr)
{
	for (uint64_t size = 2; addr % 2 == 0 && size <= 4; size++) {
		struct flow in;
		const struct bytes b = image_at(d->a->im, addr - size, size);
		if (b.size == size && flow_decode(d->isa, b.p, size, addr - size, &in) &&
		    in.size == size && in.kind != FLOW_PLAIN && in.kind != FLOW_CONDITIONAL &&
		    in.kind != FLOW_CALL)
			return true;
	}
	return false;
}

/* Whether instructions follow up to one that does not go on. */
static bool is_code(const struct discover *d, uint64_t addr)
{
	enum { MOST = 256, LONGEST = 4 };
	const struct bytes b = image_at(d->a->im, addr, MOST);
	struct flow in;
	/* The last instruction may be cut off. */
	for (uint64_t off = 0; off < b.size - (b.size == MOST ? LONGEST : 0); off += in.size) {
		if (!flow_decode(d->isa, b.p + off, b.size - off, addr + off, &in) ||
		    in.kind == FLOW_TRAP)
			return false;
		if (in.kind == FLOW_RETURN || in.kind == FLOW_JUMP || in.kind == FLOW_JUMP_INDIRECT)
			return true;
	}
	return b.size == MOST;
}

/* Texts among code look like short calls of RISC-V, and tables are addresses as functions are. */
static void add_likely(struct discover *d, uint64_t addr)
{
	if (is_behind_end(d, addr) && is_code(d, addr))
		add_start(d, addr);
}

static void add_call(struct discover *d, const struct code_ref *call)
{
	enum { BL = 4 };
	const uint64_t to = image_jump_target(d->a->im, call->from, call->to);
	/* lld makes this of calls of weak functions that are not there. */
	if (d->isa == CODE_THUMB && to == call->from + BL)
		return;
	if (d->isa == CODE_THUMB && extent_takes_first(d->a->im, to, &d->looks))
		return;
	if (d->isa == CODE_THUMB || !is_of_firmware(d->isa))
		add_start(d, to);
	else
		add_likely(d, to);
}

/* No table says where functions of firmware begin: most of their calls are inside of one gap. */
static void calls_in(struct discover *d, uint64_t addr, uint64_t size, code_ref_vec *scratch)
{
	const unsigned kinds = REF_CALL | (is_of_firmware(d->isa) ? REF_INSIDE : 0u);
	/* A lying size ends where the file's bytes end. */
	const struct bytes code = image_at(d->a->im, addr, size);
	for (uint64_t done = 0; done < code.size; done += CHUNK) {
		const struct bytes part = bytes_sub(code, done, min_u64(code.size - done, CHUNK));
		scratch->count = 0;
		code_refs(d->isa, part, addr + done, &(struct ref_wish){ .kinds = kinds }, scratch);
		for (size_t i = 0; i < scratch->count; i++)
			add_call(d, &scratch->data[i]);
		if (d->isa == CODE_THUMB || !is_of_firmware(d->isa))
			continue;
		scratch->count = 0;
		data_refs(d->a->im, part, addr + done, scratch);
		for (size_t i = 0; i < scratch->count; i++) {
			if (scratch->data[i].kind == REF_ADDR)
				add_likely(d, scratch->data[i].to);
			add_data(d, scratch->data[i].to);
		}
	}
}

static void find_calls(struct discover *d)
{
	code_ref_vec scratch = { 0 };
	struct code_pass pass = { .im = d->a->im };
	for (size_t i = 0; i < d->gaps.list.count; i++) {
		const struct span *s = &d->gaps.list.data[i];
		calls_in(d, s->start, s->size, &scratch);
		code_passed(&pass, s->start, s->size);
	}
	for (size_t i = 0; i < d->a->vm.list.count; i++) {
		const struct span *s = &d->a->vm.list.data[i];
		const struct section *in = image_section_at(d->a->im, s->start);
		if (!in || !may_hold_functions(in))
			continue;
		calls_in(d, s->start, s->size, &scratch);
		code_passed(&pass, s->start, s->size);
	}
	code_pass_end(&pass);
	vec_release(&scratch);
}

/* Where the words behind `ldr.w pc, [Rn, Rm, lsl #2]` end that this jumps to: they are odd too.
 * 0: it is another instruction. */
static uint64_t jump_table_end(const struct section *s, struct bytes b, uint64_t off)
{
	enum { FAR = 1 << 16 };
	struct reader r = reader_of(bytes_sub(b, off, b.size - off), false);
	const uint32_t first = read_u16(&r), second = read_u16(&r);
	if ((first & 0xfff0) != 0xf850 || (second & 0xffc0) != 0xf000)
		return 0;
	const uint64_t begin = align_up(s->addr + off + 4, 4) - s->addr;
	r = reader_of(bytes_sub(b, min_u64(begin, b.size), b.size - min_u64(begin, b.size)), false);
	while (reader_left(&r) >= 4) {
		const uint32_t word = read_u32(&r);
		if (!(word & 1) || word - s->addr >= s->size ||
		    word - (s->addr + off) + FAR >= 2 * FAR)
			return begin + r.pos - 4;
	}
	return begin + r.pos;
}

/* Where flash begins at 0, numbers are addresses too: of the small ones those count that a
 * function is likely to begin at. */
static bool is_number(const struct discover *d, uint32_t word)
{
	enum { SMALL = 1 << 20 };
	const uint64_t addr = word - 1;
	return word < SMALL && (!extent_prologue(d->a->im, d->isa, addr) ||
				(addr % 4 != 0 && !is_behind_end(d, addr)));
}

/* Odd words of a section, which may stand among code. */
static void find_odd_words(struct discover *d, const struct section *s)
{
	const struct bytes b = section_bytes(d->a->im, s);
	uint64_t table_end = 0;
	for (uint64_t off = s->addr % 2; off + 4 <= b.size; off += 2) {
		if (s->exec)
			table_end = max_u64(table_end, jump_table_end(s, b, off));
		if ((s->addr + off) % 4 != 0 || off < table_end)
			continue;
		struct reader r = reader_of(bytes_sub(b, off, 4), false);
		const uint32_t word = read_u32(&r);
		if (!(word & 1))
			add_data(d, word);
		else if (!is_number(d, word))
			add_start(d, word - 1);
	}
}

/* Tables of unwinding say where functions begin, in either set of instructions. */
static void find_unwound(struct discover *d, const struct section *s)
{
	const struct image *im = d->a->im;
	const struct unwind_section table = { .bytes = section_bytes(im, s),
					      .addr = s->addr,
					      .address_size = 4,
					      .big_endian = im->big_endian,
					      .path = im->path };
	uint64_t function, extab;
	for (uint64_t i = 0; exidx_get(&table, i, &function, &extab); i++) {
		const uint64_t addr = function & ~UINT64_C(1);
		if (spans_find(&d->gaps, addr))
			vec_push(&d->starts, (struct start){ addr, extab != 0 });
	}
}

static void find_arm(struct discover *d)
{
	const struct image *im = d->a->im;
	for (size_t i = 1; im->machine == EM_ARM && i < im->section_count; i++) {
		const struct section *s = &im->sections[i];
		if (!s->alloc || s->nobits)
			continue;
		if (s->type == SHT_ARM_EXIDX)
			find_unwound(d, s);
		else if (d->isa == CODE_THUMB)
			find_odd_words(d, s);
	}
}

/* Constructors, of which only tables of addresses know. */
static void find_constructors(struct discover *d, const struct section *s)
{
	const struct image *im = d->a->im;
	const unsigned size = im->bits == 64 ? 8 : 4;
	struct reader r = reader_of(section_bytes(im, s), im->big_endian);
	while (reader_left(&r) >= size)
		add_likely(d, flow_entry(d->isa, read_uint(&r, size)));
}

static bool is_of_constructors(const struct section *s)
{
	return s->type == SHT_INIT_ARRAY || s->type == SHT_FINI_ARRAY ||
	       s->type == SHT_PREINIT_ARRAY;
}

/* Of its section: behind the code of that may be data. */
static bool is_last_gap(const struct discover *d, const struct span *gap)
{
	const struct span *end = d->gaps.list.data + d->gaps.list.count;
	return gap + 1 == end || gap[1].label != gap->label;
}

/* What stands between functions that have tables of unwinding, or behind the last one if it begins
 * as a function does. */
static void find_gap_starts(struct discover *d)
{
	for (size_t i = 0; i < d->gaps.list.count; i++) {
		const struct span *gap = &d->gaps.list.data[i];
		const uint64_t end = gap->start + gap->size;
		const uint64_t at = extent_padding(d->a->im, d->isa, gap->start, end);
		if (at < end && is_code(d, at) &&
		    (extent_prologue(d->a->im, d->isa, at) || !is_last_gap(d, gap)))
			add_start(d, at);
	}
}

static void find_pointers(struct discover *d)
{
	const struct image *im = d->a->im;
	add_start(d, flow_entry(d->isa, im->entry));
	find_arm(d);
	for (size_t i = 1; extent_known(d->isa) && i < im->section_count; i++)
		if (is_of_constructors(&im->sections[i]))
			find_constructors(d, &im->sections[i]);
	if (extent_known(d->isa))
		find_gap_starts(d);
	for (size_t i = 1; i < im->section_count; i++) {
		struct reloc_iter it;
		struct reloc r;
		uint64_t target;
		if (!section_is_reloc(&im->sections[i]) || !reloc_open(&it, im, &im->sections[i]) ||
		    (it.patched && !it.patched->alloc))
			continue;
		while (reloc_next(&it, &r))
			if ((r.kind == RELOC_RELATIVE || r.kind == RELOC_IRELATIVE) &&
			    reloc_target(&it, &r, &target))
				add_start(d, target);
	}
}

/* Leaves one start of each address, sorted. */
static void squeeze(start_vec *v)
{
	size_t count = 0;
	sort_by_key(v->data, v->count, sizeof *v->data);
	for (size_t i = 0; i < v->count; i++) {
		if (count == 0 || v->data[count - 1].addr != v->data[i].addr)
			v->data[count++] = v->data[i];
		else
			v->data[count - 1].whole |= v->data[i].whole;
	}
	v->count = count;
}

static bool is_said_to_be_data(const struct discover *d, uint64_t addr)
{
	const size_t low = lower_bound(d->data.data, d->data.count, sizeof *d->data.data, addr);
	return low < d->data.count && d->data.data[low].addr == addr;
}

/* Code between two functions that neither is led to is another one.  Behind the last one may be
 * data. */
static void split(struct discover *d, struct start from, uint64_t limit, bool last,
		  code_ref_vec *jumps)
{
	for (uint64_t at = from.addr, end; !from.whole; at = end) {
		end = extent_of(d->a->im, d->isa, at, limit, jumps);
		if (end >= limit || end == at || is_said_to_be_data(d, end) ||
		    (last && !extent_prologue(d->a->im, d->isa, end)) || !is_code(d, end))
			break;
		vec_push(&d->starts, (struct start){ .addr = end });
	}
}

/* Functions that are called from nowhere: by their tails, or by what is not known. */
static void split_all(struct discover *d)
{
	code_ref_vec jumps = { 0 };
	const size_t count = d->starts.count;
	for (size_t i = 0; i < count; i++) {
		const struct start from = d->starts.data[i];
		const struct span *gap = spans_find(&d->gaps, from.addr);
		const uint64_t end = gap->start + gap->size;
		const bool last = i + 1 == count || d->starts.data[i + 1].addr >= end;
		split(d, from, last ? end : d->starts.data[i + 1].addr, last && is_last_gap(d, gap),
		      &jumps);
	}
	for (size_t i = 0; i < jumps.count; i++)
		add_likely(d, jumps.data[i].to);
	vec_release(&jumps);
}

enum { SPLIT_ROUNDS = 4 };

static void find_unnamed(struct discover *d)
{
	size_t count = 0;
	squeeze(&d->starts);
	squeeze(&d->data);
	for (unsigned i = 0; extent_known(d->isa) && i < SPLIT_ROUNDS && d->starts.count > count;
	     i++) {
		count = d->starts.count;
		split_all(d);
		squeeze(&d->starts);
	}
}

static void claim_functions(struct discover *d)
{
	struct attr *a = d->a;
	for (size_t i = 0; i < d->starts.count; i++) {
		const uint64_t addr = d->starts.data[i].addr;
		const struct span *gap = spans_find(&d->gaps, addr);
		const struct place *p = attr_unsized_at(a, addr);
		uint64_t end = gap->start + gap->size;
		if (i + 1 < d->starts.count)
			end = min_u64(end, d->starts.data[i + 1].addr);
		const label_id label = p ? p->label
					 : label_format(a->f->labels, "sub_%" PRIx64, addr);
		a->made_up += !p;
		claim(&a->vm_claims, addr, end - addr, label, WHY_ENTRY_POINT);
	}
}

static bool has_symbols(const struct image *im)
{
	return im->made ? image_section_type(im, SHT_SYMTAB, 1) != NULL
			: image_symbols_name_places(im);
}

void attr_discover(struct attr *a)
{
	struct discover d = { .a = a, .isa = isa_of(a->im) };
	if (a->im->kind != IMAGE_EXEC || a->debug || has_symbols(a->im) ||
	    made_by_packer(a->im).len > 0) /* calls in packed bytes are none */
		return;
	find_gaps(&d);
	d.looks = LOOKS_PER_BYTE * d.code_size;
	if (d.gaps.list.count > 0) {
		if (spans_total(&d.gaps) >= d.code_size / GAPS_SHARE)
			find_calls(&d);
		find_pointers(&d);
		find_unnamed(&d);
		claim_functions(&d);
	}
	spans_release(&d.gaps);
	vec_release(&d.starts);
	vec_release(&d.data);
}
