/* Translates Mach-O names of sections to ELF's names. */
#include "image/macho/macho_internal.h"

static const struct {
	const char *section, *name;
} known[] = {
	/* Long names are truncated to 16 bytes. */
	{ "__text", ".text" },
	{ "__stubs", ".stubs" },
	{ "__cstring", ".rodata.str1.1" },
	{ "__ustring", ".rodata.ustring" },
	{ "__literal4", ".rodata.cst4" },
	{ "__literal8", ".rodata.cst8" },
	{ "__literal16", ".rodata.cst16" },
	{ "__literals", ".rodata.literals" },
	{ "__rodata", ".rodata" },
	{ "__const", ".data.rel.ro" },
	{ "__eh_frame", ".eh_frame" },
	{ "__gcc_except_tab", ".gcc_except_table" },
	{ "__bss", ".bss" },
	{ "__common", ".bss" },
	{ "__thread_data", ".tdata" },
	{ "__thread_bss", ".tbss" },
	{ "__thread_vars", ".data.thread" },
	{ "__cfstring", ".data.cfstring" },
	{ "__mod_init_func", ".ctors" },
	{ "__apple_names", ".debug_apple_names" },
	{ "__apple_types", ".debug_apple_types" },
	{ "__apple_objc", ".debug_apple_objc" },
	{ "__apple_namespac", ".debug_apple_namespaces" },
	{ "__debug_str_offs", ".debug_str_offsets" },
	{ "__debug_gnu_pubn", ".debug_gnu_pubnames" },
	{ "__debug_gnu_pubt", ".debug_gnu_pubtypes" },
};

struct str macho_section_name(struct macho *m, struct str segment, struct str section,
			      uint32_t flags)
{
	if (str_eq(segment, STR("__TEXT")) && str_eq(section, STR("__const")))
		return STR(".rodata");
	for (size_t i = 0; i < COUNT_OF(known); i++)
		if (str_eq(section, str_of(known[i].section)))
			return str_of(known[i].name);
	if (str_starts(section, STR("__objc_")) || str_starts(section, STR("__swift5_")))
		return str_of(
			arena_format(&m->build.im->arena, ".data." STR_FMT, STR_ARG(section)));
	if (flags & S_ATTR_PURE_INSTRUCTIONS)
		return STR(".text");
	if (!str_starts(section, STR("__")))
		return str_of(arena_copy(&m->build.im->arena, section));
	section = (struct str){ section.p + 2, section.len - 2 };
	return str_of(arena_format(&m->build.im->arena, "." STR_FMT, STR_ARG(section)));
}
