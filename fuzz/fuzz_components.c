/* Input: a table of components; behind its first empty line a path.  What is found is a component
 * of the table, and the same one however often it is asked for. */
#include "project/components.h"

static bool is_known(const struct components *c, const char *component)
{
	for (size_t i = 0; i < c->rules.count; i++)
		if (strcmp(c->rules.data[i].component, component) == 0)
			return true;
	return component[0] == '\0';
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct components c = { 0 };
	size_t end = 0;
	while (end < size && !(data[end] == '\n' && (end + 1 == size || data[end + 1] == '\n')))
		end++;
	const size_t behind = end + 2 < size ? end + 2 : size;
	const struct str path = { (const char *)data + behind, size - behind };
	components_parse(&c, (struct bytes){ data, end });
	const char *found = components_find(&c, path);
	ASSERT(is_known(&c, found));
	ASSERT(strcmp(found, components_find(&c, path)) == 0);
	components_close(&c);
	return 0;
}
