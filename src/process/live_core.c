/* live_core.c - writes the core: headers and notes as the kernel writes them (core(5); Linux,
 * fs/binfmt_elf.c), then the pieces of memory. Each piece begins at a multiple of a page. */
#define _GNU_SOURCE
#include "base/packed_sink.h"
#include "process/live_internal.h"
#include "image/core.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LEVEL = 3, ZEROS = 1 << 16 };

struct live_out {
	int fd;
	struct packed_sink *pack; /* Compressor. NULL if the file is not compressed */
	uint64_t at;              /* Position in the core. */
	uint64_t kept;            /* Length of the file so far, without a hole at its end */
	const char *path;
	char *temp;
	bool nameless; /* True while the file has no name */
};

typedef VEC(uint8_t) notes_vec;

static bool write_fd(const struct live_out *o, const uint8_t *data, size_t size,
		     struct heft_err *err)
{
	while (size > 0) {
		const ssize_t n = write(o->fd, data, size);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return fail_sys(err, "%s", o->path);
		data += n;
		size -= (size_t)n;
	}
	return true;
}

static bool sink_write(void *ctx, const void *data, size_t size)
{
	return write_fd(ctx, data, size, NULL);
}

static bool live_core_put(struct live_out *o, const void *data, size_t size, struct heft_err *err)
{
	o->at += size;
	if (o->pack != NULL) {
		const struct heft_sink to = packed_sink_of(o->pack);
		return to.write(to.ctx, data, size) || fail_sys(err, "%s", o->path);
	}
	o->kept = o->at;
	return write_fd(o, data, size, err);
}

/* Moves to a position. Leaves a hole, or writes zeros if the file is packed. */
static bool skip_to(struct live_out *o, uint64_t at, struct heft_err *err)
{
	static const uint8_t zeros[ZEROS];
	if (o->pack == NULL && at > o->at) {
		if (lseek(o->fd, (off_t)at, SEEK_SET) < 0)
			return fail_sys(err, "%s", o->path);
		o->at = at;
	}
	while (o->at < at)
		if (!live_core_put(o, zeros, (size_t)min_u64(ZEROS, at - o->at), err))
			return false;
	ASSERT(o->at >= at);
	return true;
}

bool live_out_slice(struct live_out *o, const struct live_plan *p, const struct live_slice *s,
		    const uint8_t *data, struct heft_err *err)
{
	ASSERT(s->piece < p->pieces.count && s->size % LIVE_PAGE == 0);
	const struct live_piece *piece = &p->pieces.data[s->piece];
	const uint64_t start = piece->file_off + (s->addr - piece->addr);
	if (!skip_to(o, start, err))
		return false;
	if (o->pack != NULL)
		return live_core_put(o, data, s->size, err);
	for (uint64_t at = 0; at < s->size;) {
		static const uint8_t zeros[LIVE_PAGE];
		uint64_t end = at;
		while (end < s->size && memcmp(data + end, zeros, LIVE_PAGE) != 0)
			end += LIVE_PAGE;
		if (end > at &&
		    (!skip_to(o, start + at, err) || !live_core_put(o, data + at, end - at, err)))
			return false;
		at = end + LIVE_PAGE;
	}
	return true;
}

static void live_core_add_bytes(notes_vec *v, const void *data, size_t size)
{
	if (size == 0)
		return;
	vec_reserve(v, size);
	memcpy(v->data + v->count, data, size);
	v->count += size;
}

/* Adds a note. `owner` must have four letters. */
static void add_owned_note(notes_vec *v, const char *owner, uint32_t type, const void *data,
			   size_t size)
{
	static const char zeros[4] = "";
	const ElfW(Nhdr) n = { .n_namesz = 5, .n_descsz = (uint32_t)size, .n_type = type };
	live_core_add_bytes(v, &n, sizeof n);
	live_core_add_bytes(v, owner, 4);
	live_core_add_bytes(v, zeros, 4);
	live_core_add_bytes(v, data, size);
	live_core_add_bytes(v, zeros, (4 - size % 4) % 4);
}

