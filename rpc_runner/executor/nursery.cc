#include "rpc_runner/executor/nursery.h"

#include <fmt/format.h>
#include <sched.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "rpc_runner/executor/job_child.h"
#include "rpc_runner/executor/judge/child_note.h"
#include "rpc_runner/executor/sandbox/descriptor_packet.h"
#include "rpc_runner/executor/sandbox/sandbox.h"
#include "rpc_runner/executor/task_message.h"
#include "rpc_runner/machine/cpus.h"

namespace hone {
namespace {

// A request for a child. It comes with the descriptors of the child's end of its notes, of its TaskMessage and of the
// task's regions. With only the first, the child starts and exits at once.
struct ForkRequest {
  int32_t parent = 0;  // the executor's process number
  int64_t message_bytes = 0;
  bool moves = false;  // whether the child gets `cores`, whatever the nursery has
  cpu_set_t cores = {};
};

// Sent instead of a ChildNote as the child's first message; by the nursery itself if the system gives no process.
struct ForkNote {
  int32_t error = 0;
};

constexpr int kFirstPassed = 3;  // those below are the standard streams
constexpr size_t kBeforeRegions = 2;

// Forks a sibling of the caller, which the C library's fork cannot do. Its extra work is not needed here: no other
// thread holds locks, and nothing asks the library for the main thread's number.
pid_t ForkForParent() { return static_cast<pid_t>(syscall(SYS_clone, CLONE_PARENT | SIGCHLD, 0, 0, 0, 0)); }

[[noreturn]] void RunForked(const ForkRequest& request, std::span<const int> descriptors) {
  const int note_fd = descriptors[0];
  if (request.moves) sched_setaffinity(0, sizeof(request.cores), &request.cores);
  if (!WriteNote(note_fd, ForkNote{})) _exit(1);
  if (descriptors.size() == 1) _exit(0);
  const auto take = [&]() -> const ChildTask& {
    const SharedRegion message(descriptors[1], request.message_bytes);
    // Never destroyed: it ends with the process.
    return (new ReceivedTask(message, descriptors.subspan(kBeforeRegions)))->task();
  };
  RunJobChild(take, note_fd, request.parent);
}

// Forks a child for `parent` at each request from the socket, and exits when the peer is gone. Allocates nothing, so
// that nothing of a request stays. Call it in a process that was just forked from a single-threaded one.
[[noreturn]] void ServeNursery(int socket, int parent) {
  LeaveParent(parent);
  KeepMappedBytes();
  CloseAllBut(socket, kFirstPassed);
  std::array<int, kMostDescriptors> descriptors{};
  for (;;) {
    ForkRequest request;
    const ReceivedPacket packet = ReceivePacket(socket, std::as_writable_bytes(std::span(&request, 1)), descriptors);
    if (packet.bytes != static_cast<ssize_t>(sizeof(request)) || packet.descriptors == 0) _exit(0);
    const pid_t child = ForkForParent();
    if (child == 0) RunForked(request, std::span(descriptors).first(packet.descriptors));
    if (child < 0) (void)WriteNote(descriptors[0], ForkNote{errno});
    for (size_t i = 0; i < packet.descriptors; ++i) close(descriptors[i]);
  }
}

// Thrown when the system cannot fork for a parent.
class CannotForkForParent {};

[[noreturn]] void NoProcess(int error) {
  throw Error(ExitCode::kNoRunner, fmt::format("the system gives the runner no process: {}", std::strerror(error)));
}

// Both ends of a packet socket; each is closed unless it was taken.
class SocketPair {
 public:
  SocketPair() {
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends_) != 0) NoProcess(errno);
  }
  ~SocketPair() {
    Close(0);
    Close(1);
  }
  SocketPair(const SocketPair&) = delete;
  SocketPair& operator=(const SocketPair&) = delete;

  int end(int i) const { return ends_[i]; }
  int Take(int i) { return std::exchange(ends_[i], -1); }
  void Close(int i) {
    if (ends_[i] >= 0) close(Take(i));
  }

