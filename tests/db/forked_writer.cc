#include "tests/db/forked_writer.h"

#include <gtest/gtest.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>

#include "core/error.h"
#include "db/record_store.h"
#include "tests/db/sample_record.h"

namespace hone {

pid_t Fork(const std::function<int()>& body) {
  const pid_t child = fork();
  if (child != 0) return child;
  int status = 99;
  try {
    status = body();
  } catch (const Error& error) {
    fprintf(stderr, "child: %s\n", error.what());
    status = static_cast<int>(error.code());
  }
  _exit(status);
}

int StatusOf(pid_t child) {
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

Acknowledgements::Acknowledgements() { EXPECT_EQ(pipe(ends_), 0); }

Acknowledgements::~Acknowledgements() {
  for (const int end : ends_) close(end);
}

void Acknowledgements::Tell(int number) const {
  if (write(ends_[1], &number, sizeof number) != sizeof number) _exit(98);
}

std::vector<int> Acknowledgements::Read(int wait_ms) const {
  std::vector<int> numbers;
  pollfd ready{ends_[0], POLLIN, 0};
  for (int number = 0; poll(&ready, 1, numbers.empty() ? wait_ms : 0) == 1;) {
    if (read(ends_[0], &number, sizeof number) == sizeof number) numbers.push_back(number);
  }
  return numbers;
}

int WriteUntilEnough(const std::string& path, int first, int count, const Acknowledgements& acknowledged) {
  const auto store = RecordStore::Open(path);
  for (int number = first; number < first + count; ++number) {
    store->Append({SampleRecord(number)});
    acknowledged.Tell(number);
  }
  return 0;
}

}  // namespace hone
