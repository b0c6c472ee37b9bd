/* What clang calls for setjmp and longjmp (LLVM 19, WebAssemblyLowerEmscriptenEHSjLj). */
#include <setjmp.h>
#include <stdint.h>

enum { TAG_LONGJMP = 1 }; /* 0 is C++'s */

void __wasm_setjmp(jmp_buf env, uint32_t place, void *frame);
uint32_t __wasm_setjmp_test(jmp_buf env, void *frame);
_Noreturn void __wasm_longjmp(jmp_buf env, int value);

void __wasm_setjmp(jmp_buf env, uint32_t place, void *frame)
{
	env->frame = frame;
	env->place = place;
}

/* Whether a jump that arrives in a frame is for a setjmp of it: its place, or 0. */
uint32_t __wasm_setjmp_test(jmp_buf env, void *frame)
{
	return env->frame == frame ? env->place : 0;
}

/* What is thrown is the address of the environment and the value, which clang reads. */
_Noreturn void __wasm_longjmp(jmp_buf env, int value)
{
	env->thrown.env = env;
	env->thrown.value = value != 0 ? value : 1;
	__builtin_wasm_throw(TAG_LONGJMP, &env->thrown);
}
