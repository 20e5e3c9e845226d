// A small package made by hand: y = 3 x + sum(3 x) over 4096 floats, from the kernels in kernels.c.
#pragma once

#include <string>
#include <vector>

#include "core/json/serialize.h"
#include "core/package/plan.h"

namespace hone::testing {

inline constexpr int64_t kTestElements = 4096;

// The bytes of the kernels' shared object.
std::string ReadTestKernels();
std::string ReadFile(const std::string& path);
// Input "x" and output "y", both {1, 4096}; one parameter; calls that use two arena buffers.
Plan TestPlan();
// A plan of one call: the kernel that returns code 7.
Plan FailingPlan();
// A plan of one call: y is x as {64, 64}, with x[0] counted columns in a run.
inline constexpr int64_t kCountedSide = 64;
Plan CountedPlan();
std::string CountedPackage();
// A plan of one call on x, rows x columns, and b, of rows: y is x + b, and "seen" the extents that the kernel sees.
// Rows may be 1 to 64, and columns 0 to 64. Elements of y outside of the shape are what the kernel finds there.
Plan RangedPlan();
std::string RangedPackage();
// RangedPackage with another kernel, for which y is x - b. It runs up to 2 rows with up to 10 columns, and for 1 row.
Plan VariedPlan();
std::string VariedPackage();
// RangedPackage with a second call, which counts the rows of y: five fewer than those of x.
std::string LeftPackage();
// The package's bytes, with correct hashes. `model_sha256` is the manifest's field; null leaves it out.
std::string PackTestPackage(const Plan& plan, const std::string& lib, const std::string& params,
                            const std::vector<std::string>& required_features = {}, const Json& model_sha256 = {});
// PackTestPackage of TestPlan with the weight 3.
std::string TestPackage();
// The output that the test package must compute, bit for bit.
std::vector<float> ExpectedOutput(const std::vector<float>& x);
// The offset and size of section `index` in a package.
struct SectionPlace {
  size_t offset = 0, size = 0;
};
SectionPlace PlaceOf(const std::string& package, int index);

}  // namespace hone::testing
