// append_rows as a kernel against its reference. Positions are inside, at the ends and outside, one for all images or
// one each. There may be fewer rows than there are places, and more positions than the data have.
#include <gtest/gtest.h>

#include "tests/compiler/generic/check_function.h"

namespace hone::testing {
namespace {

struct Appended {
  Shape data, rows;
  int64_t axis = 0, extent = 0;
  std::vector<int64_t> positions = {0};
  int64_t count = 0;
  DType dtype = DType::kFloat32;
  bool ends = false;
};

void CheckAppend(const Appended& of) {
  const Tensor positions = Tensor::FromVector<int64_t>(
      DType::kInt64, of.positions.size() == 1 ? Shape{} : Shape{static_cast<int64_t>(of.positions.size())},
      of.positions);
  const Tensor count = Tensor::FromVector<int64_t>(DType::kInt64, {}, {of.count});
  const relay::ExprPtr data = Param("data", of.data, "", of.dtype), rows = Param("rows", of.rows, "", of.dtype),
                       at = Param("at", positions.shape(), "", DType::kInt64), n = Param("n", {}, "", DType::kInt64);
  const auto function =
      Function({data, rows, at, n}, relay::MakeCall("append_rows", {data, rows, at, n},
                                                    {{"axis", of.axis}, {"extent", of.extent}, {"ends", of.ends}}));
  SCOPED_TRACE(::testing::Message() << ShapeText(of.data) << " " << of.positions[0] << " " << of.count);
  CheckFunction(function,
                {Filled(*function->params[0]->type, 1), Filled(*function->params[1]->type, 2), positions, count});
}

TEST(AppendKernel, WritesTheRowsThatAreCounted) {
  for (const int64_t count : {0, 1, 3, 4, 9, -1}) CheckAppend({{2, 7, 5}, {2, 4, 5}, 1, 0, {3}, count});
}

TEST(AppendKernel, LeavesOutWhatIsOutside) {
  const int64_t far = int64_t{1} << 62;
  for (const int64_t position : {int64_t{-2}, int64_t{6}, int64_t{7}, int64_t{-9}, far, -far}) {
    CheckAppend({{2, 7, 5}, {2, 4, 5}, 1, 0, {position}, 4});
  }
}

TEST(AppendKernel, TakesAPositionPerImage) {
  CheckAppend({{3, 2, 7, 4}, {3, 2, 3, 4}, 2, 0, {4, 0, 2}, 2});
  CheckAppend({{3, 2, 7, 4}, {3, 2, 3, 4}, 2, 11, {7, 6, 2}, 3});
}

TEST(AppendKernel, TakesEachAxisAndType) {
  CheckAppend({{6, 3}, {2, 3}, 0, 9, {5}, 2});
  CheckAppend({{2, 3, 40}, {2, 3, 6}, 2, 0, {33}, 5});
  for (const DType dtype : {DType::kInt8, DType::kInt32, DType::kInt64, DType::kBool, DType::kFloat16}) {
    CheckAppend({{2, 7, 33}, {2, 4, 33}, 1, 8, {3}, 4, dtype});
  }
}

TEST(AppendKernel, EndsBehindTheRows) {
  const int64_t far = int64_t{1} << 62;
  for (const int64_t count : {0, 1, 4, 9, -1}) {
    for (const int64_t position : {int64_t{0}, int64_t{3}, int64_t{7}, int64_t{9}, int64_t{-2}, far, -far}) {
      CheckAppend({{2, 3, 7, 5}, {2, 3, 4, 5}, 2, 11, {position}, count, DType::kFloat32, true});
    }
  }
  CheckAppend({{3, 2, 7, 4}, {3, 2, 3, 4}, 2, 10, {7, 0, 2}, 3, DType::kInt8, true});
  CheckAppend({{6, 3}, {2, 3}, 0, 8, {4}, 2, DType::kInt64, true});
}

}  // namespace
}  // namespace hone::testing
