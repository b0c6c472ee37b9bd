/* Defines the functions that clang calls for setjmp and longjmp (LLVM 19,
 * WebAssemblyLowerEmscriptenEHSjLj). */
#include <setjmp.h>
#include <stdint.h>

enum { TAG_LONGJMP = 1 }; /* C++ uses tag 0 */

void __wasm_setjmp(jmp_buf env, uint32_t place, void *frame);
uint32_t __wasm_setjmp_test(jmp_buf env, void *frame);
_Noreturn void __wasm_longjmp(jmp_buf env, int value);

void __wasm_setjmp(jmp_buf env, uint32_t place, void *frame)
{
	env->frame = frame;
	env->place = place;
}

/* Returns the number of the setjmp call that a jump goes to. 0 if it is in another function. */
uint32_t __wasm_setjmp_test(jmp_buf env, void *frame)
{
	return env->frame == frame ? env->place : 0;
}

/* Throws an exception with the environment's address and the value, which clang's code reads. */
_Noreturn void __wasm_longjmp(jmp_buf env, int value)
{
	env->thrown.env = env;
	env->thrown.value = value != 0 ? value : 1;
	__builtin_wasm_throw(TAG_LONGJMP, &env->thrown);
}
