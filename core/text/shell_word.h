// Quotes text so that a POSIX shell reads it back unchanged.
#pragma once

#include <string>
#include <vector>

namespace hone {

// One word, in single quotes if a shell would otherwise not read it as one plain word.
std::string ShellWord(const std::string& text);
// Quoted words with blanks between them, which a shell reads as a command line.
std::string ShellLine(const std::vector<std::string>& words);

}  // namespace hone
