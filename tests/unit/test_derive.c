/* Hand-assembled functions and the blocks they must have. */
#include "derive/derive.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

enum { ADDR = 0x1000, MOST = 8 };

/* A file of one section: functions side by side. */
struct program {
	struct bytes all;
	struct derive_extent extents[MOST];
	struct derive_facts facts;
	struct derived result;
};

static struct bytes load(void *ctx, uint64_t addr, uint64_t size)
{
	const struct bytes all = *(const struct bytes *)ctx;
	const uint64_t off = addr - ADDR;
	return off < all.size ? bytes_sub(all, off, min_u64(size, all.size - off))
			      : (struct bytes){ 0 };
}

static void begin(struct program *p, const char *code, size_t size, enum derive_convention how)
{
	memset(p, 0, sizeof *p);
	p->all = (struct bytes){ (const uint8_t *)code, size };
	p->facts = (struct derive_facts){ .isa = CODE_X86_64,
					  .convention = how,
					  .extents = p->extents,
					  .load = load,
					  .ctx = &p->all };
}

#define BEGIN(p, code, how) begin(p, code, sizeof(code) - 1, how)

static void add(struct program *p, uint64_t off, uint64_t size)
{
	p->extents[p->facts.extent_count++] = (struct derive_extent){
		.addr = ADDR + off, .code = bytes_sub(p->all, off, size), .has_sites = true
	};
}

/* Derives, and compares the blocks of function i: offset, size and flags of each. */
static void expect(struct program *p, size_t i, size_t count, const uint32_t (*want)[3])
{
	derived_release(&p->result);
	derive(&p->facts, 1, &p->result);
	const struct derived_function f = p->result.functions[i];
	assert_int_equal(f.count, count);
	for (size_t k = 0; k < count; k++) {
		const struct bbmap_block *b = &p->result.blocks.data[f.first + k];
		assert_int_equal(b->id, k);
		assert_int_equal(b->off, want[k][0]);
		assert_int_equal(b->size, want[k][1]);
		assert_int_equal(b->flags, want[k][2]);
	}
}

#define EXPECT(p, i, ...)                                                                          \
	expect(p, i, COUNT_OF(((const uint32_t[][3]){ __VA_ARGS__ })),                             \
	       (const uint32_t[][3]){ __VA_ARGS__ })

enum {
	RET = BBMAP_RETURN,
	TAIL = BBMAP_RETURN | BBMAP_TAIL_CALL,
	FALL = BBMAP_FALL_THROUGH,
	PAD = BBMAP_LANDING_PAD,
};

static void a_jump_ends_a_block_and_its_target_starts_one(void **state)
{
	struct program p;
	(void)state;
	/* test %edi,%edi; je 6; inc %eax; 6: ret */
	BEGIN(&p, "\x85\xff\x74\x02\xff\xc0\xc3", DERIVE_LLVM);
	add(&p, 0, 7);
	EXPECT(&p, 0, { 0, 4, FALL }, { 4, 2, FALL }, { 6, 1, RET });
	derived_release(&p.result);
}

/* je 8; jmp 6; 4: inc %eax; 6: inc %ecx; 8: ret */
#define TWO_JUMPS "\x74\x06\xeb\x02\xff\xc0\xff\xc1\xc3"

static void jumps_in_a_row_are_one_block_for_llvm_alone(void **state)
{
	struct program p;
	(void)state;
	BEGIN(&p, TWO_JUMPS, DERIVE_LLVM);
	add(&p, 0, 9);
	EXPECT(&p, 0, { 0, 4, 0 }, { 4, 2, FALL }, { 6, 2, FALL }, { 8, 1, RET });
	p.facts.convention = DERIVE_GCC;
	EXPECT(&p, 0, { 0, 2, FALL }, { 2, 2, 0 }, { 4, 2, FALL }, { 6, 2, FALL }, { 8, 1, RET });
	derived_release(&p.result);
}

static void a_jump_over_a_jump_is_a_block_of_its_own(void **state)
{
	struct program p;
	(void)state;
	/* je 4; jmp 6; 4: inc %eax; 6: ret */
	BEGIN(&p, "\x74\x02\xeb\x02\xff\xc0\xc3", DERIVE_LLVM);
	add(&p, 0, 7);
	EXPECT(&p, 0, { 0, 2, FALL }, { 2, 2, 0 }, { 4, 2, FALL }, { 6, 1, RET });
	derived_release(&p.result);
}

