// The tolerance for a package's outputs against its model's.
#pragma once

#include <optional>
#include <string>

#include "core/package/plan.h"
#include "runtime/package.h"

namespace hone {

inline constexpr double kVerifyTolerance = 1e-4;

struct VerifyTolerance {
  double value = kVerifyTolerance;  // greatest allowed max |y - r| / max |r|
  // Source of the value for people, "given" or a property of the package; empty for the usual value.
  std::string from;
  bool is_budget = false;  // whether it is the error budget of the package's build, which includes all rounding
};

// The tolerance given by the user, else the one that the package's manifest states if a precision was chosen for its
// layers. That is the error budget of its build. Without a budget it is twice the error that the build measured,
// because the inputs differ from those, and at most 1. Neither is below kVerifyTolerance. Throws Error(kBadData),
// naming the package, if its manifest's precision is damaged.
VerifyTolerance ToleranceFor(std::optional<double> given, const Package& package, const std::string& name);

}  // namespace hone
