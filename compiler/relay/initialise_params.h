// First values for the parameters of a network that was made in C++.
#pragma once

#include <cstdint>
#include <functional>
#include <set>
#include <string>

#include "compiler/relay/expr.h"

namespace hone::relay {

// Fills the value of one parameter, which is zeros of its type; `seed` is the parameter's own. Throws Error(kUsage) for
// a type that it has no values for.
using Initialiser = std::function<void(const std::string& name, Tensor& value, uint64_t seed)>;

// Weights (float32, two axes or more; outputs, inputs, then the window) are uniform within sqrt(magnitude / f) of 0,
// where f is the mean of the inputs and the outputs that a weight joins (Glorot and Bengio, "Understanding the
// difficulty of training deep feedforward neural networks", 2010). What has fewer axes: see VectorStart.
Initialiser Xavier(double magnitude = 3);
// Weights are normal of variance 2 / inputs (He et al., "Delving Deep into Rectifiers", 2015), cut as FillTensor's
// kNormal. What has fewer axes: see VectorStart.
Initialiser He();
// Every element of every parameter, converted as Tensor::Set does.
Initialiser Filled(double value);

// Where vectors and scalars begin with the two above: at 1 where the name ends in "gamma" or "var", as a batch norm's
// scale and variance do, else at 0.
double VectorStart(const std::string& name);

// The module of `main` with types, and with values for every parameter but `inputs`. Values are a function of the
// parameter's name, its type and the seed alone, on every machine. Throws Error: kBadData as InferType, kUsage for a
// name of `inputs` that is no parameter's, for a parameter whose extents do not follow from the graph, and for what the
// initialiser refuses.
IRModule InitialiseParams(const FunctionPtr& main, const Initialiser& initialiser, uint64_t seed = 0,
                          const std::set<std::string>& inputs = {"data"});

}  // namespace hone::relay
