/* Claims anonymous data: constants, jump tables and string literals without a symbol. They belong
 * to the first function that refers to them, or to the data whose pointer holds their address.
 *
 * Every referenced address begins a piece. A piece ends at the next piece, owner, section end or,
 * in mergeable strings, string end. A piece belongs to code that refers to its start. By symbol,
 * the function that fits the order of units wins. Otherwise the first by address wins. Without such
 * code, the piece belongs to the owner of a pointer to it, found in rounds. References to a table
 * of virtual functions lead to the word after its head. The table ends with its last function.
 * Unreferenced bytes after the table have no owner. */
#include "attr/attr_order.h"
#include "attr/attr_refs.h"
#include "attr/code_pass.h"
#include "program/go_types.h"
#include "image/lookalike.h"
#include "debugowners/reloc_parts.h"
#include "image/arch.h"

#include "base/pool.h"
#include "base/sort.h"
#include "code/operands.h"
#include "code/ref_store.h"
#include "code/addr_mask.h"
#include "code/i386_got.h"
#include "code/data_refs.h"
#include "image/elf/elf_const.h"

/* References found in one part of the image. */
struct finds {
	pointer_vec pointers;
	target_vec targets; /* Sorted, each address once */
	struct vtables vtables;
};

/* A GOT slot without a symbol that holds a pointer to anonymous data. */
struct attr_refs_slot {
	uint64_t addr;
	struct pointer *pointer;
};

struct refs {
	struct attr *a;
	const struct section **data;
	size_t data_count;
	enum code_isa isa;
	bool exec_is_code; /* True if executable sections contain only code */
	struct go_words go;
	uint64_t imm_low, imm_high; /* Immediates in this range are treated as addresses */
	struct ref_store *kept;     /* Receives all references of code, or NULL. Then the decoder
				     * treats numbers in [low, high) as addresses */
	uint64_t low, high;
	/* Position-independent code of i386 has distances from the GOT instead of addresses. `got`:
	 * address of the GOT. `got_low`: distance of the lowest data, as 32 bits. 0: none. */
	uint64_t got, got_low;
	uint64_t plt_low, plt_high, slots_low, slots_high; /* PLT stubs and GOT slots, if wanted */
	struct addr_mask wanted; /* Addresses whose references are kept, and others near them */
	target_vec targets;
	pointer_parts pointers;
	VEC(struct attr_refs_slot) slots; /* Sorted by address */
	struct vtables vtables;
	struct order order;
	piece_vec pieces;
};

static void attr_refs_list_sections(struct refs *r)
{
	const struct image *im = r->a->im;
	r->data = mem_zeroed(im->section_count, sizeof *r->data);
	each_section(s, im)
		if (s->size > 0 && section_is_data(s) && section_takes_vm(im, s))
			r->data[r->data_count++] = s;
	qsort(r->data, r->data_count, sizeof *r->data, attr_sections_by_addr);
	r->exec_is_code = r->a->scratch->code_unread;
	/* Only code at a fixed address has addresses as immediates without relocations. */
	if (im->kind == IMAGE_EXEC && im->type == ET_EXEC && !im->moves && r->data_count > 0) {
		const struct section *last = r->data[r->data_count - 1];
		r->imm_low = r->data[0]->addr;
		r->imm_high = last->addr + last->size;
	}
	/* i386 has no pc-relative operands: position-independent code counts from the GOT. */
	const struct section *got = image_section_find(im, ".got.plt");
	if (!got)
		got = image_section_find(im, ".got");
	if (im->kind == IMAGE_EXEC && r->isa == CODE_I386 && got && r->data_count > 0 &&
	    r->data[0]->addr < got->addr) {
		r->got = got->addr;
		r->got_low = (uint32_t)(r->data[0]->addr - got->addr);
	}
}

/* Decides whether all references of code are kept. */
static void attr_refs_keep(struct refs *r)
{
	const struct attr *a = r->a;
	struct ref_store *store = a->f->refs;
	const struct span *last = vec_last(&a->vm.list);
	if (!store || store->im != a->im || store->parts.count > 0 || a->owner != BY_SYMBOL)
		return;
	vec_each(const struct place, p, &a->scratch->guessed)
		vec_push(&store->symbols, p->addr);
	vec_each(const struct place, p, &a->scratch->unsized)
		vec_push(&store->symbols, p->addr);
	if (r->isa == CODE_NONE || a->scratch->ghc.list.count > 0 || !last)
		return;
	r->kept = store;
	r->low = a->vm.list.data[0].start;
	r->high = last->start + last->size;
	if (r->imm_low < r->imm_high) {
		r->low = min_u64(r->low, r->imm_low);
		r->high = max_u64(r->high, r->imm_high);
	}
}

