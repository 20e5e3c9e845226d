// A folder of files laid out like the kernel's /sys.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace hone {

class SysTree {
 public:
  SysTree() : root_(testing::TempDir() + "hone_sys_" + std::to_string(getpid())) {}
  ~SysTree() { std::filesystem::remove_all(root_); }
  SysTree(const SysTree&) = delete;
  SysTree& operator=(const SysTree&) = delete;
  void Write(const std::string& path, const std::string& text) const {
    const std::filesystem::path file = root_ + path;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file) << text << '\n';
  }
  const std::string& root() const { return root_; }

 private:
  const std::string root_;
};

}  // namespace hone
