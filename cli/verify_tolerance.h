// How far the outputs of a package may be from its model's.
#pragma once

#include <optional>
#include <string>

#include "core/package_precision.h"
#include "runtime/package.h"

namespace hone {

inline constexpr double kVerifyTolerance = 1e-4;

struct VerifyTolerance {
  double value = kVerifyTolerance;  // the most that max |y - r| / max |r| may be
  // Empty where it is the usual one; else for people: "given", or what of the package it is.
  std::string from;
  bool is_budget = false;  // the package was built to stay within it, whatever its types round
};

// `given` by the user, else what the package's manifest allows where a precision was chosen for its layers: the budget
// that it was built within, or without one twice the error that its build measured, on other inputs than those to come.
// Throws Error(kBadData) naming the package when its manifest's precision is damaged.
VerifyTolerance ToleranceFor(std::optional<double> given, const Package& package, const std::string& name);

}  // namespace hone
