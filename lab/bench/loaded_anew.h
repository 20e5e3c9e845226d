// Loads packages anew for each round of a benchmark.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/random.h"
#include "lab/bench/timed_package.h"
#include "lab/model/inputs.h"
#include "runtime/load/mapped_bytes.h"
#include "runtime/session.h"

namespace hone {

// One file, loaded repeatedly into different memory, and sessions with the same inputs. The bytes are copied because
// the system keeps a file in the same pages as long as it caches it. Their placement alone makes one of two equal files
// slower.
class LoadedAnew {
 public:
  // Reads the file; throws Error as Package::Load and MakeInputs do.
  LoadedAnew(const std::string& path, const InputOptions& inputs);

  // The package as first loaded, for what it says of itself.
  const std::shared_ptr<const Package>& first() const { return first_; }
  std::shared_ptr<const Package> Load() const;
  std::unique_ptr<Session> Start(const std::shared_ptr<const Package>& package, const SessionOptions& options) const;

 private:
  const std::string path_, bytes_;
  const InputShapes shapes_;
  std::shared_ptr<const Package> first_;
  std::map<std::string, Tensor> inputs_;
};

// Allocates memory of a random size and returns it, so that later mappings lie at another place than the last time.
MappedBytes TakeGap(Random& random);

}  // namespace hone
