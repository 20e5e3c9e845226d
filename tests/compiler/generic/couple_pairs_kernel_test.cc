// couple_pairs as a kernel against its reference: numbers of classes and rows, and rows that end at different steps.
#include <gtest/gtest.h>

#include "core/random.h"
#include "tests/compiler/generic/check_function.h"

namespace hone::testing {
namespace {

void Check(int64_t rows, int64_t classes, double least, double most) {
  SCOPED_TRACE(::testing::Message() << rows << " rows, " << classes << " classes");
  const Shape shape{rows, classes * (classes - 1) / 2};
  Random random(static_cast<uint64_t>(rows + classes));
  Tensor pairs(DType::kFloat32, shape);
  for (int64_t i = 0; i < pairs.elements(); ++i) pairs.Set(i, least + (most - least) * random.Uniform());
  const relay::ExprPtr x = Param("x", shape);
  CheckFunction(Function({x}, relay::MakeCall("couple_pairs", {x}, {})), {pairs}, 1e-5);
}

TEST(CouplePairsKernel, TakesAnyNumberOfClasses) {
  for (const int64_t classes : {2, 3, 4, 9, 17}) Check(5, classes, 0.05, 0.95);
}

TEST(CouplePairsKernel, EndsEachRowByItself) {
  for (const int64_t rows : {1, 2, 33}) Check(rows, 3, 1e-7, 1 - 1e-7);
  Check(3, 4, 0.5, 0.5);
  Check(0, 3, 0, 1);
}

}  // namespace
}  // namespace hone::testing
