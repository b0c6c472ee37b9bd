/* Finds modules by headers in memory, the dynamic linker's list and the recorder's pages. */
#include "heap/dump_internal.h"

#include "base/sort.h"
#include "heap/memory.h"
#include "heap/records.h"
#include "image/elf/elf_const.h"
#include "image/elf/elf_note.h"

#include <stdlib.h>

typedef VEC(struct dump_file) file_vec;

struct phdr {
	uint32_t type, flags;
	uint64_t off, addr, file_size, vm_size;
};

/* A program header table in the memory of the process. */
struct phdrs {
	struct bytes bytes;
	uint64_t count, entry_size;
	bool wide, big_endian;
};

static uint64_t dump_modules_read_word(struct reader *r, bool wide)
{
	return wide ? read_u64(r) : read_u32(r);
}

static struct phdr phdr_get(const struct phdrs *t, uint64_t i)
{
	struct reader r = reader_of(bytes_sub(t->bytes, i * t->entry_size, t->entry_size),
				    t->big_endian);
	struct phdr p = { .type = read_u32(&r) };
	if (t->wide)
		p.flags = read_u32(&r);
	p.off = dump_modules_read_word(&r, t->wide);
	p.addr = dump_modules_read_word(&r, t->wide);
	(void)dump_modules_read_word(&r, t->wide); /* Skip p_paddr */
	p.file_size = dump_modules_read_word(&r, t->wide);
	p.vm_size = dump_modules_read_word(&r, t->wide);
	if (!t->wide)
		p.flags = read_u32(&r);
	return p;
}

static struct phdrs phdrs_make(struct bytes bytes, uint64_t count, uint64_t entry_size, bool wide,
			       bool big_endian)
{
	const uint64_t least = wide ? PHDR64_SIZE : PHDR32_SIZE;
	struct phdrs t = { bytes, 0, entry_size, wide, big_endian };
	if (entry_size >= least)
		t.count = min_u64(count, bytes.size / entry_size);
	return t;
}

static struct phdrs phdrs_of_elf(struct bytes memory)
{
	if (memory.size < EI_NIDENT || memcmp(memory.p, "\177ELF", 4) != 0)
		return (struct phdrs){ .count = 0 };
	const bool wide = memory.p[EI_CLASS] == ELFCLASS64;
	const bool big_endian = memory.p[EI_DATA] == ELFDATA2MSB;
	struct reader r = reader_of(memory, big_endian);
	reader_seek(&r, EI_NIDENT + 8);         /* Skips e_type, e_machine, e_version. */
	(void)dump_modules_read_word(&r, wide); /* Skip e_entry */
	const uint64_t off = dump_modules_read_word(&r, wide);
	(void)dump_modules_read_word(&r, wide); /* Skip e_shoff */
	read_skip(&r, 6);                       /* Skips e_flags, e_ehsize. */
	const uint16_t entry_size = read_u16(&r), count = read_u16(&r);
	if (!reader_ok(&r) || off > memory.size)
		return (struct phdrs){ .count = 0 };
	return phdrs_make(bytes_sub(memory, off, memory.size - off), count, entry_size, wide,
			  big_endian);
}

static uint64_t mask_of(const struct phdrs *t)
{
	return t->wide ? UINT64_MAX : UINT32_MAX;
}

/* True if the code that the headers name is mapped as executable, or missing (gdb omits code).
 * False for a file that is mapped only to be read: all of its bytes are one region. */
static bool dump_modules_is_loaded(const struct dump *d, const struct phdrs *t, uint64_t bias)
{
	for (uint64_t i = 0; i < t->count; i++) {
		const struct phdr p = phdr_get(t, i);
		if (p.type != PT_LOAD || !(p.flags & PF_X) || p.vm_size == 0)
			continue;
		const struct region *r = dump_region(d, (bias + p.addr) & mask_of(t));
		return !r || r->exec;
	}
	return true;
}

static void read_range(const struct phdrs *t, struct dump_file *file)
{
	uint64_t low = UINT64_MAX, high = 0;
	for (uint64_t i = 0; i < t->count; i++) {
		const struct phdr p = phdr_get(t, i);
		const uint64_t start = (file->bias + p.addr) & mask_of(t);
		if (p.type != PT_LOAD || p.vm_size == 0 || p.vm_size > mask_of(t) - start)
			continue;
		low = min_u64(low, start);
		high = max_u64(high, start + p.vm_size);
	}
	if (low >= high)
		return;
	file->start = min_u64(file->start, low);
	file->end = max_u64(file->end, high);
}

