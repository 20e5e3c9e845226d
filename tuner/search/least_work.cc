#include "tuner/search/least_work.h"

#include <algorithm>

namespace hone {
namespace {

// The number of outputs along one dimension that read at least one element which is not padding.
int64_t OutputsOfData(int64_t outputs, int64_t extent, int64_t window, int64_t stride, int64_t pad, int64_t dilation) {
  int64_t count = 0;
  for (int64_t at = 0; at < outputs; ++at) {
    const int64_t begin = at * stride - pad;
    bool reads = false;
    for (int64_t k = 0; k < window && !reads; ++k) {
      const int64_t place = begin + k * dilation;
      reads = place >= 0 && place < extent;
    }
    count += reads ? 1 : 0;
  }
  return count;
}

double Products(const Workload& workload) {
  const auto product = [](std::initializer_list<int64_t> factors) {
    double all = 1;
    for (const int64_t factor : factors) all *= static_cast<double>(factor);
    return all;
  };
  if (workload.is_batch_matmul()) {
    return product({workload.Extent('B'), workload.Extent('M'), workload.Extent('N'), workload.Extent('K')});
  }
  if (!workload.is_conv()) return product({workload.data[0], workload.data[1], workload.weight[0]});
  const Shape out = workload.OutputShape();
  const auto along = [&](size_t dim) {
    return OutputsOfData(out[2 + dim], workload.data[2 + dim], workload.weight[2 + dim], workload.strides.at(dim),
                         workload.padding.at(dim), workload.dilation.at(dim));
  };
  return product({out[0], out[1], workload.weight[1], along(0), along(1)});
}

}  // namespace

int64_t LeastMultiplyAdds(const Workload& workload) {
  // Beyond 2^62 the number has no meaning.
  return static_cast<int64_t>(std::min(Products(workload), 4.6e18));
}

}  // namespace hone
