#pragma once
#include <map>
#include <string>
#include <vector>

class Store
{
      public:
	void add(const std::string &key);
	int total() const;
	std::string report() const;

      private:
	std::map<std::string, int> counts;
	std::vector<std::string> order;
};
