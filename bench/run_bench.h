// The main function of a benchmark.
#pragma once

#include <fmt/format.h>

#include <cstdio>

#include "core/error.h"

namespace hone::bench {

// Returns the exit code that `run` returns. An Error becomes a line on stderr that begins with `program`, and its code.
template <typename Run>
int RunBench(const char* program, const Run& run) {
  try {
    return run();
  } catch (const Error& error) {
    fmt::print(stderr, "{}: {}\n", program, error.what());
    return static_cast<int>(error.code());
  }
}

}  // namespace hone::bench
