// stacks.cc - allocates from stacks of every shape: exceptions, signal handlers on either stack,
// coroutines, frames of any size and alignment, recursion, longjmp, threads, libraries that come and go.
//
//	stacks OPS [LIBRARY]      LIBRARY: opened, called (void *library_alloc(int)) and closed again
//
// Prints "done" at the end.
#include <alloca.h>
#include <csetjmp>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <map>
#include <memory>
#include <new>
#include <pthread.h>
#include <stdexcept>
#include <string>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>
#include <vector>

#define NOINLINE __attribute__((noinline))
#define STAY __asm__ volatile("" ::: "memory")

static thread_local uint32_t state = 1;
static uint32_t roll(uint32_t n)
{
	state = state * 1664525 + 1013904223;
	return (state >> 8) % n;
}

static thread_local void *held[64];
NOINLINE static void take(size_t size)
{
	void *&p = held[roll(64)];
	free(p);
	p = malloc(size);
	if (p != nullptr)
		memset(p, 1, size);
	STAY;
}

// ---- frames ---------------------------------------------------------------------------------------

NOINLINE static void frame_large(int n)
{
	volatile char big[70000];
	big[n] = 1;
	take(10 + n);
	big[n + 1] = 2;
}

NOINLINE static void frame_dynamic(size_t n)
{
	volatile char *p = static_cast<volatile char *>(alloca(n));
	p[0] = 1;
	take(n);
	p[n - 1] = 2;
}

NOINLINE static void frame_aligned(int n, volatile char *more)
{
	alignas(64) volatile char buffer[256];
	buffer[n] = more[0];
	take(20);
	more[0] = buffer[n];
}

NOINLINE static void frame_aligned_dynamic(int n, int a, int b, int c, int d, int e, int f, int g)
{
	alignas(64) volatile char buffer[256];
	volatile char *p = static_cast<volatile char *>(alloca(16 + n + g));
	p[0] = buffer[n] = static_cast<char>(a + b + c + d + e + f);
	take(21);
	buffer[n] = p[0];
}

NOINLINE static void recurse(int n)
{
	if (n > 0)
		recurse(n - 1);
	else
		take(30);
	STAY;
}

// ---- C++ ------------------------------------------------------------------------------------------

struct guard {
	std::string text = std::string(40, 'x');
	~guard() { take(text.size()); }
};

NOINLINE static void throwing(int n)
{
	guard g;
	if (n == 0)
		throw std::runtime_error("a message that does not fit the short string");
	throwing(n - 1);
	STAY;
}

NOINLINE static void exceptions()
{
	try {
		throwing(static_cast<int>(roll(8)));
	} catch (const std::exception &e) {
		take(strlen(e.what()));
	}
}

struct alignas(64) wide {
	char bytes[128];
};

NOINLINE static void operators()
{
	delete new int(1);
	delete[] new char[100];
	delete new (std::nothrow) long(2);
	delete[] new (std::nothrow) long[20];
	delete new wide;
	delete[] new wide[3];
	delete new (std::nothrow) wide;
	::operator delete(::operator new(50), static_cast<size_t>(50));
	::operator delete(::operator new(64, std::align_val_t(128)), 64, std::align_val_t(128));
	std::map<std::string, std::vector<int>> m;
	for (int i = 0; i < 10; i++)
		m[std::string(20, static_cast<char>('a' + i))].resize(static_cast<size_t>(i));
	auto shared = std::make_shared<guard>();
}

// ---- control that goes astray ---------------------------------------------------------------------

static jmp_buf back;
NOINLINE static void jumper(int n)
{
	take(40);
	if (n == 0)
		longjmp(back, 1);
	jumper(n - 1);
	STAY;
}

NOINLINE static void jumps()
{
	if (setjmp(back) == 0)
		jumper(static_cast<int>(roll(9)));
	take(41);
}

NOINLINE static void on_signal(int)
{
	take(50);
	recurse(static_cast<int>(roll(5)));
}

static sigjmp_buf out_of_handler;
static void on_leave(int)
{
	take(51);
	siglongjmp(out_of_handler, 1);
}

