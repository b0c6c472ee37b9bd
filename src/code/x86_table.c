/* Defines the opcode maps: Intel SDM volume 2, appendix A, tables A-2 (one byte) and A-3 (0F). */
#include "code/x86_table.h"

/* Makes an attribute. Names of attributes have two letters, so that 8 opcodes fit a line. */
#define AT(class, imm, rm) (uint8_t)((CLASS_##class) << 4 | (rm) << 3 | (imm))

enum attr {
	o_ = AT(PLAIN, 0, 0),  /* The opcode is the whole instruction */
	b_ = AT(PLAIN, 1, 0),  /* imm8 */
	z_ = AT(PLAIN, 4, 0),  /* imm16/32 */
	e_ = AT(PLAIN, 3, 0),  /* enter: imm16, imm8 */
	M_ = AT(PLAIN, 0, 1),  /* ModRM */
	Mb = AT(PLAIN, 1, 1),  /* ModRM, imm8 */
	Mz = AT(PLAIN, 4, 1),  /* ModRM, imm16/32 */
	mv = AT(MOV, 4, 0),    /* mov register, imm */
	le = AT(LEA, 0, 1),    /* lea */
	n_ = AT(NOP, 0, 0),    /* nop */
	Mn = AT(NOP, 0, 1),    /* nop with an operand */
	r_ = AT(RET, 0, 0),    /* return */
	r2 = AT(RET, 2, 0),    /* return and pop imm16 */
	t_ = AT(TRAP, 0, 0),   /* int3, hlt, ud2 */
	Mt = AT(TRAP, 0, 1),   /* ud0, ud1 */
	c1 = AT(JCC, 1, 0),    /* conditional, rel8 */
	c4 = AT(JCC, 4, 0),    /* conditional, rel32 */
	j1 = AT(JMP, 1, 0),    /* jmp rel8 */
	j4 = AT(JMP, 4, 0),    /* jmp rel32 */
	k4 = AT(CALL, 4, 0),   /* call rel32 */
	G_ = AT(GROUP, 0, 1),  /* The ModRM byte selects the instruction */
	Gb = AT(GROUP, 1, 1),  /* The ModRM byte selects the instruction; imm8 */
	Gz = AT(GROUP, 4, 1),  /* The ModRM byte selects the instruction; imm16 or imm32 */
	a_ = AT(MOFFS, 0, 0),  /* Absolute address */
	f_ = AT(FAR, 0, 0),    /* Far pointer */
	x_ = AT(NO64, 0, 0),   /* Only i386 */
	xb = AT(NO64, 1, 0),   /* Only i386, with imm8 */
	Xb = AT(NO64, 1, 1),   /* Only i386, with ModRM and imm8 */
	p_ = AT(PREFIX, 0, 0), /* Prefix */
	s_ = AT(ESCAPE, 0, 0), /* Escape byte */
	V_ = AT(ESCAPE, 0, 1), /* VEX or EVEX, or an i386 instruction with ModRM */
	u_ = AT(NONE, 0, 0),   /* Undefined */
};

/* clang-format off */
const uint8_t x86_attr[2][256] = {
	{
		/* opcodes 00-0F */ M_, M_, M_, M_, b_, z_, x_, x_, M_, M_, M_, M_, b_, z_, x_, s_,
		/* opcodes 10-1F */ M_, M_, M_, M_, b_, z_, x_, x_, M_, M_, M_, M_, b_, z_, x_, x_,
		/* opcodes 20-2F */ M_, M_, M_, M_, b_, z_, p_, x_, M_, M_, M_, M_, b_, z_, p_, x_,
		/* opcodes 30-3F */ M_, M_, M_, M_, b_, z_, p_, x_, M_, M_, M_, M_, b_, z_, p_, x_,
		/* opcodes 40-4F */ x_, x_, x_, x_, x_, x_, x_, x_, x_, x_, x_, x_, x_, x_, x_, x_,
		/* opcodes 50-5F */ o_, o_, o_, o_, o_, o_, o_, o_, o_, o_, o_, o_, o_, o_, o_, o_,
		/* opcodes 60-6F */ x_, x_, V_, M_, p_, p_, p_, p_, z_, Mz, b_, Mb, o_, o_, o_, o_,
		/* opcodes 70-7F */ c1, c1, c1, c1, c1, c1, c1, c1, c1, c1, c1, c1, c1, c1, c1, c1,
		/* opcodes 80-8F */ Mb, Mz, Xb, Mb, M_, M_, M_, M_, M_, M_, M_, M_, M_, le, M_, G_,
		/* opcodes 90-9F */ n_, o_, o_, o_, o_, o_, o_, o_, o_, o_, f_, o_, o_, o_, o_, o_,
		/* opcodes A0-AF */ a_, a_, a_, a_, o_, o_, o_, o_, b_, z_, o_, o_, o_, o_, o_, o_,
		/* opcodes B0-BF */ b_, b_, b_, b_, b_, b_, b_, b_, mv, mv, mv, mv, mv, mv, mv, mv,
		/* opcodes C0-CF */ Mb, Mb, r2, r_, V_, V_, Gb, Gz, e_, o_, r2, r_, t_, b_, x_, r_,
		/* opcodes D0-DF */ M_, M_, M_, M_, xb, xb, x_, o_, M_, M_, M_, M_, M_, M_, M_, M_,
		/* opcodes E0-EF */ c1, c1, c1, c1, b_, b_, b_, b_, k4, j4, f_, j1, o_, o_, o_, o_,
		/* opcodes F0-FF */ p_, o_, p_, p_, t_, o_, G_, G_, o_, o_, o_, o_, o_, o_, G_, G_,
	}, {
		/* 0F, then 00-0F */ M_, M_, M_, M_, u_, o_, o_, r_, o_, o_, u_, t_, u_, M_, o_, Mb,
		/* 0F, then 10-1F */ M_, M_, M_, M_, M_, M_, M_, M_, M_, M_, M_, M_, M_, M_, M_, Mn,
		/* 0F, then 20-2F */ G_, G_, G_, G_, u_, u_, u_, u_, M_, M_, M_, M_, M_, M_, M_, M_,
		/* 0F, then 30-3F */ o_, o_, o_, o_, o_, r_, u_, o_, s_, u_, s_, u_, u_, u_, u_, u_,
		/* 0F, then 40-4F */ M_, M_, M_, M_, M_, M_, M_, M_, M_, M_, M_, M_, M_, M_, M_, M_,
		/* 0F, then 50-5F */ M_, M_, M_, M_, M_, M_, M_, M_, M_, M_, M_, M_, M_, M_, M_, M_,
		/* 0F, then 60-6F */ M_, M_, M_, M_, M_, M_, M_, M_, M_, M_, M_, M_, M_, M_, M_, M_,
		/* 0F, then 70-7F */ Mb, Mb, Mb, Mb, M_, M_, M_, o_, G_, M_, u_, u_, M_, M_, M_, M_,
		/* 0F, then 80-8F */ c4, c4, c4, c4, c4, c4, c4, c4, c4, c4, c4, c4, c4, c4, c4, c4,
		/* 0F, then 90-9F */ M_, M_, M_, M_, M_, M_, M_, M_, M_, M_, M_, M_, M_, M_, M_, M_,
		/* 0F, then A0-AF */ o_, o_, o_, M_, Mb, M_, M_, M_, o_, o_, r_, M_, Mb, M_, M_, M_,
		/* 0F, then B0-BF */ M_, M_, M_, M_, M_, M_, M_, M_, M_, Mt, Mb, M_, M_, M_, M_, M_,
		/* 0F, then C0-CF */ M_, M_, Mb, M_, Mb, Mb, Mb, M_, o_, o_, o_, o_, o_, o_, o_, o_,
		/* 0F, then D0-DF */ M_, M_, M_, M_, M_, M_, M_, M_, M_, M_, M_, M_, M_, M_, M_, M_,
		/* 0F, then E0-EF */ M_, M_, M_, M_, M_, M_, M_, M_, M_, M_, M_, M_, M_, M_, M_, M_,
		/* 0F, then F0-FF */ M_, M_, M_, M_, M_, M_, M_, M_, M_, M_, M_, M_, M_, M_, M_, Mt,
	},
};

