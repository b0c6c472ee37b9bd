/* snapshot.c - writes all pages (struct heap_page) to a file. Each page describes itself.
 *
 * In the file's name, %p is the process id and %n the number of the snapshot, from 1. Without %n, a
 * number is added to the names of all snapshots but the last.
 *
 * At the end, another process (the keeper) may write the whole memory of this process instead. The
 * keeper also writes the pages of a process that gave up its rights to write files.
 *
 * A signal handler may write a snapshot. So no lock is taken, and one entry per thread (struct
 * slot) may be half changed, which the format allows. */
#include "recorder.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static size_t put_number(char *to, uint64_t n)
{
	char digits[20];
	size_t count = 0, i = 0;
	do
		digits[count++] = (char)('0' + n % 10);
	while ((n /= 10) != 0);
	while (count > 0)
		to[i++] = digits[--count];
	return i;
}

static void make_name(char *to, size_t size, bool numbered, uint32_t number)
{
	size_t n = 0;
	for (const char *from = recorder.opt.out; *from != 0 && n + 48 < size; from++) {
		if (from[0] == '%' && from[1] == 'p') {
			n += put_number(to + n, (uint64_t)getpid());
			from++;
		} else if (from[0] == '%' && from[1] == 'n') {
			n += put_number(to + n, number);
			numbered = false;
			from++;
		} else if (from[0] == '%' && from[1] == '%') {
			to[n++] = '%';
			from++;
		} else {
			to[n++] = *from;
		}
	}
	if (numbered) {
		to[n++] = '.';
		n += put_number(to + n, number);
	}
	to[n] = 0;
}

static bool write_all(int fd, const void *data, size_t size)
{
	const unsigned char *at = data;
	while (size > 0) {
		const ssize_t n = write(fd, at, size);
		if (n < 0 && errno != EINTR)
			return false;
		if (n > 0) {
			at += n;
			size -= (size_t)n;
		}
	}
	return true;
}

/* Creates a file. Empties an existing file only if it is a regular file of this user with a single
 * name. Another user of the folder could have put a link or a pipe there. */
static int open_file(const char *name)
{
	struct stat is;
	int fd = open(name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd >= 0)
		fchmod(fd, 0600); /* sets the mode whatever the umask is */
	if (fd >= 0 || errno != EEXIST)
		return fd;
	fd = open(name, O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (fd >= 0 && (fstat(fd, &is) != 0 || !S_ISREG(is.st_mode) || is.st_nlink != 1 ||
			is.st_uid != geteuid() || fchmod(fd, 0600) != 0 || ftruncate(fd, 0) != 0)) {
		close(fd);
		fd = -1;
	}
	return fd;
}

/* Returns the bytes of a page up to the end of its last 4 KiB that are not all zero. */
static size_t page_used(const unsigned char *page)
{
	enum { BLOCK = 4096 };
	size_t used = HEAP_PAGE_SIZE;
	for (; used > 0; used -= BLOCK) {
		const uint64_t *words = (const void *)(page + used - BLOCK);
		uint64_t any = 0;
		for (size_t i = 0; i < BLOCK / sizeof *words; i++)
			any |= words[i];
		if (any != 0)
			break;
	}
	return used;
}

/* Writes a page. Leaves its unused end as a hole in the file, because each thread has a page and
 * uses little of it. */
static bool write_page(int fd, const void *page)
{
	const size_t used = page_used(page), rest = HEAP_PAGE_SIZE - used;
	if (!write_all(fd, page, used))
		return false;
	return rest == 0 || lseek(fd, (off_t)rest, SEEK_CUR) >= 0;
}

/* Writes all pages. Suppresses the signal SIGXFSZ of the file size limit, so that the program
 * continues as without a recorder. */
static bool write_pages(int fd)
{
	const struct timespec none = { 0, 0 };
	sigset_t limit, before;
	bool good = true;
	sigemptyset(&limit);
	sigaddset(&limit, SIGXFSZ);
	pthread_sigmask(SIG_BLOCK, &limit, &before);
	for (uint32_t i = 0; good && i < recorder.directory_used; i++)
		good = write_page(fd, (const void *)recorder.directory[i]);
	good = good && ftruncate(fd, lseek(fd, 0, SEEK_CUR)) == 0;
	if (!good && errno == EFBIG && sigismember(&before, SIGXFSZ) == 0)
		sigtimedwait(&limit, NULL, &none);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return good;
}

/* Connects to a socket. Repeats the call if a signal that the program handles interrupts it. */
static bool connect_to(int fd, const struct sockaddr_un *to, socklen_t size)
{
	while (connect(fd, (const struct sockaddr *)to, size) != 0)
		if (errno != EINTR)
			return false;
	return true;
}

/* Connects to the keeper process (opt.keeper), and allows it to trace this process. Returns the
 * connection, or -1 if there is none. The keeper's name is in the abstract namespace (unix(7)),
 * whose names are not files and disappear with the keeper. */
static int reach_keeper(void)
{
	struct sockaddr_un to = { .sun_family = AF_UNIX };
	struct ucred who = { 0 };
	socklen_t size = sizeof who;
	const size_t used = strlen(recorder.opt.keeper);
	if (used == 0)
		return -1;
	for (size_t i = 0; i < used; i++) /* A loop, because musl lacks __memcpy_chk() */
		to.sun_path[1 + i] = recorder.opt.keeper[i];
	const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	const socklen_t reach = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + used);
	if (fd < 0 || !connect_to(fd, &to, reach) ||
	    getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &who, &size) != 0) {
		if (fd >= 0)
			close(fd);
		return -1;
	}
	/* Some systems allow only ancestors to trace. The keeper is no ancestor of a daemon. */
	prctl(PR_SET_PTRACER, (unsigned long)who.pid, 0, 0, 0);
	return fd;
}

