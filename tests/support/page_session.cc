#include "tests/support/page_session.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>

#include "tests/cli/run_program.h"

namespace hone {
namespace {

// Whether `line` matches `shown`, in which "..." matches anything.
bool Fits(const std::string& line, const std::string& shown) {
  size_t at = 0, from = 0;
  for (bool first = true;; first = false) {
    const size_t dots = shown.find("...", from);
    const std::string piece = shown.substr(from, dots == std::string::npos ? dots : dots - from);
    const bool last = dots == std::string::npos;
    size_t found = line.find(piece, at);
    if (last && line.size() >= at + piece.size() && !first) found = line.rfind(piece);
    if (found == std::string::npos || found < at || (first && found != 0)) return false;
    at = found + piece.size();
    if (last) return at == line.size();
    from = dots + 3;
  }
}

// The first line of `shown.said` that the command's output `said` lacks, taking the lines in order; empty when it has
// all.
std::string FirstNotSaid(const ShownCommand& shown, const std::string& said) {
  size_t begin = 0;
  for (const std::string& expected : shown.said) {
    bool found = expected == "...";
    while (!found && begin < said.size()) {
      const size_t end = std::min(said.find('\n', begin), said.size());
      found = Fits(said.substr(begin, end - begin), expected);
      begin = end + 1;
    }
    if (!found) return expected;
  }
  return "";
}

}  // namespace

std::vector<ShownCommand> ShownIn(const std::string& page) {
  std::ifstream in(page);
  std::vector<ShownCommand> session;
  bool in_block = false;
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with("```")) {
      in_block = !in_block;
      if (in_block) session.emplace_back();  // lines before a block's first command belong to no command
    } else if (in_block && line.starts_with("$ ")) {
      session.push_back({line.substr(2, line.find("   #") - 2), {}});
    } else if (in_block) {
      session.back().said.push_back(line);
    }
  }
  std::erase_if(session, [](const ShownCommand& shown) { return shown.line.empty(); });
  return session;
}

void ExpectSaysWhatItShows(const std::string& page, size_t least,
                           const std::function<ProgramResult(const std::string& line)>& shell) {
  const std::vector<ShownCommand> session = ShownIn(page);
  ASSERT_GE(session.size(), least) << page << " shows no session";
  for (const ShownCommand& shown : session) {
    SCOPED_TRACE(shown.line);
    const ProgramResult result = shell("exec 2>&1; " + shown.line);
    ASSERT_EQ(result.code, 0) << result.out;
    EXPECT_EQ(FirstNotSaid(shown, result.out), "") << "is on the page, and was not said:\n" << result.out;
  }
}

}  // namespace hone