static void add_note(notes_vec *v, uint32_t type, const void *data, size_t size)
{
	add_owned_note(v, "CORE", type, data, size);
}

/* Reads /proc/PID/stat (proc(5)). The name is in parentheses and may contain any characters, so the
 * other fields are found after the last ')'. */
static void read_stat(uint32_t pid, prpsinfo_t *ps)
{
	size_t size;
	struct heft_err err;
	char *text = live_read_file(pid, "stat", &size, &err);
	if (text == NULL)
		return;
	char *open = strchr(text, '('), *close = strrchr(text, ')');
	if (open != NULL && close != NULL && close > open) {
		const size_t len = min_u64((uint64_t)(close - open - 1), sizeof ps->pr_fname - 1);
		memcpy(ps->pr_fname, open + 1, len);
		sscanf(close + 1, " %c %d %d %d", &ps->pr_sname, &ps->pr_ppid, &ps->pr_pgrp,
		       &ps->pr_sid);
	}
	mem_free(text);
}

static void add_process(notes_vec *v, uint32_t pid)
{
	prpsinfo_t ps = { .pr_pid = (int)pid };
	struct heft_err err;
	size_t size;
	read_stat(pid, &ps);
	char *words = live_read_file(pid, "cmdline", &size, &err);
	if (words != NULL) {
		size = min_u64(size, sizeof ps.pr_psargs - 1);
		memcpy(ps.pr_psargs, words, size);
		for (size_t i = 0; i + 1 < size; i++)
			if (ps.pr_psargs[i] == '\0')
				ps.pr_psargs[i] = ' ';
		mem_free(words);
	}
	add_note(v, NT_PRPSINFO, &ps, sizeof ps);
	char *auxv = live_read_file(pid, "auxv", &size, &err);
	if (auxv != NULL)
		add_note(v, NT_AUXV, auxv, size);
	mem_free(auxv);
}

/* Adds NT_FILE: {count, page size, {start, end, offset in pages} ..., paths}. */
static void live_core_add_files(notes_vec *v, const struct live_plan *p)
{
	notes_vec body = { 0 };
	long head[2] = { 0, LIVE_PAGE };
	for (size_t i = 0; i < p->areas.count; i++)
		head[0] += p->areas.data[i].path[0] == '/';
	live_core_add_bytes(&body, head, sizeof head);
	vec_each(const struct live_area, a, &p->areas) {
		const unsigned long entry[3] = { a->start, a->end, a->off / LIVE_PAGE };
		if (a->path[0] == '/')
			live_core_add_bytes(&body, entry, sizeof entry);
	}
	for (size_t i = 0; i < p->areas.count; i++)
		if (p->areas.data[i].path[0] == '/')
			live_core_add_bytes(&body, p->areas.data[i].path,
					    strlen(p->areas.data[i].path) + 1);
	add_note(v, NT_FILE, body.data, body.count);
	vec_release(&body);
}

static uint16_t own_machine(void)
{
#if defined(__x86_64__)
	return EM_X86_64;
#elif defined(__aarch64__)
	return EM_AARCH64;
#elif defined(__riscv)
	return EM_RISCV;
#elif defined(__i386__)
	return EM_386;
#elif defined(__arm__)
	return EM_ARM;
#else
	return EM_NONE;
#endif
}

/* Writes the headers. If e_phnum is too small for the count of segments, section header 0 has the
 * count (gABI, "Program Header"). */
