// A compile worker for compile_pool_test.cc: the candidate's schedule says what it does.
#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>
#include <stdexcept>
#include <string>
#include <system_error>

#include "tuner/compile/compile_worker.h"

namespace {

using hone::Artifact;
using hone::Candidate;
using hone::Fate;
using hone::Rejection;

// Memory that is never freed, and is touched so that it counts.
void TakeAllMemory() {
  for (;;) {
    const size_t bytes = size_t{64} << 20;
    std::memset(::operator new(bytes), 1, bytes);
  }
}

std::variant<Artifact, Rejection> Compile(const Candidate& candidate) {
  const std::string& what = candidate.schedule;
  if (what == "crash") {
    std::fputs("LLVM ERROR: cannot select\nstack\n", stderr);
    std::abort();
  }
  if (what == "hang") {
    for (std::atomic<int64_t> turns{0};; ++turns) {
    }
  }
  if (what == "sleep") {
    for (;;) pause();
  }
  if (what == "bomb") TakeAllMemory();
  if (what == "leave") std::exit(3);
  // The kernel's OOM killer sends the same signal.
  if (what == "killed") raise(SIGKILL);
  if (what.starts_with("killed once ") && access(what.substr(12).c_str(), F_OK) != 0) {
    std::fclose(std::fopen(what.substr(12).c_str(), "w"));
    raise(SIGKILL);
  }
  if (what.starts_with("crash once ") && access(what.substr(11).c_str(), F_OK) != 0) {
    std::fclose(std::fopen(what.substr(11).c_str(), "w"));
    std::abort();
  }
  if (what == "refused") throw std::system_error(EMFILE, std::generic_category());
  if (what == "no memory") throw std::bad_alloc();
  if (what == "throw") throw std::runtime_error("no such register");
  if (what == "reject") return Rejection{Fate::kInvalidConfig, "too wide"};
  Artifact artifact;
  artifact.elf = candidate.config.ToText();
  artifact.object_sha256 = std::to_string(getpid());
  return artifact;
}

Artifact Reference(const hone::Workload& workload, const hone::Target&) {
  if (workload.data[0] == 13) std::abort();
  Artifact artifact;
  artifact.elf = workload.ToText();
  return artifact;
}

}  // namespace

int main(int argc, char** argv) { return hone::CompileWorkerMain(argc, argv, {Compile, Reference}); }