/* Rows for the 8 values of rm. Each row occurs 8 times, because reg does not matter. */
#define MOD0 1, 1, 1, 1, 2 | X86_RM_SIB0, 5 | X86_RM_NOBASE, 1, 1
#define MOD1 2, 2, 2, 2, 3, 2, 2, 2
#define D4   5 | X86_RM_DISP4
#define MOD2 D4, D4, D4, D4, 6 | X86_RM_DISP4, D4, D4, D4
#define MOD3 1, 1, 1, 1, 1, 1, 1, 1

const uint8_t x86_modrm[256] = {
	MOD0, MOD0, MOD0, MOD0, MOD0, MOD0, MOD0, MOD0,
	MOD1, MOD1, MOD1, MOD1, MOD1, MOD1, MOD1, MOD1,
	MOD2, MOD2, MOD2, MOD2, MOD2, MOD2, MOD2, MOD2,
	MOD3, MOD3, MOD3, MOD3, MOD3, MOD3, MOD3, MOD3,
};

const char x86_width[2][257] = {
	"bzbz...." "bzbz...." /* opcodes 00-0F */
	"bzbz...." "bzbz...." /* opcodes 10-1F */
	"bzbz...." "bzbz...." /* opcodes 20-2F */
	"bzbz...." "bzbz...." /* opcodes 30-3F */
	"........" "........" /* opcodes 40-4F */
	"........" "........" /* opcodes 50-5F */
	"...d...." ".z.z...." /* opcodes 60-6F */
	"........" "........" /* opcodes 70-7F */
	"bzbzbzbz" "bzbzw.wp" /* opcodes 80-8F */
	"........" "........" /* opcodes 90-9F */
	"........" "........" /* opcodes A0-AF */
	"........" "........" /* opcodes B0-BF */
	"bz....bz" "........" /* opcodes C0-CF */
	"bzbz...." "d...q..." /* opcodes D0-DF */
	"........" "........" /* opcodes E0-EF */
	"......bz" "......b.", /* opcodes F0-FF */
	"..ww...." "........" /* 0F, then 00-0F */
	"ssqqvvqq" "........" /* 0F, then 10-1F */
	"........" "vv.v...." /* 0F, then 20-2F */
	"........" "........" /* 0F, then 30-3F */
	"zzzzzzzz" "zzzzzzzz" /* 0F, then 40-4F */
	".sssvvvv" "ss.vssss" /* 0F, then 50-5F */
	"mmmmmmmm" "mmmmmmzm" /* 0F, then 60-6F */
	"m...mmm." "....vv.m" /* 0F, then 70-7F */
	"........" "........" /* 0F, then 80-8F */
	"bbbbbbbb" "bbbbbbbb" /* 0F, then 90-9F */
	"...zzz.." "...zzz.z" /* 0F, then A0-AF */
	"bz.z..bw" "z.zzzzbw" /* 0F, then B0-BF */
	"bzszw.v." "........" /* 0F, then C0-CF */
	"vmmmmmq." "mmmmmmmm" /* 0F, then D0-DF */
	"mmmmmm.m" "mmmmmmmm" /* 0F, then E0-EF */
	".mmmmmm." "mmmmmmm." /* 0F, then F0-FF */
};
/* clang-format on */