static const struct section *data_section(const struct refs *r, uint64_t addr)
{
	size_t low;
	BISECT(low, 0, r->data_count, mid, r->data[mid]->addr <= addr);
	if (low == 0 || addr - r->data[low - 1]->addr >= r->data[low - 1]->size)
		return NULL;
	return r->data[low - 1];
}

static bool attr_refs_is_anonymous(const struct refs *r, uint64_t addr)
{
	if (!addr_mask_may_have(&r->wanted, addr))
		return false;
	const struct section *in = data_section(r, addr);
	return in && !(in->exec && r->exec_is_code) && !spans_find(&r->a->vm, addr);
}

static const struct attr_refs_slot *slot_at(const struct refs *r, uint64_t addr)
{
	const size_t low = vec_lower(&r->slots, addr);
	return low < r->slots.count && r->slots.data[low].addr == addr ? &r->slots.data[low] : NULL;
}

/* A job of the parallel scan of code: consecutive spans with about JOB_BYTES in all */
struct attr_refs_job {
	size_t first, last;
	target_vec found;
	target_vec guesses;   /* Immediates in Go's code, which are addresses or numbers */
	target_vec uses;      /* References to imports and unit-less code */
	struct ref_part kept; /* All references, if somebody asks for them */
};

enum { JOB_BYTES = 256 << 10 };

typedef VEC(struct attr_refs_job) job_vec;

struct attr_refs_scan {
	struct refs *refs;
	const struct spans *code;
	struct attr_refs_job *jobs;
};

/* Finds references that are distances from the GOT (i386). A cold part of a function receives the
 * GOT's address from the function. In a cold part, only distances below minus one page count:
 * offsets in structures and frames are never so low. */
static void scan_got_relative(const struct refs *r, const struct span *s, code_ref_vec *scratch,
			      struct attr_refs_job *job)
{
	const struct bytes code = image_at(r->a->im, s->start, s->size);
	scratch->count = 0;
	const bool known = i386_got_refs(r->a->im, code, s->start, r->got, scratch);
	if (!known && r->got_low < UINT32_MAX - 4095)
		code_refs(r->isa, code, s->start,
			  &(struct ref_wish){ REF_IMM, r->got_low, UINT32_MAX - 4095 }, scratch);
	for (size_t i = 0; i < scratch->count; i++) {
		const uint64_t to = (uint32_t)(scratch->data[i].to + (known ? 0 : r->got));
		if (r->kept && known)
			ref_part_add(&job->kept, &scratch->data[i]);
		if (attr_refs_is_anonymous(r, to) || (known && slot_at(r, to)))
			vec_push(&job->found, (struct target){ to, s->label, WHY_CODE_REF });
	}
}

static void scan_span(const struct refs *r, const struct span *s, code_ref_vec *scratch,
		      struct attr_refs_job *job)
{
	const struct bytes code = image_at(r->a->im, s->start, s->size);
	const bool go = go_words_is_code(&r->go, s->start);
	/* In Go's code for x86-64, an immediate is never an address. */
	const bool immediates = r->imm_low < r->imm_high && !(r->isa == CODE_X86_64 && go);
	const bool bare = r->a->scratch->bare.count > 0;
	const bool branches = r->kept ||
			      (s->label != LABEL_NONE && (r->plt_low < r->plt_high || bare));
	const unsigned kinds = REF_MEM | REF_ADDR | (immediates ? REF_IMM : 0) |
			       (branches ? REF_CALL | REF_JUMP : 0);
	scratch->count = 0;
	if (r->kept)
		ref_part_begin(&job->kept, s->start, s->size);
	if (r->isa == CODE_NONE)
		data_refs(r->a->im, code, s->start, scratch);
	else
		code_refs(r->isa, code, s->start,
			  &(struct ref_wish){ kinds, r->kept ? r->low : r->imm_low,
					      r->kept ? r->high : r->imm_high,
					      r->kept ? NULL : &r->wanted },
			  scratch);
	for (size_t i = 0; i < scratch->count; i++) {
		const struct code_ref *ref = &scratch->data[i];
		const enum go_ref is = go ? go_words_judge(&r->go, ref) : GO_ADDRESS;
		if (r->kept && is != GO_NUMBER)
			ref_part_add(&job->kept, ref);
		if ((ref->kind == REF_IMM && lookalike_is_text(r->a->im, ref->to)) ||
		    (r->isa == CODE_NONE && !r->go.table && r->imm_low < r->imm_high &&
		     lookalike_is_number(r->a->im, ref->to)) ||
		    is == GO_NUMBER)
			continue;
		if (s->label != LABEL_NONE &&
		    ((bare && attr_bare_at(r->a, ref->to)) ||
		     (ref->to >= r->plt_low && ref->to < r->plt_high) ||
		     (ref->to >= r->slots_low && ref->to < r->slots_high &&
		      plt_slot_at(&r->a->scratch->plt, ref->to))))
			vec_push(&job->uses, (struct target){ ref->to, s->label, WHY_CODE_REF });
		if (ref->kind & (REF_CALL | REF_JUMP))
			continue;
		if (attr_refs_is_anonymous(r, ref->to) || slot_at(r, ref->to))
			vec_push(is == GO_EITHER ? &job->guesses : &job->found,
				 (struct target){ ref->to, s->label, WHY_CODE_REF });
	}
	if (r->got_low > 0)
		scan_got_relative(r, s, scratch, job);
}

