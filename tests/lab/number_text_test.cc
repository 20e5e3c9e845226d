#include "lab/text/number_text.h"

#include <gtest/gtest.h>

#include "core/error.h"

namespace hone {
namespace {

TEST(TimeText, PicksTheUnit) {
  EXPECT_EQ(TimeText(0), "-");
  EXPECT_EQ(TimeText(999), "999 ns");
  EXPECT_EQ(TimeText(12345), "12.35 us");
  EXPECT_EQ(TimeText(1234567), "1.235 ms");
  EXPECT_EQ(TimeText(2500000000), "2.50 s");
}

TEST(ParseDims, ReadsShapes) {
  EXPECT_EQ(ParseDims("1,3,224,224", "--shape"), (Shape{1, 3, 224, 224}));
  EXPECT_EQ(ParseDims("7", "--shape"), (Shape{7}));
  EXPECT_EQ(ParseDims("1,2,0,4", "--shape"), (Shape{1, 2, 0, 4}));
}

TEST(ParseDims, RefusesWhatIsNotAShape) {
  for (const char* text :
       {"", ",", "1,", "1,,2", "-1", "1x2", "1, 2", "99999999999999999999", "4294967296", "1,1,1,1,1,1,1,1,1"}) {
    EXPECT_THROW(ParseDims(text, "--shape"), Error) << text;
  }
}

TEST(ParseShare, ReadsPercentAndFraction) {
  EXPECT_DOUBLE_EQ(ParseShare("3%", "x"), 0.03);
  EXPECT_DOUBLE_EQ(ParseShare("0.03", "x"), 0.03);
  for (const char* text : {"", "%", "3", "-1%", "101%", "nan", "a%"})
    EXPECT_THROW(ParseShare(text, "x"), Error) << text;
}

TEST(BytesText, ChoosesTheUnit) {
  EXPECT_EQ(BytesText(812), "812 B");
  EXPECT_EQ(BytesText(12600), "12.3 KiB");
  EXPECT_EQ(BytesText((int64_t{1} << 30) - (int64_t{1} << 20)), "1023.0 MiB");
  EXPECT_EQ(BytesText(int64_t{3} << 29), "1.5 GiB");
}

TEST(RatioText, IsEmptyForUnknownTimes) {
  EXPECT_EQ(RatioText(300, 100), "3.00x");
  EXPECT_EQ(RatioText(0, 100), "-");
}

}  // namespace
}  // namespace hone
