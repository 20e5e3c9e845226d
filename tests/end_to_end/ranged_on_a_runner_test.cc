// A package with a range on a runner behind a tracker.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/end_to_end/tracker_child.h"

namespace hone {
namespace {

using testing::HasSubstr;

// A product with 1 to 256 rows.
constexpr const char* kProduct =
    "def @main(%x: Tensor[(1, 256, 64), float32], %w: Tensor[(1, 96, 64), float32], %rows: int64, ranged=[0, 1, 2, 1], "
    "counted=[0, 1, 1, 256]) -> (Tensor[(1, 256, 96), float32], int64) {\n"
    "  %0 = nn.batch_matmul(%x, %w);\n"
    "  %1 = add(%rows, 0i64);\n"
    "  (%0, %1)\n"
    "}\n";

class RangedOnARunner : public TrackerChildTest {
 protected:
  void SetUp() override {
    TrackerChildTest::SetUp();
    OfferDevice({"--cores", "0"});
    Write("work/m.relay", kProduct);
  }
};

TEST_F(RangedOnARunner, RunsEachLengthAsHere) {
  Do("build m.relay --no-records --threads 1 -o p.hone");
  for (const std::string rows : {"1", "30", "256"}) {
    const std::string run = "run p.hone --fill random --dim rows=" + rows + " --output ";
    Do(run + "there" + rows + There());
    Do(run + "here" + rows + " --threads 1");
    EXPECT_EQ(Shell("diff -r there" + rows + " here" + rows).code, 0) << rows;
  }
  EXPECT_THAT(Do("bench p.hone --runs 5 --dim rows=9" + There()), HasSubstr("timed at rows=9\n"));
  EXPECT_THAT(Do("verify m.relay p.hone" + There()), HasSubstr("the outputs agree"));
}

}  // namespace
}  // namespace hone
