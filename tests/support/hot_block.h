// The machine code that a kernel spends its time in, read back from its object: what the register tiles have become.
#pragma once

#include <string>
#include <vector>

#include "core/artifact.h"
#include "core/target.h"

namespace hone::testing {

struct HotBlock {
  std::vector<std::string> instructions;  // as LLVM prints them
  int multiply_adds = 0;                  // fused ones, or the multiplications where there are none
  int loads = 0;                          // instructions that read memory, multiply-adds with an operand there included
  int stack_accesses = 0;                 // through the stack pointer: a spilled register shows here
  // Multiply-adds whose text contains `part`, as "%zmm".
  int MultiplyAddsWith(const std::string& part) const;
  // All instructions, one a line: for a failing test.
  std::string ToText() const;
};

// Of the basic blocks with at most `most` multiply-adds the one with the most of them. Fails the running test when
// there is none.
HotBlock HotBlockOf(const Artifact& artifact, const Target& target, int most);

}  // namespace hone::testing
