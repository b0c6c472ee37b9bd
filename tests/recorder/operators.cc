/* All forms of operators new and delete, and what mixes with them.  Says how many blocks and bytes
 * of 40,000 bytes and more stay. */
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <new>

static int problems, handled;
static void *volatile kept[64];
static size_t count, bytes;

static void hold(void *p, size_t size, size_t align)
{
	if (p == NULL || (uintptr_t)p % align != 0) {
		std::printf("a block of %zu bytes at %p, not a multiple of %zu\n", size, p, align);
		problems++;
		return;
	}
	std::memset(p, 0x5a, size);
	kept[count++] = p;
	bytes += size;
}

static void handler()
{
	if (++handled == 3)
		std::set_new_handler(nullptr);
}

template <typename F> static void must_throw(const char *what, F f)
{
	bool caught = false;
	handled = 0;
	std::set_new_handler(handler);
	try {
		kept[63] = f();
	} catch (const std::bad_alloc &) {
		caught = true;
	}
	if (!caught || handled != 3) {
		std::printf("%s: caught %d, handled %d\n", what, caught, handled);
		problems++;
	}
}

int main(int argc, char **argv)
{
	const std::align_val_t far{ 256 }, near{ 8 };
	const std::nothrow_t &quiet = std::nothrow;
	const volatile size_t most = SIZE_MAX / 2 - 5000;
	hold(::operator new(40001), 40001, 16);
	hold(::operator new(40002, quiet), 40002, 16);
	hold(::operator new(40192, far), 40192, 256);
	hold(::operator new(40192, far, quiet), 40192, 256);
	hold(::operator new[](40005), 40005, 16);
	hold(::operator new[](40006, quiet), 40006, 16);
	hold(::operator new[](40192, far), 40192, 256);
	hold(::operator new[](40192, far, quiet), 40192, 256);
	hold(::operator new(40016, near), 40016, 8);
	hold(new char[40010], 40010, 16);
	/* What goes. */
	::operator delete(::operator new(41001));
	::operator delete(::operator new(41002), (size_t)41002);
	::operator delete(::operator new(41003, quiet), quiet);
	::operator delete(::operator new(41004, far), far);
	::operator delete(::operator new(41005, far), (size_t)41005, far);
	::operator delete(::operator new(41006, far, quiet), far, quiet);
	::operator delete[](::operator new[](41007));
	::operator delete[](::operator new[](41008), (size_t)41008);
	::operator delete[](::operator new[](41009, quiet), quiet);
	::operator delete[](::operator new[](41010, far), far);
	::operator delete[](::operator new[](41011, far), (size_t)41011, far);
	::operator delete[](::operator new[](41012, far, quiet), far, quiet);
	::operator delete((void *)nullptr);
	/* What is given back by another name than it was asked for. */
	std::free(::operator new(41013));
	::operator delete(std::malloc(41014));
	hold(std::realloc(::operator new(41015), 41016), 41016, 16);
	/* Where there is no memory.  mimalloc, built as C, ends the program. */
	if (argc > 1 && std::strcmp(argv[1], "calm") == 0) {
		std::printf("%zu bytes in %zu blocks\n", bytes, count);
		return 0;
	}
	must_throw("new", [&] { return ::operator new(most); });
	must_throw("new[]", [&] { return ::operator new[](most); });
	must_throw("new, aligned", [&] { return ::operator new(most, far); });
	must_throw("new[], aligned", [&] { return ::operator new[](most, far); });
	if (::operator new(most, quiet) != nullptr || ::operator new[](most, far, quiet) != nullptr) {
		std::printf("memory that is not there\n");
		problems++;
	}
	/* A library with operators of its own in a scope of its own. */
	if (argc > 1) {
		void *library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
		int (*use)(void) = library ? (int (*)(void))dlsym(library, "use") : nullptr;
		if (use == nullptr || use() != 7) {
			std::printf("%s: %s\n", argv[1], use ? "wrong" : dlerror());
			problems++;
		}
	}
	std::printf("%d problems; %zu bytes in %zu blocks\n", problems, bytes, count);
	return problems != 0;
}
