#include "stack/frame.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

#define ADDR    UINT64_C(0x8000)
#define B(text) (struct bytes){ (const uint8_t *)(text), sizeof(text) - 1 }

static struct bytes code_of_test; /* for loads */

static struct bytes load(void *ctx, uint64_t addr, uint64_t size)
{
	(void)ctx;
	const uint64_t off = min_u64(addr - ADDR, code_of_test.size);
	return bytes_sub(code_of_test, off, min_u64(size, code_of_test.size - off));
}

static void read_frame(struct stack_frame *f, enum code_isa isa, struct bytes code)
{
	const struct frame_memory memory = { load, NULL, NULL, 0 };
	memset(f, 0, sizeof *f);
	code_of_test = code;
	frame_read(f, isa, code, ADDR, &memory);
}

static void expect_size(enum code_isa isa, struct bytes code, uint64_t size, unsigned flags)
{
	struct stack_frame f;
	read_frame(&f, isa, code);
	assert_int_equal(f.size, size);
	assert_int_equal(f.flags, flags);
	frame_release(&f);
}

static void expect_call(enum code_isa isa, struct bytes code, enum frame_call_kind kind,
			uint64_t target, uint64_t depth)
{
	struct stack_frame f;
	read_frame(&f, isa, code);
	assert_int_equal(f.calls.count, 1);
	assert_int_equal(f.calls.data[0].kind, kind);
	assert_int_equal(f.calls.data[0].target, target);
	assert_int_equal(f.calls.data[0].depth, depth);
	frame_release(&f);
}

static void loops_that_touch_pages_and_aligned_frames_count_whole(void **state)
{
	(void)state;
	/* mov eax, esp; sub eax, 0x2000; 1: sub esp, 0x1000; cmp esp, eax; jne 1b; ret */
	expect_size(CODE_I386, B("\x89\xe0\x2d\0\x20\0\0\x81\xec\0\x10\0\0\x39\xc4\x75\xf6\xc3"),
		    8196, 0);
	/* sub x12, sp, #2, lsl #12; 1: sub sp, sp, #1, lsl #12; cmp sp, x12; b.ne 1b; ret */
	expect_size(CODE_ARM64,
		    B("\xec\x0b\x40\xd1\xff\x07\x40\xd1\xff\x63\x2c\xeb\xc1\xff\xff\x54\xc0\x03\x5f"
		      "\xd6"),
		    8192, 0);
	/* sub x9, sp, #1, lsl #12; and sp, x9, #~63; ret */
	expect_size(CODE_ARM64, B("\xe9\x07\x40\xd1\x3f\xe5\x7a\x92\xc0\x03\x5f\xd6"), 4160,
		    FRAME_ALIGNED);
}

