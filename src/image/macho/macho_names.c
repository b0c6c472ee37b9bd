/* Translates Mach-O names of sections to ELF's names. */
#include "image/macho/macho_internal.h"

static const struct {
	const char *segment, *section; /* `segment` is NULL for any segment. */
	const char *name;
} known[] = {
	{ NULL, "__text", ".text" },
	{ NULL, "__stubs", ".stubs" },
	{ NULL, "__cstring", ".rodata.str1.1" },
	{ NULL, "__ustring", ".rodata.ustring" },
	{ NULL, "__literal4", ".rodata.cst4" },
	{ NULL, "__literal8", ".rodata.cst8" },
	{ NULL, "__literal16", ".rodata.cst16" },
	{ NULL, "__literals", ".rodata.literals" },
	{ "__TEXT", "__const", ".rodata" },
	{ NULL, "__rodata", ".rodata" },
	{ NULL, "__const", ".data.rel.ro" },
	{ NULL, "__eh_frame", ".eh_frame" },
	{ NULL, "__gcc_except_tab", ".gcc_except_table" },
	{ NULL, "__bss", ".bss" },
	{ NULL, "__common", ".bss" },
	{ NULL, "__thread_data", ".tdata" },
	{ NULL, "__thread_bss", ".tbss" },
	{ NULL, "__thread_vars", ".data.thread" },
	{ NULL, "__cfstring", ".data.cfstring" },
	{ NULL, "__mod_init_func", ".ctors" },
	{ NULL, "__apple_names", ".debug_apple_names" },
	{ NULL, "__apple_types", ".debug_apple_types" },
	{ NULL, "__apple_objc", ".debug_apple_objc" },
	/* These names are cut to 16 bytes. */
	{ NULL, "__apple_namespac", ".debug_apple_namespaces" },
	{ NULL, "__debug_str_offs", ".debug_str_offsets" },
	{ NULL, "__debug_gnu_pubn", ".debug_gnu_pubnames" },
	{ NULL, "__debug_gnu_pubt", ".debug_gnu_pubtypes" },
};

struct str macho_section_name(struct macho *m, struct str segment, struct str section,
			      uint32_t flags)
{
	for (size_t i = 0; i < COUNT_OF(known); i++)
		if (str_eq(section, str_of(known[i].section)) &&
		    (!known[i].segment || str_eq(segment, str_of(known[i].segment))))
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