static void a_jump_out_of_the_function_is_a_tail_call(void **state)
{
	struct program p;
	(void)state;
	/* je 9; jmp 7; 4: ret; 5: two nops; 7: ret of another, 8: ret of a third */
	BEGIN(&p, "\x74\x06\xeb\x04\xc3\x66\x90\xc3\xc3", DERIVE_LLVM);
	add(&p, 0, 5);
	add(&p, 8, 1);
	EXPECT(&p, 0, { 0, 2, FALL | TAIL }, { 2, 2, TAIL }, { 4, 1, RET });
	derived_release(&p.result);
}

static void the_two_jumps_of_a_float_comparison_are_one_block_for_llvm(void **state)
{
	struct program p;
	(void)state;
	/* jne 5; jp 5; 4: ret; 5: ret */
	BEGIN(&p, "\x75\x03\x7a\x01\xc3\xc3", DERIVE_LLVM);
	add(&p, 0, 6);
	EXPECT(&p, 0, { 0, 4, FALL }, { 4, 1, RET }, { 5, 1, RET });
	p.facts.convention = DERIVE_GCC;
	EXPECT(&p, 0, { 0, 2, FALL }, { 2, 2, FALL }, { 4, 1, RET }, { 5, 1, RET });
	derived_release(&p.result);
}

static void padding_belongs_to_no_block(void **state)
{
	struct program p;
	(void)state;
	/* jmp 16; 2: int3s; 8: nopl 0(%rax,%rax,1); 16: ret; 17: nops */
	BEGIN(&p, "\xeb\x0e\xcc\xcc\xcc\xcc\xcc\xcc\x0f\x1f\x84\0\0\0\0\0\xc3\x66\x90\x90",
	      DERIVE_GCC);
	add(&p, 0, 20);
	EXPECT(&p, 0, { 0, 2, 0 }, { 16, 1, RET });
	derived_release(&p.result);
}

/* inc %eax; 2: 14 bytes of nops; 16: dec %eax; jne 16 or 18; ret */
#define LOOP(to)                                                                                   \
	"\xff\xc0\x66\x2e\x0f\x1f\x84\0\0\0\0\0\x0f\x1f\x40\0"                                     \
	"\xff\xc8\x75" to "\xc3"

static void padding_before_a_loop_starts_a_block(void **state)
{
	struct program p;
	(void)state;
	BEGIN(&p, LOOP("\xfc"), DERIVE_GCC); /* to 16 */
	add(&p, 0, 21);
	EXPECT(&p, 0, { 0, 2, FALL }, { 16, 4, FALL }, { 20, 1, RET });
	derived_release(&p.result);
	BEGIN(&p, LOOP("\xec"), DERIVE_LLVM); /* to the start: inline assembly aligned 16 */
	add(&p, 0, 21);
	EXPECT(&p, 0, { 0, 20, FALL }, { 20, 1, RET });
	derived_release(&p.result);
}

static void padding_behind_a_block_is_for_a_loop_of_llvm(void **state)
{
	struct program p;
	(void)state;
	/* jne 20; 2: 14 bytes of nops; 16: inc %eax; jmp 0; 20: ret */
	BEGIN(&p,
	      "\x75\x12\x66\x2e\x0f\x1f\x84\0\0\0\0\0\x0f\x1f\x40\0"
	      "\xff\xc0\xeb\xec\xc3",
	      DERIVE_LLVM);
	add(&p, 0, 21);
	EXPECT(&p, 0, { 0, 2, FALL }, { 16, 4, 0 }, { 20, 1, RET });
	p.facts.convention = DERIVE_PURE;
	EXPECT(&p, 0, { 0, 2, FALL }, { 2, 18, 0 }, { 20, 1, RET });
	derived_release(&p.result);
}

static void nops_that_align_nothing_are_code(void **state)
{
	struct program p;
	(void)state;
	/* je 3; 2: nop; 3: ret */
	BEGIN(&p, "\x74\x01\x90\xc3", DERIVE_GCC);
	add(&p, 0, 4);
	EXPECT(&p, 0, { 0, 2, FALL }, { 2, 1, FALL }, { 3, 1, RET });
	derived_release(&p.result);
}

static void a_jump_table_is_followed_to_its_end(void **state)
{
	struct program p;
	(void)state;
	/* lea 16(%rip),%rdx; movslq (%rdx,%rax,4),%rax; add %rdx,%rax; jmp *%rax; 16: ret;
	 * 17: ret; 18: ret; 24: table of 16, 18 and of what is outside */
	BEGIN(&p,
	      "\x48\x8d\x15\x11\0\0\0\x48\x63\x04\x82\x48\x01\xd0\xff\xe0\xc3\xc3\xc3\0\0\0\0\0"
	      "\xf8\xff\xff\xff\xfa\xff\xff\xff\0\x10\0\0",
	      DERIVE_LLVM);
	add(&p, 0, 19);
	EXPECT(&p, 0, { 0, 16, BBMAP_INDIRECT_JUMP }, { 16, 1, RET }, { 17, 1, RET },
	       { 18, 1, RET });
	derived_release(&p.result);
}