 private:
  int ends_[2];
};

pid_t Reap(pid_t pid) {
  pid_t reaped = -1;
  do {
    reaped = waitpid(pid, nullptr, 0);
  } while (reaped < 0 && errno == EINTR);
  return reaped;
}

// Moves the nursery, and with it the child's start, to this process's core, which is free while this process waits. On
// another core each message would wait for the program that is busy there. On failure returns false, and the nursery
// stays where it is. Otherwise *cores become those of this process.
bool MoveNurseryHere(pid_t nursery, cpu_set_t* cores) {
  const int core = sched_getcpu();
  if (core < 0 || core >= CPU_SETSIZE || sched_getaffinity(0, sizeof(*cores), cores) != 0) return false;
  return BindTo({core}, nursery);
}

// The process number of the child that sent the note.
pid_t TakeChildPid(int note_fd) {
  ForkNote note;
  pid_t pid = 0;
  const ssize_t got = ReceiveFrom(note_fd, std::as_writable_bytes(std::span(&note, 1)), &pid);
  if (got != static_cast<ssize_t>(sizeof(note))) throw NurseryGone();
  if (note.error == EINVAL || note.error == EPERM || note.error == ENOSYS) throw CannotForkForParent();
  if (note.error != 0) NoProcess(note.error);
  if (pid <= 0) throw NurseryGone();
  return pid;
}

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kMayForkForParent = false;  // its runtime only supports the library's own fork
#else
constexpr bool kMayForkForParent = true;
#endif

}  // namespace

Nursery::Nursery(int watch_fd) : watch_fd_(watch_fd) {
  if (!kMayForkForParent) return;
  Start();
  if (!CanFork()) End();
}

Nursery::~Nursery() { End(); }

void Nursery::Start() {
  SocketPair sockets;
  const pid_t self = getpid();
  pid_ = fork();
  if (pid_ == 0) {
    sockets.Close(0);  // the nursery ends when the last copy of this end closes
    ServeNursery(sockets.Take(1), self);
  }
  if (pid_ < 0) NoProcess(errno);
  socket_ = sockets.Take(0);
}

void Nursery::End() {
  if (socket_ < 0) return;
  close(socket_);
  socket_ = -1;
  Reap(pid_);
}

bool Nursery::CanFork() {
  try {
    const Child child = Send(nullptr);
    close(child.note_fd);
    Reap(child.pid);
    return true;
  } catch (const CannotForkForParent&) {
    return false;
  }
}

Nursery::Child Nursery::Send(const ChildTask* task) {
  SocketPair notes;
  if (!AskWhoSends(notes.end(0))) NoProcess(errno);
  ForkRequest request;
  request.parent = getpid();
  request.moves = MoveNurseryHere(pid_, &request.cores);
  std::vector<int> descriptors = {notes.end(1)};
  std::shared_ptr<SharedRegion> message;
  if (task != nullptr) {
    message = TaskMessage(*task);
    request.message_bytes = message->size_bytes();
    descriptors.push_back(message->fd());
    const std::vector<int> regions = TaskDescriptors(*task);
    descriptors.insert(descriptors.end(), regions.begin(), regions.end());
  }
  const int error = SendPacket(socket_, std::as_bytes(std::span(&request, 1)), descriptors);
  if (error == EPIPE || error == ECONNRESET) throw NurseryGone();
  if (error != 0) NoProcess(error);
  // Only the child may hold the other end, so that its death closes the socket.
  notes.Close(1);
  const pid_t pid = TakeChildPid(notes.end(0));
  return {pid, notes.Take(0)};
}

Nursery::Child Nursery::ForkChild(const ChildTask& task) {
  if (is_apart()) return Send(&task);
  SocketPair notes;
  const pid_t self = getpid();
  const pid_t pid = fork();
  if (pid == 0) RunJobChild([&]() -> const ChildTask& { return task; }, notes.end(1), self);
  if (pid < 0) NoProcess(errno);
  return {pid, notes.Take(0)};
}

}  // namespace hone
