#include "rpc_runner/executor/nursery_process.h"

#include <sched.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <span>

#include "rpc_runner/executor/job_child.h"
#include "rpc_runner/executor/judge/child_note.h"
#include "rpc_runner/executor/sandbox/descriptor_packet.h"
#include "rpc_runner/executor/sandbox/sandbox.h"
#include "rpc_runner/executor/task_message.h"

namespace hone {
namespace {

constexpr int kFirstPassed = 3;  // those below are the standard streams
constexpr size_t kBeforeRegions = 2;

bool Tell(int note_fd, BirthNote note) {
  for (int i = 0; i < kNoteTries; ++i) {
    if (write(note_fd, &note, sizeof(note)) == static_cast<ssize_t>(sizeof(note))) return true;
  }
  return false;
}

// Forks a sibling of the caller, which the C library's fork cannot do. Its extra work is not needed here: no other
// thread holds locks, and nothing asks the library for the main thread's number.
pid_t ForkForParent() { return static_cast<pid_t>(syscall(SYS_clone, CLONE_PARENT | SIGCHLD, 0, 0, 0, 0)); }

[[noreturn]] void RunBorn(const BirthRequest& request, std::span<const int> descriptors) {
  const int note_fd = descriptors[0];
  if (request.moves) sched_setaffinity(0, sizeof(request.cores), &request.cores);
  if (!Tell(note_fd, {})) _exit(1);
  if (descriptors.size() == 1) _exit(0);
  const auto take = [&]() -> const ChildTask& {
    const SharedRegion message(descriptors[1], request.message_bytes);
    // Never destroyed: it ends with the process.
    return (new ReceivedTask(message, descriptors.subspan(kBeforeRegions)))->task();
  };
  RunJobChild(take, note_fd, request.parent);
}

}  // namespace

void ServeNursery(int socket, int parent) {
  LeaveParent(parent);
  KeepMappedBytes();
  CloseAllBut(socket, kFirstPassed);
  std::array<int, kMostDescriptors> descriptors{};
  for (;;) {
    BirthRequest request;
    const ReceivedPacket packet = ReceivePacket(socket, std::as_writable_bytes(std::span(&request, 1)), descriptors);
    if (packet.bytes != static_cast<ssize_t>(sizeof(request)) || packet.descriptors == 0) _exit(0);
    const pid_t child = ForkForParent();
    if (child == 0) RunBorn(request, std::span(descriptors).first(packet.descriptors));
    if (child < 0) Tell(descriptors[0], {errno});
    for (size_t i = 0; i < packet.descriptors; ++i) close(descriptors[i]);
  }
}

}  // namespace hone