static void pointers_into_functions_start_blocks_where_instructions_do(void **state)
{
	const uint64_t entries[] = { ADDR + 1, ADDR + 5 };
	struct program p;
	(void)state;
	/* mov $0,%eax; 5: inc %eax; ret */
	BEGIN(&p, "\xb8\0\0\0\0\xff\xc0\xc3", DERIVE_LLVM);
	add(&p, 0, 8);
	p.facts.entries = entries;
	p.facts.entry_count = 2;
	EXPECT(&p, 0, { 0, 5, FALL }, { 5, 3, RET });
	derived_release(&p.result);
}

/* call 20; 5: call 24; 10: inc %eax; 12: jmp 15; 14: ret (a pad); 15: ret; then a function at 20
 * that returns and one at 24 */
#define CALLS                                                                                      \
	"\xe8\x0f\0\0\0\xe8\x0e\0\0\0\xff\xc0\xeb\x01\xc3\xc3\xcc\xcc\xcc\xcc"                     \
	"\xc3\xcc\xcc\xcc\xc3"

static void begin_calls(struct program *p, enum derive_convention how)
{
	BEGIN(p, CALLS, how);
	add(p, 0, 16);
	add(p, 20, 1);
	add(p, 24, 1);
}

static void calls_end_blocks_where_exceptions_are_caught(void **state)
{
	const struct derive_site site = { ADDR + 5, 5, ADDR + 14 };
	struct program p;
	(void)state;
	begin_calls(&p, DERIVE_LLVM);
	EXPECT(&p, 0, { 0, 14, 0 }, { 14, 1, RET }, { 15, 1, RET });
	p.facts.sites = &site;
	p.facts.site_count = 1;
	EXPECT(&p, 0, { 0, 10, FALL }, { 10, 4, 0 }, { 14, 1, PAD | RET }, { 15, 1, RET });
	derived_release(&p.result);
}

/* call 30; 5: call 34; 10: call 38; 15: call 42; 20: ret; 21: ret (a pad); then at 30, 34, 38, 42
 * what returns */
#define FOUR_CALLS                                                                                 \
	"\xe8\x19\0\0\0\xe8\x18\0\0\0\xe8\x17\0\0\0\xe8\x16\0\0\0\xc3\xc3\xcc\xcc\xcc\xcc"         \
	"\xcc\xcc\xcc\xcc\xc3\xcc\xcc\xcc\xc3\xcc\xcc\xcc\xc3\xcc\xcc\xcc\xc3"

static void inside_a_range_calls_end_blocks_only_if_they_may_throw(void **state)
{
	const struct derive_site site = { ADDR, 20, ADDR + 21 };
	const struct derive_callee callees[] = { { ADDR + 34, DERIVE_NO_THROW },
						 { ADDR + 42, DERIVE_NO_THROW } };
	struct program p;
	(void)state;
	BEGIN(&p, FOUR_CALLS, DERIVE_LLVM);
	add(&p, 0, 22);
	p.facts.sites = &site;
	p.facts.site_count = 1;
	EXPECT(&p, 0, { 0, 5, FALL }, { 5, 5, FALL }, { 10, 5, FALL }, { 15, 5, FALL },
	       { 20, 1, RET }, { 21, 1, PAD | RET });
	p.facts.callees = callees; /* the last call of a range throws, or the range were shorter */
	p.facts.callee_count = 2;
	EXPECT(&p, 0, { 0, 5, FALL }, { 5, 10, FALL }, { 15, 5, FALL }, { 20, 1, RET },
	       { 21, 1, PAD | RET });
	p.facts.callee_count = 0; /* that there is no call in it the caller need not have known */
	add(&p, 34, 1);
	EXPECT(&p, 0, { 0, 5, FALL }, { 5, 5, FALL }, { 10, 5, FALL }, { 15, 5, FALL },
	       { 20, 1, RET }, { 21, 1, PAD | RET });
	derived_release(&p.result);
}

/* A range of code from the start on, whose exceptions are caught at `pad`. */
static void caught(struct program *p, struct derive_site *site, uint64_t size, uint64_t pad)
{
	*site = (struct derive_site){ ADDR, size, ADDR + pad };
	p->facts.sites = site;
	p->facts.site_count = 1;
}

#define TRAPS4  "\xcc\xcc\xcc\xcc"
#define TRAPS12 TRAPS4 TRAPS4 TRAPS4

