// A session as a page shows it: `$ command` and its output.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace hone {

struct ProgramResult;

struct ShownCommand {
  std::string line;
  std::vector<std::string> said;  // the lines after it, in which "..." matches anything
};

// The commands in a page's code blocks, in order. Each is the text after "$ ", with the lines up to the next command or
// the end of the block. `page` is the page's path. Empty when there are no commands or no such page.
std::vector<ShownCommand> ShownIn(const std::string& page);

// Types each of them through `shell`, in order, with both outputs in one. Fails the test unless there are `least` of
// them, each ends well, and each says what the page shows.
void ExpectSaysWhatItShows(const std::string& page, size_t least,
                           const std::function<ProgramResult(const std::string& line)>& shell);

}  // namespace hone
