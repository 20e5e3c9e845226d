#include "core/config_space.h"

#include <gtest/gtest.h>

#include "core/error.h"

namespace hone {
namespace {

ConfigSpace SmallSpace() { return ConfigSpace({{"oc_block", {8, 16}}, {"tile_ow", {1, 2, 3}}}); }

TEST(Config, TextRoundTripsInOrder) {
  const Config config({{"tile_ow", 6}, {"oc_block", -1}});
  EXPECT_EQ(config.ToText(), "tile_ow=6 oc_block=-1");
  EXPECT_EQ(Config::Parse(config.ToText()), config);
  EXPECT_EQ(Config::Parse(""), Config());
}

TEST(Config, RefusesWhatIsNotNameAndInteger) {
  for (const char* text : {"a", "a=", "=1", "a=x", "a=1 a=2", "A=1", "a=1.5", "1a=1", "a=99999999999999999999", "a==1",
                           "a=1\n", "a=1\tb=2"}) {
    EXPECT_THROW(Config::Parse(text), Error) << text;
  }
}

TEST(Config, FindsByName) {
  Config config = Config::Parse("oc_block=16");
  config.Set("tile_ow", 4);
  config.Set("oc_block", 8);
  EXPECT_EQ(config.Find("oc_block"), 8);
  EXPECT_EQ(config.Get("tile_ow", 1), 4);
  EXPECT_EQ(config.Get("prefetch", 9), 9);
  EXPECT_FALSE(config.Find("prefetch"));
}

TEST(ConfigSpace, LastKnobRunsFastest) {
  EXPECT_EQ(SmallSpace().At(0).ToText(), "oc_block=8 tile_ow=1");
  EXPECT_EQ(SmallSpace().At(1).ToText(), "oc_block=8 tile_ow=2");
  EXPECT_EQ(SmallSpace().At(5).ToText(), "oc_block=16 tile_ow=3");
}

TEST(ConfigSpace, IndexOfIsTheReverseOfAt) {
  const ConfigSpace space = SmallSpace();
  ASSERT_EQ(space.size(), 6);
  for (int64_t i = 0; i < space.size(); ++i) EXPECT_EQ(space.IndexOf(space.At(i)), i);
  EXPECT_EQ(space.IndexOf(Config::Parse("tile_ow=3 oc_block=16")), 5);
  for (const char* outside : {"oc_block=8", "oc_block=9 tile_ow=1", "oc_block=8 tile_ow=1 prefetch=0", ""}) {
    EXPECT_FALSE(space.IndexOf(Config::Parse(outside))) << outside;
  }
}

TEST(ConfigSpace, HasOnePointWithoutKnobs) {
  EXPECT_EQ(ConfigSpace().size(), 1);
  EXPECT_EQ(ConfigSpace().At(0), Config());
  EXPECT_EQ(ConfigSpace().IndexOf(Config()), 0);
}

TEST(ConfigSpace, RefusesIndicesOutsideAndSizesBeyond64Bits) {
  EXPECT_THROW(SmallSpace().At(6), Error);
  EXPECT_THROW(SmallSpace().At(-1), Error);
  EXPECT_THROW(ConfigSpace(std::vector<Knob>(64, {"k", {0, 1}})).size(), Error);
}

TEST(ConfigSpace, SamplesLieInTheSpace) {
  Random random(5);
  for (int i = 0; i < 50; ++i) EXPECT_TRUE(SmallSpace().IndexOf(SmallSpace().Sample(random)));
}

}  // namespace
}  // namespace hone
