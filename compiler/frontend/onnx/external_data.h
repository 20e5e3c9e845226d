// Weights that a model keeps in files beside it.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

namespace hone {

// Reads files beneath one folder and nowhere else, for one thread at a time: a model is data from outside and must not
// name other files of the machine. Links of any kind are refused, by the kernel (openat2) and by the link count.
class ExternalData {
 public:
  // The folder of the model's file. Throws Error(kNoInput).
  explicit ExternalData(const std::string& model_path);
  ~ExternalData();
  ExternalData(const ExternalData&) = delete;
  ExternalData& operator=(const ExternalData&) = delete;

  // Fills `into` with exactly `size` bytes from `offset` of the file at `location`, relative to the folder. Nothing is
  // written before the file was seen to hold them. Throws Error(kBadData) naming the location.
  void Read(const std::string& location, int64_t offset, int64_t size, void* into) const;
  // Throws as Read does when the file does not hold these bytes.
  void Check(const std::string& location, int64_t offset, int64_t size) const;

  // The paths of the files that were opened so far, as the model's path begins.
  std::vector<std::string> opened() const;

 private:
  int Open(const std::string& location, int64_t offset, int64_t size) const;

  std::string folder_path_;
  int folder_ = -1;
  mutable std::set<std::string> locations_;  // that were opened
};

}  // namespace hone
