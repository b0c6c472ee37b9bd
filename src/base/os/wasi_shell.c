/* Implements shell.h for WASI: no signals, no terminal, no other programs. */
#include "base/os/shell.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

const char os_path_separator = ':', os_program_suffix[] = "";

void os_shell_start(int argc, char **argv, int trouble)
{
	(void)argc;
	(void)argv;
	(void)trouble; /* Inputs are read completely, so they cannot become shorter */
	/* WASI has no current folder. A host that opened "/" sets PWD to the user's folder. */
	const char *const at = getenv("PWD");
	if (at != NULL)
		(void)chdir(at);
}

bool os_own_path(char *ret, size_t room)
{
	(void)ret;
	(void)room;
	return false;
}

unsigned os_terminal_columns(void)
{
	return 0;
}

bool os_input_waits(int milliseconds)
{
	(void)milliseconds;
	return false;
}

void os_copy_rights(FILE *to, const char *from)
{
	(void)to;
	(void)from;
}

bool os_is_program(const char *path)
{
	(void)path;
	return false;
}

void os_become(const char *path, char *const *argv)
{
	(void)path;
	(void)argv;
	errno = ENOTSUP;
}

int os_run(const char *path, char *const *argv)
{
	(void)path;
	(void)argv;
	errno = ENOTSUP;
	return -1;
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

bool os_child_start(struct os_child *c, const char *const *argv, enum os_messages messages)
{
	(void)c;
	(void)argv;
	(void)messages;
	errno = ENOTSUP;
	return false;
}

int os_child_end(struct os_child *c)
{
	(void)c;
	return -1;
}
