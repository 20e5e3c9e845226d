// The contents of a loaded package. Only the runtime room uses this header.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/kernel_launch.h"
#include "runtime/load/mapped_bytes.h"
#include "runtime/package.h"

namespace hone {

struct Package::Impl {
  std::string name;  // for messages
  MappedBytes bytes;
  Json manifest;
  Plan plan;
  std::string_view lib, params;  // into bytes
  // Null in a package that was only inspected.
  std::shared_ptr<const KernelLibrary> library;
  std::vector<std::vector<hone_kernel_stage>> functions;  // by kernel, then by stage
  // The package that owns plan, manifest and lib, if only the parameters were replaced; else null.
  std::shared_ptr<const Package> base;

  // The package's kernels with these parameters, which have the layout of its own.
  static std::shared_ptr<const Package> WithParams(const std::shared_ptr<const Package>& base, MappedBytes params);
};

}  // namespace hone