static bool send_all(int fd, const void *data, size_t size)
{
	const unsigned char *at = data;
	while (size > 0) {
		const ssize_t n = send(fd, at, size, MSG_NOSIGNAL);
		if (n < 0 && errno != EINTR)
			return false;
		at += n > 0 ? n : 0;
		size -= n > 0 ? (size_t)n : 0;
	}
	return true;
}

/* Sends the keeper process a request: the run's secret word, what to write, the file's name. */
static bool keeper_ask(int fd, char kind, const char *name)
{
	return send_all(fd, recorder.opt.word, strlen(recorder.opt.word)) &&
	       send_all(fd, &kind, 1) && send_all(fd, name, strlen(name) + 1);
}

/* Reads the keeper's answer, one byte. True if the keeper did what was asked. */
static bool keeper_answers(int fd)
{
	char answer = 0;
	ssize_t n;
	do
		n = read(fd, &answer, 1);
	while (n < 0 && errno == EINTR);
	return n == 1 && answer == 'y';
}

/* Lets the keeper process write this process's memory to `name`, and waits. True on success. */
static bool keep_memory(const char *name)
{
	const int fd = recorder.opt.memory ? reach_keeper() : -1;
	if (fd < 0)
		return false;
	const bool kept = keeper_ask(fd, HEAP_KEEP_MEMORY, name) && keeper_answers(fd);
	close(fd);
	return kept;
}

/* Lets the keeper process write the recorder's pages, for a process that may not write files. */
static bool keep_pages(const char *name)
{
	const int fd = reach_keeper();
	bool good = fd >= 0 && keeper_ask(fd, HEAP_KEEP_PAGES, name);
	for (uint32_t i = 0; good && i < recorder.directory_used; i++)
		good = send_all(fd, (const void *)recorder.directory[i], HEAP_PAGE_SIZE);
	good = good && shutdown(fd, SHUT_WR) == 0 && keeper_answers(fd);
	if (fd >= 0)
		close(fd);
	return good;
}

static bool write_file(const char *name)
{
	const int fd = open_file(name);
	const bool good = fd >= 0 && write_pages(fd);
	if (fd >= 0)
		close(fd);
	return good;
}

/* Writes the file if too many files are open: a copy of the process closes one of them and writes.
 * The copy does not send a signal at its end, and the program's wait() calls do not see it. */
