// The entry of the runtime: a loaded package, and sessions that run it. Start here.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/json/serialize.h"
#include "core/package/plan.h"
#include "runtime/load/mapped_bytes.h"

namespace hone {

// Whether a machine runs code built for the target that needs these CPU features (LLVM's names).
using CanRun = std::function<bool(const Target& target, const std::vector<std::string>& required_features)>;

// The required shapes of inputs, by name. An input that is not named may have any shape.
using InputShapes = std::map<std::string, Shape, std::less<>>;

// A package file, mapped and checked. Immutable and shareable between threads and sessions.
class Package {
 public:
  // Loads from a file with several packages the first one that this machine runs and whose inputs may have these
  // shapes.
  // They are ordered by their requirements, the highest first. A file with one package gives that one, whatever the
  // shapes. Throws Error:
  // - kNoInput: no such file;
  // - kNotAuthorised, kIo: the file cannot be read;
  // - kBadData: damaged (names the section and why), or a newer version;
  // - kBadConfig: built for a CPU feature that this machine lacks (names it and the target);
  // - kUsage: none of several has the shapes (names those that exist).
  static std::shared_ptr<const Package> Load(const std::string& path, const InputShapes& shapes = {});
  // Loads from bytes in memory, which are copied.
  static std::shared_ptr<const Package> FromBytes(std::string_view bytes, const std::string& name,
                                                  const InputShapes& shapes = {});
  // Loads from bytes in memory without copying them. They must outlive the package, its sessions and all shared
  // pointers to it, and begin at a multiple of 64. Throws Error(kUsage) if they do not, else as Load.
  static std::shared_ptr<const Package> FromBorrowedBytes(std::string_view bytes, const std::string& name);
  // Assembles a package from parts that are in no file: a plan, the ELF with its kernels (copied) and its parameters.
  // It has no manifest. Throws Error as FromBytes does.
  static std::shared_ptr<const Package> FromParts(Plan plan, std::string_view lib, MappedBytes params,
                                                  const std::string& name);
  // Opens a package of any target without the ability to run it. From a file with several it takes the first one with
  // the shapes that can_run accepts; an empty can_run accepts any. If none is accepted it takes the first of all.
  // Throws Error as Load does, except kBadConfig.
  static std::shared_ptr<const Package> Inspect(const std::string& path, const CanRun& can_run = nullptr,
                                                const InputShapes& shapes = {});
  // Inspects every package in the file, in its order; one package if it is for one target.
  static std::vector<std::shared_ptr<const Package>> InspectAll(const std::string& path);
  // Inspects a package from bytes in memory, which are copied.
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
