/* x86_table.h - describes each opcode and ModRM byte with one byte of attributes.
 *
 * Attribute of an opcode. Bits 0-2: size of the immediate or branch displacement. Size 4 means
 * "operand size, at most 32 bits": a 66 prefix makes it 2. Bit 3: a ModRM byte follows. Bits 4-7: a
 * class. */
#pragma once

#include "base/base.h"

#define X86_IMM    0x07
#define X86_HAS_RM 0x08

enum x86_class {
	CLASS_PLAIN,
	CLASS_LEA,
	CLASS_MOV, /* B8-BF: REX.W makes the immediate 8 bytes */
	CLASS_NOP, /* Classes from here on are not plain instructions */
	CLASS_RET,
	CLASS_TRAP,
	CLASS_JCC,
	CLASS_JMP,
	CLASS_CALL,
	CLASS_GROUP,  /* The ModRM byte selects the instruction */
	CLASS_MOFFS,  /* A0-A3: an address instead of ModRM */
	CLASS_FAR,    /* ptr16:32, i386 only; jmpabs */
	CLASS_NO64,   /* Plain in i386. In 64-bit mode undefined, or REX. */
	CLASS_PREFIX, /* Legacy prefixes */
	CLASS_ESCAPE, /* 0F, 0F38, 0F3A, VEX, EVEX */
	CLASS_NONE,   /* Undefined */
};

static inline enum x86_class x86_class_of(uint8_t attr)
{
	return (enum x86_class)(attr >> 4);
}

/* Attributes of one-byte opcodes, and of opcodes after 0F. All opcodes after 0F38 have ModRM. All
 * opcodes after 0F3A have ModRM and imm8. */
extern const uint8_t x86_attr[2][256];

/* Attributes of a ModRM byte under 32- and 64-bit addressing. Bits 0-2: total size of ModRM, SIB
 * and displacement, to which a flag may add. */
#define X86_RM_LEN    0x07
#define X86_RM_DISP4  0x08 /* mod 2: a 32-bit displacement at the end */
#define X86_RM_NOBASE 0x10 /* mod 0, rm 5: disp32, relative to rip in 64-bit mode */
#define X86_RM_SIB0   0x20 /* mod 0 with SIB: 4 bytes more if its base is 5 */

extern const uint8_t x86_modrm[256];

/* Width of the memory operand of each opcode, as a letter. Indexes are those of x86_attr. b w d q
 * are 1 2 4 8 bytes, t is 10. z: operand size, p: pointer. s: scalar (by mandatory prefix) or a
 * whole vector. v: vector, m: MMX or vector, '.': unknown. */
extern const char x86_width[2][257];
