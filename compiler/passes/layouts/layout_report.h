// The result of the layout search, as a value.
#pragma once

#include "compiler/relay/expr.h"

namespace hone {

// Main's note from opt_level 3 on: the estimated cost of the choices, and of the best choice of each layer.
struct LayoutCosts : relay::Note {
  double expected_ns = 0;
  double per_layer_ns = 0;
  relay::Attrs Printed() const override { return {{"expected_ns", expected_ns}, {"per_layer_ns", per_layer_ns}}; }
};

// Nanoseconds by record or estimate, including transforms; 0 below opt_level 3, where there is no search.
struct LayoutReport {
  int anchors = 0;     // calls with a schedule
  int transforms = 0;  // calls that only move data between layouts
  double expected_ns = 0;
  double per_layer_ns = 0;  // with the best choice of each layer instead
};

// Expects a module after all passes.
LayoutReport ReportLayouts(const relay::IRModule& optimized);

}  // namespace hone