static void attr_refs_scan_job(void *ctx, size_t i, unsigned worker)
{
	const struct attr_refs_scan *scan = ctx;
	code_ref_vec scratch = { 0 };
	(void)worker;
	if (i == 0) {
		vec_sort(&scan->refs->vtables.places);
		return;
	}
	struct attr_refs_job *job = &scan->jobs[i - 1];
	struct code_pass pass = { .im = scan->refs->a->im };
	/* True if GHC's tables are in the code */
	const bool has_tables = scan->refs->a->scratch->ghc.list.count > 0;
	for (size_t k = job->first; k < job->last; k++) {
		const struct span *s = &scan->code->list.data[k];
		struct span rest = *s, part = *s;
		const struct section *in = image_section_at(scan->refs->a->im, s->start);
		if (!in || !in->exec || in->nobits)
			continue;
		if (!has_tables)
			scan_span(scan->refs, &part, &scratch, job);
		while (has_tables && attr_ghc_cut(scan->refs->a, &rest, &part))
			scan_span(scan->refs, &part, &scratch, job);
		code_passed(&pass, s->start, s->size);
	}
	code_pass_end(&pass);
	vec_release(&scratch);
}

static job_vec attr_refs_make_jobs(const struct spans *code)
{
	job_vec jobs = { 0 };
	uint64_t bytes = JOB_BYTES;
	for (size_t i = 0; code && i < code->list.count; i++) {
		if (bytes >= JOB_BYTES) {
			vec_push(&jobs, (struct attr_refs_job){ .first = i });
			bytes = 0;
		}
		bytes = add_sat(bytes, code->list.data[i].size);
		jobs.data[jobs.count - 1].last = i + 1;
	}
	return jobs;
}

/* Takes over the targets that a job found. Code that refers to a GOT slot refers to the address in
 * the slot. The first such code becomes the owner of an unowned slot. */
static void take_targets(struct refs *r, const target_vec *found)
{
	for (size_t i = 0; i < found->count; i++) {
		const struct attr_refs_slot *slot = slot_at(r, found->data[i].addr);
		struct target t = found->data[i];
		if (slot && slot->pointer->owner == LABEL_NONE)
			slot->pointer->owner = t.label;
		if (slot) {
			t.addr = slot->pointer->target;
			t.why = WHY_GOT;
		}
		if (!slot || r->a->owner == BY_SYMBOL)
			vec_push(&r->targets, t);
	}
}

/* Finds the address ranges of PLT stubs and GOT slots. If symbols own bytes, imports own them. */
static void find_imports(struct refs *r)
{
	const struct attr *a = r->a;
	if (a->owner == BY_SYMBOL || a->im->kind == IMAGE_OBJECT)
		return;
	each_section(s, a->im) {
		if (!section_is_plt(s))
			continue;
		r->plt_low = r->plt_high ? min_u64(r->plt_low, s->addr) : s->addr;
		r->plt_high = max_u64(r->plt_high, s->addr + s->size);
	}
	const struct plt *p = &a->scratch->plt;
	if (p->slots.count > 0) {
		r->slots_low = p->slots.data[0].addr;
		r->slots_high = p->slots.data[p->slots.count - 1].addr + 1;
	}
	addr_mask_add(&r->wanted, r->plt_low, r->plt_high);
	for (size_t i = 0; i < p->slots.count; i++)
		addr_mask_add(&r->wanted, p->slots.data[i].addr, p->slots.data[i].addr + 1);
	for (size_t i = 0; i < a->scratch->bare.count; i++)
		addr_mask_add(&r->wanted, a->scratch->bare.data[i].addr,
			      a->scratch->bare.data[i].addr + 1);
}

/* Takes over immediates of Go's code that may be addresses, if they lie close after a known
 * address. The others are numbers: thousands of numbers may fall into one large variable. */
static void take_guesses(struct refs *r, target_vec *guesses)
{
	enum { NEAR = 1 << 18 };
	const size_t known = r->targets.count;
	uint64_t before = 0;
	if (guesses->count == 0)
		return;
	sort_by_key(r->targets.data, known, sizeof *r->targets.data);
	vec_sort(guesses);
	for (size_t i = 0; i < guesses->count; i++) {
		const uint64_t addr = guesses->data[i].addr;
		const struct target *list = r->targets.data;
		const size_t low = upper_bound(list, known, sizeof *list, addr);
		const struct section *in = data_section(r, addr);
		before = max_u64(before, in ? in->addr : addr);
		if (low > 0)
			before = max_u64(before, list[low - 1].addr);
		if (addr - before >= NEAR)
			continue;
		before = addr;
		vec_push(&r->targets, guesses->data[i]);
	}
	vec_release(guesses);
}

