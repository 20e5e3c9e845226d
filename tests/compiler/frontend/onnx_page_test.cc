// The page's list of supported operators has the names of the table, and no others.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <fstream>
#include <istream>
#include <set>
#include <string>

#include "compiler/frontend/onnx/onnx_operators.h"

namespace hone {
namespace {

bool IsName(const std::string& text) {
  return text.size() > 1 && std::isupper(static_cast<unsigned char>(text[0])) != 0 &&
         std::all_of(text.begin(), text.end(), [](unsigned char c) { return std::isalnum(c) != 0; });
}

// Names between backquotes.
std::set<std::string> NamesOn(std::istream& page) {
  std::set<std::string> names;
  std::string plain, quoted;
  while (std::getline(page, plain, '`') && std::getline(page, quoted, '`')) {
    if (IsName(quoted)) names.insert(quoted);
  }
  return names;
}

TEST(OnnxPage, NamesTheOperatorsOfTheTable) {
  std::ifstream in(std::string(HONE_SOURCE_DIR) + "/docs/reference/onnx.md");
  std::set<std::string> read;
  for (const std::string_view name : OnnxOperatorNames()) read.emplace(name);
  EXPECT_THAT(NamesOn(in), testing::ContainerEq(read));
}

}  // namespace
}  // namespace hone
