#include <gtest/gtest.h>

#include "tests/compiler/generic/check_function.h"

namespace hone::testing {
namespace {

using relay::MakeCall;

Tensor RandomWords(Shape shape) {
  Tensor words(DType::kInt32, std::move(shape));
  for (int64_t i = 0; i < words.elements(); ++i) {
    words.data<uint32_t>()[i] = static_cast<uint32_t>(i + 1) * 0x9e3779b1U;
  }
  return words;
}

// Each number of bits, with zero points and without, and a last block and word that are partial.
TEST(BlocksKernel, UnpacksAndMultipliesLikeTheReference) {
  for (const int64_t bits : {2, 4, 8}) {
    for (const bool zeros : {false, true}) {
      const int64_t columns = 43, per_word = 32 / bits, block = 16;
      const Shape blocks{5, (columns + block - 1) / block};
      const auto x = Param("x", {3, columns}), s = Param("s", blocks), z = Param("z", blocks, "", DType::kInt8);
      const auto w = Param("w", {5, (columns + per_word - 1) / per_word}, "", DType::kInt32);
      relay::Attrs attrs{{"bits", bits}, {"block", block}};
      std::vector<relay::ExprPtr> params{w, s};
      if (zeros) params.push_back(z);
      std::vector<Tensor> args{RandomWords(w->type->shape), Filled(*s->type, 1)};
      if (zeros) args.push_back(Filled(*z->type, 2));
      const auto with_data = [&](auto of, auto data) {
        of.insert(of.begin(), data);
        return of;
      };
      CheckFunction(Function(with_data(params, x), MakeCall("nn.dense_blocks", with_data(params, x), attrs)),
                    with_data(args, Filled(*x->type, 3)));
      attrs.Set("columns", columns);
      CheckFunction(Function(params, MakeCall("unpack_blocks", params, attrs)), args, 0);
    }
  }
}

}  // namespace
}  // namespace hone::testing
