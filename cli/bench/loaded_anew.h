// Packages as each round of a benchmark loads them.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "cli/bench/timed_package.h"
#include "cli/inputs.h"
#include "core/random.h"
#include "runtime/mapped_bytes.h"
#include "runtime/session.h"

namespace hone {

// One file, loaded again and again into other memory, and sessions whose inputs are the same. The bytes are copied: the
// pages in which the system keeps a file stay the same ones for as long as it does, and where they lie makes one of two
// equal files the slower one.
class LoadedAnew {
 public:
  // Reads the file; throws Error as Package::Load and MakeInputs do.
  LoadedAnew(const std::string& path, const InputOptions& inputs);

  // For what it says of itself.
  const std::shared_ptr<const Package>& first() const { return first_; }
  std::shared_ptr<const Package> Load() const;
  std::unique_ptr<Session> Start(const std::shared_ptr<const Package>& package, const SessionOptions& options) const;

 private:
  const std::string path_, bytes_;
  const InputShapes shapes_;
  std::shared_ptr<const Package> first_;
  std::map<std::string, Tensor> inputs_;
};

// Memory of a random size that is taken and kept, so that what is mapped behind it lies elsewhere than the last time.
MappedBytes TakeGap(Random& random);

}  // namespace hone