static void pushes_and_subtractions_make_the_frame(void **state)
{
	(void)state;
	expect_size(CODE_X86_64, B("\xc3"), 8, 0);
	/* push rbx; sub rsp, 32; add rsp, 32; pop rbx; ret */
	expect_size(CODE_X86_64, B("\x53\x48\x83\xec\x20\x48\x83\xc4\x20\x5b\xc3"), 48, 0);
	/* push ebx; sub esp, 32; ret */
	expect_size(CODE_I386, B("\x53\x83\xec\x20\xc3"), 40, 0);
	/* stp x29, x30, [sp, #-48]!; sub sp, sp, #1, lsl #12; add sp, sp, #1, lsl #12; ldp; ret */
	expect_size(CODE_ARM64,
		    B("\xfd\x7b\xbd\xa9\xff\x07\x40\xd1\xff\x07\x40\x91\xfd\x7b\xc3\xa8\xc0\x03\x5f"
		      "\xd6"),
		    4144, 0);
	/* sub sp, sp, x0; ret */
	expect_size(CODE_ARM64, B("\xff\x63\x20\xcb\xc0\x03\x5f\xd6"), 0, FRAME_DYNAMIC);
	/* push r28; push r29; in r28; in r29; subi r28, 100; sbc r29, r1; out r28; pop; pop; ret */
	expect_size(CODE_AVR,
		    B("\xcf\x93\xdf\x93\xcd\xb7\xde\xb7\xc4\x56\xd1\x09\xcd\xbf\xdf\x91\xcf\x91\x08"
		      "\x95"),
		    104, 0);
	/* rcall .+0; pop r0; pop r0; reti */
	expect_size(CODE_AVR, B("\x00\xd0\x0f\x90\x0f\x90\x18\x95"), 4, FRAME_HANDLER);
	/* entry a1, 48; retw.n */
	expect_size(CODE_XTENSA, B("\x36\x61\x00\x1d\xf0"), 48, 0);
	/* addi a1, a1, -16; movi a9, 0x2d0; sub a1, a1, a9; add.n a1, a1, a9; ret.n */
	expect_size(CODE_XTENSA, B("\x12\xc1\xf0\x92\xa2\xd0\x90\x11\xc0\x9a\x11\x0d\xf0"), 736, 0);
	/* addi sp, sp, -16; mret */
	expect_size(CODE_RISCV32, B("\x41\x11\x73\x00\x20\x30"), 16, FRAME_HANDLER);
	/* bx lr */
	expect_size(CODE_THUMB, B("\x70\x47"), 0, 0);
	/* push {r4, lr}; vpush {d8}; sub sp, #64; add sp, #64; vpop {d8}; pop {r4, pc} */
	expect_size(CODE_THUMB,
		    B("\x10\xb5\x2d\xed\x02\x8b\x90\xb0\x10\xb0\xbd\xec\x02\x8b\x10\xbd"), 80, 0);
	/* str lr, [sp, #-4]!; ldr pc, [sp], #4 */
	expect_size(CODE_THUMB, B("\x4d\xf8\x04\xed\x5d\xf8\x04\xfb"), 4, 0);
	/* c.addi sp, -16; c.addi sp, 16; c.jr ra */
	expect_size(CODE_RISCV32, B("\x41\x11\x41\x01\x82\x80"), 16, 0);
	/* addi sp, sp, -2032; c.addi16sp sp, -64; ret */
	expect_size(CODE_RISCV64, B("\x13\x01\x01\x81\x39\x71\x82\x80"), 2096, 0);
}

static void frames_too_large_for_an_immediate_come_by_a_register(void **state)
{
	(void)state;
	/* ldr r4, [pc, #4]; add sp, r4; bx lr; nop; .word -5000 */
	expect_size(CODE_THUMB, B("\x01\x4c\xa5\x44\x70\x47\xc0\x46\x78\xec\xff\xff"), 5000, 0);
	/* movw r3, #5000; sub sp, sp, r3; bx lr */
	expect_size(CODE_THUMB, B("\x41\xf2\x88\x33\xad\xeb\x03\x0d\x70\x47"), 5000, 0);
	/* lui t0, 1; sub sp, sp, t0; ret */
	expect_size(CODE_RISCV32, B("\xb7\x12\x00\x00\x33\x01\x51\x40\x82\x80"), 4096, 0);
	/* lea r11, [rsp - 0x3000]; sub rsp, 0x1000; or qword [rsp], 0; cmp rsp, r11; jne; ret */
	expect_size(CODE_X86_64,
		    B("\x4c\x8d\x9c\x24\x00\xd0\xff\xff\x48\x81\xec\x00\x10\x00\x00\x48\x83\x0c\x24"
		      "\x00\x4c\x39\xdc\x75\xef\xc3"),
		    0x3008, 0);
}

static void what_a_register_adds_is_told(void **state)
{
	(void)state;
	/* push rbp; mov rbp, rsp; sub rsp, rax; leave; ret */
	expect_size(CODE_X86_64, B("\x55\x48\x89\xe5\x48\x29\xc4\xc9\xc3"), 16, FRAME_DYNAMIC);
	/* push {r7, lr}; mov r7, sp; movs r3, #8; adds r3, r0; sub.w sp, sp, r3; mov sp, r7; pop */
	expect_size(CODE_THUMB,
		    B("\x80\xb5\x6f\x46\x08\x23\x1b\x18\xad\xeb\x03\x0d\xbd\x46\x80\xbd"), 8,
		    FRAME_DYNAMIC);
	/* sub sp, sp, a0; ret */
	expect_size(CODE_RISCV32, B("\x33\x01\xa1\x40\x82\x80"), 0, FRAME_DYNAMIC);
	/* addvl sp, sp, #-3; ret */
	expect_size(CODE_ARM64, B("\xbf\x57\x3f\x04\xc0\x03\x5f\xd6"), 0, FRAME_DYNAMIC);
	/* mov rsp, rdi; ret */
	expect_size(CODE_X86_64, B("\x48\x89\xfc\xc3"), 8, FRAME_DYNAMIC);
}

