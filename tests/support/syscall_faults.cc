#include "tests/support/syscall_faults.h"

#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <iterator>
#include <new>
#include <vector>

namespace hone::testing {
namespace {

struct Refusal {
  int number;
  int errors[2];  // used in turn
};

constexpr Refusal kRefusals[] = {
#ifdef SYS_open
    {SYS_open, {EMFILE, EACCES}},
#endif
#ifdef SYS_fork
    {SYS_fork, {EAGAIN, ENOMEM}},
#endif
#ifdef SYS_vfork
    {SYS_vfork, {EAGAIN, ENOMEM}},
#endif
    {SYS_openat, {EMFILE, EACCES}},   {SYS_memfd_create, {EMFILE, ENOMEM}}, {SYS_ftruncate, {ENOSPC, EIO}},
    {SYS_fallocate, {ENOSPC, EIO}},   {SYS_write, {ENOSPC, EIO}},           {SYS_pwrite64, {ENOSPC, EIO}},
    {SYS_read, {EIO, ENOMEM}},        {SYS_pread64, {EIO, ENOMEM}},         {SYS_mmap, {ENOMEM, EAGAIN}},
    {SYS_mprotect, {ENOMEM, ENOMEM}}, {SYS_brk, {ENOMEM, ENOMEM}},          {SYS_clone, {EAGAIN, ENOMEM}},
    {SYS_clone3, {EAGAIN, ENOMEM}},   {SYS_pipe2, {EMFILE, ENFILE}},        {SYS_socketpair, {EMFILE, ENFILE}},
    {SYS_execve, {ENOMEM, EACCES}},   {SYS_unlinkat, {EACCES, EIO}},        {SYS_sendto, {ENOBUFS, ENOMEM}},
    {SYS_recvfrom, {ENOMEM, EIO}},    {SYS_fcntl, {EMFILE, EMFILE}},
};

const Refusal* Find(int number) {
  for (const Refusal& refusal : kRefusals) {
    if (refusal.number == number) return &refusal;
  }
  return nullptr;
}

// The descriptor on which the calls are reported; -1 if unavailable.
int InstallFilter() {
  std::vector<sock_filter> code = {BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr))};
  for (const Refusal& refusal : kRefusals) {
    code.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, static_cast<uint32_t>(refusal.number), 0, 1));
    code.push_back(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF));
  }
  code.push_back(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
  sock_fprog program{static_cast<unsigned short>(code.size()), code.data()};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return -1;
  return static_cast<int>(syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_NEW_LISTENER, &program));
}

union Packet {
  cmsghdr header;
  char bytes[CMSG_SPACE(sizeof(int))];
};

void SendDescriptor(int socket, int fd) {
  Packet packet{};
  char byte = 0;
  iovec io{&byte, 1};
  msghdr message{};
  message.msg_iov = &io;
  message.msg_iovlen = 1;
  message.msg_control = packet.bytes;
  message.msg_controllen = sizeof(packet.bytes);
  packet.header.cmsg_level = SOL_SOCKET;
  packet.header.cmsg_type = SCM_RIGHTS;
  packet.header.cmsg_len = CMSG_LEN(sizeof(int));
  std::memcpy(CMSG_DATA(&packet.header), &fd, sizeof(fd));
  (void)sendmsg(socket, &message, 0);
}

int TakeDescriptor(int socket) {
  Packet packet{};
  char byte = 0;
  iovec io{&byte, 1};
  msghdr message{};
  message.msg_iov = &io;
  message.msg_iovlen = 1;
  message.msg_control = packet.bytes;
  message.msg_controllen = sizeof(packet.bytes);
  if (recvmsg(socket, &message, 0) <= 0 || message.msg_controllen == 0) return -1;
  int fd = -1;
  std::memcpy(&fd, CMSG_DATA(&packet.header), sizeof(fd));
  return fd;
}

[[noreturn]] void Child(int socket, SyscallFaults& faults, const std::function<void(SyscallFaults&)>& body) {
  const int listener = InstallFilter();
  if (listener < 0) _exit(kNoFilter);
  SendDescriptor(socket, listener);
  close(listener);
  close(socket);
  try {
    body(faults);
  } catch (...) {
    _exit(1);
  }
  _exit(0);
}

// Returns when all processes whose calls are reported have ended.
void Answer(int listener, SyscallFaults& faults) {
  for (;;) {
    pollfd descriptor{listener, POLLIN, 0};
    if (poll(&descriptor, 1, -1) < 0 && errno == EINTR) continue;
    if ((descriptor.revents & POLLIN) == 0) return;
    seccomp_notif call{};
    if (ioctl(listener, SECCOMP_IOCTL_NOTIF_RECV, &call) != 0) continue;  // the process has died meanwhile
    seccomp_notif_resp answer{};
    answer.id = call.id;
    const int error = faults.ErrorOf(call.data.nr);
    answer.error = -error;
    if (error == 0) answer.flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE;
    (void)ioctl(listener, SECCOMP_IOCTL_NOTIF_SEND, &answer);
  }
}

}  // namespace

int SyscallFaults::ErrorOf(int number) {
  const int64_t target = target_;
  const Refusal* refusal = Find(number);
  if (target == 0 || refusal == nullptr || ++seen_ != target) return 0;
  refused_ = number;
  return refusal->errors[target % 2];
}

int RunWithFaults(const std::function<void(SyscallFaults&)>& body) {
  void* shared = mmap(nullptr, sizeof(SyscallFaults), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  int sockets[2];
  if (shared == MAP_FAILED || socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets) != 0) return kNoFilter;
  auto* faults = new (shared) SyscallFaults();
  const pid_t child = fork();
  if (child == 0) {
    close(sockets[0]);
    Child(sockets[1], *faults, body);
  }
  close(sockets[1]);
  const int listener = TakeDescriptor(sockets[0]);
  close(sockets[0]);
  if (listener >= 0) {
    Answer(listener, *faults);
    close(listener);
  }
  int status = 0;
  waitpid(child, &status, 0);
  munmap(shared, sizeof(SyscallFaults));
  return WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
}

}  // namespace hone::testing