static bool put_headers(struct live_out *o, struct live_plan *p, size_t notes_size,
			struct heft_err *err)
{
	ASSERT(o->at == 0);
	const size_t count = p->pieces.count + 1;
	const bool many = count >= PN_XNUM;
	ElfW(Ehdr) e = { .e_type = ET_CORE,
			 .e_machine = own_machine(),
			 .e_version = EV_CURRENT,
			 .e_phoff = sizeof e,
			 .e_ehsize = sizeof e,
			 .e_phentsize = sizeof(ElfW(Phdr)),
			 .e_phnum = many ? PN_XNUM : (uint16_t)count };
	const uint64_t after = sizeof e + count * sizeof(ElfW(Phdr));
	const ElfW(Shdr) extra = { .sh_info = (uint32_t)count, .sh_size = 1 };
	if (many) {
		e.e_shoff = after;
		e.e_shentsize = sizeof extra;
		e.e_shnum = 1;
	}
	const uint64_t notes_off = after + (many ? sizeof extra : 0);
	uint64_t off = align_up(notes_off + notes_size, LIVE_PAGE);
	const ElfW(Phdr) note = {
		.p_type = PT_NOTE, .p_offset = notes_off, .p_filesz = notes_size, .p_align = 4
	};
	const uint16_t probe = 1;
	memcpy(e.e_ident, ELFMAG, SELFMAG);
	e.e_ident[EI_CLASS] = sizeof(void *) == 8 ? ELFCLASS64 : ELFCLASS32;
	e.e_ident[EI_DATA] = *(const uint8_t *)&probe == 1 ? ELFDATA2LSB : ELFDATA2MSB;
	e.e_ident[EI_VERSION] = EV_CURRENT;
	bool good = live_core_put(o, &e, sizeof e, err) &&
		    live_core_put(o, &note, sizeof note, err);
	for (size_t i = 0; good && i < p->pieces.count; i++) {
		struct live_piece *l = &p->pieces.data[i];
		l->file_off = off;
		const ElfW(Phdr) load = { .p_type = PT_LOAD,
					  .p_flags = (l->read ? PF_R : 0U) |
						     (l->write ? PF_W : 0U) | (l->exec ? PF_X : 0U),
					  .p_offset = off,
					  .p_vaddr = l->addr,
					  .p_filesz = l->kept ? l->size : 0,
					  .p_memsz = l->size,
					  .p_align = LIVE_PAGE };
		off += load.p_filesz;
		good = live_core_put(o, &load, sizeof load, err);
	}
	return good && (!many || live_core_put(o, &extra, sizeof extra, err));
}

/* Creates a file that only its owner can read, because memory contains secrets. If the file system
 * supports it, the file has no name until it is complete. So no incomplete one remains if heft is
 * killed. */
static bool live_core_open_temp(struct live_out *o)
{
	char *slash = strrchr(o->temp, '/');
#ifdef O_TMPFILE
	if (slash != NULL)
		*slash = '\0';
	o->fd = open(slash == NULL      ? "."
		     : slash == o->temp ? "/"
					: o->temp,
		     O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	if (slash != NULL)
		*slash = '/';
	o->nameless = o->fd >= 0;
#endif
	if (o->fd < 0)
		o->fd = mkstemp(o->temp);
	if (o->fd < 0 || o->nameless)
		o->temp[0] = '\0';
	return o->fd >= 0;
}

/* Links a nameless file to its path. Replaces an existing file by way of the name o->temp. */
static bool link_name(struct live_out *o)
{
	enum { TRIES = 100 };
	char self[40];
	const size_t room = strlen(o->path) + 8;
	snprintf(self, sizeof self, "/proc/self/fd/%d", o->fd);
	if (linkat(AT_FDCWD, self, AT_FDCWD, o->path, AT_SYMLINK_FOLLOW) == 0)
		return true;
	for (unsigned i = 0; i < TRIES && errno == EEXIST; i++) {
		snprintf(o->temp, room, "%s.%06u", o->path, (unsigned)getpid() % 10000 * 100 + i);
		if (linkat(AT_FDCWD, self, AT_FDCWD, o->temp, AT_SYMLINK_FOLLOW) == 0)
			return rename(o->temp, o->path) == 0;
	}
	o->temp[0] = '\0';
	return false;
}

/* Calls link_name(). Only SIGKILL can interrupt it and leave its temporary name behind. */
static bool give_name(struct live_out *o)
{
	sigset_t all, before;
	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &before);
	const bool good = link_name(o);
	const int reason = errno;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	errno = reason;
	return good;
}

