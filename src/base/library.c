#include "base/library.h"

#include <dlfcn.h>

bool library_load(const char *const *files, const struct library_function *functions, size_t count)
{
	void *library = NULL;
	for (; !library && *files; files++)
		library = dlopen(*files, RTLD_NOW | RTLD_LOCAL);
	for (size_t i = 0; library && i < count; i++) {
		void *function = dlsym(library, functions[i].name);
		if (!function)
			return false;
		/* C does not let one cast to a pointer to a function. */
		memcpy(functions[i].ret, &function, sizeof function);
	}
	return library != NULL;
}
