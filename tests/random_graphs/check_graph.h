// Builds a graph, runs it in several ways and compares the outputs.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "compiler/frontend/onnx/onnx_graph.h"
#include "core/build_context.h"

namespace hone {

// The way in which one graph is built and run.
struct GraphRun {
  Target target;
  int opt_level = 3;
  int threads = 1;          // number of threads that the package is built for
  int session_threads = 2;  // number of threads of a second run, besides the one with a single thread
  bool exact_math = false;
  Precision precision = Precision::kFloat32;
  std::string disabled_pass;  // empty: none
  uint64_t seed = 0;          // of the inputs, and of the places at which ranges are cut

  std::string ToText() const;
};

// Everything that a seed draws besides its graph, for the target.
GraphRun DrawGraphRun(uint64_t seed, const Target& target);

enum class Verdict : uint8_t {
  kRight = 0,
  kRefused = 1,  // importing refuses it with a clear message
  kThrown = 2,   // any other error, and any error in building or running an imported graph
  kWrong = 3,    // wrong values
  kBits = 4,     // values that change with threads, with how ranges are cut, or from run to run
  kCrashed = 5,  // ended by a signal; reported by the watching process
  kHung = 6,     // no answer in time; reported by the watching process
};
std::string VerdictName(Verdict verdict);

struct GraphCheck {
  Verdict verdict = Verdict::kRight;
  std::string detail;  // one line; empty when right
};

// Called with the check's current step: "import", "build", "guarded run", "session".
using CheckStep = std::function<void(const std::string& step)>;

// Never throws. A target of another architecture is run under its emulator. Crashes if the kernels do: in the step
// "guarded run" a crash means that a guard page was touched. Leaks the memory in which it ran.
GraphCheck CheckGraph(const OnnxGraph& graph, const GraphRun& run, const CheckStep& step);

}  // namespace hone
