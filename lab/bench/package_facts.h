// Facts of a package that are needed to read its times.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "runtime/package.h"

namespace hone {

// Element types of its convolutions and products: "float32", "int8", or "float32+int8" if both occur. "float32" if it
// has neither.
std::string PrecisionOf(const Plan& plan);
// Images in a run: the first dimension of its first input; 1 if it has none.
int64_t ImagesOf(const Plan& plan);
// FLOPs of a run: twice its multiply-adds.
double FlopsOf(const Plan& plan);
// Number of calls per source of their kernel's configuration (Dispatch::source).
std::map<std::string, int> KernelSources(const Plan& plan);
// The sum of the times of those calls whose kernels were timed by themselves; 0 if none was.
int64_t ExpectedNs(const Plan& plan);
// 64 hex digits that identify its contents: the hash of the compact manifest, which holds the hashes of all parts.
std::string PackageSha256(const Package& package);

}  // namespace hone
