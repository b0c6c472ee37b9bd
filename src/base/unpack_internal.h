/* unpack_internal.h - what the files of unpack.h share. */
#ifndef HEFT_BASE_UNPACK_INTERNAL_H
#define HEFT_BASE_UNPACK_INTERNAL_H

#include "base/unpack.h"

/* Most bytes that a section of so many packed ones may unpack to. */
uint64_t unpack_section_max(uint64_t packed);
/* unpack_efi.c: UNPACK_EFI (4 bits) and UNPACK_TIANO (5 bits). */
bool unpack_efi(struct bytes packed, unsigned position_bits, struct bytes *ret,
		struct heft_err *err);

#endif
