// A model built for this machine and run: what the tests of this folder have in common.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "compiler/build.h"
#include "compiler/relay/expr.h"
#include "core/tensor.h"
#include "runtime/package.h"

namespace hone {

// A network of the zoo with its types.
relay::IRModule ZooModule(const std::string& name, const Shape& image_shape, int64_t batch = 1, int64_t classes = 1000);

// For this machine, with its allowed cores' worth of threads and without records.
BuildOptions HostBuild();

// Runs once: input i is filled by `fill` from `seed` + i.
std::vector<Tensor> RunOnce(std::shared_ptr<const Package> package, int threads, Fill fill, uint64_t seed);

// Bytes of a tensor, for comparing bits.
std::string Bits(const Tensor& tensor);

// max |got - want| / max |want|; infinite when an element is not finite or the counts differ.
double WorstError(const Tensor& got, const std::vector<float>& want);

}  // namespace hone
