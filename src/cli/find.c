/* Passes options to the heft_finder, which locates the files of programs. */
#include "base/os/os.h"
#include "cli/cli.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static bool find_map_path(const struct cli *cli, struct heft_finder *f, const struct opt *o,
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

static void find_add_flag(struct heft_finder *f, enum heft_find_flag flag)
{
	heft_finder_set_flags(f, heft_finder_flags(f) | flag);
}

/* Returns the bytes of a unit: K, Ki and KiB are 1,024, KB is 1,000. 0 if the unit is unknown. */
static uint64_t unit_bytes(const char *unit)
{
	static const char letters[] = "KMGT";
	if (unit[0] == '\0' || strcmp(unit, "B") == 0)
		return 1;
	const char *letter = strchr(letters, unit[0] == 'k' ? 'K' : unit[0]);
	if (letter == NULL)
		return 0;
	const unsigned power = (unsigned)(letter - letters) + 1;
	uint64_t decimal = 1;
	for (unsigned i = 0; i < power; i++)
		decimal *= 1000;
	if (strcmp(unit + 1, "B") == 0)
		return decimal;
	return unit[1] == '\0' || strcmp(unit + 1, "i") == 0 || strcmp(unit + 1, "iB") == 0
		       ? UINT64_C(1) << 10 * power
		       : 0;
}

bool cli_parse_number(const char *text, bool hex, uint64_t *ret)
{
	char *end;
	const bool prefix = text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
	errno = 0;
	if (strchr("0123456789abcdefABCDEF", text[0]) == NULL || text[0] == '\0')
		return false;
	const unsigned long long n = strtoull(text, &end, hex || prefix ? 16 : 10);
	const uint64_t unit = hex ? *end == '\0' : unit_bytes(end);
	if (errno != 0 || unit == 0 || end == text || n > UINT64_MAX / unit)
		return false;
	*ret = n * unit;
	return true;
}

/* Applies "ADDR=FILE[:OFF]". A file name with a colon needs ":OFF". False after a message. */
static bool find_add_piece(const struct cli *cli, struct heft_finder *f, const struct opt *o,
			   const char *value)
{
	uint64_t addr, off = 0;
	char *text = strdup(value);
	if (text == NULL) {
		cli_error(cli, "out of memory");
		return false;
	}
	char *path = strchr(text, '=');
	if (path != NULL)
		*path++ = '\0';
	const bool good = path != NULL && cli_parse_number(text, true, &addr);
	char *colon = good ? strrchr(path, ':') : NULL;
	if (colon != NULL && cli_parse_number(colon + 1, false, &off))
		*colon = '\0';
	if (good)
		heft_finder_add_piece(f, path, addr, off);
	else
		cli_bad_value(cli, o, text, "ADDR=FILE[:OFFSET]");
	free(text);
	return good;
}

static bool find_set_address(const struct cli *cli, struct heft_finder *f, const struct opt *o,
			     const char *value)
{
	uint64_t addr;
	ASSERT(o->id == O_DUMP_BASE || o->id == O_DUMP_LOAD);
	if (!cli_parse_number(value, true, &addr))
		return cli_bad_value(cli, o, value, "an address");
	if (o->id == O_DUMP_BASE)
		heft_finder_set_base(f, addr);
	else
		heft_finder_set_load(f, addr);
	return true;
}

static bool set_order(const struct cli *cli, struct heft_finder *f, const struct opt *o,
		      const char *value)
{
	static const struct choice orders[] = { { "little", HEFT_LITTLE_ENDIAN },
						{ "big", HEFT_BIG_ENDIAN },
						{ NULL, 0 } };
	unsigned order;
	if (!cli_choice(cli, o, value, orders, &order))
		return false;
	heft_finder_set_byte_order(f, (enum heft_byte_order)order);
	return true;
}