static void code_behind_a_return_has_the_depth_of_the_branch_to_it(void **state)
{
	(void)state;
	/* test edi, edi; je 1; push rbx; sub rsp, 16; add rsp, 16; pop rbx; ret; 1: push; ret */
	expect_size(CODE_X86_64,
		    B("\x85\xff\x74\x0b\x53\x48\x83\xec\x10\x48\x83\xc4\x10\x5b\xc3\x50\xc3"), 32,
		    0);
	/* push {r4, lr}; it eq; popeq {r4, pc}, which does not end the way; sub sp, #8; bx lr */
	expect_size(CODE_THUMB, B("\x10\xb5\x08\xbf\x10\xbd\x82\xb0\x70\x47"), 16, 0);
}

static void what_is_data_among_code_grows_nothing(void **state)
{
	(void)state;
	struct stack_frame f = { 0 };
	const struct derive_data data = { ADDR + 2, 4 };
	const struct frame_memory marked = { load, NULL, &data, 1 };
	/* vldr s0, [pc, #4]; bx lr; nop; a literal that looks like sub sp, #64 twice */
	expect_size(CODE_THUMB, B("\x9f\xed\x01\x0a\x70\x47\x00\xbf\x90\xb0\x90\xb0"), 0, 0);
	/* bx lr; the same, which is marked as data */
	code_of_test = B("\x70\x47\x90\xb0\x90\xb0");
	frame_read(&f, CODE_THUMB, code_of_test, ADDR, &marked);
	assert_int_equal(f.size, 0);
	frame_release(&f);
}

static void calls_have_the_depth_of_the_caller(void **state)
{
	(void)state;
	/* push rbx; call +0x100; pop rbx; ret */
	expect_call(CODE_X86_64, B("\x53\xe8\x00\x01\x00\x00\x5b\xc3"), FRAME_CALL, ADDR + 0x106,
		    16);
	/* jmp +0x100: the return address is the callee's */
	expect_call(CODE_X86_64, B("\xe9\x00\x01\x00\x00"), FRAME_TAIL, ADDR + 0x105, 0);
	/* push {r4, lr}; bl +0x100; pop {r4, pc} */
	expect_call(CODE_THUMB, B("\x10\xb5\x00\xf0\x80\xf8\x10\xbd"), FRAME_CALL, ADDR + 0x106, 8);
	/* c.addi sp, -16; jal +0x100; c.addi sp, 16; c.jr ra */
	expect_call(CODE_RISCV32, B("\x41\x11\xef\x00\x00\x10\x41\x01\x82\x80"), FRAME_CALL,
		    ADDR + 0x102, 16);
	/* c.addi sp, -16; auipc ra, 1; jalr ra, 16(ra); ret */
	expect_call(CODE_RISCV32, B("\x41\x11\x97\x10\x00\x00\xe7\x80\x00\x01\x82\x80"), FRAME_CALL,
		    ADDR + 0x1012, 16);
	/* blx r3; bx lr */
	expect_call(CODE_THUMB, B("\x98\x47\x70\x47"), FRAME_INDIRECT, 0, 0);
	/* call [rip + 0x10]; ret */
	expect_call(CODE_X86_64, B("\xff\x15\x10\x00\x00\x00\xc3"), FRAME_BY_SLOT, ADDR + 0x16, 8);
}

