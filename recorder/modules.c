/* modules.c - finds the module of an address, for its unwind table and for readers of a dump. A
 * module is stored when a return address in it is first looked up. glibc's _dl_find_object does not
 * lock or allocate, and may be called in a signal handler. */
#include "recorder.h"

#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/syscall.h>
#include <unistd.h>

struct search {
	uintptr_t pc;
	struct tables *ret;
	bool not_first;
};

static int search_module(struct dl_phdr_info *info, size_t size, void *ctx)
{
	struct search *s = ctx;
	/* The program is always the first module, whatever its name. */
	struct tables t = { .bias = info->dlpi_addr,
			    .start = UINTPTR_MAX,
			    .path = s->not_first ? info->dlpi_name : "" };
	(void)size;
	s->not_first = true;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];
		const uintptr_t start = info->dlpi_addr + p->p_vaddr;
		if (p->p_type == PT_GNU_EH_FRAME)
			t.hdr = (const unsigned char *)start;
		if (p->p_type != PT_LOAD)
			continue;
		t.start = start < t.start ? start : t.start;
		t.end = start + p->p_memsz > t.end ? start + p->p_memsz : t.end;
	}
	if (s->pc < t.start || s->pc >= t.end)
		return 0;
	*s->ret = t;
	return 1;
}

static bool search_modules(uintptr_t pc, struct tables *ret)
{
	struct search s = { .pc = pc, .ret = ret };
	return dl_iterate_phdr(search_module, &s) == 1;
}

#ifdef DLFO_STRUCT_HAS_EH_DBASE
/* Weak, because a static program may have another C library than the recorder. */
#pragma weak _dl_find_object

bool tables_find(uintptr_t pc, struct tables *ret)
{
	struct dl_find_object found;
	if (&_dl_find_object == NULL)
		return search_modules(pc, ret);
	if (_dl_find_object((void *)pc, &found) != 0)
		return false;
	*ret = (struct tables){
		.hdr = found.dlfo_eh_frame,
		.start = (uintptr_t)found.dlfo_map_start,
		.end = (uintptr_t)found.dlfo_map_end,
		.bias = found.dlfo_link_map->l_addr,
		.path = found.dlfo_link_map->l_name != NULL ? found.dlfo_link_map->l_name : "",
	};
	return true;
}
#else
bool tables_find(uintptr_t pc, struct tables *ret)
{
	return search_modules(pc, ret);
}
#endif

/* Returns the path in a line of /proc/self/maps (proc(5)). NULL if its range lacks the address. */
static char *line_match(char *line, uintptr_t addr)
{
	uintptr_t bounds[2] = { 0, 0 };
	for (uint32_t i = 0; i < 2; i++, line++)
		for (; *line != '-' && *line != ' '; line++) {
			if (*line == 0)
				return NULL;
			bounds[i] = bounds[i] * 16 +
				    (uintptr_t)(*line <= '9' ? *line - '0' : *line - 'a' + 10);
		}
	return addr >= bounds[0] && addr < bounds[1] ? strchr(line, '/') : NULL;
}

/* Finds the path of the file that is mapped at the start of the module. Uses only system calls. */
static void copy_mapped(struct heap_module *m)
{
	char lines[1024];
	size_t have = 0;
	const long fd = syscall(SYS_openat, AT_FDCWD, "/proc/self/maps", O_RDONLY | O_CLOEXEC);
	while (fd >= 0 && m->path_size == 0) {
		const long n = syscall(SYS_read, fd, lines + have, sizeof lines - 1 - have);
		if (n <= 0)
			break;
		have += (size_t)n;
		lines[have] = 0;
		char *line = lines;
		for (char *end = strchr(line, '\n'); end != NULL; end = strchr(line, '\n')) {
			*end = 0;
			const char *path = line_match(line, (uintptr_t)m->start);
			const size_t size = path != NULL ? strlen(path) : sizeof m->path;
			line = end + 1;
			if (size >= sizeof m->path)
				continue;
			memcpy(m->path, path, size);
			m->path_size = (uint32_t)size;
		}
		have -= (size_t)(line - lines);
		for (size_t i = 0; i < have; i++) /* A loop: musl lacks __memcpy_chk() */
			lines[i] = line[i];
		if (have == sizeof lines - 1)
			have = 0; /* the path of a line of this length is too long to keep */
	}
	if (fd >= 0)
		syscall(SYS_close, fd);
}

static void copy_path(struct heap_module *m, const char *path)
{
	size_t n = strlen(path);
	/* If the dynamic linker was started as a program, /proc/self/exe is the linker and not the
	 * program. Then the kernel has loaded no other linker (AT_BASE is 0). */
	if (n == 0 && getauxval(AT_BASE) == 0)
		copy_mapped(m);
	if (n == 0 && m->path_size != 0)
		return;
	if (n == 0) {
		const ssize_t got = readlink("/proc/self/exe", m->path, sizeof m->path - 1);
		m->path_size = got > 0 ? (uint32_t)got : 0;
		return;
	}
	if (n >= sizeof m->path)
		n = sizeof m->path - 1;
	memcpy(m->path, path, n);
	m->path_size = (uint32_t)n;
}

