// GroupQueryAttention whose cache holds a window, fed in pieces, against the same attention over the whole text.
#include <gmock/gmock.h>

#include <cmath>

#include "compiler/relay/type.h"
#include "tests/compiler/frontend/run_onnx.h"

namespace hone {
namespace {

using testing::FloatNear;
using testing::HasSubstr;
using testing::Pointwise;

constexpr int64_t kHeads = 2, kSize = 4, kWindow = 3;

Tensor Waves(const Shape& shape, double step) {
  Tensor tensor(DType::kFloat32, shape);
  for (int64_t i = 0; i < tensor.elements(); ++i) tensor.Set(i, std::sin(step * static_cast<double>(i * i + 1)));
  return tensor;
}

// Positions [begin, end) of axis 1.
Tensor Part(const Tensor& text, int64_t begin, int64_t end) {
  const Shape& shape = text.shape();
  Tensor part(DType::kFloat32, {shape[0], end - begin, shape[2]});
  for (int64_t i = 0; i < part.elements(); ++i) {
    const int64_t image = i / ((end - begin) * shape[2]), rest = i % ((end - begin) * shape[2]);
    part.Set(i, text.At(image * shape[1] * shape[2] + begin * shape[2] + rest));
  }
  return part;
}

// A cache of 0 places is none: the queries are the whole text.
ModelMaker Attention(int64_t batch, int64_t queries, int64_t total, int64_t places) {
  ModelMaker model(17);
  model.Input("q", {batch, queries, kHeads * kSize})
      .Input("k", {batch, queries, kSize})
      .Input("v", {batch, queries, kSize});
  std::vector<float> cosines, sines;
  for (int i = 0; i < 32 * kSize / 2; ++i) {
    cosines.push_back(std::cos(0.1F * static_cast<float>(i)));
    sines.push_back(std::sin(0.1F * static_cast<float>(i)));
  }
  model.Weight("cos", {32, kSize / 2}, cosines).Weight("sin", {32, kSize / 2}, sines);
  model.IntegerInput("last", 6, {batch}).Integers("total", 6, {}, {static_cast<int>(total)});
  if (places > 0) model.Input("pk", {batch, 1, places, kSize}).Input("pv", {batch, 1, places, kSize});
  const std::string keys = places > 0 ? "pk" : "", values = places > 0 ? "pv" : "";
  model.Node("GroupQueryAttention", {"q", "k", "v", keys, values, "last", "total", "cos", "sin"}, {"y", "nk", "nv"},
             {{"num_heads", kHeads},
              {"kv_num_heads", int64_t{1}},
              {"do_rotary", int64_t{1}},
              {"local_window_size", kWindow},
              {"sliding_window_cache", int64_t{places > 0 ? 1 : 0}}});
  model.Domain("com.microsoft").Output("y");
  if (places > 0) model.Output("nk").Output("nv");
  return model;
}

void ExpectAsWhole(int64_t batch, const std::vector<int64_t>& steps, int64_t places) {
  int64_t all = 0;
  for (const int64_t step : steps) all += step;
  SCOPED_TRACE(testing::Message() << all << " positions of " << batch << " in " << places << " places");
  const Tensor q = Waves({batch, all, kHeads * kSize}, 0.3), k = Waves({batch, all, kSize}, 0.7),
               v = Waves({batch, all, kSize}, 1.1);
  const auto last = [&](int64_t total) {
    return Typed(DType::kInt32, {batch},
                 std::vector<double>(static_cast<size_t>(batch), static_cast<double>(total - 1)));
  };
  const Tensor whole =
      RunOnnx(Attention(batch, all, all, 0).Bytes(), {{"q", q}, {"k", k}, {"v", v}, {"last", last(all)}})[0];
  Tensor keys(DType::kFloat32, {batch, 1, places, kSize}), values = keys;
  int64_t total = 0;
  for (const int64_t step : steps) {
    const int64_t begin = std::exchange(total, total + step);
    const std::vector<Tensor> now =
        RunOnnx(Attention(batch, step, total, places).Bytes(), {{"q", Part(q, begin, total)},
                                                                {"k", Part(k, begin, total)},
                                                                {"v", Part(v, begin, total)},
                                                                {"last", last(total)},
                                                                {"pk", keys},
                                                                {"pv", values}});
    EXPECT_THAT(Values(now[0]), Pointwise(FloatNear(1e-5F), Values(Part(whole, begin, total)))) << "at " << begin;
    keys = now[1];
    values = now[2];
  }
}

TEST(OnnxWindowCache, HoldsWhatLaterQueriesSee) {
  for (const int64_t places : {3, 4, 6}) {
    ExpectAsWhole(1, {1, 1, 1, 1, 1, 1, 1, 1, 1}, places);
    ExpectAsWhole(1, {2, 1, 1, 3, 1, 7, 1, 1}, places);
    ExpectAsWhole(2, {1, 1, 1, 1, 1, 1, 1}, places);
  }
}

// Positions that are left out of the resident ones are the oldest: 7 positions in 5 places for a window of 3 leave 4.
TEST(OnnxWindowCache, BeginsWithTheOldestThatStays) {
  const ModelMaker model = Attention(1, 7, 7, 5);
  const Tensor v = Waves({1, 7, kSize}, 1.1), none(DType::kFloat32, {1, 1, 5, kSize});
  const std::vector<Tensor> now = RunOnnx(model.Bytes(), {{"q", Waves({1, 7, kHeads * kSize}, 0.3)},
                                                          {"k", Waves({1, 7, kSize}, 0.7)},
                                                          {"v", v},
                                                          {"last", Typed(DType::kInt32, {1}, {6})},
                                                          {"pk", none},
                                                          {"pv", none}});
  std::vector<float> rows = Values(now[2]);
  rows.resize(4 * kSize);
  EXPECT_EQ(rows, Values(Part(v, 3, 7)));
}

TEST(OnnxWindowCache, RefusesFewerPlacesThanItsWindow) {
  EXPECT_THAT(ImportError(Attention(1, 1, 9, 2).Bytes()), HasSubstr("a cache of 2 positions for a window of 3"));
}

}  // namespace
}  // namespace hone