static void a_copy_that_jumps_on_is_of_the_call_before_for_llvm(void **state)
{
	struct derive_site site;
	struct program p;
	(void)state;
	/* call 24; 5: mov %r14,%rdi; jmp 11; 10: ret (a pad); 11: ret */
	BEGIN(&p, "\xe8\x13\0\0\0\x4c\x89\xf7\xeb\x01\xc3\xc3" TRAPS12 "\xc3", DERIVE_LLVM);
	add(&p, 0, 24);
	caught(&p, &site, 5, 10);
	EXPECT(&p, 0, { 0, 10, 0 }, { 10, 1, PAD | RET }, { 11, 1, RET });
	p.facts.convention = DERIVE_GCC;
	EXPECT(&p, 0, { 0, 5, FALL }, { 5, 5, 0 }, { 10, 1, PAD | RET }, { 11, 1, RET });
	derived_release(&p.result);
}

static void a_block_of_llvm_begins_with_the_result_of_the_call_before(void **state)
{
	struct derive_site site;
	struct program p;
	(void)state;
	/* call 28; 5: mov 8(%rsp),%rbx; 10: mov %rax,%rbp; ret; 14: ret (a pad) */
	BEGIN(&p, "\xe8\x17\0\0\0\x48\x8b\x5c\x24\x08\x48\x89\xc5\xc3\xc3\xcc" TRAPS12 "\xc3",
	      DERIVE_LLVM);
	add(&p, 0, 28);
	caught(&p, &site, 5, 14);
	EXPECT(&p, 0, { 0, 10, FALL }, { 10, 4, RET }, { 14, 1, PAD | RET });
	p.facts.convention = DERIVE_GCC;
	EXPECT(&p, 0, { 0, 5, FALL }, { 5, 9, RET }, { 14, 1, PAD | RET });
	derived_release(&p.result);
	/* call 32; 5: mov %rax,8(%rsp); 10: cmpq $0,8(%rsp); ret; 17: ret (a pad) */
	BEGIN(&p,
	      "\xe8\x1b\0\0\0\x48\x89\x44\x24\x08\x48\x83\x7c\x24\x08\0\xc3\xc3\xcc\xcc" TRAPS12
	      "\xc3",
	      DERIVE_LLVM);
	add(&p, 0, 32);
	caught(&p, &site, 5, 17);
	EXPECT(&p, 0, { 0, 10, FALL }, { 10, 7, RET }, { 17, 1, PAD | RET });
	derived_release(&p.result);
}

static void virtual_functions_that_hardly_throw_do_not_end_blocks_of_gcc(void **state)
{
	const struct derive_callee callee = { ADDR + 28, DERIVE_BEGINS_CATCH };
	struct derive_site site;
	struct program p;
	char code[] = "\xe8\x17\0\0\0\xff\x50\x08\xe8\x0f\0\0\0\xc3\xc3\xcc" TRAPS12 "\xc3";
	(void)state;
	/* call 28; 5: call *8(%rax); 8: call 28; ret; 14: ret (a pad) */
	BEGIN(&p, code, DERIVE_GCC);
	add(&p, 0, 28);
	caught(&p, &site, 13, 14);
	EXPECT(&p, 0, { 0, 5, FALL }, { 5, 8, FALL }, { 13, 1, RET }, { 14, 1, PAD | RET });
	p.facts.convention = DERIVE_LLVM;
	EXPECT(&p, 0, { 0, 5, FALL }, { 5, 3, FALL }, { 8, 5, FALL }, { 13, 1, RET },
	       { 14, 1, PAD | RET });
	p.facts.convention = DERIVE_GCC;
	code[7] = 16; /* std::exception::what(), where one is caught */
	EXPECT(&p, 0, { 0, 5, FALL }, { 5, 3, FALL }, { 8, 5, FALL }, { 13, 1, RET },
	       { 14, 1, PAD | RET });
	p.facts.callees = &callee;
	p.facts.callee_count = 1;
	EXPECT(&p, 0, { 0, 5, FALL }, { 5, 8, FALL }, { 13, 1, RET }, { 14, 1, PAD | RET });
	derived_release(&p.result);
}

