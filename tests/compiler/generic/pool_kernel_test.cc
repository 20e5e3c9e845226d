// Kernels of pooling: windows with padding, dilation and rounding up, NaN, and bytes.
#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "tests/compiler/generic/check_function.h"
#include "tests/compiler/generic/kernel_runner.h"

namespace hone::testing {
namespace {

using relay::Attrs;
using relay::MakeCall;

struct PoolCase {
  Shape shape;
  std::vector<int64_t> size, strides, dilation, padding;
  bool ceil_mode;
};
const std::vector<PoolCase> kPools = {{{1, 3, 13, 20}, {3, 3}, {2, 2}, {1, 1}, {1, 1, 1, 1}, false},
                                      {{2, 5, 7, 40}, {2, 3}, {1, 1}, {1, 1}, {0, 1, 0, 1}, false},
                                      {{1, 19, 8, 9}, {3, 3}, {2, 2}, {1, 1}, {0, 0, 1, 1}, true},
                                      {{1, 4, 9, 11}, {3, 2}, {1, 2}, {2, 3}, {2, 0, 1, 3}, true},
                                      {{1, 2, 3, 3}, {3, 3}, {1, 1}, {1, 1}, {1, 1, 1, 1}, false},
                                      {{1, 3, 20, 20}, {9, 9}, {3, 3}, {1, 1}, {4, 4, 4, 4}, false},
                                      {{1, 2, 9, 70}, {5, 5}, {1, 1}, {1, 1}, {2, 2, 2, 2}, false},
                                      {{1, 2, 7, 53}, {3, 3}, {1, 2}, {1, 1}, {1, 1, 1, 1}, true},
                                      {{1, 2, 6, 45}, {1, 13}, {1, 1}, {1, 1}, {0, 6, 0, 6}, false},
                                      {{1, 1, 4, 40}, {2, 3}, {1, 3}, {1, 4}, {0, 8, 0, 7}, false},
                                      {{1, 1, 3, 90}, {1, 70}, {1, 1}, {1, 1}, {0, 35, 0, 34}, false},
                                      {{1, 1, 5, 5}, {3, 5}, {1, 1}, {1, 1}, {1, 2, 1, 2}, false}};

TEST(PoolKernel, Pools) {
  for (const PoolCase& p : kPools) {
    for (const char* layout : {"", "NCHW8c", "NCHW16c"}) {
      const auto x = Param("x", p.shape, layout);
      Attrs attrs{{"pool_size", p.size},
                  {"strides", p.strides},
                  {"dilation", p.dilation},
                  {"padding", p.padding},
                  {"ceil_mode", p.ceil_mode}};
      CheckFunction(Function({x}, MakeCall("nn.max_pool2d", {x}, attrs)));
      attrs.Set("count_include_pad", p.size[0] % 2 == 0);
      CheckFunction(Function({x}, MakeCall("nn.relu", {MakeCall("nn.avg_pool2d", {x}, attrs)})));
    }
  }
}

// NaN at every place of a window: one in 31 elements is NaN, and some are infinite.
TEST(PoolKernel, PoolsPassNanOn) {
  for (const PoolCase& p : kPools) {
    Tensor x(DType::kFloat32, p.shape);
    FillTensor(x, Fill::kNormal, 3);
    for (int64_t i = 0; i < x.elements(); i += 31) x.Set(i, std::numeric_limits<double>::quiet_NaN());
    for (int64_t i = 7; i < x.elements(); i += 43) {
      x.Set(i, (i % 2 == 0 ? 1 : -1) * std::numeric_limits<double>::infinity());
    }
    for (const char* layout : {"", "NCHW8c", "NCHW16c"}) {
      const auto data = Param("x", p.shape, layout);
      CheckFunction(Function({data}, MakeCall("nn.max_pool2d", {data},
                                              {{"pool_size", p.size},
                                               {"strides", p.strides},
                                               {"dilation", p.dilation},
                                               {"padding", p.padding},
                                               {"ceil_mode", p.ceil_mode}})),
                    {x}, 0);
    }
  }
}

// Half of the bytes exceed 127.
Tensor Bytes(const Shape& shape) {
  Tensor tensor(DType::kUInt8, shape);
  for (int64_t i = 0; i < tensor.elements(); ++i) tensor.Set(i, static_cast<double>(i * 151 % 256));
  return tensor;
}

TEST(PoolKernel, PoolsBytes) {
  for (const PoolCase& p : kPools) {
    for (const char* layout : {"", "NCHW8c", "NCHW16c"}) {
      const auto x = Param("x", p.shape, layout, DType::kUInt8);
      Attrs attrs{{"pool_size", p.size},
                  {"strides", p.strides},
                  {"dilation", p.dilation},
                  {"padding", p.padding},
                  {"ceil_mode", p.ceil_mode}};
      CheckFunction(Function({x}, MakeCall("nn.max_pool2d", {x}, attrs)), {Bytes(p.shape)}, 0);
    }
  }
}

TEST(PoolKernel, CountsPaddingInAverages) {
  for (const PoolCase& p : kPools) {
    const auto x = Param("x", p.shape);
    CheckFunction(Function({x}, MakeCall("nn.avg_pool2d", {x},
                                         {{"pool_size", p.size},
                                          {"strides", p.strides},
                                          {"dilation", p.dilation},
                                          {"padding", p.padding},
                                          {"ceil_mode", p.ceil_mode},
                                          {"count_include_pad", true}})));
  }
}

}  // namespace
}  // namespace hone::testing
