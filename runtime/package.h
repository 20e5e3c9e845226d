// The runtime's door: a package that is loaded, and sessions that run it. Start here.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/plan.h"
#include "core/serialize.h"
#include "runtime/mapped_bytes.h"

namespace hone {

// Whether a machine runs what was built for the target and needs these features (LLVM's names) of its CPU.
using CanRun = std::function<bool(const Target& target, const std::vector<std::string>& required_features)>;

// The shapes that inputs are to have, by name; an input that is not named may have any.
using InputShapes = std::map<std::string, Shape, std::less<>>;

// A package file, mapped and checked. Immutable and shareable between threads and sessions.
class Package {
 public:
  // Of a file with several packages the first one that this machine runs and whose inputs have these shapes: they are
  // in the order of what they ask of it, the most first. A file with one package is that, whatever the shapes.
  // Throws Error: kNoInput (no such file), kBadData (damaged: which section and why, or a newer version), kBadConfig
  // (built for a CPU feature that this machine lacks: names it and the target), kUsage (none of several has the shapes:
  // names those that there are).
  static std::shared_ptr<const Package> Load(const std::string& path, const InputShapes& shapes = {});
  // From bytes in memory (they are copied).
  static std::shared_ptr<const Package> FromBytes(std::string_view bytes, const std::string& name,
                                                  const InputShapes& shapes = {});
  // From bytes in memory that are not copied: they must outlive the package, its sessions and their shares of it, and
  // 64 must divide their address. Throws Error(kUsage) when it does not, else as Load.
  static std::shared_ptr<const Package> FromBorrowedBytes(std::string_view bytes, const std::string& name);
  // Of parts that came by other ways than a file: a plan, the ELF with its kernels (copied) and its parameters. There
  // is no manifest. Throws Error as FromBytes does.
  static std::shared_ptr<const Package> FromParts(Plan plan, std::string_view lib, MappedBytes params,
                                                  const std::string& name);
  // Opened but not to be run here: any target's package may be. Of a file with several the first one that can_run
  // accepts, or any where it is empty, and that has the shapes; the first of all when it accepts none. Throws Error as
  // Load, but for kBadConfig.
  static std::shared_ptr<const Package> Inspect(const std::string& path, const CanRun& can_run = nullptr,
                                                const InputShapes& shapes = {});
  // The same of every package in the file, in its order; one when it is for one target.
  static std::vector<std::shared_ptr<const Package>> InspectAll(const std::string& path);
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
