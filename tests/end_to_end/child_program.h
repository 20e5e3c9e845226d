// A program that runs beside the test, so that it can be signalled and killed.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace hone {

// Runs `program` with stdout and stderr going to files named `output` + ".out" and ".err". Killed when it goes out of
// scope.
class ChildProgram {
 public:
  ChildProgram(const std::string& program, std::vector<std::string> arguments, std::string output);
  ~ChildProgram();
  ChildProgram(const ChildProgram&) = delete;
  ChildProgram& operator=(const ChildProgram&) = delete;

  void Signal(int signal_number) const;
  // Its exit code once it has ended; 128 + number when a signal ended it.
  int Wait();
  // Waits until its stdout holds so many lines with `text`, or it has ended, or a minute is over; whether it holds
  // them.
  bool WaitForLines(const std::string& text, int lines);
  // The whole lines that it wrote to stdout: a killed writer may leave a part of one.
  std::vector<std::string> Lines() const;
  std::string ErrorText() const;

 private:
  bool Ended();

  std::string output_;
  pid_t pid_ = -1;
  int status_ = -1;
  bool ended_ = false;
};

// The file's text; empty when it is not there.
std::string TextOf(const std::string& path);

}  // namespace hone
