// All at once, in 16 threads: allocations of all kinds, exceptions, fork, exec, dlopen and dlclose, signals, short-lived
// threads.  Prints sums that do not depend on who was first.
#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <map>
#include <memory>
#include <spawn.h>
#include <stdexcept>
#include <string>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

extern char **environ;
static std::atomic<int> caught{ 0 }, ended{ 0 }, spawned{ 0 }, loaded{ 0 };
static volatile sig_atomic_t signals;

static void on_signal(int)
{
	signals = signals + 1;
}

static int deep(int n, std::string text)
{
	if (n == 0)
		throw std::runtime_error(text);
	return deep(n - 1, text + char('a' + n % 26)) + 1;
}

static unsigned long allocate(unsigned seed)
{
	std::map<int, std::string> m;
	std::vector<std::unique_ptr<char[]>> v;
	unsigned long sum = 0;
	for (int i = 0; i < 400; i++) {
		seed = seed * 1103515245 + 12345;
		const size_t size = seed >> 16 & 2047;
		m[int(seed >> 20)] = std::string(size, 'x');
		v.emplace_back(new char[size + 1]);
		memset(v.back().get(), int(i), size + 1);
		if (i % 7 == 0)
			m.erase(m.begin());
		void *p = nullptr;
		if (posix_memalign(&p, size_t(16) << i % 8, size + 1) == 0) {
			memset(p, 1, size + 1);
			p = realloc(p, 2 * size + 1);
			sum += static_cast<unsigned char *>(p)[size];
			free(p);
		}
	}
	for (auto &e : m)
		sum += e.second.size();
	for (auto &p : v)
		sum += static_cast<unsigned char>(p[0]);
	return sum;
}

static void child(unsigned seed)
{
	const pid_t pid = fork();
	if (pid == 0) {
		if (seed % 2 == 0) {
			execl("/bin/sh", "sh", "-c", "exit 3", static_cast<char *>(nullptr));
			_exit(9);
		}
		_exit(allocate(seed) != 0 ? 3 : 4);
	}
	int status = 0;
	if (pid > 0 && waitpid(pid, &status, 0) == pid && WIFEXITED(status) && WEXITSTATUS(status) == 3)
		ended++;
}

static void spawn()
{
	char sh[] = "/bin/sh", c[] = "-c", text[] = "exit 0";
	char *const argv[] = { sh, c, text, nullptr };
	pid_t pid;
	int status = 1;
	if (posix_spawn(&pid, sh, nullptr, nullptr, argv, environ) == 0 && waitpid(pid, &status, 0) == pid &&
	    status == 0)
		spawned++;
}

static void library()
{
	void *handle = dlopen("libz.so.1", RTLD_NOW | RTLD_LOCAL);
	if (handle == nullptr)
		handle = dlopen("libm.so.6", RTLD_NOW | RTLD_LOCAL);
	if (handle != nullptr && dlclose(handle) == 0)
		loaded++;
}

static void work(unsigned number, int rounds, unsigned long *ret)
{
	for (int i = 0; i < rounds; i++) {
		const unsigned seed = number * 1000 + unsigned(i);
		*ret += allocate(seed);
		try {
			deep(20 + i % 30, "x");
		} catch (const std::exception &e) {
			caught += int(strlen(e.what())) > 20;
		}
		raise(SIGUSR1);
		if (i % 8 == 0)
			child(seed);
		if (i % 16 == 1)
			spawn();
		library();
		unsigned long more = 0;
		std::thread([&] { more = allocate(seed + 7); }).join();
		*ret += more;
	}
}

int main(int argc, char **argv)
{
	enum { THREADS = 16 };
	const int rounds = argc > 1 ? atoi(argv[1]) : 20;
	unsigned long sums[THREADS] = { 0 }, all = 0;
	struct sigaction a = {};
	a.sa_handler = on_signal;
	a.sa_flags = SA_RESTART;
	sigaction(SIGUSR1, &a, nullptr);
	std::vector<std::thread> threads;
	for (unsigned i = 0; i < THREADS; i++)
		threads.emplace_back(work, i, rounds, &sums[i]);
	for (auto &t : threads)
		t.join();
	for (unsigned long s : sums)
		all += s;
	printf("%lu caught %d children %d spawned %d loaded %d signals %s\n", all, caught.load(),
	       ended.load(), spawned.load(), loaded.load(), signals > 0 ? "some" : "none");
	return 6;
}