static void take_headers(const struct dump *d, const struct phdrs *t, uint64_t bias,
			 struct dump_file *file)
{
	file->module = true;
	file->bias = bias;
	read_range(t, file);
	for (uint64_t i = 0; i < t->count && file->build_id.size == 0; i++) {
		const struct phdr p = phdr_get(t, i);
		if (p.type != PT_NOTE)
			continue;
		const struct bytes notes = dump_at(d, (file->bias + p.addr) & mask_of(t),
						   p.file_size);
		elf_find_build_id(notes, p.addr % 8 == 0 && p.file_size % 8 == 0 ? 8 : 4,
				  t->big_endian, &file->build_id);
		if (file->build_id.size == 0)
			elf_find_build_id(notes, 4, t->big_endian, &file->build_id);
	}
}

bool dump_read_header(const struct dump *d, struct dump_file *file)
{
	const struct phdrs t = phdrs_of_elf(dump_at(d, file->start, UINT64_MAX));
	for (uint64_t i = 0; i < t.count; i++) {
		const struct phdr p = phdr_get(&t, i);
		if (p.type != PT_LOAD)
			continue;
		const uint64_t bias = (file->start - (p.addr - p.off)) & mask_of(&t);
		if (!dump_modules_is_loaded(d, &t, bias))
			return false;
		take_headers(d, &t, bias, file);
		return true;
	}
	return false;
}

bool dump_module_segment(const struct dump *d, const struct dump_file *file, uint32_t type,
			 uint64_t *ret_addr, uint64_t *ret_size)
{
	const struct phdrs t = phdrs_of_elf(dump_at(d, file->start, UINT64_MAX));
	for (uint64_t i = 0; i < t.count; i++) {
		const struct phdr p = phdr_get(&t, i);
		if (p.type != type)
			continue;
		*ret_addr = (file->bias + p.addr) & mask_of(&t);
		*ret_size = p.file_size;
		return true;
	}
	return false;
}

bool dump_has_dynamic(const struct dump *d, const struct dump_file *file)
{
	uint64_t at, size;
	if (!dump_module_segment(d, file, PT_DYNAMIC, &at, &size) || size == 0)
		return true;
	const struct bytes b = dump_at(d, at, size);
	return dump_region(d, at) != NULL && (b.size == 0 || !bytes_are_zeros(b));
}

COMPARISON(by_start, struct dump_file *const, ORDER((*a)->start, (*b)->start), ORDER(*a, *b))

/* Adds the files of `more`, and sorts all files by start again. */
static void merge_files(struct dump *d, const file_vec *more)
{
	const size_t count = d->file_count + more->count;
	struct dump_file *all = arena_new(&d->arena, struct dump_file, 2 * count + 1);
	const struct dump_file **order = mem_zeroed(count + 1, sizeof *order);
	uint32_t *place = mem_zeroed(count + 1, sizeof *place);
	for (size_t i = 0; i < count; i++) {
		all[i] = i < d->file_count ? d->files[i] : more->data[i - d->file_count];
		order[i] = &all[i];
	}
	qsort(order, count, sizeof *order, by_start);
	ASSERT(count >= d->file_count && count < UINT32_MAX);
	for (size_t i = 0; i < count; i++) {
		all[count + i] = *order[i];
		place[order[i] - all] = (uint32_t)i;
	}
	for (size_t i = 0; i < d->region_count; i++)
		if (d->regions[i].file > 0)
			d->regions[i].file = place[d->regions[i].file - 1] + 1;
	d->files = all + count;
	d->file_count = count;
	mem_free_all(order, place);
}

static void merge_file(struct dump *d, const struct dump_file *f)
{
	file_vec more = { 0 };
	vec_push(&more, *f);
	merge_files(d, &more);
	vec_release(&more);
}

static struct dump_file *file_at(struct dump *d, uint64_t addr)
{
	const struct region *r = dump_region(d, addr);
	return r ? region_file(d, r) : NULL;
}

