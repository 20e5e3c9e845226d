// The machine code in which a kernel spends its time, read back from its object to see its register tile.
#pragma once

#include <string>
#include <vector>

#include "core/artifact.h"
#include "core/machine/target.h"

namespace hone::testing {

struct HotBlock {
  std::vector<std::string> instructions;  // as LLVM prints them
  int multiply_adds = 0;                  // fused ones, or the multiplications where the target has none
  int loads = 0;                          // memory reads, including multiply-adds with a memory operand
  int stack_accesses = 0;                 // through the stack pointer: spilled registers show here
  // The number of multiply-adds whose text contains `part`, such as "%zmm".
  int MultiplyAddsWith(const std::string& part) const;
  // All instructions, one per line, for the message of a failing test.
  std::string ToText() const;
};

// Among the basic blocks with at most `most` multiply-adds, the one with the most of them. Fails the running test when
// there is none.
HotBlock HotBlockOf(const Artifact& artifact, const Target& target, int most);

}  // namespace hone::testing