/* Reads the build id from a PT_NOTE segment: {name size, desc size, type, name, desc}, padded to 4
 * (gABI, "Note Section"). */
static void read_notes(struct heap_module *m, const unsigned char *at, size_t size)
{
	while (size >= sizeof(ElfW(Nhdr))) {
		ElfW(Nhdr) n;
		memcpy(&n, at, sizeof n);
		const size_t name = ((size_t)n.n_namesz + 3) & ~(size_t)3;
		const size_t desc = ((size_t)n.n_descsz + 3) & ~(size_t)3;
		if (name > size - sizeof n || desc > size - sizeof n - name)
			return;
		if (n.n_type == NT_GNU_BUILD_ID && n.n_namesz == 4 &&
		    memcmp(at + sizeof n, "GNU", 4) == 0 && n.n_descsz <= sizeof m->build_id) {
			memcpy(m->build_id, at + sizeof n + name, n.n_descsz);
			m->build_id_size = n.n_descsz;
			return;
		}
		at += sizeof n + name + desc;
		size -= sizeof n + name + desc;
	}
}

/* Finds the build id in the headers, which linkers put into the first page of the mapping. */
static void find_build_id(struct heap_module *m)
{
	const ElfW(Ehdr) *e = (const ElfW(Ehdr) *)(uintptr_t)m->start;
	if (memcmp(e->e_ident, ELFMAG, SELFMAG) != 0 || e->e_phentsize != sizeof(ElfW(Phdr)) ||
	    e->e_phoff + (size_t)e->e_phnum * sizeof(ElfW(Phdr)) > 4096)
		return;
	const ElfW(Phdr) *p = (const ElfW(Phdr) *)(uintptr_t)(m->start + e->e_phoff);
	for (int i = 0; i < e->e_phnum && m->build_id_size == 0; i++) {
		const uintptr_t at = (uintptr_t)m->bias + p[i].p_vaddr;
		if (p[i].p_type == PT_NOTE && at >= m->start && at < m->end &&
		    p[i].p_memsz <= m->end - at)
			read_notes(m, (const unsigned char *)at, p[i].p_memsz);
	}
}

/* Calls `f` for every module that is still mapped, until `f` returns false. */
static void each_module(bool (*f)(struct heap_module *, void *), void *ctx)
{
	const uint32_t pages = recorder.page_numbers[HEAP_PAGE_MODULES];
	struct heap_page *page = recorder.modules;
	for (uint32_t n = pages; page != NULL && n > 0; n--) {
		for (uint32_t i = page->used; i-- > 0;) {
			struct heap_module *m = page_entry(page, i);
			if (m->last == 0 && !f(m, ctx))
				return;
		}
		page = (struct heap_page *)(uintptr_t)page->reserved; /* the previous page */
	}
}

struct note {
	const struct tables *t;
	bool known, replaced;
};

static bool compare_module(struct heap_module *m, void *ctx)
{
	struct note *n = ctx;
	if (n->t->start >= m->end || n->t->end <= m->start)
		return true;
	if (m->start == n->t->start && m->end == n->t->end && m->bias == n->t->bias &&
	    (n->t->path[0] == 0 || strncmp(m->path, n->t->path, sizeof m->path - 1) == 0)) {
		n->known = true;
		return false;
	}
	/* Another module was mapped here, so addresses have a new meaning. */
	m->last = atomic_load(&recorder.node_epoch) + 1;
	n->replaced = true;
	return true;
}

static void add_module(const struct tables *t)
{
	struct heap_page *page = recorder.modules;
	if (page == NULL || page->used == page_capacity(page)) {
		struct heap_page *fresh = page_new(HEAP_PAGE_MODULES, sizeof(struct heap_module),
						   0);
		if (fresh == NULL)
			return;
		fresh->reserved = (uintptr_t)page;
		recorder.modules = page = fresh;
	}
	struct heap_module *m = page_entry(page, page->used);
	*m = (struct heap_module){ .start = t->start, .end = t->end, .bias = t->bias };
	m->first = atomic_load(&recorder.node_epoch);
	copy_path(m, t->path);
	find_build_id(m);
	atomic_signal_fence(memory_order_seq_cst);
	page->used++;
}

void modules_note(const struct tables *t)
{
	struct note n = { .t = t };
	lock_take();
	each_module(compare_module, &n);
	if (n.replaced) {
		recorder.process->module_epoch = atomic_fetch_add(&recorder.node_epoch, 1) + 1;
		rows_forget();
	}
	if (!n.known)
		add_module(t);
	lock_give();
}
