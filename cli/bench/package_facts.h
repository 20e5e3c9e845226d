// What a package says of itself that its times are to be read with.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "runtime/package.h"

namespace hone {

// What its convolutions and products multiply: "float32", "int8", or "float32+int8" where both occur. "float32" where
// it has none.
std::string PrecisionOf(const Plan& plan);
// Images in a run: the first dimension of its first input; 1 where there is none.
int64_t ImagesOf(const Plan& plan);
// Of a run, twice its multiply-adds.
double FlopsOf(const Plan& plan);
// Calls by where their kernel's configuration came from (Dispatch::source).
std::map<std::string, int> KernelSources(const Plan& plan);
// Of the calls whose kernels have been timed alone: what they took then, together. 0 when none has.
int64_t ExpectedNs(const Plan& plan);
// 64 hex digits that name its contents: of the compact manifest, which holds the hashes of all parts.
std::string PackageSha256(const Package& package);

}  // namespace hone
