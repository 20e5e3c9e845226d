// Builds a graph, runs it in several ways and compares what comes out.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "compiler/frontend/onnx/onnx_graph.h"
#include "core/build_context.h"

namespace hone {

// How one graph is built and run.
struct GraphRun {
  Target target;
  int opt_level = 3;
  int threads = 1;          // that the package is built for
  int session_threads = 2;  // that it is run with, besides one
  bool exact_math = false;
  Precision precision = Precision::kFloat32;
  std::string disabled_pass;  // empty: none
  uint64_t seed = 0;          // of the inputs, and of how ranges are cut

  std::string ToText() const;
};

// What a seed draws besides its graph, for the target.
GraphRun DrawGraphRun(uint64_t seed, const Target& target);

enum class Verdict : uint8_t {
  kRight = 0,
  kRefused = 1,  // importing says clearly what it does not do
  kThrown = 2,   // any other error, and every one of building and running what was imported
  kWrong = 3,    // values
  kBits = 4,     // values that change with threads, with how ranges are cut, or from run to run
  kCrashed = 5,  // ended by a signal: told by the process that watches
  kHung = 6,     // likewise
};
std::string VerdictName(Verdict verdict);

struct GraphCheck {
  Verdict verdict = Verdict::kRight;
  std::string detail;  // one line; empty when right
};

// Where a check is, for whoever watches: "import", "build", "guarded run", "session".
using CheckStep = std::function<void(const std::string& step)>;

// Never throws. A target of another architecture is run under its emulator. Crashes as the kernels do: a guard page was
// touched when the step is "guarded run". Leaks the memory that it ran in.
GraphCheck CheckGraph(const OnnxGraph& graph, const GraphRun& run, const CheckStep& step);

}  // namespace hone
