// vision.roi_align as a kernel against its reference: regions inside, across and outside the image, reversed ones, and
// NaN.
#include <gtest/gtest.h>

#include <limits>

#include "tests/compiler/generic/check_function.h"

namespace hone::testing {
namespace {

constexpr int64_t kRois = 9;

Tensor Regions() {
  const float inf = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN();
  const std::vector<float> boxes{0, 0, 7,  9,  1.3F, 2.7F, 5.1F, 4.2F, -3,   -3,   20,   20, 9, 9, 2, 3,   3, 3,
                                 3, 3, -9, -9, -4,   -4,   0.5F, 0.5F, 8.5F, 1.5F, -inf, 1,  5, 6, 1, nan, 4, 4};
  return Tensor::FromVector(DType::kFloat32, {kRois, 4}, boxes);
}

void Check(int64_t channels, const relay::Attrs& attrs, DType image_type = DType::kInt64) {
  Tensor images(image_type, {kRois});
  for (int64_t i = 0; i < kRois; ++i) images.Set(i, static_cast<double>(i % 2));
  const relay::ExprPtr x = Param("x", {2, channels, 10, 8}), rois = Param("rois", {kRois, 4}),
                       of = Param("of", {kRois}, "", image_type);
  const auto function = Function({x, rois, of}, relay::MakeCall("vision.roi_align", {x, rois, of}, attrs));
  CheckFunction(function, {Filled(*function->params[0]->type, 1), Regions(), images});
}

TEST(RoiAlignKernel, TakesAnyRegion) {
  for (const bool aligned : {true, false}) {
    for (const char* mode : {"avg", "max"}) {
      for (const int64_t samples : {0, 1, 2}) {
        SCOPED_TRACE(::testing::Message() << mode << " " << samples << " " << aligned);
        Check(3, {{"pooled_size", std::vector<int64_t>{3, 2}},
                  {"sample_ratio", samples},
                  {"mode", std::string(mode)},
                  {"aligned", aligned}});
      }
    }
  }
}

TEST(RoiAlignKernel, TakesAnyNumberOfChannels) {
  for (const int64_t channels : {1, 15, 16, 17, 40}) {
    Check(channels, {{"pooled_size", std::vector<int64_t>{1, 4}}, {"spatial_scale", 0.6}}, DType::kInt32);
  }
}

}  // namespace
}  // namespace hone::testing
