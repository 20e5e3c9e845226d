// Random graphs with ranged dimensions, against the same graphs of fixed extents.
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "tests/compiler/frontend/ranged_draw.h"
#include "tests/compiler/frontend/ranged_models.h"

namespace hone {
namespace {

TEST(OnnxRanged, RandomGraphsAreEqualToFixedOnes) {
  for (unsigned seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE(seed);
    const int64_t batches = seed % 2 == 0 ? 3 : 1;
    std::map<std::string, DimRange> ranges = {{"seq", {2, 7}}, {"keys", {1, 5}}};
    if (batches > 1) ranges["batch"] = {1, batches};
    ExpectEqualToFixed(DrawSequenceModel(seed), ranges,
                       {{{"seq", 2}, {"keys", 1}, {"batch", 1}},
                        {{"seq", 5}, {"keys", 5}, {"batch", (batches + 1) / 2}},
                        {{"seq", 7}, {"keys", 3}, {"batch", batches}}});
    if (testing::Test::HasFatalFailure()) return;
  }
}

TEST(OnnxRanged, RandomPicturesAreEqualToFixedOnes) {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE(seed);
    ExpectEqualToFixed(DrawPictureModel(seed), {{"height", {2, 7}}, {"width", {3, 9}}},
                       {{{"height", 2}, {"width", 9}, {"batch", 1}},
                        {{"height", 5}, {"width", 4}, {"batch", 1}},
                        {{"height", 7}, {"width", 3}, {"batch", 1}}});
    if (testing::Test::HasFatalFailure()) return;
  }
}

}  // namespace
}  // namespace hone