static void a_register_whose_number_is_known_leads_there(void **state)
{
	(void)state;
	/* push {r4, lr}; ldr r3, [pc, #4]; blx r3; pop {r4, pc}; .word */
	expect_call(CODE_THUMB, B("\x10\xb5\x01\x4b\x98\x47\x10\xbd\x01\x90\0\0"), FRAME_CALL,
		    0x9000, 8);
	/* lui a5, 9; c.jr a5 */
	expect_call(CODE_RISCV32, B("\xb7\x97\0\0\x82\x87"), FRAME_TAIL, 0x9000, 0);
	/* lui t0, 9; jr t0: no return, although t0 may be a link */
	expect_call(CODE_RISCV32, B("\xb7\x92\0\0\x82\x82"), FRAME_TAIL, 0x9000, 0);
	/* movi a2, 0x7f0; callx0 a2; ret.n */
	expect_call(CODE_XTENSA, B("\x22\xa7\xf0\xc0\x02\0\x0d\xf0"), FRAME_CALL, 0x7f0, 0);
	/* cbz r0, 1f; ldr r3, [pc, #8]; 2: blx r3; bx lr; 1: ldr r3, [pc, #4]; b 2b */
	expect_call(CODE_THUMB,
		    B("\x10\xb1\x02\x4b\x98\x47\x70\x47\x01\x4b\xfb\xe7\x01\x90\0\0\x01\xa0\0\0"),
		    FRAME_INDIRECT, 0, 0);
	/* ldr r3, [pc, #8]; it ne; ldrne r3, [pc, #8]; blx r3; bx lr; nop */
	expect_call(CODE_THUMB,
		    B("\x02\x4b\x18\xbf\x02\x4b\x98\x47\x70\x47\0\xbf\x01\x90\0\0\x01\xa0\0\0"),
		    FRAME_INDIRECT, 0, 0);
	/* ldr r3, [pc, #4]; ldmia r3, {r2, r3}; blx r3; bx lr */
	expect_call(CODE_THUMB, B("\x01\x4b\x0c\xcb\x98\x47\x70\x47\x01\x90\0\0"), FRAME_INDIRECT,
		    0, 0);
}

static void veneers_of_linkers_lead_to_what_they_stand_for(void **state)
{
	(void)state;
	static const struct {
		enum code_isa isa;
		struct bytes code;
	} known[] = {
		/* push {r0}; ldr r0, [pc, #8]; mov ip, r0; pop {r0}; bx ip; nop; .word */
		{ CODE_THUMB, B("\x01\xb4\x02\x48\x84\x46\x01\xbc\x60\x47\0\xbf\x01\x90\0\0") },
		/* push {r0, r1}; ldr r0, [pc, #4]; str r0, [sp, #4]; pop {r0, pc}; .word */
		{ CODE_THUMB, B("\x03\xb4\x01\x48\x01\x90\x01\xbd\x01\x90\0\0") },
		/* ldr pc, [pc]; .word */
		{ CODE_THUMB, B("\x5f\xf8\0\xf0\x01\x90\0\0") },
		/* movw ip, #0x9001; movt ip, #0; bx ip */
		{ CODE_THUMB, B("\x49\xf2\x01\x0c\xc0\xf2\0\x0c\x60\x47") },
		/* ldr ip, [pc, #8]; add ip, pc; bx ip; nop; nop; .word 0x9001 - 0x8008 */
		{ CODE_THUMB, B("\xdf\xf8\x08\xc0\xfc\x44\x60\x47\0\xbf\0\xbf\xf9\x0f\0\0") },
		/* adrp x16, +0x1000; add x16, x16, #0; br x16 */
		{ CODE_ARM64, B("\x10\0\0\xb0\x10\x02\0\x91\0\x02\x1f\xd6") },
		/* ldr x16, .+8; br x16; .quad */
		{ CODE_ARM64, B("\x50\0\0\x58\0\x02\x1f\xd6\0\x90\0\0\0\0\0\0") },
	};
	for (size_t i = 0; i < COUNT_OF(known); i++)
		expect_call(known[i].isa, known[i].code, FRAME_TAIL, 0x9000, 0);
}

static void code_that_ends_nowhere_goes_on_in_the_next_function(void **state)
{
	(void)state;
	/* eor r1, r1 */
	expect_call(CODE_AVR, B("\x11\x24"), FRAME_FALL, ADDR + 2, 0);
	/* bl +0x100; nop: it may not return */
	expect_call(CODE_THUMB, B("\0\xf0\x80\xf8\0\xbf"), FRAME_CALL, ADDR + 0x104, 0);
}

static void a_table_of_jumps_is_its_first_one(void **state)
{
	(void)state;
	/* jmp 0x9000; jmp 0xa000 */
	expect_call(CODE_AVR, B("\x0c\x94\0\x48\x0c\x94\0\x50"), FRAME_TAIL, 0x9000, 0);
}