/* Scans code in parallel jobs. Another job sorts the pointers found. */
static void attr_refs_scan_code(struct refs *r, const struct spans *code)
{
	target_vec guesses = { 0 };
	const bool known = r->isa != CODE_NONE || data_refs_known(r->a->im);
	job_vec jobs = attr_refs_make_jobs(known && r->a->im->kind != IMAGE_OBJECT ? code : NULL);
	struct attr_refs_scan scan = { r, code, jobs.data };
	parallel_for(r->a->f->threads, jobs.count + 1, attr_refs_scan_job, &scan);
	for (size_t i = 0; i < jobs.count; i++) {
		const target_vec *uses = &jobs.data[i].uses;
		take_targets(r, &jobs.data[i].found);
		for (size_t k = 0; k < uses->count; k++)
			vec_push(&r->a->scratch->uses,
				 (struct import_use){ uses->data[k].addr, uses->data[k].label });
		vec_append(&guesses, &jobs.data[i].guesses);
		if (r->kept)
			vec_push(&r->kept->parts, jobs.data[i].kept);
		vec_release_all(&jobs.data[i].guesses, &jobs.data[i].found, &jobs.data[i].uses);
	}
	take_guesses(r, &guesses);
	vec_release(&jobs);
}

/* A job of the parallel search for pointers: consecutive tables of relocations, or words. An object
 * may have a table for each function, so a table is no job */
struct attr_refs_hunt {
	size_t first, last; /* Range of hunts.tables, of about HUNT_BYTES */
	uint64_t bytes;
	const struct section *words; /* If NULL: searches relocations */
	uint64_t from, to;
	struct finds found;
};

struct hunts {
	const struct refs *refs;
	struct reloc_parts tables;
	VEC(struct attr_refs_hunt) list; /* Jobs. Their results are joined in this order */
	struct finds *work;              /* Results per thread, reused for each job */
	struct operands operands;        /* For objects, which are searched by one thread */
};

/* State of a job of the search for pointers */
struct hunter {
	const struct refs *refs;
	struct operands *operands;
	struct span_cursor cursor;
	struct finds *to;
};

static void attr_refs_add_pointer(struct hunter *h, uint64_t place, uint64_t target)
{
	if (!attr_refs_is_anonymous(h->refs, target))
		return;
	vec_push(&h->to->pointers,
		 (struct pointer){ place, target, cursor_label(&h->cursor, place) });
	vec_push(&h->to->targets, (struct target){ target, LABEL_NONE, WHY_DATA_REF });
}

/* Records a pointer in a word without an owner. `target` is NULL for an import. */
static void attr_refs_add_place(struct hunter *h, uint64_t place, const uint64_t *target)
{
	const struct section *to = target ? data_section(h->refs, *target) : NULL;
	if (cursor_label(&h->cursor, place) == LABEL_NONE)
		vec_push(&h->to->vtables.places,
			 (struct pointer_place){ place, !target ? POINTEE_IMPORT
							: (to && to->exec)
								? max_u64(*target, POINTEE_CODE)
								: POINTEE_DATA });
}

static void hunt_relocs(struct hunter *h, struct reloc_iter it)
{
	const struct addr_mask *wanted = &h->refs->wanted;
	struct reloc rel;
	while (reloc_next(&it, &rel)) {
		uint64_t target;
		if (!rel.alloc || rel.kind == RELOC_TLS)
			continue;
		const bool known = reloc_target(&it, &rel, &target);
		attr_refs_add_place(h, rel.addr, known ? &target : NULL);
		if (known && rel.kind == RELOC_PCREL &&
		    (addr_mask_may_have(wanted, target) ||
		     addr_mask_may_have(wanted, target + OPERANDS_REST_MOST)))
			target += operands_rest(h->operands, rel.addr);
		if (known)
			attr_refs_add_pointer(h, rel.addr, target);
	}
}

static bool attr_refs_is_inside(const struct refs *r, uint64_t value)
{
	return value >= r->imm_low && value < r->imm_high;
}

/* Returns true if a number may be an address of code or data. */
static bool looks_like_address(const struct refs *r, uint64_t value)
{
	const uint64_t start = value & ~UINT64_C(1); /* Clears the Thumb bit */
	const struct section *in = attr_refs_is_inside(r, value) ? data_section(r, value) : NULL;
	if (!in || !(in->exec || lookalike_is_number(r->a->im, value)))
		return false;
	const struct span *at = spans_find(&r->a->vm, start);
	return !(at && at->start == start);
}

/* For images without a table of pointers. Returns true if the word at `place` is a number or part
 * of a string. `words`: the previous word and this word. `behind` reads the words after it. */
