/* Loads SQLite. */
#include "query/sqlite.h"

#include "base/library.h"

#ifdef HEFT_LIBRARIES_LINKED

bool sqlite_is_there(void)
{
	return true;
}

#else

struct sqlite_functions sqlite_functions;

static struct {
	pthread_once_t once;
	bool loaded;
} sqlite = { .once = PTHREAD_ONCE_INIT };

static void sqlite_load(void)
{
	static const char *const files[] = { "libsqlite3.so.0", NULL };
	static const char *const names[] = { SQLITE_FUNCTIONS(LIBRARY_NAME) };
	sqlite.loaded = library_load_names(files, names, &sqlite_functions, COUNT_OF(names));
}

bool sqlite_is_there(void)
{
	pthread_once(&sqlite.once, sqlite_load);
	return sqlite.loaded;
}

#endif
