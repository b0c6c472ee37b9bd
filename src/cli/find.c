#include "cli/cli.h"

#include <stdlib.h>
#include <string.h>

static bool map_path(const struct cli *cli, struct heft_finder *f, const struct opt *o,
		     const char *value)
{
	struct heft_err err;
	const char *equals = strchr(value, '=');
	char *from = equals != NULL ? strndup(value, (size_t)(equals - value)) : NULL;
	if (from == NULL)
		return cli_bad_value(cli, o, value, "OLD=NEW");
	const bool ok = heft_finder_map_path(f, from, equals + 1, &err);
	if (!ok)
		cli_failed(cli, &err);
	free(from);
	return ok;
}

static bool strip_prefix(const struct cli *cli, struct heft_finder *f, const char *value)
{
	struct heft_err err;
	if (heft_finder_strip_prefix(f, value, &err))
		return true;
	cli_failed(cli, &err);
	return false;
}

static void add_flag(struct heft_finder *f, enum heft_find_flag flag)
{
	heft_finder_set_flags(f, heft_finder_flags(f) | flag);
}

bool cli_find(const struct cli *cli, struct heft_finder *f, const struct opt *o, const char *value)
{
	switch (o->id) {
	case O_DEBUG_FILE: heft_finder_add_debug_file(f, value); break;
	case O_DEBUG_DIR: heft_finder_add_debug_dir(f, value); break;
	case O_NO_SEARCH: add_flag(f, HEFT_FIND_NO_DEBUG); break;
	case O_MAP: heft_finder_add_map(f, value); break;
	case O_NO_MAP: add_flag(f, HEFT_FIND_NO_MAP); break;
	case O_SYSROOT: heft_finder_set_sysroot(f, value); break;
	case O_PATH_MAP: return map_path(cli, f, o, value);
	case O_STRIP_PREFIX: return strip_prefix(cli, f, value);
	case O_EXE: heft_finder_add_program(f, value); break;
	default: break;
	}
	return true;
}
