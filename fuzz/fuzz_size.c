/* A whole run on a file: two sources, chosen by its last byte.  That the rows add up to the size is
 * checked by the library itself (basemap.h, api/run.c), which breaks the process if they do not. */
#include "heft.h"
#include "../tests/lib/sessions.h"

#include "base/base.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char *source_name(size_t wanted)
{
	const char *name = NULL, *about;
	size_t count = 0;
	while (heft_source(count, &name, &about))
		count++;
	heft_source(wanted % count, &name, &about);
	return name;
}

static bool write_file(int fd, const uint8_t *data, size_t size)
{
	while (size > 0) {
		const ssize_t done = write(fd, data, size);
		if (done <= 0)
			return false;
		data += done;
		size -= (size_t)done;
	}
	return true;
}

static void measure(const char *path, unsigned choice)
{
	struct heft_profile *p = ALONE_UNFOUND(heft_profile_new);
	if (heft_profile_add_source(p, source_name(choice), NULL) &&
	    heft_profile_add_source(p, source_name(choice / 16), NULL) &&
	    heft_profile_add_file(p, path, HEFT_INPUT, NULL))
		heft_profile_run(p, NULL);
	heft_profile_free(p);
}

/* The library checks that the nodes of the graph have all bytes. */
static void ask_why(const char *path)
{
	struct heft_graph *g = ALONE_UNFOUND(heft_graph_new);
	struct heft_why why = { .size = sizeof why };
	size_t count = 0;
	if (heft_graph_open(g, path, NULL) && heft_graph_ask(g, "main", &count, NULL))
		heft_graph_why(g, 0, &why, NULL);
	heft_graph_free(g);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char path[] = "/tmp/heft-fuzz-XXXXXX";
	const int fd = mkstemp(path);
	if (fd < 0)
		return 0;
	if (write_file(fd, data, size) && size > 0) {
		measure(path, data[size - 1]);
		ask_why(path);
	}
	close(fd);
	unlink(path);
	return 0;
}
