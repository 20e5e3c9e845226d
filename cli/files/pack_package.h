// A package out of the parts that `hone package unpack` writes.
#pragma once

#include <string>

namespace hone {

// The files' bytes, and their names for errors.
struct PackageParts {
  std::string graph, graph_name;
  std::string lib, lib_name;
  std::string params, params_name;
  std::string manifest, manifest_name;  // may be empty: then it is not known which inputs are indices, and of what
};

// The package's bytes: the ones that were unpacked where the parts are as they were. Parameters may be others of the
// same names, shapes and dtypes, in the layouts that the file's metadata tell. Throws Error(kBadData) naming the file
// for a part that is damaged, a parameter that is missing, left over or of another shape, and parts that do not belong
// together. Code is not looked at: whoever loads the package does that.
std::string PackPackage(const PackageParts& parts);

}  // namespace hone
