/* setjmp.h - for WASI, whose C library lacks setjmp. Uses exceptions of WebAssembly.
 *
 * With -mllvm -wasm-enable-sjlj, clang turns setjmp and longjmp into calls of wasi_setjmp.c. */
#pragma once

typedef struct {
	void *frame;    /* Frame of the function that called setjmp */
	unsigned place; /* Which setjmp call of that function it was */
	struct {
		void *env;
		int value;
	} thrown;
} jmp_buf[1];

int setjmp(jmp_buf env) __attribute__((returns_twice));
_Noreturn void longjmp(jmp_buf env, int value);
