/* Implements shell.h for Windows. */
#include "base/os/shell.h"

#include <errno.h>
#include <fcntl.h>
#include <io.h>
#include <process.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#define WIN32_LEAN_AND_MEAN
#include <windows.h>

const char os_path_separator = ';', os_program_suffix[] = ".exe";

/* Streams keep line ends as they are. */
int _CRT_fmode = _O_BINARY;

void os_shell_start(int argc, char **argv, int trouble)
{
	(void)trouble; /* A mapped file cannot become shorter */
	for (int fd = 0; fd <= 2; fd++)
		_setmode(fd, _O_BINARY);
	SetConsoleOutputCP(CP_UTF8);
	/* Paths in heft have slashes. A word that names a file gets them. Other words, such as
	 * regular expressions, keep backslashes. */
	for (int i = 0; i < argc; i++)
		for (char *c = _access(argv[i], 0) == 0 ? strchr(argv[i], '\\') : NULL; c != NULL;
		     c = strchr(c, '\\'))
			*c = '/';
}

bool os_own_path(char *ret, size_t room)
{
	const DWORD size = GetModuleFileNameA(NULL, ret, (DWORD)room);
	if (size == 0 || size >= room)
		return false;
	for (; *ret != '\0'; ret++)
		if (*ret == '\\')
			*ret = '/';
	return true;
}

unsigned os_terminal_columns(void)
{
	CONSOLE_SCREEN_BUFFER_INFO is;
	const HANDLE out = GetStdHandle(STD_OUTPUT_HANDLE);
	if (!GetConsoleScreenBufferInfo(out, &is))
		return 0;
	return (unsigned)(is.srWindow.Right - is.srWindow.Left + 1);
}

/* True if a pipe has bytes. False for files and consoles. */
bool os_input_waits(int milliseconds)
{
	DWORD bytes = 0;
	const HANDLE in = GetStdHandle(STD_INPUT_HANDLE);
	if (GetFileType(in) != FILE_TYPE_PIPE)
		return false;
	if (PeekNamedPipe(in, NULL, 0, NULL, &bytes, NULL) && bytes == 0 && milliseconds > 0) {
		Sleep((DWORD)milliseconds);
		PeekNamedPipe(in, NULL, 0, NULL, &bytes, NULL);
	}
	return bytes > 0;
}

/* A file inherits the rights of its folder. */
void os_copy_rights(FILE *to, const char *from)
{
	(void)to;
	(void)from;
}

bool os_is_program(const char *path)
{
	const DWORD kinds = GetFileAttributesA(path);
	return kinds != INVALID_FILE_ATTRIBUTES && !(kinds & FILE_ATTRIBUTE_DIRECTORY);
}

/* Returns a word in quotes, so that the C library of the other program reads it as one word.
 * Doubles backslashes before quotes. NULL if there is no memory. */
static char *quoted_word(const char *word)
{
	char *const ret = malloc(2 * strlen(word) + 3), *to = ret;
	size_t slashes = 0;
	if (ret == NULL)
		return NULL;
	*to++ = '"';
	for (; *word != '\0'; word++) {
		if (*word == '"')
			for (slashes++; slashes > 0; slashes--)
				*to++ = '\\';
		slashes = *word == '\\' ? slashes + 1 : 0;
		*to++ = *word;
	}
	for (; slashes > 0; slashes--)
		*to++ = '\\';
	*to++ = '"';
	*to = '\0';
	return ret;
}

static void words_free(char **words)
{
	for (size_t i = 0; words != NULL && words[i] != NULL; i++)
		free(words[i]);
	free(words);
}

static char **words_quoted(const char *const *argv)
{
	size_t count = 0;
	while (argv[count] != NULL)
		count++;
	char **ret = calloc(count + 1, sizeof *ret);
	for (size_t i = 0; ret != NULL && i < count; i++) {
		ret[i] = quoted_word(argv[i]);
		if (ret[i] == NULL) {
			words_free(ret);
			return NULL;
		}
	}
	return ret;
}

int os_run(const char *path, char *const *argv)
{
	char **words = words_quoted((const char *const *)argv);
	const intptr_t status = words == NULL ? -1
					      : _spawnv(_P_WAIT, path, (const char *const *)words);
	words_free(words);
	return (int)status;
}

/* Windows cannot replace a program. So this starts the other one, and waits until it ends. */
void os_become(const char *path, char *const *argv)
{
	const int status = os_run(path, argv);
	if (status >= 0)
		exit(status);
}

/* Makes a descriptor refer to another file. Returns a descriptor of its previous file, or -1. */
static int fd_replace(int fd, int with)
{
	const int before = _dup(fd);
	if (before >= 0 && _dup2(with, fd) == 0)
		return before;
	if (before >= 0)
		_close(before);
	return -1;
}

static void fd_put_back(int fd, int before)
{
	if (before < 0)
		return;
	_dup2(before, fd);
	_close(before);
}

bool os_new_folder(char *path)
{
	(void)path;
	errno = ENOTSUP;
	return false;
}

void os_remove_folder(const char *path)
{
	(void)path;
}

static intptr_t start_with_output(const char *const *argv, int output, bool quiet)
{
	const int nothing = quiet ? _open("NUL", _O_WRONLY) : -1;
	char **words = words_quoted(argv);
	const int out = fd_replace(1, output);
	const int messages = nothing >= 0 ? fd_replace(2, nothing) : -1;
	const intptr_t id = words != NULL && out >= 0 && (!quiet || messages >= 0)
				    ? _spawnvp(_P_NOWAIT, argv[0], (const char *const *)words)
				    : -1;
	fd_put_back(1, out);
	fd_put_back(2, messages);
	if (nothing >= 0)
		_close(nothing);
	words_free(words);
	return id;
}

bool os_child_start(struct os_child *c, const char *const *argv, enum os_messages messages)
{
	int ends[2];
	fflush(stdout);
	if (_pipe(ends, 1 << 16, _O_BINARY | _O_NOINHERIT) != 0)
		return false;
	c->id = start_with_output(argv, ends[1], messages == OS_MESSAGES_DROPPED);
	_close(ends[1]);
	c->output = c->id != -1 ? _fdopen(ends[0], "rb") : NULL;
	if (c->output != NULL)
		return true;
	_close(ends[0]);
	return false;
}

int os_child_end(struct os_child *c)
{
	int status;
	fclose(c->output);
	return _cwait(&status, (intptr_t)c->id, 0) == (intptr_t)c->id ? status : -1;
}
