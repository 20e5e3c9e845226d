#include "core/text/spelling.h"

#include <gtest/gtest.h>

namespace hone {
namespace {

TEST(Spelling, CountsEditsAndSwaps) {
  EXPECT_EQ(EditDistance("", "abc"), 3U);
  EXPECT_EQ(EditDistance("kitten", "sitting"), 3U);
  EXPECT_EQ(EditDistance("tnue", "tune"), 1U);
}

TEST(Spelling, FindsTheNearestNameWhateverItsCase) {
  const std::vector<std::string> names = {"build", "bench", "tune", "resnet-18"};
  EXPECT_EQ(Nearest("tnue", names), "tune");
  EXPECT_EQ(Nearest("Bulid", names), "build");
  EXPECT_EQ(Nearest("tun", {"run", "tune", "turn"}), "tune");
  EXPECT_EQ(Nearest("resnet18", names), "resnet-18");
}

TEST(Spelling, SuggestsNothingIfNothingIsNear) {
  EXPECT_EQ(Nearest("quux", {"build", "tune"}), "");
  EXPECT_EQ(Nearest("", {"a"}), "");
  EXPECT_EQ(Nearest(std::string(100000, 'a'), {"a"}), "");
  EXPECT_EQ(DidYouMean("bulid", {"build"}), "; did you mean build?");
  EXPECT_EQ(DidYouMean("build", {"build"}), "");
}

}  // namespace
}  // namespace hone
