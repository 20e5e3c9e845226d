// Kernels that count elements, against their references: any share of hits, partial chunks, thresholds.
#include <gtest/gtest.h>

#include <limits>

#include "core/random.h"
#include "tests/compiler/generic/check_function.h"

namespace hone::testing {
namespace {

using relay::ExprPtr;

// Zeros except for a share of the elements.
Tensor Sparse(const Shape& shape, double share, DType dtype, uint64_t seed) {
  Random random(seed);
  Tensor tensor(dtype, shape);
  for (int64_t i = 0; i < tensor.elements(); ++i) {
    if (random.Uniform() < share) tensor.Set(i, 1 + static_cast<double>(i % 3));
  }
  return tensor;
}

TEST(ArgwhereKernel, FindsAnyShareOfAnyType) {
  for (const DType dtype : {DType::kFloat32, DType::kInt8, DType::kUInt8, DType::kInt32, DType::kInt64, DType::kBool}) {
    for (const double share : {0.0, 0.1, 0.9, 1.0}) {
      const ExprPtr x = Param("x", {3, 7, 11}, "", dtype);
      CheckFunction(Function({x}, relay::MakeCall("argwhere", {x})), {Sparse({3, 7, 11}, share, dtype, 1)});
    }
  }
}

TEST(ArgwhereKernel, ContinuesAcrossChunks) {
  for (const int64_t elements : {1, 4096, 4097, 20000}) {
    const ExprPtr x = Param("x", {elements});
    CheckFunction(Function({x}, relay::MakeCall("argwhere", {x})), {Sparse({elements}, 0.3, DType::kFloat32, 2)});
  }
}

TEST(ArgwhereKernel, TakesNanForSomething) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const ExprPtr x = Param("x", {4});
  CheckFunction(Function({x}, relay::MakeCall("argwhere", {x})),
                {Tensor::FromVector<float>(DType::kFloat32, {4}, {0, nan, -0.0F, 1e-45F})});
}

struct Suppression {
  int64_t images = 1, classes = 1, boxes = 1, room = 1, most = 1;
  float overlap = 0.5F, least = 0;
  bool is_centre = false, equal_scores = false;
};

void Check(const Suppression& s, uint64_t seed) {
  SCOPED_TRACE(::testing::Message() << s.boxes << " boxes, room " << s.room << ", overlap " << s.overlap);
  Random random(seed);
  Tensor boxes(DType::kFloat32, {s.images, s.boxes, 4}), scores(DType::kFloat32, {s.images, s.classes, s.boxes});
  for (int64_t i = 0; i < boxes.elements(); ++i) boxes.Set(i, random.Uniform() * (i % 4 < 2 ? 8 : 6));
  for (int64_t i = 0; i < scores.elements(); ++i) scores.Set(i, s.equal_scores ? 0.5 : random.Uniform());
  const auto number = [](float value) { return Tensor::FromVector<float>(DType::kFloat32, {}, {value}); };
  const std::vector<Tensor> args{boxes, scores, Tensor::FromVector<int64_t>(DType::kInt64, {}, {s.most}),
                                 number(s.overlap), number(s.least)};
  std::vector<ExprPtr> params;
  for (size_t i = 0; i < args.size(); ++i) {
    params.push_back(Param("x" + std::to_string(i), args[i].shape(), "", args[i].dtype()));
  }
  CheckFunction(Function(params, relay::MakeCall("vision.all_class_non_max_suppression", params,
                                                 {{"room", s.room}, {"center_point_box", s.is_centre}})),
                args);
}

TEST(NonMaxSuppressionKernel, TakesAnyNumberOfBoxes) {
  for (const int64_t boxes : {1, 2, 3, 17, 100}) {
    Check({.images = 2, .classes = 3, .boxes = boxes, .room = boxes, .most = boxes, .overlap = 0.4F}, 3);
  }
}

TEST(NonMaxSuppressionKernel, HoldsLimitsAndThresholds) {
  for (const int64_t most : {-1, 0, 1, 5, 1000}) Check({.classes = 2, .boxes = 40, .room = 20, .most = most}, 4);
  for (const float overlap : {0.0F, 0.2F, 1.0F}) {
    Check({.boxes = 60, .room = 60, .most = 60, .overlap = overlap, .is_centre = true}, 5);
  }
  for (const float least : {-1.0F, 0.5F, 2.0F, std::numeric_limits<float>::quiet_NaN()}) {
    Check({.boxes = 60, .room = 60, .most = 60, .least = least}, 6);
  }
  Check({.classes = 3, .boxes = 60, .room = 60, .most = 60, .overlap = 0.3F, .equal_scores = true}, 7);
}

}  // namespace
}  // namespace hone::testing
