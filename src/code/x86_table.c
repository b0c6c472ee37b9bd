/* Defines the opcode maps: Intel SDM volume 2, appendix A, tables A-2 (one byte) and A-3 (0F). */
#include "code/x86_table.h"

/* Attribute names have two letters, so that a row of 8 opcodes fits one line. */
#define AT(class, imm, rm) (uint8_t)((CLASS_##class) << 4 | (rm) << 3 | (imm))

enum attr {
	o_ = AT(PLAIN, 0, 0),  /* Nothing follows */
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
	G_ = AT(GROUP, 0, 1),  /* The ModRM byte selects the instruction. */
	Gb = AT(GROUP, 1, 1),  /* The same, with imm8. */
	Gz = AT(GROUP, 4, 1),  /* The same, with imm16 or imm32. */
	a_ = AT(MOFFS, 0, 0),  /* absolute address */
	f_ = AT(FAR, 0, 0),    /* far pointer */
	x_ = AT(NO64, 0, 0),   /* i386 only */
	xb = AT(NO64, 1, 0),   /* i386 only, with imm8 */
	Xb = AT(NO64, 1, 1),   /* i386 only, with ModRM and imm8 */
	p_ = AT(PREFIX, 0, 0), /* prefix */
	s_ = AT(ESCAPE, 0, 0), /* escape */
	V_ = AT(ESCAPE, 0, 1), /* VEX or EVEX, or the i386 instruction with ModRM */
	u_ = AT(NONE, 0, 0),   /* undefined */
};