static const char *dump_modules_text_at(struct dump *d, uint64_t addr)
{
	enum { TEXT_MAX = 4096 };
	const struct bytes b = dump_at(d, addr, TEXT_MAX);
	const char *p = (const char *)b.p;
	return b.size ? arena_copy(&d->arena, (struct str){ p, strnlen(p, b.size) }) : "";
}

/* Returns the value of a dynamic tag (gABI, "Dynamic Section"). 0 if absent. */
static uint64_t dynamic_value(const struct dump *d, uint64_t dynamic, uint64_t size, uint64_t tag)
{
	const bool wide = memory_word_size(d) == 8;
	struct reader r = reader_of(dump_at(d, dynamic, size), d->big_endian);
	while (reader_left(&r) >= 2 * memory_word_size(d)) {
		const uint64_t have = dump_modules_read_word(&r, wide),
			       value = dump_modules_read_word(&r, wide);
		if (have == tag)
			return value;
		if (have == DT_NULL)
			break;
	}
	return 0;
}

/* Adds the module of a struct link_map (System V ABI, link.h): l_addr, l_name, l_ld, l_next. */
static void add_linked(struct dump *d, const uint64_t map[4], const char *main_path, file_vec *more)
{
	struct dump_file *known = file_at(d, map[2]);
	if (known) {
		known->bias = known->module ? known->bias : map[0];
		known->module = true;
		return;
	}
	const char *name = dump_modules_text_at(d, map[1]);
	if (!*name && dump_module(d, map[2]) != NULL) /* The program, whose file the user named */
		return;
	struct dump_file f = { .path = *name ? name : main_path, .start = map[0], .end = map[0] };
	const struct region *r = dump_region(d, map[2]);
	if (!dump_read_header(d, &f) && r) {
		/* Some linkers place the dynamic section before the code. */
		const bool low = map[0] < r->addr && dump_region(d, map[0]) != NULL;
		f = (struct dump_file){ f.path,        true,   low ? map[0] : r->addr,
					region_end(r), map[0], { NULL, 0 } };
	}
	if (f.module && f.path[0])
		vec_push(more, f);
}

static void read_link_map(struct dump *d, uint64_t debug, const char *main_path)
{
	enum { LINKED_MAX = 65536 };
	const unsigned word = memory_word_size(d);
	uint64_t at = 0;
	file_vec more = { 0 };
	if (!memory_word(d, debug + word, &at)) /* Skips r_debug's version, to read r_map */
		return;
	for (unsigned n = 0; at != 0 && n < LINKED_MAX; n++) {
		uint64_t map[4];
		for (unsigned i = 0; i < 4; i++)
			if (!memory_word(d, at + i * word, &map[i]))
				goto out;
		add_linked(d, map, main_path, &more);
		at = map[3];
	}
out:
	merge_files(d, &more);
	vec_release(&more);
}

static bool program_bias(const struct core *c, const struct phdrs *t, uint64_t *ret)
{
	bool dynamic = false;
	for (uint64_t i = 0; i < t->count; i++) {
		const struct phdr p = phdr_get(t, i);
		dynamic |= p.type == PT_DYNAMIC;
		if (p.type != PT_PHDR)
			continue;
		*ret = (c->phdr - p.addr) & mask_of(t);
		return true;
	}
	*ret = 0;
	return t->count > 0 && !dynamic;
}

static void find_program(struct dump *d, const struct core *c)
{
	const unsigned word = memory_word_size(d);
	const struct phdrs t = phdrs_make(dump_at(d, c->phdr, UINT64_MAX), c->phnum, c->phent,
					  word == 8, d->big_endian);
	uint64_t bias;
	if (!program_bias(c, &t, &bias))
		return;
	struct dump_file *known = file_at(d, c->phdr);
	if (known && !known->module)
		take_headers(d, &t, bias, known);
	const char *path = known ? known->path : dump_modules_text_at(d, c->execfn);
	if (!known && *path) {
		struct dump_file f = { .path = path, .start = c->phdr, .end = c->phdr };
		take_headers(d, &t, bias, &f);
		merge_file(d, &f);
	}
	for (uint64_t i = 0; i < t.count; i++) {
		const struct phdr p = phdr_get(&t, i);
		const uint64_t at = (bias + p.addr) & mask_of(&t);
		const uint64_t debug = p.type == PT_DYNAMIC
					       ? dynamic_value(d, at, p.vm_size, DT_DEBUG)
					       : 0;
		if (debug)
			read_link_map(d, debug, path);
	}
}

