// The runtime's door: a package that is loaded, and sessions that run it. Start here.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/plan.h"
#include "core/serialize.h"
#include "runtime/mapped_bytes.h"

namespace hone {

// A package file, mapped and checked. Immutable and shareable between threads and sessions.
class Package {
 public:
  // Throws Error: kNoInput (no such file), kBadData (damaged: which section and why, or a newer version), kBadConfig
  // (built for a CPU feature that this machine lacks: names it and the target).
  static std::shared_ptr<const Package> Load(const std::string& path);
  // From bytes in memory (they are copied).
  static std::shared_ptr<const Package> FromBytes(std::string_view bytes, const std::string& name);
  // Of parts that came by other ways than a file: a plan, the ELF with its kernels (copied) and its parameters. There
  // is no manifest. Throws Error as FromBytes does.
  static std::shared_ptr<const Package> FromParts(Plan plan, std::string_view lib, MappedBytes params,
                                                  const std::string& name);
  // Only what `package info` and `unpack` need: any target's package may be opened.
  static std::shared_ptr<const Package> Inspect(const std::string& path);
  // The same of bytes in memory (they are copied).
  static std::shared_ptr<const Package> InspectBytes(std::string_view bytes, const std::string& name);
  ~Package();

  const Plan& plan() const;
  const Json& manifest() const;
  std::string_view lib() const;
  std::string_view params() const;
  // Compares the params section with the manifest's hash. Throws Error(kBadData).
  void VerifyParams() const;

  struct Impl;
  const Impl& impl() const { return *impl_; }

 private:
  Package();
  std::unique_ptr<Impl> impl_;
};

}  // namespace hone
