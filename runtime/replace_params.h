// A package with other parameters than its file has.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/package.h"

namespace hone {

struct NewParam {
  std::string name;        // the model's
  std::string_view bytes;  // row-major, of the model's type; copied
};

// The same kernels on a copy of the parameters, in which these are packed as the build packs them. `package` stays as
// it is, and lives as long as the result. Throws Error: kBadConfig when the package does not tell its parameters (`hone
// package open-params` makes one that does), kUsage for a name that is not among them, one that is given twice, and
// another number of bytes.
std::shared_ptr<const Package> WithNewParams(const std::shared_ptr<const Package>& package,
                                             const std::vector<NewParam>& params);

// What WithNewParams takes for the parameter of this name. Throws as it does.
struct ParamType {
  DType dtype = DType::kFloat32;
  Shape shape;
};
ParamType TypeOfOpenParam(const Package& package, const std::string& name);

}  // namespace hone
