// Finds the loop in which a kernel spends its time.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace hone {

struct HotLoop {
  std::vector<std::string> lines;  // labels and instructions, without directives and comments
  int instructions = 0;
  int multiply_adds = 0;                      // of vectors, scalars or tiles, fused or followed by an addition
  int products = 1;                           // that one of them adds to each of its sums: 4 for dot products of bytes
  bool tiles = false;                         // whether they multiply registers of two dimensions (AMX)
  int loads = 0, stores = 0, prefetches = 0;  // an instruction with a memory operand is a load, too
  int stack = 0;                              // loads and stores of spilled registers
};

// Parses LLVM's assembly text of x86 (AT&T) or AArch64. An innermost loop is one from a label to a jump back to it,
// without another inside. Returns the one with the most multiply-adds, then the longest. Without loops: everything.
HotLoop FindHotLoop(std::string_view assembly);

}  // namespace hone
