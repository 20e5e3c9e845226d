// Builds a model for this machine and runs it, for the tests of this folder.
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

// A typed network of the zoo.
relay::IRModule ZooModule(const std::string& name, const Shape& image_shape, int64_t batch = 1, int64_t classes = 1000);

// Options for this machine, with a thread for each allowed core and without records.
BuildOptions HostBuild();

// Runs once, with input i filled by `fill` from `seed` + i.
std::vector<Tensor> RunOnce(std::shared_ptr<const Package> package, int threads, Fill fill, uint64_t seed);

// The bytes of a tensor, for comparing bits.
std::string Bits(const Tensor& tensor);

// max |got - want| / max |want|; infinite when an element is not finite or the counts differ.
double WorstError(const Tensor& got, const std::vector<float>& want);

}  // namespace hone
