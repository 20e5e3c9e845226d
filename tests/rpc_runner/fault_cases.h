// The verdict that each broken kernel must get: one table for local and remote runners.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "core/measurement.h"
#include "rpc_runner/runner.h"

namespace hone {

struct FaultCase {
  std::string kernel;
  Fate fate;
  int32_t detail;
  std::string message;  // a part of the message
  bool needs_seccomp = false;
  int threads = 1;
};

inline std::vector<FaultCase> FaultCases() {
  return {
      {"dense", Fate::kOk, 0, ""},
      {"dense_null_store", Fate::kCrashed, 11, "SIGSEGV"},
      {"dense_illegal", Fate::kCrashed, 4, "SIGILL"},
#if defined(__x86_64__)
      {"dense_divide", Fate::kCrashed, 8, "SIGFPE"},
      {"dense_bus", Fate::kCrashed, 7, "SIGBUS"},
#endif
      {"dense_abort", Fate::kPolicyViolation, 31, "system call", true},
      {"dense_longjmp", Fate::kCrashed, 11, "SIGSEGV"},
      {"dense_loop", Fate::kTimedOut, 0, "deadline"},
      {"dense_deaf_loop", Fate::kTimedOut, 0, "deadline"},
      {"dense_wrong", Fate::kWrongOutput, 0, "worst error"},
      {"dense_nan", Fate::kWrongOutput, 0, "worst error"},
      {"dense_random", Fate::kWrongOutput, 0, "worst error"},
      {"dense_accumulate", Fate::kWrongOutput, 0, "worst error"},
      {"dense_past_1", Fate::kOutOfBounds, 2, "past operand 2"},
      {"dense_past_1_byte", Fate::kOutOfBounds, 2, "0 bytes past operand 2"},
      {"dense_past_64_bytes", Fate::kOutOfBounds, 2, "64 bytes past operand 2"},
      {"dense_past_page", Fate::kOutOfBounds, 2, "past operand 2"},
      {"dense_before_1", Fate::kOutOfBounds, 2, "beside its output"},
      {"dense_before_1_byte", Fate::kOutOfBounds, 2, "beside its output"},
      {"dense_before_2_pages", Fate::kOutOfBounds, 2, "before operand 2"},
      {"dense_read_past", Fate::kOutOfBounds, 0, "past operand 0"},
      {"dense_write_input", Fate::kOutOfBounds, 0, "is an input"},
      {"dense_exit", Fate::kCrashed, 0, "ended by itself with code 0"},
      {"dense_exit_77", Fate::kCrashed, 77, "ended by itself with code 77"},
      {"dense_stack", Fate::kCrashed, 11, "stack overflow"},
      {"dense_helper_stack", Fate::kCrashed, 11, "stack overflow", false, 2},
      {"dense_bss", Fate::kOutOfMemory, 0, "are allowed"},
      {"dense_socket", Fate::kPolicyViolation, 31, "system call", true},
      {"dense_kill", Fate::kPolicyViolation, 31, "system call", true},
      {"dense_forge", Fate::kPolicyViolation, -1, "", true},
      {"dense_map", Fate::kCrashed, 12, "returned 12"},
      {"dense_code", Fate::kCrashed, 7, "returned 7"},
      {"dense_late", Fate::kWrongOutput, 0, "worst error"},
      {"dense_lazy", Fate::kCrashed, -1, "returned -1"},
  };
}

}  // namespace hone
