// Text as a POSIX shell reads it back.
#pragma once

#include <string>
#include <vector>

namespace hone {

// One word: in single quotes where a shell would see more in it than a word.
std::string ShellWord(const std::string& text);
// Words that a shell reads as a command line, with a blank between two.
std::string ShellLine(const std::vector<std::string>& words);

}  // namespace hone
