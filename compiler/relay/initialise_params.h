// Initial values for the parameters of a network that was made in C++.
#pragma once

#include <cstdint>
#include <functional>
#include <set>
#include <string>

#include "compiler/relay/expr.h"

namespace hone::relay {

// Fills the value of one parameter, which is zeros of its type; `seed` is the parameter's own. Throws Error(kUsage) for
// a type for which it has no values.
using Initialiser = std::function<void(const std::string& name, Tensor& value, uint64_t seed)>;

// Weights (float32, two axes or more; outputs, inputs, then the window) are uniform within sqrt(magnitude / f) of 0.
// Here f is the mean of the numbers of inputs and outputs that a weight joins. (Glorot and Bengio, "Understanding the
// difficulty of training deep feedforward neural networks", 2010.) Parameters with fewer axes: see VectorStart.
Initialiser Xavier(double magnitude = 3);
// Weights are normal with variance 2 / inputs (He et al., "Delving Deep into Rectifiers", 2015), cut as FillTensor's
// kNormal. Parameters with fewer axes: see VectorStart.
Initialiser He();
// Sets every element of every parameter, converted as Tensor::Set does.
Initialiser Filled(double value);

// The initial value of vectors and scalars for the two above. It is 1 if the name ends in "gamma" or "var", as a batch
// norm's scale and variance do, else 0.
double VectorStart(const std::string& name);

// The module of `main`, with types and with values for every parameter but `inputs`. Values depend only on the
// parameter's name, its type and the seed, on every machine. Throws Error(kBadData) as InferType does. Throws
// Error(kUsage) for a name in `inputs` that no parameter has, for a parameter whose extents the graph leaves open, and
// as the initialiser does.
IRModule InitialiseParams(const FunctionPtr& main, const Initialiser& initialiser, uint64_t seed = 0,
                          const std::set<std::string>& inputs = {"data"});

// The seed of one parameter's values. It depends only on the two arguments, on every machine. So a parameter keeps its
// values if others are added or removed.
uint64_t ParamSeed(const std::string& name, uint64_t seed);

}  // namespace hone::relay
