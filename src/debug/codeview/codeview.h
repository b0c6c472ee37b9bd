/* codeview.h - defines the numbers of CodeView, the records of symbols and types in a PDB
 * (Microsoft, cvinfo.h; LLVM, "CodeView Symbol Records" and "CodeView Type Records"). */
#pragma once

#include "base/reader.h"

enum { S_END = 0x0006, S_THUNK32 = 0x1102, S_BLOCK32 = 0x1103, S_LDATA32 = 0x110c };
enum { S_GDATA32 = 0x110d, S_PUB32 = 0x110e, S_LPROC32 = 0x110f, S_GPROC32 = 0x1110 };
enum { S_LTHREAD32 = 0x1112, S_GTHREAD32 = 0x1113, S_SEPCODE = 0x1132, S_LPROC32_ID = 0x1146 };
enum { S_GPROC32_ID = 0x1147, S_BUILDINFO = 0x114c, S_INLINESITE = 0x114d };
enum { S_INLINESITE_END = 0x114e, S_PROC_ID_END = 0x114f, S_LPROC32_DPC = 0x1155 };
enum { S_LPROC32_DPC_ID = 0x1156, S_INLINESITE2 = 0x115d };

enum { LF_MODIFIER = 0x1001, LF_POINTER = 0x1002, LF_ARRAY = 0x1503, LF_CLASS = 0x1504 };
enum { LF_STRUCTURE = 0x1505, LF_UNION = 0x1506, LF_ENUM = 0x1507, LF_INTERFACE = 0x1519 };
enum { LF_FUNC_ID = 0x1601, LF_MFUNC_ID = 0x1602, LF_BUILDINFO = 0x1603, LF_STRING_ID = 0x1605 };

enum { DEBUG_S_LINES = 0xf2, DEBUG_S_FILECHKSMS = 0xf4, DEBUG_S_INLINEELINES = 0xf6 };

/* Reads one record: its length (of kind and contents), its kind, its contents. False at the end.
 * Also false if the length is damaged; then r is bad. */
static inline bool read_record(struct reader *r, uint16_t *ret_kind, struct reader *ret)
{
	if (reader_left(r) < 4)
		return false;
	const uint16_t size = read_u16(r);
	*ret = read_sub(r, size);
	*ret_kind = read_u16(ret);
	return reader_ok(r) && reader_ok(ret);
}
