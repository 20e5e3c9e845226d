// Runs the program `hone` as its users do, in a folder of its own.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace hone {

struct ProgramResult {
  int code = -1;  // 128 + number when a signal ended it
  std::string out, err;
};

// A fresh temporary folder, with data (records) and work files beneath it.
class ProgramTest : public testing::Test {
 protected:
  void SetUp() override;
  void TearDown() override;

  ProgramResult Hone(const std::vector<std::string>& arguments) const;
  // Runs a line through a shell in the test's folder work; `hone` and "$HONE" are the program.
  ProgramResult Shell(const std::string& line) const;
  // Runs `hone LINE`, which must succeed, as Shell does. Returns what it printed.
  std::string Do(const std::string& line) const;
  // The first "next" command that a run ended with, or a later one; empty when there is none.
  static std::string NextOf(const ProgramResult& result, int number = 0);
  // Variables that the program sees besides the test's own, from which hone's are removed.
  std::map<std::string, std::string> environment;
  // The path of a file of this name in the test's folder.
  std::string Path(const std::string& name) const { return (folder_ / name).string(); }
  void Write(const std::string& name, const std::string& bytes) const;
  std::string Read(const std::string& name) const;
  // Every file beneath the test's folder, as relative paths, sorted.
  std::vector<std::string> Files() const;

 private:
  ProgramResult Run(const std::string& program, const std::vector<std::string>& arguments) const;

  std::filesystem::path folder_;
};

}  // namespace hone