static bool is_no_pointer(const struct refs *r, const struct section *in, uint64_t place,
			  const uint64_t words[2], struct reader behind)
{
	enum { TEXT_LONGEST = 1 << 16 };
	const struct image *im = r->a->im;
	const uint64_t last = words[0], target = words[1];
	const uint64_t next = read_uint(&behind, (unsigned)pointer_size(im));
	const struct section *to = data_section(r, target);
	if (r->go.table) {
		if (go_words_no_address(&r->go, place, in->write, target, to && to->write))
			return true;
		/* A Go string is an address and a length. In a program at 0x10000, a length may
		 * look like an address. */
		if (next > 0 && next <= TEXT_LONGEST)
			return false;
	}
	if (lookalike_is_text(im, target) || lookalike_is_number(im, target))
		return true;
	/* If flash memory begins at 0x20400000, addresses look like letters, but then the word
	 * before is an address too. */
	if (lookalike_may_be_text(target) && lookalike_text_at(im, place - 1) &&
	    (!attr_refs_is_inside(r, last) || lookalike_is_text(im, last)))
		return true;
	/* If flash memory begins at 0, addresses look like small numbers. A word beside a small
	 * number is a number too, unless it points to text. */
	if (target >= LOOKALIKE_SMALL || r->go.table || lookalike_is_printed(im, target))
		return false;
	return looks_like_address(r, last) || looks_like_address(r, next);
}

/* Searches the words of a section. In an image at a fixed address, pointers have no relocations. An
 * aligned word that equals an address of anonymous data counts as a pointer. */
static void hunt_words(struct hunter *h, const struct attr_refs_hunt *part)
{
	const struct refs *r = h->refs;
	const struct image *im = r->a->im;
	const unsigned word = (unsigned)pointer_size(im);
	struct reader reader = reader_of(section_bytes(im, part->words), im->big_endian);
	reader_seek(&reader, part->from);
	for (uint64_t words[2] = { 0, 0 }; reader_left(&reader) >= word && reader.pos < part->to;) {
		const uint64_t place = part->words->addr + reader.pos;
		words[0] = words[1];
		words[1] = read_uint(&reader, word);
		if (!attr_refs_is_inside(r, words[1]) ||
		    (go_mask_knows(&r->go.mask, place)
			     ? !go_mask_is_pointer(&r->go.mask, place)
			     : is_no_pointer(r, part->words, place, words, reader)))
			continue;
		attr_refs_add_place(h, place, &words[1]);
		attr_refs_add_pointer(h, place, words[1]);
	}
}

static void attr_refs_hunt_job(void *ctx, size_t i, unsigned worker)
{
	struct hunts *hunts = ctx;
	struct attr_refs_hunt *part = &hunts->list.data[i];
	struct finds *work = &hunts->work[worker];
	struct hunter h = { hunts->refs, &hunts->operands, { &hunts->refs->a->vm, 0 }, work };
	work->pointers.count = work->targets.count = work->vtables.places.count = 0;
	if (part->words)
		hunt_words(&h, part);
	for (size_t k = part->first; k < part->last; k++)
		hunt_relocs(&h, hunts->tables.list.data[k]);
	/* Keeps each target address once. These targets only show where pieces begin and end. */
	target_vec *targets = &work->targets;
	size_t kept = 0;
	vec_sort(targets);
	for (size_t k = 0; k < targets->count; k++)
		if (kept == 0 || targets->data[kept - 1].addr != targets->data[k].addr)
			targets->data[kept++] = targets->data[k];
	targets->count = kept;
	vec_copy(&part->found.pointers, &work->pointers);
	vec_copy(&part->found.targets, &work->targets);
	vec_copy(&part->found.vtables.places, &work->vtables.places);
}

enum { HUNT_BYTES = 1 << 20, WORDS_PART = 1 << 18 };

static void attr_refs_plan_relocs(struct hunts *hunts, const struct section *table)
{
	const struct refs *r = hunts->refs;
	const struct image *im = r->a->im;
	struct reloc_iter it;
	const uint64_t bytes = min_u64(table->size, HUNT_BYTES);
	size_t i = hunts->tables.list.count;
	if (!reloc_open(&it, im, table) || (it.patched && !it.patched->alloc))
		return;
	/* In linked code, operand targets come from the decoder, not from relocations. */
	if (it.patched && it.patched->exec && im->kind != IMAGE_OBJECT && r->isa != CODE_NONE)
		return;
	reloc_parts_add(&hunts->tables, &it);
	for (; i < hunts->tables.list.count; i++) {
		struct attr_refs_hunt *h = vec_last(&hunts->list);
		if (!h || h->bytes + bytes > HUNT_BYTES) {
			vec_push(&hunts->list, (struct attr_refs_hunt){ .first = i });
			h = vec_last(&hunts->list);
		}
		h->bytes += bytes;
		h->last = i + 1;
	}
}

