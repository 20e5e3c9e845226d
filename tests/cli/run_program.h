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

// A fresh temporary folder: data (records) and work files lie beneath it.
class ProgramTest : public testing::Test {
 protected:
  void SetUp() override;
  void TearDown() override;

  ProgramResult Hone(const std::vector<std::string>& arguments) const;
  // The same of a line that a shell reads, in the test's folder work; `hone` and "$HONE" are the program.
  ProgramResult Shell(const std::string& line) const;
  // The first command that a run ended with naming, or a later one; empty when it named none.
  static std::string NextOf(const ProgramResult& result, int number = 0);
  // Variables that it sees besides those of the test, which hone's own are not among.
  std::map<std::string, std::string> environment;
  // The path of a file of this name in the test's folder.
  std::string Path(const std::string& name) const { return (folder_ / name).string(); }
  void Write(const std::string& name, const std::string& bytes) const;
  std::string Read(const std::string& name) const;
  // Every file beneath the test's folder, from there, sorted.
  std::vector<std::string> Files() const;

 private:
  ProgramResult Run(const std::string& program, const std::vector<std::string>& arguments) const;

  std::filesystem::path folder_;
};

}  // namespace hone