static bool add_source_map(const struct cli *cli, struct heft_finder *f, const struct opt *o,
			   const char *value)
{
	char id[4096];
	const size_t len = strcspn(value, "=");
	if (value[len] != '=' || len == 0 || value[len + 1] == '\0' || len >= sizeof id)
		return cli_bad_value(cli, o, value, "an id, '=' and a file");
	memcpy(id, value, len);
	id[len] = '\0';
	heft_finder_add_source_map(f, id, value + len + 1);
	return true;
}

/* Applies "NAME=ADDR+SIZE". ADDR is hexadecimal, with or without 0x. False after a message. */
static bool find_add_region(const struct cli *cli, struct heft_finder *f, const struct opt *o,
			    const char *value)
{
	char text[256];
	uint64_t origin, length;
	struct heft_err err;
	const size_t len = strlen(value);
	char *equals = NULL, *plus = NULL;
	if (len < sizeof text) {
		memcpy(text, value, len + 1);
		equals = strrchr(text, '=');
		plus = equals != NULL ? strchr(equals, '+') : NULL;
	}
	if (plus == NULL)
		return cli_bad_value(cli, o, value, "NAME=ADDR+SIZE");
	*equals = *plus = '\0';
	if (!cli_parse_number(equals + 1, true, &origin) ||
	    !cli_parse_number(plus + 1, false, &length))
		return cli_bad_value(cli, o, value, "NAME=ADDR+SIZE");
	if (heft_finder_add_region(f, text, origin, length, &err))
		return true;
	cli_failed(cli, &err);
	return false;
}

bool cli_find(const struct cli *cli, struct heft_session *s, const struct opt *o, const char *value)
{
	struct heft_finder *f = heft_session_finder(s);
	struct heft_err err;
	struct os_file is;
	uint64_t word;
	switch (o->id) {
	case O_DEBUG_FILE: heft_finder_add_debug_file(f, value); break;
	case O_NO_SEARCH: find_add_flag(f, HEFT_FIND_NO_DEBUG); break;
	case O_DSYM: heft_finder_add_debug_file(f, value); break;
	case O_ARCH: heft_finder_set_arch(f, value); break;
	case O_SOURCE_MAP: return add_source_map(cli, f, o, value);
	case O_MAP: heft_finder_add_map(f, value); break;
	case O_CALLS: heft_finder_set_calls(f, value); break;
	case O_STACK_USAGE: heft_finder_add_stack_usage(f, value); break;
	case O_REGION: return find_add_region(cli, f, o, value);
	case O_NO_MAP: find_add_flag(f, HEFT_FIND_NO_MAP); break;
	case O_DEBUG_DIR:
		if (!os_path_look(value, &is) || is.kind != OS_FOLDER)
			cli_error(cli, "note: --debug-dir: there is no folder '%s'", value);
		heft_finder_add_debug_dir(f, value);
		break;
	case O_SYSROOT:
		if (!os_path_look(value, &is) || is.kind != OS_FOLDER)
			return cli_bad_value(cli, o, value, "a folder that exists");
		heft_finder_set_sysroot(f, value);
		break;
	case O_PATH_MAP: return find_map_path(cli, f, o, value);
	case O_STRIP_PREFIX:
		if (heft_finder_strip_prefix(f, value, &err))
			break;
		cli_failed(cli, &err);
		return false;
	case O_EXE: heft_finder_add_program(f, value); break;
	case O_DUMP_BASE:
	case O_DUMP_LOAD: return find_set_address(cli, f, o, value);
	case O_DUMP_AT: return find_add_piece(cli, f, o, value);
	case O_DUMP_WORD:
		if (!cli_parse_number(value, false, &word) || (word != 4 && word != 8))
			return cli_bad_value(cli, o, value, "4 or 8");
		heft_finder_set_word(f, (unsigned)word);
		break;
	case O_DUMP_ENDIAN: return set_order(cli, f, o, value);
	default: break;
	}
	return true;
}
