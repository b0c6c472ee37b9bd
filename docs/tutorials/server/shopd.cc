// A server that answers made-up requests. "shopd REQUESTS" ends by itself; with "wait" it waits to be looked at.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <unordered_map>
#include <unistd.h>

struct Session {
	std::string user;
	char *basket;
};

static std::unordered_map<int, Session> sessions;
static std::unordered_map<int, char *> pages;

// Keeps each page: the cache has no limit.
static const char *page_cached(int number)
{
	char *&page = pages[number];
	if (!page) {
		page = static_cast<char *>(malloc(4000));
		snprintf(page, 4000, "page %d", number);
	}
	return page;
}

// The fault: a refused request never gives its copy back.
static bool request_allowed(int number)
{
	char *copy = strdup("GET /basket/of/somebody/else HTTP/1.1");
	if (number % 7 == 0)
		return false;
	free(copy);
	return true;
}

static void session_open(int number)
{
	Session &session = sessions[number];
	session.user = "customer number " + std::to_string(number);
	session.basket = static_cast<char *>(malloc(300 + number % 50 * 20));
}

static void session_close(int number)
{
	auto found = sessions.find(number);
	if (found == sessions.end())
		return;
	free(found->second.basket);
	sessions.erase(found);
}

int main(int argc, char **argv)
{
	int requests = argc > 1 ? atoi(argv[1]) : 10000;
	for (int number = 0; number < requests; number++) {
		if (!request_allowed(number))
			continue;
		session_open(number);
		page_cached(number % 500);
	}
	// Evening: one customer in twenty stays, and holds a place between those who left.
	for (int number = 0; number < requests; number++)
		if (number % 20)
			session_close(number);
	printf("%zu sessions, %zu pages\n", sessions.size(), pages.size());
	fflush(stdout);
	if (argc > 2 && !strcmp(argv[2], "wait"))
		pause();
	return 0;
}
