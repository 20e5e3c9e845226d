// docs/reference/relay.md's table of names: each name exists, and the tests that a row names are about it.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <string>
#include <vector>

namespace {

namespace fs = std::filesystem;

const fs::path kRoot = HONE_SOURCE_DIR;

std::string ReadAll(const fs::path& path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), {}};
}

struct Row {
  std::string tvm, hone, tests;
};

// The rows of the table that begins with "| TVM |".
std::vector<Row> Rows() {
  std::ifstream page(kRoot / "docs/reference/relay.md");
  std::vector<Row> rows;
  bool inside = false;
  static const std::regex columns(R"(\| (.*[^\\]) \| (.*[^\\]) \| (.*) \|)");
  for (std::string line; std::getline(page, line);) {
    std::smatch match;
    if (line.rfind("| TVM |", 0) == 0) {
      inside = true;
    } else if (inside && line.rfind("| --- |", 0) != 0 && std::regex_match(line, match, columns)) {
      rows.push_back({match[1], match[2], match[3]});
    } else if (line.empty()) {
      inside = false;
    }
  }
  return rows;
}

std::vector<std::string> Found(const std::string& text, const std::string& pattern) {
  const std::regex wanted(pattern);
  std::vector<std::string> found;
  for (std::sregex_iterator at(text.begin(), text.end(), wanted), end; at != end; ++at) found.push_back((*at)[1]);
  return found;
}

// The path beneath tests/; a name without a folder is in compiler/relay.
fs::path TestFile(const std::string& name) {
  return kRoot / "tests" / (name.find('/') == std::string::npos ? "compiler/relay/" + name : name);
}

TEST(RelayPage, EachRowHasATestThatNamesWhatItIsAbout) {
  const std::vector<Row> rows = Rows();
  ASSERT_GE(rows.size(), 34U) << "docs/reference/relay.md has no table";
  for (const Row& row : rows) {
    SCOPED_TRACE(row.tvm);
    const std::vector<std::string> tests = Found(row.tests, "`([a-z0-9_/]+\\.cc)`");
    EXPECT_FALSE(tests.empty()) << row.tests;
    std::string text;
    for (const std::string& test : tests) {
      EXPECT_TRUE(fs::exists(TestFile(test))) << test;
      text += ReadAll(TestFile(test));
    }
    // The names of functions and types, then of options and commands of the program.
    std::vector<std::string> names = Found(row.hone, "\\b([A-Z][A-Za-z]+)\\b");
    for (const std::string& option : Found(row.hone, "(--[a-z-]+|hone [a-z]+)")) names.push_back(option);
    EXPECT_FALSE(names.empty()) << row.hone;
    EXPECT_TRUE(
        std::any_of(names.begin(), names.end(), [&](const auto& name) { return text.find(name) != std::string::npos; }))
        << row.tests << " name nothing of " << row.hone;
  }
}

TEST(RelayPage, NamesHeadersThatExist) {
  for (const Row& row : Rows()) {
    for (const std::string& header : Found(row.hone, "`([a-z_/]+\\.h)`")) {
      const fs::path path = header.find("compiler/") == 0 || header.find("lab/") == 0 || header.find("core/") == 0 ||
                                    header.find("runtime/") == 0
                                ? kRoot / header
                                : kRoot / "compiler/relay" / header;
      EXPECT_TRUE(fs::exists(path)) << row.hone;
    }
  }
}

}  // namespace
