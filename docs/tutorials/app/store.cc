#include "store.h"

#include <algorithm>

void Store::add(const std::string &key)
{
	if (counts[key]++ == 0)
		order.push_back(key);
	std::sort(order.begin(), order.end());
}

int Store::total() const
{
	int sum = 0;
	for (const auto &count : counts)
		sum += count.second;
	return sum;
}

std::string Store::report() const
{
	std::string text;
	for (const auto &key : order)
		text += key + " " + std::to_string(counts.at(key)) + "\n";
	return text;
}
