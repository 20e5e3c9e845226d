// What a loaded package holds; for the runtime room alone.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/kernel_launch.h"
#include "runtime/mapped_bytes.h"
#include "runtime/package.h"

namespace hone {

struct Package::Impl {
  std::string name;  // for messages
  MappedBytes bytes;
  Json manifest;
  Plan plan;
  std::string_view lib, params;  // into bytes
  // Absent in a package that was only inspected.
  std::optional<KernelLibrary> library;
  std::vector<std::vector<hone_kernel_stage>> functions;  // by kernel, then by stage
};

}  // namespace hone
