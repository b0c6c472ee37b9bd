#include "tally.h"

#include <map>
#include <string>
#ifdef RELEASE_1_1
#include <algorithm>
#include <sstream>
#include <vector>
#endif

const char *const tally_units[] = {
	"bytes",
	"blocks",
	"pages",
#ifdef RELEASE_1_1
	"sectors",
#endif
};

struct tally {
	std::map<std::string, int> counts[4];
};

tally *tally_new(void)
{
	return new tally;
}

void tally_add(tally *t, const char *key, int unit)
{
	t->counts[unit & 3][key]++;
}

int tally_sum(const tally *t, int unit)
{
	int sum = 0;
	for (const auto &count : t->counts[unit & 3])
		sum += count.second;
	return sum;
}

void tally_free(tally *t)
{
	delete t;
}

#ifdef RELEASE_1_1
int tally_top(const tally *t, char *key, int size)
{
	std::vector<std::pair<int, std::string>> all;
	for (const auto &unit : t->counts)
		for (const auto &count : unit)
			all.emplace_back(count.second, count.first);
	if (all.empty())
		return 0;
	std::sort(all.begin(), all.end());
	std::ostringstream text;
	text << all.back().second << " " << all.back().first;
	text.str().copy(key, size - 1);
	return all.back().first;
}
#endif