static void who_is_called_before_delete_does_not_throw(void **state)
{
	const struct derive_callee callee = { ADDR + 36, DERIVE_NO_THROW | DERIVE_DELETES };
	struct derive_site site;
	struct program p;
	(void)state;
	/* call 40; 5: call 32; 10: mov %r12,%rdi; call 36; 18: call 40; 23: ret; 24: ret (a pad) */
	BEGIN(&p,
	      "\xe8\x23\0\0\0\xe8\x16\0\0\0\x4c\x89\xe7\xe8\x12\0\0\0\xe8\x11\0\0\0\xc3\xc3\xcc\xcc"
	      "\xcc" TRAPS12 "\xc3",
	      DERIVE_LLVM);
	add(&p, 0, 28);
	caught(&p, &site, 23, 24);
	EXPECT(&p, 0, { 0, 5, FALL }, { 5, 5, FALL }, { 10, 8, FALL }, { 18, 5, FALL },
	       { 23, 1, RET }, { 24, 1, PAD | RET });
	p.facts.callees = &callee;
	p.facts.callee_count = 1;
	EXPECT(&p, 0, { 0, 5, FALL }, { 5, 18, FALL }, { 23, 1, RET }, { 24, 1, PAD | RET });
	derived_release(&p.result);
}

static void the_nop_before_the_first_pad_of_a_part_is_of_its_block_for_gcc(void **state)
{
	const struct derive_site site = { ADDR + 8, 5, ADDR + 1 };
	struct program p;
	/* nop; 1: inc %eax; ret; 8: call 0; ret */
	char code[] = "\x90\xff\xc0\xc3\xcc\xcc\xcc\xcc\xe8\xf3\xff\xff\xff\xc3";
	(void)state;
	BEGIN(&p, code, DERIVE_GCC);
	add(&p, 0, 4);
	add(&p, 8, 6);
	p.facts.sites = &site;
	p.facts.site_count = 1;
	EXPECT(&p, 0, { 0, 4, PAD | RET });
	code[8] = '\xe9'; /* jmp 1 */
	code[9] = '\xf4';
	EXPECT(&p, 0, { 0, 1, PAD | FALL }, { 1, 3, RET });
	p.facts.convention = DERIVE_LLVM;
	EXPECT(&p, 0, { 0, 1, FALL }, { 1, 3, PAD | RET });
	derived_release(&p.result);
}

static void a_call_that_does_not_return_ends_its_block(void **state)
{
	const struct derive_callee callee = { ADDR + 20, DERIVE_NO_RETURN };
	const uint64_t behind = ADDR + 5;
	struct program p;
	(void)state;
	begin_calls(&p, DERIVE_LLVM);
	p.facts.callees = &callee;
	p.facts.callee_count = 1;
	EXPECT(&p, 0, { 0, 14, 0 }, { 14, 1, RET }, { 15, 1, RET }); /* it has a return */
	derived_release(&p.result);
	begin(&p, CALLS, 16, DERIVE_LLVM);
	add(&p, 0, 16);
	p.facts.callees = &callee;
	p.facts.callee_count = 1;
	EXPECT(&p, 0, { 0, 14, 0 }, { 14, 1, RET }, { 15, 1, RET }); /* nothing else leads to 5 */
	p.facts.entries = &behind;
	p.facts.entry_count = 1;
	EXPECT(&p, 0, { 0, 5, 0 }, { 5, 9, 0 }, { 14, 1, RET }, { 15, 1, RET });
	derived_release(&p.result);
}

static void who_never_returns_is_seen_from_the_code(void **state)
{
	struct program p;
	(void)state;
	/* 0: je 7; call 16; 7: ret; 16: call 24; 24: ud2 */
	BEGIN(&p, "\x74\x05\xe8\x09\0\0\0\xc3\0\0\0\0\0\0\0\0\xe8\x03\0\0\0\0\0\0\x0f\x0b",
	      DERIVE_LLVM);
	add(&p, 0, 8);
	add(&p, 16, 5);
	add(&p, 24, 2);
	EXPECT(&p, 0, { 0, 2, FALL }, { 2, 5, 0 }, { 7, 1, RET });
	EXPECT(&p, 1, { 0, 5, 0 });
	EXPECT(&p, 2, { 0, 2, 0 });
	derived_release(&p.result);
}

static void code_behind_a_call_shows_that_its_compiler_expected_it_to_return(void **state)
{
	struct program p;
	(void)state;
	/* call 8; 5: inc %eax; ret; 8: ud2 */
	BEGIN(&p, "\xe8\x03\0\0\0\xff\xc0\xc3\x0f\x0b", DERIVE_LLVM);
	add(&p, 0, 8);
	add(&p, 8, 2);
	EXPECT(&p, 0, { 0, 8, RET });
	derived_release(&p.result);
}

