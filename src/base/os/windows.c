/* Implements os.h for Windows, with the POSIX functions of mingw-w64's C library.
 *
 * File names are UTF-8, because heft.exe's manifest says so (windows/heft.manifest). */
#include "base/os/os.h"
#include "base/os/scratch_memory.h"

#include <errno.h>
#include <fcntl.h>
#include <io.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#define WIN32_LEAN_AND_MEAN
#include <windows.h>

static void windows_set_errno(void)
{
	switch (GetLastError()) {
	case ERROR_FILE_NOT_FOUND:
	case ERROR_PATH_NOT_FOUND:
	case ERROR_INVALID_NAME:
	case ERROR_BAD_PATHNAME: errno = ENOENT; break;
	case ERROR_ACCESS_DENIED:
	case ERROR_SHARING_VIOLATION: errno = EACCES; break;
	case ERROR_ALREADY_EXISTS:
	case ERROR_FILE_EXISTS: errno = EEXIST; break;
	case ERROR_NOT_ENOUGH_MEMORY:
	case ERROR_COMMITMENT_LIMIT:
	case ERROR_OUTOFMEMORY: errno = ENOMEM; break;
	case ERROR_DISK_FULL: errno = ENOSPC; break;
	default: errno = EIO; break;
	}
}

size_t os_page_size(void)
{
	SYSTEM_INFO info;
	GetSystemInfo(&info);
	return info.dwPageSize;
}

void *os_pages_new(size_t size, bool sparse)
{
	(void)sparse;
	void *p = VirtualAlloc(NULL, size, MEM_RESERVE | MEM_COMMIT, PAGE_READWRITE);
	if (!p)
		windows_set_errno();
	return p;
}

void os_pages_free(void *p, size_t size)
{
	(void)size;
	VirtualFree(p, 0, MEM_RELEASE);
}

/* Does nothing for pages of mapped files. */
void os_pages_drop(void *p, size_t size)
{
	VirtualAlloc(p, size, MEM_RESET, PAGE_READWRITE);
}

static bool windows_look(HANDLE h, struct os_file *ret)
{
	enum { TICKS = 10000000 };
	static const int64_t seconds_to_1970 = 11644473600; /* FILETIME counts from 1601 */
	BY_HANDLE_FILE_INFORMATION is;
	const DWORD type = GetFileType(h);
	*ret = (struct os_file){ .kind = type == FILE_TYPE_PIPE ? OS_PIPE : OS_OTHER };
	if (type != FILE_TYPE_DISK)
		return true;
	if (!GetFileInformationByHandle(h, &is)) {
		windows_set_errno();
		return false;
	}
	const uint64_t ticks = (uint64_t)is.ftLastWriteTime.dwHighDateTime << 32 |
			       is.ftLastWriteTime.dwLowDateTime;
	const DWORD kinds = is.dwFileAttributes;
	ret->kind = kinds & FILE_ATTRIBUTE_REPARSE_POINT ? OS_LINK
		    : kinds & FILE_ATTRIBUTE_DIRECTORY   ? OS_FOLDER
							 : OS_FILE;
	ret->size = ret->stored = (uint64_t)is.nFileSizeHigh << 32 | is.nFileSizeLow;
	ret->device = is.dwVolumeSerialNumber;
	ret->inode = (uint64_t)is.nFileIndexHigh << 32 | is.nFileIndexLow;
	ret->modified = (int64_t)(ticks / TICKS) - seconds_to_1970;
	return true;
}

static bool windows_look_at(const char *path, DWORD flags, struct os_file *ret)
{
	const HANDLE h = CreateFileA(path, FILE_READ_ATTRIBUTES,
				     FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE, NULL,
				     OPEN_EXISTING, FILE_FLAG_BACKUP_SEMANTICS | flags, NULL);
	if (h == INVALID_HANDLE_VALUE) {
		windows_set_errno();
		return false;
	}
	const bool good = windows_look(h, ret);
	CloseHandle(h);
	return good;
}

bool os_fd_look(int fd, struct os_file *ret)
{
	return windows_look((HANDLE)_get_osfhandle(fd), ret);
}

bool os_path_look(const char *path, struct os_file *ret)
{
	return windows_look_at(path, 0, ret);
}

bool os_entry_look(const char *path, struct os_file *ret)
{
	return windows_look_at(path, FILE_FLAG_OPEN_REPARSE_POINT, ret);
}

/* Fails with EISDIR for a folder, for which _open() gives EACCES. */
int os_open(const char *path, bool waits)
{
	struct os_file is;
	(void)waits;
	const int fd = _open(path, _O_RDONLY | _O_BINARY | _O_NOINHERIT);
	if (fd < 0 && errno == EACCES && os_path_look(path, &is) && is.kind == OS_FOLDER)
		errno = EISDIR;
	return fd;
}

int os_dup(int fd)
{
	return _dup(fd);
}

