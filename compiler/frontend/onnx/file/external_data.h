// Weights that a model keeps in other files.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

namespace hone {

// Reads only files beneath one folder, for one thread at a time: a model is untrusted and must not name other files of
// the machine. Links of any kind are refused, by the kernel (openat2) and by the link count.
class ExternalData {
 public:
  // Opens the folder of the model's file. Throws Error(kNoInput).
  explicit ExternalData(const std::string& model_path);
  ~ExternalData();
  ExternalData(const ExternalData&) = delete;
  ExternalData& operator=(const ExternalData&) = delete;

  // Fills `into` with exactly `size` bytes from `offset` of the file at `location`, relative to the folder. Writes
  // nothing unless the file holds them. Throws Error(kBadData) naming the location.
  void Read(const std::string& location, int64_t offset, int64_t size, void* into) const;
  // Throws as Read does if the file does not hold these bytes.
  void Check(const std::string& location, int64_t offset, int64_t size) const;

  // The paths of the files opened so far, beginning as the model's path does.
  std::vector<std::string> opened() const;

 private:
  int Open(const std::string& location, int64_t offset, int64_t size) const;

  std::string folder_path_;
  int folder_ = -1;
  mutable std::set<std::string> locations_;  // of the opened files
};

}  // namespace hone