static bool write_in_copy(const char *name)
{
	int status = 1;
	const long pid = syscall(SYS_clone, 0L, 0L, 0L, 0L, 0L);
	if (pid == 0) {
		syscall(SYS_close, 0);
		syscall(SYS_exit_group, write_file(name) || keep_pages(name) ? 0L : 1L);
	}
	while (pid > 0 && syscall(SYS_wait4, pid, &status, __WCLONE, NULL) < 0 && errno == EINTR)
		;
	return pid > 0 && status == 0;
}

bool snapshot_write(bool numbered)
{
	const int saved = errno;
	char name[sizeof recorder.opt.out + 64];
	if (recorder.opt.out[0] == 0)
		return false;
	make_name(name, sizeof name, numbered, atomic_fetch_add(&recorder.snapshots, 1) + 1);
	recorder.process->updated_at = clock_now();
	process_note_title();
	/* Filters of system calls forbid sockets more often than files. */
	const bool may_ask = !numbered && !recorder.filtered;
	bool good = (may_ask && keep_memory(name)) || write_file(name);
	if (!good && may_ask)
		good = errno == EMFILE ? write_in_copy(name) : keep_pages(name);
	errno = saved;
	return good;
}

/* Creates an empty file if there is a keeper, to show that the process is recorded. The file stays
 * empty if the process ends without running further code, for example by a signal. */
void snapshot_announce(void)
{
	char name[sizeof recorder.opt.out + 64];
	const int saved = errno;
	if (recorder.opt.keeper[0] != 0 && recorder.opt.out[0] != 0 &&
	    strstr(recorder.opt.out, "%n") == NULL) {
		make_name(name, sizeof name, false, 0);
		const int fd = open_file(name);
		if (fd >= 0)
			close(fd);
	}
	errno = saved;
}

/* True if `pc` is near exit()'s start, in its call that runs handlers and does not return. */
static bool is_in_exit(uintptr_t pc)
{
	enum { EXIT_MOST = 64 };
	const uintptr_t start = recorder.real.exit_at;
	return start != 0 && pc - 1 - start < EXIT_MOST;
}

/* Returns the stack pointer at the return of main, or 0 if main did not return. If it did, the
 * caller of exit is a frame of the C library, with few frames outside of it. */
static uintptr_t returned_at(struct slot *s, const struct caller *from)
{
	enum { OUTER_MOST = 3 };
	unwind(s, from);
	for (uint32_t i = 2; i < s->frame_count && i <= OUTER_MOST + 1; i++)
		if (is_in_exit(s->frames[i].pc))
			return s->frames[i - 1].sp;
	return 0;
}

void snapshot_note_end(const struct caller *from, uintptr_t at)
{
	struct slot *s = recorder.opt.memory ? slot_enter(from->sp) : NULL;
	if (s == NULL)
		return;
	if (s->thread->ended_at == 0)
		s->thread->ended_at = at != 0 ? at : returned_at(s, from);
	slot_leave(s);
}

void snapshot_at_exit(void)
{
	/* After vfork, the memory still belongs to the parent. */
	if (atomic_load(&recorder.phase) == PHASE_RECORD &&
	    recorder.process->pid == (uint32_t)getpid())
		snapshot_write(false);
}

static void upon_signal(int number)
{
	(void)number;
	if (recorder.process->pid == (uint32_t)getpid())
		snapshot_write(true);
}

/* Installs the handler of a signal. Does nothing if the program handles or ignores the signal. A
 * handler that the program installs later replaces it. */
void snapshot_upon(int number)
{
	struct sigaction a;
	if (sigaction(number, NULL, &a) != 0 || a.sa_handler != SIG_DFL)
		return;
	memset(&a, 0, sizeof a);
	a.sa_handler = upon_signal;
	a.sa_flags = SA_RESTART | SA_ONSTACK;
	sigaction(number, &a, NULL);
}

/* Writes a snapshot now, for programs that look up this name. Returns 0, or -1 on failure. */
EXPORT int heft_heap_snapshot(void);

int heft_heap_snapshot(void)
{
	struct slot *s = slot_enter((uintptr_t)__builtin_frame_address(0));
	if (s == NULL)
		return -1;
	const bool good = snapshot_write(true);
	slot_leave(s);
	return good ? 0 : -1;
}
