// A package that need not stay.
#pragma once

#include <memory>
#include <string>

#include "runtime/package.h"

namespace hone {

// Writes the bytes to a file in the system's folder for such and opens it for whatever target it is (Package::Inspect);
// the file goes with the object. Throws Error(kCannotCreate).
class TemporaryPackage {
 public:
  explicit TemporaryPackage(const std::string& bytes);
  ~TemporaryPackage();
  TemporaryPackage(const TemporaryPackage&) = delete;
  TemporaryPackage& operator=(const TemporaryPackage&) = delete;
  const Package* operator->() const { return package_.get(); }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
  std::shared_ptr<const Package> package_;
};

}  // namespace hone