static void jumps_back_from_a_part_are_no_tail_calls(void **state)
{
	struct program p;
	(void)state;
	/* je 8; 2: inc %eax; 4: ret; 8: jmp 2 */
	BEGIN(&p, "\x74\x06\xff\xc0\xc3\xcc\xcc\xcc\xeb\xf8", DERIVE_GCC);
	add(&p, 0, 5);
	add(&p, 8, 2);
	p.extents[1].cold = true;
	EXPECT(&p, 0, { 0, 2, FALL }, { 2, 3, RET });
	EXPECT(&p, 1, { 0, 2, 0 });
	p.extents[1].cold = false; /* nobody calls the middle of a function */
	EXPECT(&p, 1, { 0, 2, 0 });
	p.extents[0].stubs = true;
	EXPECT(&p, 1, { 0, 2, TAIL });
	derived_release(&p.result);
}

static void what_is_no_instruction_is_in_no_block(void **state)
{
	struct program p;
	(void)state;
	/* inc %eax; 2: two bytes of nothing; 4: ret */
	BEGIN(&p, "\xff\xc0\x06\x07\xc3", DERIVE_LLVM);
	add(&p, 0, 5);
	EXPECT(&p, 0, { 0, 2, 0 }, { 4, 1, RET });
	derived_release(&p.result);
}

static void relocations_say_where_jumps_of_objects_lead(void **state)
{
	const struct derive_fix fix = { ADDR + 1, DERIVE_NOWHERE };
	struct program p;
	(void)state;
	/* jmp 5; 5: ret */
	BEGIN(&p, "\xe9\0\0\0\0\xc3", DERIVE_LLVM);
	add(&p, 0, 6);
	EXPECT(&p, 0, { 0, 5, 0 }, { 5, 1, RET });
	p.facts.fixes = &fix;
	p.facts.fix_count = 1;
	EXPECT(&p, 0, { 0, 5, TAIL }, { 5, 1, RET });
	derived_release(&p.result);
}

static void relocations_say_where_the_tables_of_objects_are(void **state)
{
	const struct derive_fix fix = { ADDR + 3, ADDR + 24 };
	struct program p;
	(void)state;
	/* As in a_jump_table_is_followed_to_its_end, but for the displacement of lea. */
	BEGIN(&p,
	      "\x48\x8d\x15\0\0\0\0\x48\x63\x04\x82\x48\x01\xd0\xff\xe0\xc3\xc3\xc3\0\0\0\0\0"
	      "\xf8\xff\xff\xff\xfa\xff\xff\xff\0\x10\0\0",
	      DERIVE_LLVM);
	add(&p, 0, 19);
	p.facts.fixes = &fix;
	p.facts.fix_count = 1;
	EXPECT(&p, 0, { 0, 16, BBMAP_INDIRECT_JUMP }, { 16, 1, RET }, { 17, 1, RET },
	       { 18, 1, RET });
	derived_release(&p.result);
}

static void arm64_has_the_same_rules(void **state)
{
	struct program p;
	(void)state;
	/* cbz w0, 16; b 20; 8: nop; adr x0, 0 (linkers make it so); 16: bl 0; 20: ret */
	BEGIN(&p,
	      "\x80\0\0\x34\x04\0\0\x14\x1f\x20\x03\xd5\xa0\xff\xff\x10\xfc\xff\xff\x97"
	      "\xc0\x03\x5f\xd6",
	      DERIVE_LLVM);
	p.facts.isa = CODE_ARM64;
	add(&p, 0, 24);
	EXPECT(&p, 0, { 0, 8, 0 }, { 8, 8, FALL }, { 16, 4, FALL }, { 20, 4, RET });
	derived_release(&p.result);
}

static void a_jump_table_of_arm64_has_as_many_entries_as_are_compared(void **state)
{
	struct program p;
	(void)state;
	/* cmp w0,#1; b.hi 40; adr x1,48; ldrb w2,[x1,w0,uxtw]; adr x3,28; add x3,x3,x2,lsl #2; br
	 * x3; 28: nop; 32: ret; 36: ret; 40: ret; 44: nop; 48: 1, 2, 3, 3 */
	BEGIN(&p,
	      "\x1f\x04\0\x71\x28\x01\0\x54\x41\x01\0\x10\x22\x48\x60\x38\x63\0\0\x10"
	      "\x63\x08\x02\x8b\x60\0\x1f\xd6"
	      "\x1f\x20\x03\xd5\xc0\x03\x5f\xd6\xc0\x03\x5f\xd6\xc0\x03\x5f\xd6\x1f\x20\x03\xd5"
	      "\x01\x02\x03\x03",
	      DERIVE_GCC);
	p.facts.isa = CODE_ARM64;
	add(&p, 0, 44);
	EXPECT(&p, 0, { 0, 8, FALL }, { 8, 20, BBMAP_INDIRECT_JUMP }, { 32, 4, RET },
	       { 36, 4, RET }, { 40, 4, RET });
	derived_release(&p.result);
}

