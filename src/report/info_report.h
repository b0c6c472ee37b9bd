/* info_report.h - writes what files are, one row per file. */
#ifndef HEFT_REPORT_INFO_REPORT_H
#define HEFT_REPORT_INFO_REPORT_H

#include "report/report.h"

/* Texts of a row. */
enum info_text {
	INFO_KIND,
	INFO_LINKED,
	INFO_FORMAT,
	INFO_MACHINE,
	INFO_SYMBOLS,
	INFO_DEBUG,
	INFO_DEBUG_PATH,
	INFO_DWARF,
	INFO_BUILD_ID,
	INFO_RELRO,
	INFO_PIE,
	INFO_NX,
	INFO_CANARY,
	INFO_FORTIFY,
	INFO_TEXTREL,
	INFO_FEATURES,
	INFO_RUNPATH,
	INFO_MEMBERS,
	INFO_RELOCATION_KINDS, /* Such as "relative 12, plt 3". */
	INFO_SAVING_KINDS,     /* Such as "debug info 1234, symbol table 56", in bytes. */
	INFO_COPY_OF,
	INFO_MADE_BY,
	INFO_PARTS,    /* Such as "NAME VERSION, NAME VERSION". */
	INFO_SETTINGS, /* Such as "NAME=VALUE, NAME=VALUE". */
	INFO_THREAD,   /* Bytes. */
	INFO_PACKAGE,
	INFO_OPENS, /* Such as "libx.so.1 (feature: priority), liby.so". */
	INFO_TEXTS,
};

enum info_measure { INFO_BYTES, INFO_RELOCATIONS, INFO_SAVINGS, INFO_COPIED, INFO_MEASURES };

extern const struct heft_text info_texts[INFO_TEXTS];
extern const struct heft_measure info_measures[INFO_MEASURES];

/* Writes a table with these texts and measures, and flushes `s`. */
bool info_report_write(const struct heft_table *t, const struct heft_write_opts *opts,
		       struct sink *s, struct heft_err *err);

#endif
