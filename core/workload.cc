#include "core/workload.h"

#include <algorithm>

namespace hone {
namespace {

int64_t OutputDim(int64_t in, int64_t kernel, int64_t stride, int64_t before, int64_t after, int64_t dilation) {
  const int64_t room = in + before + after - (dilation * (kernel - 1) + 1);
  return room < 0 ? 0 : room / stride + 1;
}

int64_t DimNamed(char axis, std::string_view axes, const Shape& shape) {
  const size_t at = axes.find(axis);
  return at == std::string_view::npos || at >= shape.size() ? 1 : shape[at];
}

}  // namespace

std::string_view Workload::OperandAxes(int operand) const {
  return std::string_view(layouts).substr(static_cast<size_t>(operand) * 4, 3);
}

int64_t Workload::Extent(char axis) const {
  return std::max(DimNamed(axis, OperandAxes(0), data), DimNamed(axis, OperandAxes(1), weight));
}

bool Workload::is_depthwise() const {
  return is_conv() && groups > 1 && data.size() == 4 && !weight.empty() && data[1] == groups && weight[0] == groups;
}

Shape Workload::OutputShape() const {
  if (is_batch_matmul()) {
    Shape shape;
    for (const char axis : OperandAxes(2)) shape.push_back(Extent(axis));
    return shape;
  }
  if (!is_conv()) return {data[0], weight[0]};
  return {data[0], weight[0], OutputDim(data[2], weight[2], strides[0], padding[0], padding[2], dilation[0]),
          OutputDim(data[3], weight[3], strides[1], padding[1], padding[3], dilation[1])};
}

double Workload::Flops() const {
  double multiply_adds = 1;
  for (int64_t dim : OutputShape()) multiply_adds *= static_cast<double>(dim);
  if (is_batch_matmul()) return 2 * multiply_adds * static_cast<double>(Extent('K'));
  for (size_t i = 1; i < weight.size(); ++i) multiply_adds *= static_cast<double>(weight[i]);
  return 2 * multiply_adds;
}

}  // namespace hone
