/* Lists functions of libc and of the C++ run-time library that do not return or do not throw.
 *
 * Sources: the documentation of the functions, the C and POSIX standards, the Itanium C++ ABI, LSB
 * 5.0. */
#include "blocks/derive_map_internal.h"

#define R DERIVE_NO_RETURN
#define T DERIVE_NO_THROW
#define D DERIVE_DELETES

struct derive_names_named {
	const char *name;
	uint64_t traits;
};

/* Sorted by name. */
static const struct derive_names_named names[] = {
	{ "_Exit", R | T },
	{ "_Unwind_DeleteException", T },
	{ "_Unwind_Resume", R },
	{ "_ZSt10unexpectedv", R },
	{ "_ZSt9terminatev", R | T },
	{ "_ZdaPv", T | D },
	{ "_ZdaPvm", T | D },
	{ "_ZdlPv", T | D },
	{ "_ZdlPvSt11align_val_t", T | D },
	{ "_ZdlPvm", T | D },
	{ "_ZdlPvmSt11align_val_t", T | D },
	{ "_ZnamRKSt9nothrow_t", T },
	{ "_ZnwmRKSt9nothrow_t", T },
	{ "__assert_fail", R | T },
	{ "__chk_fail", R },
	{ "__clang_call_terminate", R | T },
	{ "__cxa_allocate_exception", T },
	{ "__cxa_atexit", T },
	{ "__cxa_bad_cast", R },
	{ "__cxa_bad_typeid", R },
	{ "__cxa_begin_catch", T | DERIVE_BEGINS_CATCH },
	{ "__cxa_call_unexpected", R },
	{ "__cxa_deleted_virtual", R | T },
	{ "__cxa_end_catch", DERIVE_ENDS_CATCH },
	{ "__cxa_free_exception", T },
	{ "__cxa_get_exception_ptr", T },
	{ "__cxa_guard_abort", T },
	{ "__cxa_guard_acquire", T },
	{ "__cxa_guard_release", T },
	{ "__cxa_pure_virtual", R | T },
	{ "__cxa_rethrow", R },
	{ "__cxa_throw", R },
	{ "__cxa_throw_bad_array_new_length", R },
	{ "__dynamic_cast", T },
	{ "__errno_location", T },
	{ "__fortify_fail", R },
	{ "__libc_fatal", R },
	{ "__longjmp_chk", R },
	{ "__memcpy_chk", T },
	{ "__memmove_chk", T },
	{ "__memset_chk", T },
	{ "__stack_chk_fail", R },
	{ "__strcpy_chk", T },
	{ "__tls_get_addr", T },
	{ "_exit", R },
	{ "_longjmp", R },
	{ "abort", R | T },
	{ "bcmp", T },
	{ "calloc", T },
	{ "err", R },
	{ "errx", R },
	{ "exit", R | T },
	{ "free", T },
	{ "longjmp", R },
	{ "malloc", T },
	{ "memchr", T },
	{ "memcmp", T },
	{ "memcpy", T },
	{ "memmove", T },
	{ "mempcpy", T },
	{ "memrchr", T },
	{ "memset", T },
	{ "posix_memalign", T },
	{ "pthread_exit", R },
	{ "pthread_mutex_lock", T },
	{ "pthread_mutex_unlock", T },
	{ "quick_exit", R | T },
	{ "realloc", T },
	{ "siglongjmp", R },
	{ "strchr", T },
	{ "strcmp", T },
	{ "strcpy", T },
	{ "strlen", T },
	{ "strncmp", T },
	{ "strncpy", T },
	{ "strrchr", T },
	{ "strstr", T },
	{ "strtol", T },
	{ "strtoul", T },
	{ "thrd_exit", R },
	{ "verr", R },
	{ "verrx", R },
};

/* Prefixes of the mangled names of C++ standard library functions that never throw: noexcept
 * functions, or plain algorithms on nodes. */
static const char *const calm[] = {
	"_ZNKSt9exception",
	"_ZNSt15__exception_ptr",
	"_ZNSt18condition_variable",
	"_ZNSt8__detail15_List_node_base",
	"_ZNSt9exception",
	"_ZSt18_Rb_tree_decrement",
	"_ZSt18_Rb_tree_increment",
	"_ZSt28_Rb_tree_rebalance_for_erase",
	"_ZSt29_Rb_tree_insert_and_rebalance",
	"_ZNSt6localeC1",
	"_ZNSt6localeaS",
	"_ZNSt6chrono3_V212s",
};

uint64_t traits_of_name(struct str name)
{
	enum { LONGEST = 32 }; /* Length of the longest name in `names` */
	const char *const version = name.len > 0 ? memchr(name.p, '@', name.len) : NULL;
	size_t low = 0, high = COUNT_OF(names);
	if (version)
		name.len = (size_t)(version - name.p);
	while (low < high && name.len <= LONGEST) {
		const size_t mid = low + (high - low) / 2;
		const int order = str_cmp(str_of(names[mid].name), name);
		if (order == 0)
			return names[mid].traits;
		if (order < 0)
			low = mid + 1;
		else
			high = mid;
	}
	if (!str_starts(name, STR("_Z")))
		return 0;
	/* Names like std::__throw_bad_alloc(): _ZSt, the length, __throw_. */
	size_t digits = 4;
	while (digits < name.len && name.p[digits] >= '0' && name.p[digits] <= '9')
		digits++;
	if (digits > 4 && str_starts(name, STR("_ZSt")) &&
	    str_starts((struct str){ name.p + digits, name.len - digits }, STR("__throw_")))
		return R;
	/* Destructors of nested names end in D0Ev, D1Ev or D2Ev. They are noexcept by default. */
	bool quiet = str_starts(name, STR("_ZN")) && name.len > 7 && name.p[name.len - 4] == 'D' &&
		     name.p[name.len - 3] >= '0' && name.p[name.len - 3] <= '2' &&
		     str_ends(name, STR("Ev"));
	for (size_t i = 0; i < COUNT_OF(calm) && !quiet; i++)
		quiet = str_starts(name, str_of(calm[i]));
	return quiet ? T : 0;
}
