// A session as a page shows it: `$ command` and its output.
#pragma once

#include <string>
#include <vector>

namespace hone {

struct ShownCommand {
  std::string line;
  std::vector<std::string> said;  // the lines after it, in which "..." matches anything
};

// The commands in a page's code blocks, in order. Each is the text after "$ ", with the lines up to the next command or
// the end of the block. `page` is the page's path. Empty when there are no commands or no such page.
std::vector<ShownCommand> ShownIn(const std::string& page);

// The first line of `shown.said` that the command's output `said` lacks, taking the lines in order; empty when it has
// all.
std::string FirstNotSaid(const ShownCommand& shown, const std::string& said);

}  // namespace hone