static void code_that_saves_registers_for_a_function_is_a_part_of_it(void **state)
{
	(void)state;
	struct stack_frame f;
	const struct frame_memory memory = { load, NULL, NULL, 0 };
	memset(&f, 0, sizeof f);
	/* jal t0, 1f; jal +0x100; ret; 1: c.addi16sp sp, -64; li t1, -32; sub sp, sp, t1; jr t0 */
	code_of_test = B(
		"\xef\x02\xa0\0\xef\0\0\x10\x82\x80\x39\x71\x01\x53\x33\x01\x61\x40\x82\x82");
	frame_read(&f, CODE_RISCV32, bytes_sub(code_of_test, 0, 10), ADDR, &memory);
	assert_int_equal(f.size, 32);
	assert_int_equal(f.calls.count, 1);
	assert_int_equal(f.calls.data[0].depth, 32);
	/* jal t0, 1f; ret; nop; nop; 1: c.addi16sp sp, -112; li t1, 4; slli t1, t1, 4;
	 * add sp, sp, t1; jr t0 */
	code_of_test = B(
		"\xef\x02\xa0\0\x82\x80\x01\0\x01\0\x59\x71\x11\x43\x12\x03\x1a\x91\x82\x82");
	frame_read(&f, CODE_RISCV64, bytes_sub(code_of_test, 0, 6), ADDR, &memory);
	assert_int_equal(f.size, 48);
	assert_int_equal(f.flags, 0);
	/* ldi r26, 4; ldi r27, 0; ldi r30, 6; ldi r31, 0x40; jmp 1f; 0: call +0x1000; ret;
	 * 1: push r17; push r28; push r29; in r28; in r29; sub r28, r26; sbc r29, r27; out r29;
	 * out r28; ijmp */
	code_of_test = B(
		"\xa4\xe0\xb0\xe0\xe6\xe0\xf0\xe4\x0c\x94\x09\x40\x0e\x94\0\x48\x08\x95"
		"\x1f\x93\xcf\x93\xdf\x93\xcd\xb7\xde\xb7\xca\x1b\xdb\x0b\xde\xbf\xcd\xbf\x09\x94");
	frame_read(&f, CODE_AVR, bytes_sub(code_of_test, 0, 18), ADDR, &memory);
	assert_int_equal(f.size, 2 + 3 + 4);
	assert_int_equal(f.calls.count, 1);
	assert_int_equal(f.calls.data[0].kind, FRAME_CALL);
	assert_int_equal(f.calls.data[0].target, 0x9000);
	frame_release(&f);
}

static void pushes_of_zcmp_are_known_where_the_program_says_it_has_them(void **state)
{
	(void)state;
	struct stack_frame f;
	const struct frame_memory memory = { load, NULL, NULL, 0 };
	memset(&f, 0, sizeof f);
	/* cm.push {ra, s0-s6}, -32; cm.popret: 8 registers of 4 or 8 bytes; or c.fsdsp twice */
	frame_read(&f, CODE_RISCV32_ZCMP, B("\xb2\xb8\xb2\xbe"), ADDR, &memory);
	assert_int_equal(f.size, 32);
	frame_read(&f, CODE_RISCV64_ZCMP, B("\xb2\xb8\xb2\xbe"), ADDR, &memory);
	assert_int_equal(f.size, 64);
	frame_release(&f);
	expect_size(CODE_RISCV64, B("\xb2\xb8\xb2\xbe\x82\x80"), 0, 0);
}

static void qualcomm_moves_the_stack_by_long_numbers(void **state)
{
	(void)state;
	/* qc.e.addi sp, sp, -99760; qc.e.addai sp, 99760; ret */
	expect_size(CODE_RISCV32_XQCI,
		    B("\x1f\x31\x01\xa5\x9e\xff\x1f\x21\xb0\x85\x01\x00\x82\x80"), 99760, 0);
	/* qc.e.li a1, 50000000; sub sp, sp, a1; ret */
	expect_size(CODE_RISCV32_XQCI, B("\x9f\x05\x80\xf0\xfa\x02\x33\x01\xb1\x40\x82\x80"),
		    50000000, 0);
	/* qc.li a1, 70000; sub sp, sp, a1; ret */
	expect_size(CODE_RISCV32_XQCI, B("\x9b\x25\x70\x11\x33\x01\xb1\x40\x82\x80"), 70000, 0);
	/* qc.c.mienter; qc.cm.pushfp {ra, s0}, -32; qc.cm.pop {ra, s0}, 32; qc.c.mileaveret */
	expect_size(CODE_RISCV32_XQCI, B("\x12\x18\x56\xb9\x56\xba\x12\x1a"), 128, FRAME_HANDLER);
}