static void the_compiler_shows_in_the_order_of_saved_registers(void **state)
{
	static const char llvm[] = "\x55\x41\x57\x41\x56\x53\xc3",
			  gcc[] = "\x41\x55\x41\x54\x55\x53\xc3";
	uint8_t each[MOST];
	struct program p;
	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		begin(&p, i ? gcc : llvm, 7, DERIVE_PURE);
		for (unsigned k = 0; k < 3; k++)
			add(&p, 0, 7);
		assert_int_equal(derive_guess(&p.facts, each), DERIVE_PURE); /* too few to tell */
		add(&p, 0, 7);
		assert_int_equal(derive_guess(&p.facts, each), i ? DERIVE_GCC : DERIVE_LLVM);
		assert_int_equal(each[0], i ? DERIVE_GCC : DERIVE_LLVM);
	}
}

static void functions_that_do_not_show_their_compiler_are_as_their_neighbours(void **state)
{
	/* LLVM's, what may be anyone's, gcc's */
	static const char code[] = "\x55\x41\x57\x41\x56\x53\xc3\x90\xc3\x41\x54\x55\x53\xc3";
	static const uint8_t offs[MOST] = { 0, 8, 0, 8, 9, 8, 9, 8 };
	uint8_t each[MOST];
	struct program p;
	(void)state;
	BEGIN(&p, code, DERIVE_PURE);
	for (unsigned i = 0; i < MOST; i++)
		add(&p, offs[i], offs[i] == 8 ? 1 : 5);
	assert_int_equal(derive_guess(&p.facts, each), DERIVE_GCC);
	for (unsigned i = 0; i < MOST; i++)
		assert_int_equal(each[i], i < 3 ? DERIVE_LLVM : DERIVE_GCC);
}

static void a_return_of_an_it_block_goes_on(void **state)
{
	struct program p;
	(void)state;
	/* cmp r0, #0; it eq; bxeq lr; adds r0, #1; bx lr */
	BEGIN(&p, "\x00\x28\x08\xbf\x70\x47\x01\x30\x70\x47", DERIVE_LLVM);
	p.facts.isa = CODE_THUMB;
	add(&p, 0, 10);
	EXPECT(&p, 0, { 0, 6, RET | FALL }, { 6, 4, RET });
	derived_release(&p.result);
	/* cmp r0, #0; it eq; bxeq lr; b.n out of the function: one block of LLVM's, two of gcc's */
	BEGIN(&p, "\x00\x28\x08\xbf\x70\x47\x7f\xe0", DERIVE_LLVM);
	p.facts.isa = CODE_THUMB;
	add(&p, 0, 8);
	EXPECT(&p, 0, { 0, 8, TAIL });
	p.facts.convention = DERIVE_GCC;
	EXPECT(&p, 0, { 0, 6, RET | FALL }, { 6, 2, TAIL });
	derived_release(&p.result);
}

static void tables_of_thumb_stand_behind_their_branch(void **state)
{
	struct program p;
	(void)state;
	/* tbb [pc, r0], with entries for 8, 12 and 8; 8: adds r0, #1; bx lr; 12: bx lr; a word that
	 * is loaded, as the marks say */
	BEGIN(&p,
	      "\xdf\xe8\x00\xf0\x02\x04\x02\x00\x01\x30\x70\x47\x70\x47\x00\xbf\x78\x56\x34\x12",
	      DERIVE_LLVM);
	const struct derive_data data[] = { { ADDR + 16, 4 } };
	p.facts.isa = CODE_THUMB;
	p.facts.data = data;
	p.facts.data_count = 1;
	add(&p, 0, 20);
	EXPECT(&p, 0, { 0, 4, BBMAP_INDIRECT_JUMP }, { 8, 4, RET }, { 12, 2, RET });
	derived_release(&p.result);
}

static void far_calls_of_riscv_are_two_instructions(void **state)
{
	struct program p;
	(void)state;
	/* auipc ra, 0; jalr ra, 16(ra) (a call of the second function); ret; c.nop ...; 16: ret */
	BEGIN(&p, "\x97\x00\x00\x00\xe7\x80\x00\x01\x82\x80\x01\x00\x01\x00\x01\x00\x82\x80",
	      DERIVE_LLVM);
	p.facts.isa = CODE_RISCV32;
	add(&p, 0, 10);
	add(&p, 16, 2);
	EXPECT(&p, 0, { 0, 10, RET });
	derived_release(&p.result);
	/* auipc t1, 0; jr 16(t1): a tail call */
	BEGIN(&p, "\x17\x03\x00\x00\x67\x00\x03\x01\x82\x80\x01\x00\x01\x00\x01\x00\x82\x80",
	      DERIVE_LLVM);
	p.facts.isa = CODE_RISCV64;
	add(&p, 0, 8);
	add(&p, 16, 2);
	EXPECT(&p, 0, { 0, 8, TAIL });
	derived_release(&p.result);
}

