#include "base/library.h"

#include "base/os/os.h"

static void *library_open_any(const char *const *files)
{
	void *library = NULL;
	for (; !library && *files; files++)
		library = os_library_open(*files);
	return library;
}

/* Looks up a function. False if there is none. Sets *ret, a function pointer of any type, by
 * copying bytes, because C forbids the cast. */
static bool function_find(void *library, const char *name, void *ret)
{
	void *function = os_library_find(library, name);
	memcpy(ret, &function, sizeof function);
	return function != NULL;
}

bool library_load(const char *const *files, const struct library_function *functions, size_t count)
{
	void *library = library_open_any(files);
	bool good = library != NULL;
	for (size_t i = 0; good && i < count; i++)
		good = function_find(library, functions[i].name, functions[i].ret);
	return good;
}

bool library_load_names(const char *const *files, const char *const *names, void *pointers,
			size_t count)
{
	void *library = library_open_any(files);
	bool good = library != NULL;
	for (size_t i = 0; good && i < count; i++)
		good = function_find(library, names[i], (char *)pointers + i * sizeof(void *));
	return good;
}