static void apx_moves_the_stack_without_flags_and_into_other_registers(void **state)
{
	(void)state;
	/* push2p %rbp, %r15; {nf} sub $64, %rsp; ret */
	expect_size(CODE_X86_64, B("\x62\xd4\xd4\x18\xff\xf7\x62\xf4\xfc\x0c\x83\xec\x40\xc3"),
		    8 + 16 + 64, 0);
	/* sub $64, %rsp, %r20; lea -8(%r20), %rsp; ret */
	expect_size(CODE_X86_64, B("\x62\xf4\xdc\x10\x83\xec\x40\xd5\x18\x8d\x64\x24\xf8\xc3"),
		    8 + 72, 0);
	/* {nf} sub %rax, %rsp; ret */
	expect_size(CODE_X86_64, B("\x62\xf4\xfc\x0c\x29\xc4\xc3"), 8, FRAME_DYNAMIC);
	/* lea -16(%rsp), %r12; lea -8(%r12), %rsp; ret */
	expect_size(CODE_X86_64, B("\x4c\x8d\x64\x24\xf0\x49\x8d\x64\x24\xf8\xc3"), 8 + 24, 0);
	/* jmpabs 0x9000 */
	expect_call(CODE_X86_64, B("\xd5\x00\xa1\0\x90\0\0\0\0\0\0"), FRAME_TAIL, 0x9000, 0);
}

static void calls_inside_of_a_function_are_parts_of_it(void **state)
{
	(void)state;
	/* push {r4, lr}; bl 1f; pop {r4, pc}; 1: push {r0-r3}; add sp, #16; bx lr */
	struct stack_frame f;
	read_frame(&f, CODE_THUMB, B("\x10\xb5\x00\xf0\x01\xf8\x10\xbd\x0f\xb4\x04\xb0\x70\x47"));
	assert_int_equal(f.calls.count, 0);
	assert_int_equal(f.size, 24);
	frame_release(&f);
}

static void switches_are_no_calls(void **state)
{
	(void)state;
	/* push {r4, lr}; tbb [pc, r0]; .byte 1, 2; pop {r4, pc}; push {r0-r3}; pop {r4, pc} */
	struct stack_frame f;
	read_frame(&f, CODE_THUMB, B("\x10\xb5\xdf\xe8\x00\xf0\x01\x02\x10\xbd\x0f\xb4\x10\xbd"));
	assert_int_equal(f.calls.count, 0);
	assert_int_equal(f.size, 24);
	frame_release(&f);
	/* jmp rax; nothing behind it: a call of what is not known */
	expect_call(CODE_X86_64, B("\xff\xe0"), FRAME_INDIRECT, 0, 0);
}

