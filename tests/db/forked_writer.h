// Processes that write to a store and report the records it acknowledged.
#pragma once

#include <sys/types.h>

#include <functional>
#include <string>
#include <vector>

namespace hone {

// Runs `body` in a child; its return value is the exit status. The child never runs the parent's destructors.
pid_t Fork(const std::function<int()>& body);
// Waits for the child to end. Returns its exit status, or the negated number of the signal that ended it.
int StatusOf(pid_t child);

// A pipe on which writers report the numbers of the records that Append acknowledged.
class Acknowledgements {
 public:
  Acknowledgements();
  ~Acknowledgements();
  Acknowledgements(const Acknowledgements&) = delete;
  Acknowledgements& operator=(const Acknowledgements&) = delete;
  void Tell(int number) const;
  // Numbers reported and not yet read; waits at most `wait_ms` for the first.
  std::vector<int> Read(int wait_ms) const;

 private:
  int ends_[2] = {-1, -1};
};

// Appends SampleRecord(first) and those after it, one by one.
int WriteUntilEnough(const std::string& path, int first, int count, const Acknowledgements& acknowledged);

}  // namespace hone