void *os_map(int fd, size_t size, bool sparse)
{
	(void)sparse;
	const HANDLE file = (HANDLE)_get_osfhandle(fd);
	const HANDLE mapping = CreateFileMappingA(file, NULL, PAGE_READONLY, 0, 0, NULL);
	void *p = mapping ? MapViewOfFile(mapping, FILE_MAP_READ, 0, 0, size) : NULL;
	if (!p)
		windows_set_errno();
	if (mapping)
		CloseHandle(mapping);
	return p;
}

/* On Windows, a mapped file cannot become shorter, so it is mapped. */
void *os_copy(int fd, size_t size)
{
	return os_map(fd, size, false);
}

void os_unmap(void *p, size_t size)
{
	if (!UnmapViewOfFile(p))
		os_pages_free(p, size);
}

char *os_real_path(const char *path)
{
	struct os_file is;
	char *real = os_path_look(path, &is) ? _fullpath(NULL, path, 0) : NULL;
	for (char *p = real; p && *p; p++)
		if (*p == '\\')
			*p = '/';
	return real;
}

/* Ignores `shared`: a file inherits the rights of its folder. */
int os_new_file(char *path, bool shared)
{
	char *const stamp = path + strlen(path) - 6;
	char name[7];
	static LONG count;
	(void)shared;
	for (unsigned tries = 0; tries < 1000; tries++) {
		const unsigned long long n = GetTickCount64() ^
					     (unsigned long long)GetCurrentProcessId() << 8 ^
					     (unsigned long long)InterlockedIncrement(&count);
		snprintf(name, sizeof name, "%06x", (unsigned)(n & 0xffffff));
		memcpy(stamp, name, 6);
		const int fd = _open(path, _O_RDWR | _O_CREAT | _O_EXCL | _O_BINARY | _O_NOINHERIT,
				     _S_IREAD | _S_IWRITE);
		if (fd >= 0 || errno != EEXIST)
			return fd;
	}
	return -1;
}

bool os_rename(const char *from, const char *to)
{
	if (MoveFileExA(from, to, MOVEFILE_REPLACE_EXISTING))
		return true;
	windows_set_errno();
	return false;
}

bool os_make_folder(const char *path)
{
	if (CreateDirectoryA(path, NULL))
		return true;
	windows_set_errno();
	return false;
}

/* Does not examine who may write to a folder, so trusts none. */
bool os_is_own_folder(const char *path)
{
	(void)path;
	return false;
}

/* SCRATCH_BITS: log2 of the reserved addresses in bytes. SCRATCH_STEP: number of bytes that are
 * added at a time. */
enum { SCRATCH_BITS = 38, SCRATCH_STEP = 16 << 20 };

bool os_scratch_open(struct os_scratch *s)
{
	*s = (struct os_scratch){ .fd = -1 };
	const unsigned bits = sizeof(void *) > 4 ? SCRATCH_BITS : 29;
	s->p = VirtualAlloc(NULL, (size_t)1 << bits, MEM_RESERVE, PAGE_NOACCESS);
	if (!s->p)
		windows_set_errno();
	return s->p != NULL;
}

uint64_t os_scratch_room(const struct os_scratch *s)
{
	MEMORYSTATUSEX now = { .dwLength = sizeof now };
	(void)s;
	return GlobalMemoryStatusEx(&now) ? now.ullAvailPageFile : UINT64_MAX;
}

bool scratch_reach(struct os_scratch *s, uint64_t end)
{
	if (end <= s->size)
		return true;
	const uint64_t grown = (end + SCRATCH_STEP - 1) / SCRATCH_STEP * SCRATCH_STEP;
	if (!VirtualAlloc(s->p + s->size, (size_t)(grown - s->size), MEM_COMMIT, PAGE_READWRITE)) {
		windows_set_errno();
		return false;
	}
	s->size = grown;
	return true;
}

void os_scratch_close(struct os_scratch *s)
{
	if (s->p)
		os_pages_free(s->p, 0);
	s->p = NULL;
}

void *os_library_open(const char *name)
{
	return (void *)LoadLibraryA(name);
}

void *os_library_find(void *library, const char *name)
{
	void *ret;
	const FARPROC found = GetProcAddress((HMODULE)library, name);
	memcpy(&ret, &found, sizeof ret);
	return ret;
}

unsigned os_processors(void)
{
	SYSTEM_INFO info;
	GetSystemInfo(&info);
	return info.dwNumberOfProcessors > 0 ? info.dwNumberOfProcessors : 1;
}

/* Returns the bounds of the reserved stack, to which the system adds pages as needed. */
bool os_stack_bounds(uintptr_t *ret_low, uintptr_t *ret_high)
{
	MEMORY_BASIC_INFORMATION here = { .AllocationBase = NULL };
	const NT_TIB *const block = (const NT_TIB *)NtCurrentTeb();
	if (VirtualQuery(&here, &here, sizeof here) == 0)
		return false;
	*ret_low = (uintptr_t)here.AllocationBase;
	*ret_high = (uintptr_t)block->StackBase;
	return true;
}
