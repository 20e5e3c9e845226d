// A session as a page shows it: `$ command` and what it said.
#pragma once

#include <string>
#include <vector>

namespace hone {

struct ShownCommand {
  std::string line;
  std::vector<std::string> said;  // the lines behind it; "..." in them stands for anything
};

// The commands of a page's blocks of code, in order: what follows "$ ", with what stands behind it to the next one or
// to the block's end. `page` is the page's path. Empty when there are none, or no such page.
std::vector<ShownCommand> ShownIn(const std::string& page);

// The first line of `shown.said` that does not follow, in order, in what the command said; empty when all do.
std::string FirstNotSaid(const ShownCommand& shown, const std::string& said);

}  // namespace hone