static void plan_words(struct hunts *hunts, const struct section *s)
{
	const struct image *im = hunts->refs->a->im;
	const uint64_t size = section_bytes(im, s).size;
	uint64_t from = align_up(s->addr, pointer_size(im)) - s->addr;
	for (; from < size; from += WORDS_PART)
		vec_push(&hunts->list, (struct attr_refs_hunt){ .words = s,
								.from = from,
								.to = add_sat(from, WORDS_PART) });
}

static void plan_hunts(struct hunts *hunts)
{
	const struct refs *r = hunts->refs;
	const struct image *im = r->a->im;
	for (size_t i = 1; i < im->section_count; i++)
		if (section_is_reloc(&im->sections[i]))
			attr_refs_plan_relocs(hunts, &im->sections[i]);
	if (im->type != ET_EXEC || im->kind != IMAGE_EXEC || im->moves)
		return;
	for (size_t i = 0; i < r->data_count; i++)
		if (!r->data[i]->exec && !r->data[i]->nobits)
			plan_words(hunts, r->data[i]);
}

/* Releases the file pages of searched sections. Relocation tables are still read later. */
static void forget_hunts(const struct hunts *hunts)
{
	const struct image *im = hunts->refs->a->im;
	const struct section *before = NULL;
	vec_each(const struct reloc_iter, it, &hunts->tables.list) {
		if (it->section != before)
			image_forget(im, section_bytes(im, it->section));
		before = it->section;
	}
	vec_each(const struct attr_refs_hunt, h, &hunts->list) {
		if (h->words && h->words != before)
			image_forget(im, section_bytes(im, h->words));
		before = h->words;
	}
}

static void take_finds(struct refs *r, struct hunts *hunts)
{
	size_t places = 0;
	for (size_t i = 0; i < hunts->list.count; i++)
		places += hunts->list.data[i].found.vtables.places.count;
	vec_reserve(&r->vtables.places, places);
	for (size_t i = 0; i < hunts->list.count; i++) {
		struct finds *f = &hunts->list.data[i].found;
		if (f->pointers.count > 0)
			vec_push(&r->pointers, f->pointers);
		vec_append(&r->targets, &f->targets);
		vec_append(&r->vtables.places, &f->vtables.places);
	}
	vec_release(&hunts->list);
}

static void find_pointers(struct refs *r)
{
	/* One thread: reading an object's relocations may add notes, whose order must be fixed. */
	const unsigned threads = r->a->im->kind == IMAGE_EXEC ? pool_threads(r->a->f->threads) : 1;
	struct hunts hunts = { .refs = r,
			       .tables.im = r->a->im,
			       .work = mem_zeroed(threads, sizeof *hunts.work),
			       .operands.im = r->a->im };
	plan_hunts(&hunts);
	parallel_for(threads, hunts.list.count, attr_refs_hunt_job, &hunts);
	for (unsigned i = 0; i < threads; i++) {
		vec_release_all(&hunts.work[i].pointers, &hunts.work[i].targets,
				&hunts.work[i].vtables.places);
	}
	mem_free(hunts.work);
	forget_hunts(&hunts);
	vec_release(&hunts.tables.list);
	take_finds(r, &hunts);
	const struct section *in = NULL;
	for (size_t i = 0; i < r->pointers.count; i++)
		vec_each(struct pointer, p, &r->pointers.data[i]) {
			if (!in || p->addr - in->addr >= in->size)
				in = image_section_at(r->a->im, p->addr);
			if (in && section_is_got(in))
				vec_push(&r->slots, (struct attr_refs_slot){ p->addr, p });
		}
	vec_sort(&r->slots);
	for (size_t i = 0; i < r->slots.count; i++)
		addr_mask_add(&r->wanted, r->slots.data[i].addr, r->slots.data[i].addr + 1);
}

/* Extends a table of virtual functions to its first two words, if nothing else refers to them. A
 * branch table after a pointer looks the same. */
static void take_vtable_heads(struct refs *r)
{
	uint64_t before = 0, at = 0, start = 0;
	vec_sort(&r->targets);
	for (size_t i = 0; i < r->targets.count; i++) {
		const uint64_t addr = r->targets.data[i].addr;
		if (i == 0 || addr != at) {
			before = at;
			start = vtable_start(&r->vtables, addr);
			if (before > start || !attr_refs_is_anonymous(r, start))
				start = addr;
		}
		at = addr;
		r->targets.data[i].addr = start;
	}
}

static void add_unsized_data(struct refs *r)
{
	vec_each(const struct place, p, &r->a->scratch->unsized) {
		const bool bound = attr_bounds_has(r->a, p);
		if (!p->code && attr_refs_is_anonymous(r, p->addr))
			vec_push(&r->targets,
				 (struct target){ p->addr, bound ? LABEL_NONE : p->label,
						  WHY_UNSIZED_SYMBOL });
	}
}

