// Makes a package from the parts that `hone package unpack` writes.
#pragma once

#include <string>

namespace hone {

// The contents of the files, and their names for errors.
struct PackageParts {
  std::string graph, graph_name;
  std::string lib, lib_name;
  std::string params, params_name;
  std::string manifest, manifest_name;  // may be empty: then it is unknown which inputs are indices, and into what
};

// The package's bytes. Unchanged parts give the bytes of the unpacked package, except that the manifest lacks the model
// file's hash. Parameters may be others with the same names, shapes and dtypes, in the layouts that the file's metadata
// state. Throws Error(kBadData), naming the file, for a damaged part, or for a parameter that is missing, unknown or of
// another shape. Also for parts that do not belong together. Code is not checked here, but when the package is loaded.
std::string PackPackage(const PackageParts& parts);

}  // namespace hone
