/* Lists the ready-made queries. */
#include "query/query.h"

static const struct query_named named[] = {
	{ "largest", "symbols by size",
	  "SELECT sum(file) file, sum(vm) vm, name symbol, path FROM charges "
	  "GROUP BY name, path ORDER BY max(sum(file), ifnull(sum(vm), 0)) DESC" },
	{ "sections", "sections by size",
	  "SELECT section, in_file, symbols, unique_symbols, padded, padding, container FROM "
	  "sections "
	  "ORDER BY padded DESC" },
	{ "templates", "templates by name: instances and their bytes",
	  "SELECT sum(padded_pss) padded, count(*) instances, count(DISTINCT template_name) "
	  "arguments, "
	  "name "
	  "FROM symbols WHERE template_name <> name AND kind = 'code' GROUP BY name "
	  "ORDER BY padded DESC" },
	{ "duplicates", "equal contents in several places: bytes of all copies but one",
	  "SELECT (count(*) - 1) * own copied, count(*) copies, own, count(DISTINCT full_name) "
	  "names, section, min(full_name) one_of_them FROM symbols WHERE alias_group = id AND "
	  "in_file AND own > 0 AND kind IN ('code', 'data', 'literal') AND contents NOT NULL "
	  "GROUP BY container, section, own, contents HAVING copies > 1 "
	  "ORDER BY copied DESC, one_of_them" },
	{ "initialisers", "static initialisers",
	  "SELECT padded_pss padded, full_name symbol, path FROM symbols WHERE section = '.text' "
	  "AND "
	  "(name = 'startup' OR name LIKE '\\_GLOBAL\\_\\_%' ESCAPE '\\' OR "
	  "name LIKE '\\_\\_cxx\\_global\\_var\\_init%' ESCAPE '\\' OR "
	  "name LIKE '\\_\\_static\\_initialization\\_and\\_destruction%' ESCAPE '\\') "
	  "ORDER BY padded DESC" },
	{ "literals", "string literals",
	  "SELECT sum(padded_pss) padded, count(*) uses, full_name literal, path FROM symbols "
	  "WHERE kind = 'literal' GROUP BY alias_group ORDER BY padded DESC" },
	{ "generated", "code and data from generated sources, by source",
	  "SELECT padded, symbols, source FROM sources WHERE generated ORDER BY padded DESC" },
	{ "padding", "gaps in front of symbols",
	  "SELECT padding, section, printf('0x%x', address) address, full_name symbol, path "
	  "FROM symbols WHERE alias_group = id AND padding > 0 AND kind <> 'overhead' "
	  "ORDER BY padding DESC" },
	{ "path-aliases", "one function of many objects, such as inline ones: how often",
	  "SELECT count(*) paths, own, section, full_name symbol FROM symbols "
	  "WHERE aliases > 1 GROUP BY alias_group, full_name HAVING paths > 1 "
	  "ORDER BY paths DESC, own DESC" },
	{ "folded", "functions of several names in one place: identical code",
	  "SELECT count(DISTINCT full_name) names, own, section, "
	  "min(full_name) one_of_them FROM symbols WHERE aliases > 1 GROUP BY alias_group "
	  "HAVING names > 1 ORDER BY (names - 1) * own DESC" },
	{ "sources", "source files by size",
	  "SELECT sum(file) file, sum(vm) vm, source, component FROM charges GROUP BY source "
	  "ORDER BY max(sum(file), ifnull(sum(vm), 0)) DESC" },
	{ "directories", "directories by size",
	  "SELECT sum(file) file, sum(vm) vm, count(DISTINCT source) files, directory "
	  "FROM charges GROUP BY directory ORDER BY max(sum(file), ifnull(sum(vm), 0)) DESC" },
	{ "objects", "object files by size",
	  "SELECT sum(file) file, sum(vm) vm, object FROM charges GROUP BY object "
	  "ORDER BY max(sum(file), ifnull(sum(vm), 0)) DESC" },
	{ "components", "components by size",
	  "SELECT sum(file) file, sum(vm) vm, count(DISTINCT source) sources, component "
	  "FROM charges GROUP BY component ORDER BY max(sum(file), ifnull(sum(vm), 0)) DESC" },
	{ "namespaces", "namespaces and classes by size",
	  "SELECT sum(file) file, sum(vm) vm, count(DISTINCT symbol) symbols, namespace "
	  "FROM charges GROUP BY namespace ORDER BY max(sum(file), ifnull(sum(vm), 0)) DESC" },
	{ "packages", "packages by size",
	  "SELECT sum(file) file, sum(vm) vm, count(DISTINCT symbol) symbols, package "
	  "FROM charges GROUP BY package ORDER BY max(sum(file), ifnull(sum(vm), 0)) DESC" },
	{ "vtables", "tables of virtual functions, type information",
	  "SELECT sum(padded_pss) padded, full_name symbol, path FROM symbols WHERE full_name LIKE "
	  "'%[vtable]' OR full_name LIKE '%[typeinfo%' OR full_name LIKE '%[VTT]' "
	  "GROUP BY full_name ORDER BY padded DESC" },
	{ "no-path", "what has neither source nor object",
	  "SELECT sum(padded_pss) padded, section, full_name symbol FROM symbols WHERE path = '' "
	  "AND "
	  "in_file "
	  "GROUP BY section, full_name ORDER BY padded DESC" },
	{ "bss", "variables that are zero at first, not in the file",
	  "SELECT padded_pss padded, section, full_name symbol, path FROM symbols WHERE NOT "
	  "in_file "
	  "ORDER BY padded DESC" },
};

bool query_named_at(size_t i, struct query_named *ret)
{
	if (i >= COUNT_OF(named))
		return false;
	*ret = named[i];
	return true;
}