/* clang-format off */
const uint8_t x86_attr[2][256] = {
	{
		/* 00 */ M_, M_, M_, M_, b_, z_, x_, x_, M_, M_, M_, M_, b_, z_, x_, s_,
		/* 10 */ M_, M_, M_, M_, b_, z_, x_, x_, M_, M_, M_, M_, b_, z_, x_, x_,
		/* 20 */ M_, M_, M_, M_, b_, z_, p_, x_, M_, M_, M_, M_, b_, z_, p_, x_,
		/* 30 */ M_, M_, M_, M_, b_, z_, p_, x_, M_, M_, M_, M_, b_, z_, p_, x_,
		/* 40 */ x_, x_, x_, x_, x_, x_, x_, x_, x_, x_, x_, x_, x_, x_, x_, x_,
		/* 50 */ o_, o_, o_, o_, o_, o_, o_, o_, o_, o_, o_, o_, o_, o_, o_, o_,
		/* 60 */ x_, x_, V_, M_, p_, p_, p_, p_, z_, Mz, b_, Mb, o_, o_, o_, o_,
		/* 70 */ c1, c1, c1, c1, c1, c1, c1, c1, c1, c1, c1, c1, c1, c1, c1, c1,
		/* 80 */ Mb, Mz, Xb, Mb, M_, M_, M_, M_, M_, M_, M_, M_, M_, le, M_, G_,
		/* 90 */ n_, o_, o_, o_, o_, o_, o_, o_, o_, o_, f_, o_, o_, o_, o_, o_,
		/* A0 */ a_, a_, a_, a_, o_, o_, o_, o_, b_, z_, o_, o_, o_, o_, o_, o_,
		/* B0 */ b_, b_, b_, b_, b_, b_, b_, b_, mv, mv, mv, mv, mv, mv, mv, mv,
		/* C0 */ Mb, Mb, r2, r_, V_, V_, Gb, Gz, e_, o_, r2, r_, t_, b_, x_, r_,
		/* D0 */ M_, M_, M_, M_, xb, xb, x_, o_, M_, M_, M_, M_, M_, M_, M_, M_,
		/* E0 */ c1, c1, c1, c1, b_, b_, b_, b_, k4, j4, f_, j1, o_, o_, o_, o_,
		/* F0 */ p_, o_, p_, p_, t_, o_, G_, G_, o_, o_, o_, o_, o_, o_, G_, G_,
	}, {
		/* 00 */ M_, M_, M_, M_, u_, o_, o_, r_, o_, o_, u_, t_, u_, M_, o_, Mb,
		/* 10 */ M_, M_, M_, M_, M_, M_, M_, M_, M_, M_, M_, M_, M_, M_, M_, Mn,
		/* 20 */ G_, G_, G_, G_, u_, u_, u_, u_, M_, M_, M_, M_, M_, M_, M_, M_,
		/* 30 */ o_, o_, o_, o_, o_, r_, u_, o_, s_, u_, s_, u_, u_, u_, u_, u_,
		/* 40 */ M_, M_, M_, M_, M_, M_, M_, M_, M_, M_, M_, M_, M_, M_, M_, M_,
		/* 50 */ M_, M_, M_, M_, M_, M_, M_, M_, M_, M_, M_, M_, M_, M_, M_, M_,
		/* 60 */ M_, M_, M_, M_, M_, M_, M_, M_, M_, M_, M_, M_, M_, M_, M_, M_,
		/* 70 */ Mb, Mb, Mb, Mb, M_, M_, M_, o_, G_, M_, u_, u_, M_, M_, M_, M_,
		/* 80 */ c4, c4, c4, c4, c4, c4, c4, c4, c4, c4, c4, c4, c4, c4, c4, c4,
		/* 90 */ M_, M_, M_, M_, M_, M_, M_, M_, M_, M_, M_, M_, M_, M_, M_, M_,
		/* A0 */ o_, o_, o_, M_, Mb, M_, M_, M_, o_, o_, r_, M_, Mb, M_, M_, M_,
		/* B0 */ M_, M_, M_, M_, M_, M_, M_, M_, M_, Mt, Mb, M_, M_, M_, M_, M_,
		/* C0 */ M_, M_, Mb, M_, Mb, Mb, Mb, M_, o_, o_, o_, o_, o_, o_, o_, o_,
		/* D0 */ M_, M_, M_, M_, M_, M_, M_, M_, M_, M_, M_, M_, M_, M_, M_, M_,
		/* E0 */ M_, M_, M_, M_, M_, M_, M_, M_, M_, M_, M_, M_, M_, M_, M_, M_,
		/* F0 */ M_, M_, M_, M_, M_, M_, M_, M_, M_, M_, M_, M_, M_, M_, M_, Mt,
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
	"bzbz...." "bzbz...." /* 00 */
	"bzbz...." "bzbz...." /* 10 */
	"bzbz...." "bzbz...." /* 20 */
	"bzbz...." "bzbz...." /* 30 */
	"........" "........" /* 40 */
	"........" "........" /* 50 */
	"...d...." ".z.z...." /* 60 */
	"........" "........" /* 70 */
	"bzbzbzbz" "bzbzw.wp" /* 80 */
	"........" "........" /* 90 */
	"........" "........" /* A0 */
	"........" "........" /* B0 */
	"bz....bz" "........" /* C0 */
	"bzbz...." "d...q..." /* D0 */
	"........" "........" /* E0 */
	"......bz" "......b.", /* F0 */
	"..ww...." "........" /* 00 */
	"ssqqvvqq" "........" /* 10 */
	"........" "vv.v...." /* 20 */
	"........" "........" /* 30 */
	"zzzzzzzz" "zzzzzzzz" /* 40 */
	".sssvvvv" "ss.vssss" /* 50 */
	"mmmmmmmm" "mmmmmmzm" /* 60 */
	"m...mmm." "....vv.m" /* 70 */
	"........" "........" /* 80 */
	"bbbbbbbb" "bbbbbbbb" /* 90 */
	"...zzz.." "...zzz.z" /* A0 */
	"bz.z..bw" "z.zzzzbw" /* B0 */
	"bzszw.v." "........" /* C0 */
	"vmmmmmq." "mmmmmmmm" /* D0 */
	"mmmmmm.m" "mmmmmmmm" /* E0 */
	".mmmmmm." "mmmmmmm." /* F0 */
};
/* clang-format on */
