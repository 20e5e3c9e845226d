// A small package made by hand: y = 3 x + sum(3 x) over 4096 floats, from the kernels in kernels.c.
#pragma once

#include <string>
#include <vector>

#include "core/plan.h"
#include "core/serialize.h"

namespace hone::testing {

inline constexpr int64_t kTestElements = 4096;

// The kernels' shared object.
std::string ReadTestKernels();
std::string ReadFile(const std::string& path);
// Input "x", output "y", both {1, 4096}; one parameter; two arena buffers' worth of calls.
Plan TestPlan();
// A plan of one call: the kernel that returns code 7.
Plan FailingPlan();
// A plan of one call: y is x as {64, 64}, of which a run counts x[0] columns.
inline constexpr int64_t kCountedSide = 64;
Plan CountedPlan();
std::string CountedPackage();
// The package's bytes, its hashes right. `model_sha256` is the manifest's field; null: there is none.
std::string PackTestPackage(const Plan& plan, const std::string& lib, const std::string& params,
                            const std::vector<std::string>& required_features = {}, const Json& model_sha256 = {});
// PackTestPackage of TestPlan with the weight 3.
std::string TestPackage();
// What the test package must compute, bit for bit.
std::vector<float> ExpectedOutput(const std::vector<float>& x);
// Where section `index` begins in a package, and its size.
struct SectionPlace {
  size_t offset = 0, size = 0;
};
SectionPlace PlaceOf(const std::string& package, int index);

}  // namespace hone::testing
