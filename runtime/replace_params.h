// A package with other parameters than those in its file.
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

// A package of the same kernels with a copy of the parameters in which `params` are packed as the build packs them.
// `package` is unchanged and lives as long as the result. Throws Error(kBadConfig) when the package does not list its
// parameters; `hone package open-params` makes one that does. Throws Error(kUsage) for a name that it does not list or
// that is given twice, and for a wrong number of bytes.
std::shared_ptr<const Package> WithNewParams(const std::shared_ptr<const Package>& package,
                                             const std::vector<NewParam>& params);

// The type and shape that WithNewParams takes for the parameter of this name. Throws as it does.
struct ParamType {
  DType dtype = DType::kFloat32;
  Shape shape;
};
ParamType TypeOfOpenParam(const Package& package, const std::string& name);

}  // namespace hone