static void add_vdso(struct dump *d, const struct core *c)
{
	const struct region *r = c->vdso ? dump_region(d, c->vdso) : NULL;
	if (!r || r->file > 0 || r->addr != c->vdso)
		return;
	struct dump_file f = { .path = "[vdso]", .start = c->vdso, .end = region_end(r) };
	if (!dump_read_header(d, &f))
		return;
	d->regions[r - d->regions].file = (uint32_t)d->file_count + 1;
	merge_file(d, &f);
}

/* Guesses which files are modules, if the dump has no headers: files with an executable part. The
 * bias of a module is its first address. A program at a fixed, low address has bias 0. */
static void guess_modules(struct dump *d)
{
	const uint64_t fixed = d->word == 4 ? 0x10000000 : UINT64_C(1) << 32;
	for (size_t i = 0; i < d->region_count; i++) {
		const struct region *r = &d->regions[i];
		struct dump_file *f = r->exec ? region_file(d, r) : NULL;
		if (!f || f->module || f->start > r->addr)
			continue;
		const uint64_t start = r->addr - r->file_off;
		f->module = true;
		f->bias = start < fixed ? 0 : start;
	}
}

void dump_find_modules(struct dump *d, const struct core *c)
{
	const file_vec none = { 0 };
	add_vdso(d, c);
	find_program(d, c);
	merge_files(d, &none); /* Only sorts again: headers may have shown a lower start */
	guess_modules(d);
}

static void learn_module(struct dump *d, const struct heap_module *m, file_vec *more)
{
	const size_t size = min_u64(m->build_id_size, sizeof m->build_id);
	struct dump_file *known = NULL;
	for (size_t i = 0; i < d->file_count && !known; i++)
		if (d->files[i].start < m->end && m->start < d->files[i].end)
			known = &d->files[i];
	if (known && known->build_id.size > 0)
		return;
	struct dump_file f = {
		arena_copy(&d->arena, str_of(m->path)), true, m->start, m->end, m->bias, { NULL, 0 }
	};
	const char *id = arena_copy(&d->arena, (struct str){ (const char *)m->build_id, size });
	f.build_id = (struct bytes){ (const uint8_t *)id, size };
	if (!known) {
		vec_push(more, f);
		return;
	}
	f.path = known->path;
	f.start = min_u64(f.start, known->start);
	f.end = max_u64(f.end, known->end);
	*known = f;
}

static void learn_threads(struct dump *d, const struct records *r)
{
	if (d->pid == 0)
		d->pid = r->process.pid;
	for (size_t i = 0; i < d->thread_count; i++) {
		struct dump_thread *t = &d->threads[i];
		for (size_t k = 0; k < r->threads.count && !*t->name; k++) {
			const struct heap_thread *h = &r->threads.data[k];
			if (h->thread == t->id && h->state == 1)
				t->name = arena_copy(
					&d->arena,
					(struct str){ h->name, strnlen(h->name, sizeof h->name) });
		}
	}
}

void dump_learn(struct dump *d, const struct records *r)
{
	file_vec more = { 0 };
	for (size_t i = 0; i < r->modules.count; i++)
		if (r->modules.data[i].last == 0 &&
		    r->modules.data[i].start < r->modules.data[i].end)
			learn_module(d, &r->modules.data[i], &more);
	merge_files(d, &more);
	vec_release(&more);
	learn_threads(d, r);
	if (!*d->command && *r->command)
		d->command = arena_copy(&d->arena, str_of(r->command));
}

void dump_add_linked(struct dump *d, uint64_t dynamic, uint64_t size, const char *path)
{
	const uint64_t debug = dynamic_value(d, dynamic, size, DT_DEBUG);
	if (debug != 0)
		read_link_map(d, debug, path);
}

void dump_add_program(struct dump *d, const char *path, uint64_t end, uint64_t bias)
{
	merge_file(d, &(struct dump_file){ path, true, bias, end, bias, { NULL, 0 } });
}