static void branches_lead_where_the_manuals_say(void **state)
{
	(void)state;
	static const struct {
		enum code_isa isa;
		const char *code;
		unsigned size, kind;
		uint64_t target;
	} known[] = {
		{ CODE_THUMB, "\xfe\xe7", 2, FLOW_JUMP, ADDR },
		{ CODE_THUMB, "\x03\xd0", 2, FLOW_CONDITIONAL, ADDR + 10 },
		{ CODE_THUMB, "\x08\xb1", 2, FLOW_CONDITIONAL, ADDR + 6 },
		{ CODE_THUMB, "\x3f\xf4\xfe\xaf", 4, FLOW_CONDITIONAL, ADDR },
		{ CODE_THUMB, "\xff\xf7\xfe\xbf", 4, FLOW_JUMP, ADDR },
		{ CODE_THUMB, "\xff\xf7\xfe\xff", 4, FLOW_CALL, ADDR },
		{ CODE_RISCV32, "\x01\xa0", 2, FLOW_JUMP, ADDR },
		{ CODE_RISCV32, "\xf5\x3f", 2, FLOW_CALL, ADDR - 4 },
		{ CODE_RISCV64, "\x19\xc1", 2, FLOW_CONDITIONAL, ADDR + 6 },
		{ CODE_RISCV64, "\xe3\x8e\xa5\xfe", 4, FLOW_CONDITIONAL, ADDR - 4 },
		{ CODE_RISCV64, "\x6f\xf0\xdf\xff", 4, FLOW_JUMP, ADDR - 4 },
		/* cm.popret {ra}, 16; cm.jt 1 */
		{ CODE_RISCV32_ZCMP, "\x42\xbe", 2, FLOW_RETURN, 0 },
		{ CODE_RISCV64_ZCMP, "\x06\xa0", 2, FLOW_JUMP_INDIRECT, 0 },
		/* qc.bltui a0, 5, .+100; qc.e.bnei a0, 500, .-100; qc.e.j .+0x12345678;
		 * qc.e.jal .-0x1234; qc.c.mret; qc.c.mileaveret */
		{ CODE_RISCV32_XQCI, "\x7b\x62\x55\x06", 4, FLOW_CONDITIONAL, ADDR + 100 },
		{ CODE_RISCV32, "\x7b\x62\x55\x06", 4, FLOW_PLAIN, 0 },
		{ CODE_RISCV32_XQCI, "\x9f\x4e\x95\xf9\xf4\x01", 6, FLOW_CONDITIONAL, ADDR - 100 },
		{ CODE_RISCV32_XQCI, "\x1f\x4c\x04\xe6\x34\x12", 6, FLOW_JUMP, ADDR + 0x12345678 },
		{ CODE_RISCV32_XQCI, "\x9f\xc6\x0e\x5c\xff\xff", 6, FLOW_CALL, ADDR - 0x1234 },
		{ CODE_RISCV32_XQCI, "\x12\x19", 2, FLOW_RETURN, 0 },
		{ CODE_RISCV32_XQCI, "\x12\x1a", 2, FLOW_RETURN, 0 },
		/* cv.bneimm a0, -3, .-68; nds.bnec a0, 100, .+1008 */
		{ CODE_RISCV32_XCV, "\x8b\x7e\xd5\xfb", 4, FLOW_CONDITIONAL, ADDR - 68 },
		{ CODE_RISCV64_XANDES, "\xdb\x68\x45\x7e", 4, FLOW_CONDITIONAL, ADDR + 1008 },
		{ CODE_ARM, "\xfe\xff\xff\xea", 4, FLOW_JUMP, ADDR },
		{ CODE_ARM, "\xfd\xff\xff\x0a", 4, FLOW_CONDITIONAL, ADDR - 4 },
		{ CODE_ARM, "\xfe\xff\xff\xeb", 4, FLOW_CALL, ADDR },
		{ CODE_ARM, "\x1e\xff\x2f\xe1", 4, FLOW_RETURN, 0 },
		{ CODE_ARM, "\x10\x80\xbd\xe8", 4, FLOW_RETURN, 0 },        /* pop {r4, pc} */
		{ CODE_ARM, "\x13\xff\x2f\xe1", 4, FLOW_JUMP_INDIRECT, 0 }, /* bx r3 */
		{ CODE_ARM, "\x00\xf0\x29\xe1", 4, FLOW_PLAIN, 0 },         /* msr */
		/* b .-4 and nop, which is executed first; bal; jr $31; bne */
		{ CODE_MIPS, "\xfe\xff\x00\x10\0\0\0\0", 8, FLOW_JUMP, ADDR - 4 },
		{ CODE_MIPS, "\x01\x00\x11\x04\0\0\0\0", 8, FLOW_CALL, ADDR + 8 },
		{ CODE_MIPS_BE, "\x14\x43\x00\x01\0\0\0\0", 8, FLOW_CONDITIONAL, ADDR + 8 },
		{ CODE_MIPS, "\0\0\0\0", 4, FLOW_NOP, ADDR + 4 },
		/* b .-4; bl .+8; beq .+8; trap; paddi, of eight bytes */
		{ CODE_POWER, "\xfc\xff\xff\x4b", 4, FLOW_JUMP, ADDR - 4 },
		{ CODE_POWER_BE, "\x48\x00\x00\x09", 4, FLOW_CALL, ADDR + 8 },
		{ CODE_POWER_BE, "\x41\x82\x00\x08", 4, FLOW_CONDITIONAL, ADDR + 8 },
		{ CODE_POWER, "\x08\x00\xe0\x7f", 4, FLOW_TRAP, 0 },
		{ CODE_POWER, "\0\0\x10\x06\0\0\x60\x38", 8, FLOW_PLAIN, 0 },
		/* brasl %r14, .+8; j .-4; je .+8; br %r14; cgrje %r2, %r3, .+12 */
		{ CODE_S390, "\xc0\xe5\0\0\0\4", 6, FLOW_CALL, ADDR + 8 },
		{ CODE_S390, "\xa7\xf4\xff\xfe", 4, FLOW_JUMP, ADDR - 4 },
		{ CODE_S390, "\xa7\x84\x00\x04", 4, FLOW_CONDITIONAL, ADDR + 8 },
		{ CODE_S390, "\x07\xfe", 2, FLOW_RETURN, 0 },
		{ CODE_S390, "\xec\x23\x00\x06\x80\x64", 6, FLOW_CONDITIONAL, ADDR + 12 },
	};
	for (size_t i = 0; i < COUNT_OF(known); i++) {
		struct flow in;
		assert_true(flow_decode(known[i].isa, (const uint8_t *)known[i].code, known[i].size,
					ADDR, &in));
		assert_int_equal(in.size, known[i].size);
		assert_int_equal(in.kind, known[i].kind);
		assert_int_equal(in.target, known[i].target);
	}
}

