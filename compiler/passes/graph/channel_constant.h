// Constants that hold one value per channel: what can be folded into weights and biases.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "compiler/relay/expr.h"

namespace hone {

// The constant when its values are float32, which passes read and write as such; else null.
const relay::Constant* AsFloat32Constant(const relay::ExprPtr& expr);

// The values of a float32 constant that, broadcast over a tensor of shape `of`, varies along `axis` alone and does not
// make the tensor larger: of[axis] of them (equal ones for a scalar). nullopt for anything else.
std::optional<std::vector<double>> PerChannel(const relay::ExprPtr& expr, const Shape& of, int axis);

// The value when the constant holds one element alone (of any shape) or nullopt.
std::optional<double> ScalarOf(const relay::ExprPtr& expr);

// A float32 constant of the values, shaped (C,1,...,1) so that it broadcasts along `axis` of a tensor of that rank.
relay::ExprPtr ChannelConstant(const std::vector<double>& values, size_t rank, int axis, std::string name);
// A float32 scalar, which makes no tensor larger.
relay::ExprPtr ScalarConstant(double value);
// The values shaped (C).
relay::ExprPtr VectorConstant(const std::vector<double>& values, std::string name);

}  // namespace hone