bool live_out_open(struct live_out **ret, const char *path, unsigned level, struct live_plan *p,
		   const struct live_who *who, struct heft_err *err)
{
	struct live_out *o = mem_zeroed(1, sizeof *o);
	const size_t len = strlen(path);
	notes_vec notes = { 0 };
	o->path = path;
	o->temp = mem_alloc(len + 8);
	memcpy(o->temp, path, len);
	memcpy(o->temp + len, ".XXXXXX", 8);
	bool good = live_core_open_temp(o) || fail_sys(err, "%s", path);
	if (good && str_ends(str_of(path), STR(".zst"))) {
		const struct heft_sink file = { sink_write, o };
		struct heft_err why;
		o->pack = packed_sink_open(&file, level != 0 ? level : LEVEL, &why);
		good = o->pack != NULL ||
		       fail(err, why.code, HEFT_NO_OFFSET, "%s: %s", o->path, why.text);
	}
	const struct live_thread *threads = who->threads;
	for (size_t i = 0; i < who->thread_count; i++) {
		prstatus_t st = { .pr_pid = (int)threads[i].tid };
		memcpy(&st.pr_reg, threads[i].regs, sizeof st.pr_reg);
		st.pr_fpvalid = threads[i].has_fpregs;
		add_note(&notes, NT_PRSTATUS, &st, sizeof st);
		if (i == 0) {
			add_process(&notes, who->pid);
			live_core_add_files(&notes, p);
		}
		if (threads[i].has_fpregs)
			add_note(&notes, NT_FPREGSET, &threads[i].fpregs, sizeof threads[i].fpregs);
	}
	add_owned_note(&notes, CORE_NOTE_OWNER, CORE_NOTE_COMPACT, NULL, 0);
	good = good && put_headers(o, p, notes.count, err) &&
	       live_core_put(o, notes.data, notes.count, err);
	vec_release(&notes);
	if (good)
		*ret = o;
	else
		live_out_drop(o);
	return good;
}

bool live_out_close(struct live_out *o, const struct live_plan *p, uint64_t *ret_size,
		    struct heft_err *err)
{
	struct stat st = { 0 };
	uint64_t size = o->at;
	for (size_t i = 0; i < p->pieces.count; i++)
		if (p->pieces.data[i].kept)
			size = p->pieces.data[i].file_off + p->pieces.data[i].size;
	bool good = skip_to(o, size, err);
	if (o->pack != NULL)
		good = good && (packed_sink_end(o->pack) || fail_sys(err, "%s", o->path));
	else
		good = good &&
		       (ftruncate(o->fd, (off_t)o->at) == 0 || fail_sys(err, "%s", o->path));
	good = good && (fstat(o->fd, &st) == 0 || fail_sys(err, "%s", o->path));
	good = good && (!o->nameless || give_name(o) || fail_sys(err, "%s", o->path));
	const int fd = o->fd;
	o->fd = -1;
	good = (close(fd) == 0 || fail_sys(err, "%s", o->path)) && good;
	good = good &&
	       (o->nameless || rename(o->temp, o->path) == 0 || fail_sys(err, "%s", o->path));
	*ret_size = (uint64_t)st.st_blocks * 512;
	if (good)
		o->temp[0] = '\0';
	live_out_drop(o);
	return good;
}

void live_out_drop(struct live_out *o)
{
	if (o->fd >= 0)
		close(o->fd);
	if (o->temp[0] != '\0')
		unlink(o->temp);
	packed_sink_close(o->pack);
	mem_free_all(o->temp, o);
}
