// Makes package files: one from the parts that `hone package unpack` writes, or one from several packages.
#pragma once

#include <string>
#include <vector>

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

struct NamedPackage {
  std::string name;   // origin, for messages
  std::string bytes;  // contents of a package file; a file with several packages is split
};

// One file of several packages of one model for different targets or shapes (docs/reference/formats.md, Packages for
// several targets). Packages that require the most of a
// machine come first, otherwise in the given order; each is kept byte for byte. Throws Error(kBadData) for damage or
// anything but a package. Throws Error(kUsage), naming both, if two packages differ in the names, types or ranks of
// their inputs and outputs. Also if their models differ in name and bytes, unless `any_model`. Also if one of two would
// never be used, because both have the same requirements and input shapes.
std::string JoinPackages(const std::vector<NamedPackage>& packages, bool any_model = false);

}  // namespace hone