NOINLINE static void signals()
{
	raise(SIGUSR1); // on the alternate stack
	recurse(2);
	raise(SIGUSR2); // on the thread's
	if (sigsetjmp(out_of_handler, 1) == 0)
		raise(SIGALRM);
	take(52);
}

static ucontext_t main_context, other_context;
static void coroutine()
{
	for (int i = 0; i < 4; i++) {
		take(60);
		recurse(i);
		swapcontext(&other_context, &main_context);
	}
}

NOINLINE static void coroutines()
{
	std::unique_ptr<char[]> stack(new char[65536]);
	getcontext(&other_context);
	other_context.uc_stack.ss_sp = stack.get();
	other_context.uc_stack.ss_size = 65536;
	other_context.uc_link = &main_context;
	makecontext(&other_context, coroutine, 0);
	for (int i = 0; i < 4; i++) {
		swapcontext(&main_context, &other_context);
		take(61);
	}
}

// ---- the run --------------------------------------------------------------------------------------

NOINLINE static void anything(bool alone)
{
	volatile char c = 0;
	switch (roll(alone ? 12 : 8)) {
	case 0: frame_large(static_cast<int>(roll(1000))); break;
	case 1: frame_dynamic(16 + roll(40000)); break;
	case 2: frame_aligned(3, &c); break;
	case 3: recurse(static_cast<int>(roll(100))); break;
	case 4: exceptions(); break;
	case 5: operators(); break;
	case 6: frame_aligned_dynamic(1, 2, 3, 4, 5, 6, 7, 8); break;
	case 7: take(70); break;
	case 8: jumps(); break;
	case 9: signals(); break;
	case 10: coroutines(); break;
	default: recurse(static_cast<int>(roll(1500))); break;
	}
	STAY;
}

static void *thread(void *ctx)
{
	state = static_cast<uint32_t>(reinterpret_cast<uintptr_t>(ctx));
	for (int i = 0; i < 300; i++)
		anything(false);
	for (void *&p : held) {
		free(p);
		p = nullptr;
	}
	return nullptr;
}

static void children()
{
	const pid_t pid = fork();
	if (pid == 0) {
		for (int i = 0; i < 100; i++)
			anything(false);
		_exit(7);
	}
	int status = 0;
	if (pid < 0 || waitpid(pid, &status, 0) != pid || !WIFEXITED(status) || WEXITSTATUS(status) != 7)
		abort();
}

static void library(const char *path)
{
	void *handle = dlopen(path, RTLD_NOW);
	if (handle == nullptr)
		abort();
	auto f = reinterpret_cast<void *(*)(int)>(dlsym(handle, "library_alloc"));
	for (int i = 0; i < 20; i++)
		free(f(i));
	dlclose(handle);
}

int main(int argc, char **argv)
{
	const int ops = argc > 1 ? atoi(argv[1]) : 1000;
	static char alternate[1 << 16];
	stack_t ss = {};
	ss.ss_sp = alternate;
	ss.ss_size = sizeof alternate;
	sigaltstack(&ss, nullptr);
	struct sigaction sa = {};
	sa.sa_handler = on_signal;
	sa.sa_flags = SA_ONSTACK;
	sigaction(SIGUSR1, &sa, nullptr);
	sa.sa_flags = 0;
	sigaction(SIGUSR2, &sa, nullptr);
	sa.sa_handler = on_leave;
	sigaction(SIGALRM, &sa, nullptr);
	for (int i = 0; i < ops; i++) {
		anything(true);
		if (i % 200 == 0) {
			pthread_t ids[8];
			for (uintptr_t k = 0; k < 8; k++)
				pthread_create(&ids[k], nullptr, thread, reinterpret_cast<void *>(k + 1 + i));
			if (i % 400 == 0)
				children();
			for (pthread_t id : ids)
				pthread_join(id, nullptr);
		}
		if (argc > 2 && i % 50 == 0)
			library(argv[2 + i / 50 % (argc - 2)]);
	}
	puts("done");
	return 0;
}
