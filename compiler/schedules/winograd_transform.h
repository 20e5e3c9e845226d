// Winograd's data transforms as vector arithmetic: shared sums are written once, there is no middle-end to find them.
#pragma once

#include "compiler/codegen/kernel_builder.h"

namespace hone {

// B^T d for one column (or row) of m + 2 values; m is 2 or 4, of whole numbers 2.
Vals WinogradInput(KernelBuilder& b, const Vals& d);
// A^T t for one column (or row) of m + 2 values: m values.
Vals WinogradOutput(KernelBuilder& b, const Vals& t);

}  // namespace hone
