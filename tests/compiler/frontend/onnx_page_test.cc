// The page that says which operators are read names those of the table, and no others.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <regex>
#include <set>
#include <string>

#include "compiler/frontend/onnx_operators.h"

namespace hone {
namespace {

TEST(OnnxPage, NamesTheOperatorsOfTheTable) {
  std::ifstream in(std::string(HONE_SOURCE_DIR) + "/docs/onnx.md");
  const std::string text((std::istreambuf_iterator<char>(in)), {});
  static const std::regex quoted("`([A-Z][A-Za-z0-9]+)`");
  std::set<std::string> named;
  for (std::sregex_iterator it(text.begin(), text.end(), quoted), end; it != end; ++it) named.insert((*it)[1]);
  std::set<std::string> read;
  for (const std::string_view name : OnnxOperatorNames()) read.emplace(name);
  EXPECT_THAT(named, testing::ContainerEq(read));
}

}  // namespace
}  // namespace hone
