// A program that runs beside the test, which can signal and kill it.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace hone {

// Runs `program` with stdout and stderr written to `output` + ".out" and ".err". Killed when it goes out of scope.
class ChildProgram {
 public:
  ChildProgram(const std::string& program, std::vector<std::string> arguments, std::string output);
  ~ChildProgram();
  ChildProgram(const ChildProgram&) = delete;
  ChildProgram& operator=(const ChildProgram&) = delete;

  void Signal(int signal_number) const;
  // Waits for the end. Returns the exit code, or 128 + number when a signal ended it.
  int Wait();
  // Waits until stdout holds `lines` lines with `text`, the program ends, or a minute passes. Returns whether stdout
  // holds them.
  bool WaitForLines(const std::string& text, int lines);
  // The whole lines of its stdout, without a part of a line that a killed writer may leave.
  std::vector<std::string> Lines() const;
  std::string ErrorText() const;

 private:
  bool Ended();

  std::string output_;
  pid_t pid_ = -1;
  int status_ = -1;
  bool ended_ = false;
};

// The file's text; empty when there is no such file.
std::string TextOf(const std::string& path);

}  // namespace hone
