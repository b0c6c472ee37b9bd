/* setjmp.h - for WASI, whose C library has none: by exceptions of WebAssembly.
 *
 * With -mllvm -wasm-enable-sjlj, clang makes calls of wasi_setjmp.c of setjmp and longjmp. */
#ifndef HEFT_WASI_SETJMP_H
#define HEFT_WASI_SETJMP_H

typedef struct {
	void *frame;    /* of the function that called setjmp */
	unsigned place; /* which setjmp in it */
	struct {
		void *env;
		int value;
	} thrown;
} jmp_buf[1];

int setjmp(jmp_buf env) __attribute__((returns_twice));
_Noreturn void longjmp(jmp_buf env, int value);

#endif