/* Claims interrupt vector tables, to which no code refers, for the owner of their entry point. */
static void add_vectors(struct refs *r, label_id entry)
{
	const struct image *im = r->a->im;
	const unsigned word = (unsigned)pointer_size(im);
	for (size_t i = 1; i < im->section_count && entry != LABEL_NONE; i++) {
		const struct section *s = &im->sections[i];
		struct reader words = reader_of(section_bytes(im, s), im->big_endian);
		const uint64_t first = read_uint(&words, word), second = read_uint(&words, word);
		if (!s->alloc || !reader_ok(&words) || (first != im->entry && second != im->entry))
			continue;
		if (attr_refs_is_anonymous(r, s->addr))
			vec_push(&r->targets, (struct target){ s->addr, entry, WHY_ENTRY_POINT });
		else if (!data_section(r, s->addr))
			claim(&r->a->vm_claims, s->addr, s->size, entry, WHY_ENTRY_POINT);
	}
}

/* Returns the owner of the code at firmware's entry point. LABEL_NONE for other programs. */
static label_id entry_label(const struct refs *r)
{
	const struct image *im = r->a->im;
	if (im->kind != IMAGE_EXEC || im->type != ET_EXEC || !image_arch(im)->is_firmware)
		return LABEL_NONE;
	return spans_label(&r->a->vm, image_code_addr(im, im->entry));
}

/* If units own bytes: gives a sized symbol without an owner to the code that refers into it. */
static void keep_symbols_whole(struct refs *r)
{
	const struct attr *a = r->a;
	if (a->scratch->sized.count == 0)
		return;
	for (size_t i = 0; i < r->targets.count; i++) {
		const uint64_t addr = r->targets.data[i].addr;
		const size_t above = vec_upper(&a->scratch->sized, addr);
		const struct place *p = above > 0 ? &a->scratch->sized.data[above - 1] : NULL;
		if (p && addr - p->addr < p->size)
			r->targets.data[i].addr = p->addr;
	}
	for (size_t i = 0; i < a->scratch->sized.count; i++) {
		const uint64_t start = a->scratch->sized.data[i].addr,
			       end = start + a->scratch->sized.data[i].size;
		const struct target bounds[] = { { start, LABEL_NONE, WHY_DATA_REF },
						 { end, LABEL_NONE, WHY_DATA_REF } };
		for (size_t k = 0; k < COUNT_OF(bounds); k++)
			if (attr_refs_is_anonymous(r, bounds[k].addr))
				vec_push(&r->targets, bounds[k]);
	}
}

/* If symbols own bytes: gives a piece to the function that fits the order of units best. If that is
 * unknown, it keeps the first by address. Data that only other units seem to use gets WHY_AFTER. */
static void piece_by_order(struct refs *r, struct data_piece *p)
{
	const struct order_verdict *v = p->why == WHY_CODE_REF || p->label == LABEL_NONE
						? order_verdict_next(&r->order, p->start)
						: NULL;
	if (!v)
		return;
	p->label = v->label;
	p->why = order_why(v);
	if (p->why == WHY_CODE_REF && r->pieces.count > 0 &&
	    piece_continues(vec_last(&r->pieces), p))
		p->why = WHY_AFTER;
	if (p->why == WHY_AFTER && lookalike_is_printed(r->a->im, p->start))
		p->why = WHY_CODE_REF; /* Linkers merge text, so its place shows no unit. */
}

/* Turns sorted targets into pieces. The first label at an address owns the piece. Weak references
 * and those of the entry point count only if there are no others. */
static void make_pieces(struct refs *r)
{
	const struct spans *owned = &r->a->vm;
	const label_id entry = entry_label(r);
	size_t next = 0;
	take_vtable_heads(r);
	keep_symbols_whole(r);
	add_vectors(r, entry);
	vec_sort(&r->targets);
	if (r->a->scratch->guessed.count > 0) {
		extents_find(r->a, &r->targets);
		vec_sort(&r->targets);
	}
	r->order.pointers = &r->vtables;
	if (r->order.code.count > 0)
		order_judge(&r->order, r->a, &r->targets, r->data, r->data_count);
	for (size_t i = 0; i < r->targets.count;) {
		const uint64_t addr = r->targets.data[i].addr;
		const struct section *in = data_section(r, addr);
		if (!in) { /* Data sections overlap, and another one has the address */
			i++;
			continue;
		}
		struct data_piece p = { .start = addr,
					.end = in->addr + in->size,
					.label = LABEL_NONE,
					.why = WHY_DATA_REF };
		bool sure = false;
		for (; i < r->targets.count && r->targets.data[i].addr == addr; i++) {
			const struct target *t = &r->targets.data[i];
			const bool weak = t->weak || t->label == entry;
			if (t->label == LABEL_NONE || t->why == WHY_GOT || sure ||
			    (weak && p.label != LABEL_NONE))
				continue;
			p.label = t->label;
			p.why = t->why;
			sure = !weak;
		}
		if (i < r->targets.count)
			p.end = min_u64(p.end, r->targets.data[i].addr);
		while (next < owned->list.count && owned->list.data[next].start <= addr)
			next++;
		if (next < owned->list.count)
			p.end = min_u64(p.end, owned->list.data[next].start);
		p.end = ends_string(r->a->im, in, addr, p.end);
		if (p.why != WHY_SYMBOL)
			p.end = vtable_end(&r->vtables, addr, p.end);
		piece_by_order(r, &p);
		vec_push(&r->pieces, p);
	}
	vec_release(&r->targets);
}

