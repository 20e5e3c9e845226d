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

std::string Refusal(const std::string& shape) {
  try {
    Each({shape});
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::kUsage);
    return error.what();
  }
  return "";
}

TEST(EachShape, OfNoRangeIsOne) { EXPECT_THAT(Each({"x=1,3"}, {"n=4"}), ElementsAre("x=1,3 n=4")); }

TEST(EachShape, DoublesFromTheLeastToTheMost) {
  EXPECT_THAT(Each({"x=1..8,3"}), ElementsAre("x=1,3", "x=2,3", "x=4,3", "x=8,3"));
  EXPECT_THAT(Each({"x=100..300"}), ElementsAre("x=100", "x=200", "x=300"));
  EXPECT_THAT(Each({"x=5..5"}), ElementsAre("x=5"));
}

// One package serves a range of a dimension.
TEST(EachShape, TakesTheSizesOfADimension) {
  EXPECT_THAT(Each({}, {"n=1..512"}), ElementsAre("n=1..512"));
  EXPECT_THAT(Each({}, {"n=1,5,8", "m=4"}), ElementsAre("n=1 m=4", "n=5 m=4", "n=8 m=4"));
  EXPECT_THAT(Each({}, {"n=1,5", "m=1,5", "k=2,3"}),
              ElementsAre("n=1 m=1 k=2", "n=1 m=1 k=3", "n=5 m=5 k=2", "n=5 m=5 k=3"));
  EXPECT_THAT(Each({"x=1..2"}, {"a,b=1,2"}), ElementsAre("x=1 a,b=1", "x=1 a,b=2", "x=2 a,b=1", "x=2 a,b=2"));
  for (const char* list : {"1,", ",1", "1,,2", "1,x", "0,1", "1,2..3"}) {
    EXPECT_THROW(Each({}, {std::string("n=") + list}), Error) << list;
  }
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
