// A network whose values can be changed by errors, to measure the effect on its outputs.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "compiler/relay/expr.h"
#include "core/build_context.h"
#include "runtime/session.h"

namespace hone {

// Summands by the index of the value to which each is added; each has the value's type.
using Noise = std::map<size_t, Tensor>;

class NoisyNetwork {
 public:
  // Builds the model for `here` with a summand for each of `values`, which are float32 expressions in it. A value that
  // the results do not depend on has no effect.
  NoisyNetwork(const relay::IRModule& typed, const std::vector<relay::ExprPtr>& values, const BuildContext& here);

  // Sets the inputs of later runs, by the model's own names.
  void SetInputs(const std::map<std::string, Tensor>& inputs);
  // The model's outputs with these summands added and no others.
  std::vector<Tensor> Run(const Noise& noise);

 private:
  void Bind(size_t value, const void* data);

  std::unique_ptr<Session> session_;
  std::map<std::string, int> inputs_;  // index in the session's inputs
  std::vector<int> at_;                // per value the input that is added to it; -1: none
  std::vector<size_t> bytes_;          // of each value
  std::vector<char> zeros_;            // the summand of other values
};

}  // namespace hone
