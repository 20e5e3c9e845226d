#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/error.h"
#include "lab/model/build_model.h"

namespace hone {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::vector<std::string> Each(std::vector<std::string> shapes, std::vector<std::string> dims = {}) {
  ModelOptions options;
  options.shapes = std::move(shapes);
  options.dims = std::move(dims);
  std::vector<std::string> texts;
  for (const ModelOptions& one : EachShape(options)) {
    std::string text;
    for (const auto* list : {&one.shapes, &one.dims}) {
      for (const std::string& each : *list) text += (text.empty() ? "" : " ") + each;
    }
    texts.push_back(text);
  }
  return texts;
}

std::string Refusal(const std::string& dim) {
  try {
    Each({}, {dim});
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::kUsage);
    return error.what();
  }
  return "";
}

TEST(EachShape, OfNoRangeIsOne) { EXPECT_THAT(Each({"x=1,3"}, {"n=4"}), ElementsAre("x=1,3 n=4")); }

TEST(EachShape, DoublesFromTheLeastToTheMost) {
  EXPECT_THAT(Each({"x=1..8,3"}), ElementsAre("x=1,3", "x=2,3", "x=4,3", "x=8,3"));
  EXPECT_THAT(Each({}, {"n=100..300"}), ElementsAre("n=100", "n=200", "n=300"));
  EXPECT_THAT(Each({"x=5..5"}), ElementsAre("x=5"));
}

TEST(EachShape, KeepsRangesThatAreWrittenAlikeTogether) {
  EXPECT_THAT(Each({"a=1..2,7", "b=1..2,9"}), ElementsAre("a=1,7 b=1,9", "a=2,7 b=2,9"));
  EXPECT_THAT(Each({"a=1..2,16..32"}), ElementsAre("a=1,16", "a=1,32", "a=2,16", "a=2,32"));
}

// A name may contain an equals sign, dots and a comma.
TEST(EachShape, LeavesNamesAlone) { EXPECT_THAT(Each({"a=1..2,x=3..3"}), ElementsAre("a=1..2,x=3")); }

TEST(EachShape, RefusesWhatIsNoRange) {
  for (const char* range : {"n=4..1", "n=..4", "n=1..", "n=0..4", "n=1..x", "n=1...4", "n=-1..4", "n=1..9999999999"}) {
    EXPECT_THAT(Refusal(range), HasSubstr("right is one number, or the least and the most as in 1..32")) << range;
  }
  EXPECT_THAT(Refusal("n=1..2147483648"), "");
  std::vector<std::string> many = {"x=1..8,1..16,1..32"};
  EXPECT_THROW(Each(many), Error);
}

}  // namespace
}  // namespace hone