static void branches_of_objects_stay_above_the_addresses_of_the_machine(void **state)
{
	(void)state;
	static const struct {
		enum code_isa isa;
		const char *code;
		unsigned size;
	} here[] = { /* All jump to themselves. */
		     { CODE_I386, "\xeb\xfe", 2 },       { CODE_THUMB, "\xfe\xe7", 2 },
		     { CODE_RISCV32, "\x01\xa0", 2 },    { CODE_AVR, "\xff\xcf", 2 },
		     { CODE_XTENSA, "\x06\xff\xff", 3 }, { CODE_ARM, "\xfe\xff\xff\xea", 4 }
	};
	for (size_t i = 0; i < COUNT_OF(here); i++) {
		struct flow in;
		const uint64_t addr = (UINT64_C(5) << 32) + ADDR;
		assert_true(flow_decode(here[i].isa, (const uint8_t *)here[i].code, here[i].size,
					addr, &in));
		assert_int_equal(in.kind, FLOW_JUMP);
		assert_int_equal(in.target, addr);
	}
}

static void cut_instructions_are_none(void **state)
{
	(void)state;
	struct flow in;
	assert_false(flow_decode(CODE_THUMB, (const uint8_t *)"\xff\xf7", 2, ADDR, &in));
	assert_false(flow_decode(CODE_RISCV32, (const uint8_t *)"\x13\x01", 2, ADDR, &in));
	assert_false(flow_decode(CODE_RISCV32, (const uint8_t *)"\x01", 1, ADDR, &in));
	assert_false(flow_decode(CODE_ARM, (const uint8_t *)"\x1e\xff\x2f", 3, ADDR, &in));
	assert_false(flow_decode(CODE_MIPS, (const uint8_t *)"\0\0", 2, ADDR, &in));
	assert_false(flow_decode(CODE_S390, (const uint8_t *)"\xc0\xe5\0\0", 4, ADDR, &in));
	expect_size(CODE_THUMB, B("\xff"), 0, FRAME_NO_CODE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(loops_that_touch_pages_and_aligned_frames_count_whole),
		cmocka_unit_test(pushes_and_subtractions_make_the_frame),
		cmocka_unit_test(frames_too_large_for_an_immediate_come_by_a_register),
		cmocka_unit_test(what_a_register_adds_is_told),
		cmocka_unit_test(code_behind_a_return_has_the_depth_of_the_branch_to_it),
		cmocka_unit_test(what_is_data_among_code_grows_nothing),
		cmocka_unit_test(calls_have_the_depth_of_the_caller),
		cmocka_unit_test(a_register_whose_number_is_known_leads_there),
		cmocka_unit_test(veneers_of_linkers_lead_to_what_they_stand_for),
		cmocka_unit_test(code_that_ends_nowhere_goes_on_in_the_next_function),
		cmocka_unit_test(a_table_of_jumps_is_its_first_one),
		cmocka_unit_test(code_that_saves_registers_for_a_function_is_a_part_of_it),
		cmocka_unit_test(pushes_of_zcmp_are_known_where_the_program_says_it_has_them),
		cmocka_unit_test(qualcomm_moves_the_stack_by_long_numbers),
		cmocka_unit_test(apx_moves_the_stack_without_flags_and_into_other_registers),
		cmocka_unit_test(calls_inside_of_a_function_are_parts_of_it),
		cmocka_unit_test(switches_are_no_calls),
		cmocka_unit_test(branches_lead_where_the_manuals_say),
		cmocka_unit_test(branches_of_objects_stay_above_the_addresses_of_the_machine),
		cmocka_unit_test(cut_instructions_are_none),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
