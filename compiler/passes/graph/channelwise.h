// Images of floats, operators that treat channels one by one, and constants with one value per channel.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "compiler/relay/expr.h"

namespace hone {

// A tensor of floats with four known dims.
bool IsImage(const relay::ExprPtr& expr);
// An elementwise operator of one argument with a result of floats.
bool IsUnary(const relay::Call& call);
// nn.bias_add along axis 1.
bool IsBias(const relay::Call& call);
// Whether the operator computes each element of an image from the same element of its first argument and from
// constants. The constants do not vary over images, rows and columns.
bool TreatsPixelsAlike(const relay::Call& call);

// The constant if its values are float32, which passes read and write directly; else null.
const relay::Constant* AsFloat32Constant(const relay::ExprPtr& expr);

// The values of a float32 constant that varies only along `axis` when broadcast over a tensor of shape `of`, and does
// not enlarge the tensor. There are of[axis] values (equal ones for a scalar). nullopt for anything else.
std::optional<std::vector<double>> PerChannel(const relay::ExprPtr& expr, const Shape& of, int axis);

// The constant's value if it holds one element (of any shape); else nullopt.
std::optional<double> ScalarOf(const relay::ExprPtr& expr);

// A float32 constant of the values, shaped (C,1,...,1) so that it broadcasts along `axis` of a tensor of that rank.
relay::ExprPtr ChannelConstant(const std::vector<double>& values, size_t rank, int axis, std::string name);
// A float32 scalar, which enlarges no tensor.
relay::ExprPtr ScalarConstant(double value);
// The values shaped (C).
relay::ExprPtr VectorConstant(const std::vector<double>& values, std::string name);

}  // namespace hone