static void tables_of_riscv_are_words_that_lead_into_the_function(void **state)
{
	struct program p;
	(void)state;
	/* lui a1, 1; addi a1, a1, 16; lw a0, 0(a1); jr a0; at 16: 0x1018, 0x101a; 24: ret; ret */
	BEGIN(&p,
	      "\xb7\x15\x00\x00\x93\x85\x05\x01\x88\x41\x02\x85\x01\x00\x01\x00"
	      "\x18\x10\x00\x00\x1a\x10\x00\x00\x82\x80\x82\x80",
	      DERIVE_LLVM);
	const struct derive_data data[] = { { ADDR + 12, 12 } };
	p.facts.isa = CODE_RISCV32;
	p.facts.data = data;
	p.facts.data_count = 1;
	add(&p, 0, 28);
	EXPECT(&p, 0, { 0, 12, BBMAP_INDIRECT_JUMP }, { 24, 2, RET }, { 26, 2, RET });
	derived_release(&p.result);
}

static void no_functions_and_empty_ones_have_no_blocks(void **state)
{
	struct program p;
	(void)state;
	BEGIN(&p, "\xc3", DERIVE_LLVM);
	derive(&p.facts, 1, &p.result);
	assert_int_equal(p.result.blocks.count, 0);
	add(&p, 0, 0);
	add(&p, 0, 1);
	derived_release(&p.result);
	derive(&p.facts, 1, &p.result);
	assert_int_equal(p.result.functions[0].count, 0);
	assert_int_equal(p.result.functions[1].count, 1);
	derived_release(&p.result);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_jump_ends_a_block_and_its_target_starts_one),
		cmocka_unit_test(jumps_in_a_row_are_one_block_for_llvm_alone),
		cmocka_unit_test(a_jump_over_a_jump_is_a_block_of_its_own),
		cmocka_unit_test(a_jump_out_of_the_function_is_a_tail_call),
		cmocka_unit_test(the_two_jumps_of_a_float_comparison_are_one_block_for_llvm),
		cmocka_unit_test(padding_belongs_to_no_block),
		cmocka_unit_test(padding_before_a_loop_starts_a_block),
		cmocka_unit_test(padding_behind_a_block_is_for_a_loop_of_llvm),
		cmocka_unit_test(nops_that_align_nothing_are_code),
		cmocka_unit_test(a_jump_table_is_followed_to_its_end),
		cmocka_unit_test(pointers_into_functions_start_blocks_where_instructions_do),
		cmocka_unit_test(calls_end_blocks_where_exceptions_are_caught),
		cmocka_unit_test(inside_a_range_calls_end_blocks_only_if_they_may_throw),
		cmocka_unit_test(a_copy_that_jumps_on_is_of_the_call_before_for_llvm),
		cmocka_unit_test(a_block_of_llvm_begins_with_the_result_of_the_call_before),
		cmocka_unit_test(virtual_functions_that_hardly_throw_do_not_end_blocks_of_gcc),
		cmocka_unit_test(who_is_called_before_delete_does_not_throw),
		cmocka_unit_test(the_nop_before_the_first_pad_of_a_part_is_of_its_block_for_gcc),
		cmocka_unit_test(a_call_that_does_not_return_ends_its_block),
		cmocka_unit_test(who_never_returns_is_seen_from_the_code),
		cmocka_unit_test(code_behind_a_call_shows_that_its_compiler_expected_it_to_return),
		cmocka_unit_test(jumps_back_from_a_part_are_no_tail_calls),
		cmocka_unit_test(what_is_no_instruction_is_in_no_block),
		cmocka_unit_test(relocations_say_where_jumps_of_objects_lead),
		cmocka_unit_test(relocations_say_where_the_tables_of_objects_are),
		cmocka_unit_test(arm64_has_the_same_rules),
		cmocka_unit_test(a_jump_table_of_arm64_has_as_many_entries_as_are_compared),
		cmocka_unit_test(the_compiler_shows_in_the_order_of_saved_registers),
		cmocka_unit_test(functions_that_do_not_show_their_compiler_are_as_their_neighbours),
		cmocka_unit_test(a_return_of_an_it_block_goes_on),
		cmocka_unit_test(tables_of_thumb_stand_behind_their_branch),
		cmocka_unit_test(far_calls_of_riscv_are_two_instructions),
		cmocka_unit_test(tables_of_riscv_are_words_that_lead_into_the_function),
		cmocka_unit_test(no_functions_and_empty_ones_have_no_blocks),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