/* Returns the label of a piece. By symbol, a Go type such as `[]int` is a row of its own: the first
 * of many functions that refer to it has no more to do with it than the others. */
static label_id piece_label(const struct refs *r, const struct data_piece *p)
{
	const struct attr *a = r->a;
	const struct str type = r->go.table && a->owner == BY_SYMBOL
					? go_type_label(r->go.table, a->im, p->start)
					: STR("");
	return type.len > 0 ? label_format(a->f->labels, "type:" STR_FMT, STR_ARG(type)) : p->label;
}

/* Claims the pieces. Pieces with WHY_AFTER get a row "after" the unit's data that precedes them in
 * the section. Without such data they stay without an owner. */
static void claim_pieces(struct refs *r)
{
	struct attr *a = r->a;
	const bool bare = a->scratch->bare.count > 0;
	const struct data_piece *before = NULL;
	for (size_t i = 0; i < r->pieces.count; i++) {
		const struct data_piece *p = &r->pieces.data[i];
		ASSERT(i == 0 || p->start >= p[-1].end);
		label_id label = piece_label(r, p);
		/* Functions are no data. Only units have bare ones. */
		if (label == LABEL_NONE || (bare && attr_bare_at(a, p->start)))
			continue;
		if (p->why != WHY_AFTER)
			before = p;
		else if (!before || data_section(r, before->start) != data_section(r, p->start))
			continue;
		else
			label = label_format(a->f->labels, LABEL_AFTER "%s)",
					     label_text(a->f->labels, before->label).p);
		ends_claim(a, &r->vtables, p, label);
	}
}

void attr_refs_find(struct attr *a)
{
	ASSERT(!a->scratch->refs);
	struct refs *r = a->scratch->refs = mem_zeroed(1, sizeof *r);
	r->a = a;
	r->isa = code_isa_of(a->im);
	const struct go_table *go = go_slot_open(a->f->go, a->im, NULL);
	if (go)
		go_words_read(&r->go, a->im, go);
	r->vtables.im = a->im;
	attr_refs_list_sections(r);
	attr_refs_keep(r);
	attr_nobody(a, r->data, r->data_count, !r->exec_is_code, &r->wanted);
	add_unsized_data(r); /* Before references: a symbol's name wins. */
	/* A type that only numbers name would be charged to the type before it. */
	for (uint64_t at = 0; go && a->owner == BY_SYMBOL && (at = go_types_next(go, a->im, at));)
		if (attr_refs_is_anonymous(r, at))
			vec_push(&r->targets, (struct target){ at, LABEL_NONE, WHY_DATA_REF });
	/* Go's linker sorts data by kind and size instead of by unit. */
	if (a->owner == BY_SYMBOL && a->im->kind == IMAGE_EXEC && !go)
		code_order_read(&r->order.code, a, r->data, r->data_count);
	find_pointers(r);
	find_imports(r);
	attr_refs_scan_code(r, &a->vm);
	if (a->f->panics)
		attr_panics(a, &r->targets, &r->pointers);
	/* Code without a unit may use data behind that of a unit, which must not get it. */
	struct spans nobody = { 0 };
	if (a->owner != BY_SYMBOL)
		attr_nobody_code(a, &nobody);
	if (nobody.list.count > 0)
		attr_refs_scan_code(r, &nobody);
	spans_release(&nobody);
}

void attr_refs_claim(struct attr *a)
{
	struct refs *r = a->scratch->refs;
	ASSERT(r && r->a == a);
	vec_release(&a->scratch->fdes);
	attr_bounds(r->data, r->data_count, &r->targets, &r->pointers);
	if (a->scratch->ghc.list.count > 0)
		attr_ghc_targets(a, &r->targets);
	make_pieces(r);
	pieces_spread(a->im, &r->order, &r->pieces, &r->pointers);
	claim_pieces(r);
	vec_release(&r->pieces);
	order_release(&r->order);
	vec_release(&r->slots);
	addr_mask_release(&r->wanted);
	vec_release(&r->vtables.places);
	if (r->go.table)
		go_words_release(&r->go);
	mem_free_all(r->data, r);
	a->scratch->refs = NULL;
}
