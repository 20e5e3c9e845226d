// A network whose values can be moved by errors, to see what they come to at its outputs.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "compiler/relay/expr.h"
#include "core/build_context.h"
#include "runtime/session.h"

namespace hone {

// By the value's index what is added to it; of the value's type.
using Noise = std::map<size_t, Tensor>;

class NoisyNetwork {
 public:
  // Builds the model for `here` with a summand for each of `values`, which are float32 expressions of it. One that the
  // results do not depend on has no effect.
  NoisyNetwork(const relay::IRModule& typed, const std::vector<relay::ExprPtr>& values, const BuildContext& here);

  // Of the runs to come; by the model's own names.
  void SetInputs(const std::map<std::string, Tensor>& inputs);
  // The model's outputs when these values, and none of the others, are moved.
  std::vector<Tensor> Run(const Noise& noise);

 private:
  void Bind(size_t value, const void* data);

  std::unique_ptr<Session> session_;
  std::map<std::string, int> inputs_;  // index of the session's
  std::vector<int> at_;                // per value the input that is added to it; -1: none
  std::vector<size_t> bytes_;          // of each value
  std::vector<char> zeros_;            // what is added otherwise
};

}  // namespace hone
