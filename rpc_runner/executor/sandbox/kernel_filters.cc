#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "rpc_runner/executor/sandbox/sandbox.h"

namespace hone {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || \
    !(defined(__x86_64__) || defined(__aarch64__) || defined(__riscv))

bool InstallSyscallFilter(int) { return false; }

bool ForbidEscapes() { return false; }

#else

namespace {

#if defined(__x86_64__)
constexpr uint32_t kAuditArch = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
constexpr uint32_t kAuditArch = AUDIT_ARCH_AARCH64;
#else
constexpr uint32_t kAuditArch = AUDIT_ARCH_RISCV64;
#endif

// The pool needs futex and membarrier, malloc the calls from brk to madvise. The rest is for clocks, signal returns and
// exit.
constexpr int kAllowedCalls[] = {
    SYS_futex,
    SYS_sched_yield,
    SYS_brk,
    SYS_munmap,
    SYS_madvise,
    SYS_clock_gettime,
    SYS_gettimeofday,
    SYS_nanosleep,
    SYS_clock_nanosleep,
    SYS_getrusage,
    SYS_rt_sigreturn,
    SYS_rt_sigprocmask,
    SYS_restart_syscall,
    SYS_getpid,
    SYS_gettid,
    SYS_exit,
    SYS_exit_group,
    SYS_sched_getaffinity,
#ifdef SYS_membarrier
    SYS_membarrier,
#endif
};
// Calls by which a program could leave its namespaces, watch others or hold memory that no limit counts.
constexpr int kEscapes[] = {
    SYS_mount,
    SYS_umount2,
    SYS_pivot_root,
    SYS_chroot,
    SYS_unshare,
    SYS_setns,
    SYS_ptrace,
    SYS_process_vm_readv,
    SYS_process_vm_writev,
    SYS_bpf,
    SYS_perf_event_open,
    SYS_add_key,
    SYS_request_key,
    SYS_keyctl,
    SYS_memfd_create,
    SYS_shmget,
    SYS_mq_open,
    SYS_userfaultfd,
    SYS_kexec_load,
    SYS_init_module,
    SYS_finit_module,
#ifdef SYS_io_uring_setup
    SYS_io_uring_setup,
#endif
#ifdef SYS_open_tree
    SYS_open_tree,
    SYS_move_mount,
    SYS_fsopen,
#endif
#ifdef SYS_pidfd_getfd
    SYS_pidfd_getfd,
#endif
#ifdef SYS_memfd_secret
    SYS_memfd_secret,
#endif
};
constexpr uint32_t kNewNamespaces =
    CLONE_NEWNS | CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNET | CLONE_NEWIPC | CLONE_NEWUTS | CLONE_NEWCGROUP;
// Bit of numbers of x32, a second interface of x86-64 with other numbers.
constexpr uint32_t kX32 = 0x40000000;
constexpr int kAllowedOnNoteFd[] = {SYS_read, SYS_write};

class Program {
 public:
  void Load(size_t offset) { code_.push_back(BPF_STMT(BPF_LD | BPF_W | BPF_ABS, static_cast<uint32_t>(offset))); }
  void Allow() { code_.push_back(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)); }
  void Refuse(int error) {
    code_.push_back(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | static_cast<uint32_t>(error)));
  }
  void Kill() { code_.push_back(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS)); }
  // Jumps over the next `count` instructions depending on the loaded word.
  void SkipIf(uint32_t value, uint8_t count) { code_.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, count, 0)); }
  void SkipUnless(uint32_t value, uint8_t count) {
    code_.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, 0, count));
  }
  void SkipIfAnyBit(uint32_t bits, uint8_t count) {
    code_.push_back(BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, bits, count, 0));
  }
  void SkipUnlessAnyBit(uint32_t bits, uint8_t count) {
    code_.push_back(BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, bits, 0, count));
  }

  bool Install() {
    sock_fprog program{static_cast<unsigned short>(code_.size()), code_.data()};
    const auto install = [&](unsigned flags) {
      return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags, &program) == 0;
    };
    // SPEC_ALLOW keeps the filter from switching on mitigations that would change the measured times. Linux before 4.17
    // knows neither the flag nor those mitigations.
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
           (install(SECCOMP_FILTER_FLAG_TSYNC | SECCOMP_FILTER_FLAG_SPEC_ALLOW) || install(SECCOMP_FILTER_FLAG_TSYNC));
  }

 private:
  std::vector<sock_filter> code_;
};

constexpr size_t ArgumentOffset(int i) { return offsetof(seccomp_data, args) + 8 * static_cast<size_t>(i); }

}  // namespace

bool InstallSyscallFilter(int note_fd) {
  Program program;
  program.Load(offsetof(seccomp_data, arch));
  program.SkipIf(kAuditArch, 1);
  program.Kill();
  program.Load(offsetof(seccomp_data, nr));
  for (int number : kAllowedCalls) {
    program.SkipUnless(static_cast<uint32_t>(number), 1);
    program.Allow();
  }
  for (int number : kAllowedOnNoteFd) {
    program.SkipUnless(static_cast<uint32_t>(number), 4);
    program.Load(ArgumentOffset(0));
    program.SkipUnless(static_cast<uint32_t>(note_fd), 1);
    program.Allow();
    program.Kill();
  }
  // Allows new memory for malloc: private, anonymous, not executable.
  program.SkipUnless(SYS_mmap, 7);
  program.Load(ArgumentOffset(2));
  program.SkipIfAnyBit(PROT_EXEC, 4);
  program.Load(ArgumentOffset(3));
  program.SkipIfAnyBit(MAP_SHARED, 2);
  program.SkipUnlessAnyBit(MAP_ANONYMOUS, 1);
  program.Allow();
  program.Kill();
#ifndef __GLIBC__
  // Other allocators make reserved memory accessible.
  program.SkipUnless(SYS_mprotect, 4);
  program.Load(ArgumentOffset(2));
  program.SkipIfAnyBit(PROT_EXEC, 1);
  program.Allow();
  program.Kill();
#endif
  program.Kill();
  return program.Install();
}

bool ForbidEscapes() {
  Program program;
  program.Load(offsetof(seccomp_data, arch));
  program.SkipIf(kAuditArch, 1);
  program.Kill();
  program.Load(offsetof(seccomp_data, nr));
  program.SkipUnlessAnyBit(kX32, 1);
  program.Kill();
  for (const int number : kEscapes) {
    program.SkipUnless(static_cast<uint32_t>(number), 1);
    program.Refuse(EPERM);
  }
#ifdef SYS_clone3
  // Its flags lie in memory, where a filter cannot look; libraries then take clone.
  program.SkipUnless(SYS_clone3, 1);
  program.Refuse(ENOSYS);
#endif
  program.SkipUnless(SYS_clone, 4);
  program.Load(ArgumentOffset(0));
  program.SkipUnlessAnyBit(kNewNamespaces, 1);
  program.Refuse(EPERM);
  program.Allow();
  // Some families of sockets, such as those to a hypervisor, know no namespaces.
  program.SkipUnless(SYS_socket, 3);
  program.Load(ArgumentOffset(0));
  program.SkipIf(AF_UNIX, 1);
  program.Refuse(EAFNOSUPPORT);
  program.Allow();
  return program.Install();
}

#endif

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)

bool ForbidFiles() { return false; }

#else

namespace {

// The kernel's numbers, equal on all architectures, because some build systems have older headers.
constexpr long kCreateRuleset = 444, kRestrictSelf = 446;
constexpr uint32_t kAskVersion = 1;

struct RulesetAttributes {
  uint64_t files = 0, network = 0, scopes = 0;
};

uint64_t Bits(int count) { return (uint64_t{1} << count) - 1; }

// All rights that the version knows. A kernel refuses unknown bits, but not zeros.
RulesetAttributes AllOf(long version) {
  RulesetAttributes all;
  all.files = Bits(version >= 5 ? 16 : version >= 3 ? 15 : version >= 2 ? 14 : 13);
  if (version >= 4) all.network = Bits(2);
  if (version >= 6) all.scopes = Bits(1);
  return all;
}

}  // namespace

bool ForbidFiles() {
  const long version = syscall(kCreateRuleset, nullptr, 0, kAskVersion);
  if (version < 1) return false;
  const RulesetAttributes all = AllOf(version);
  // A right that is handled and has no rule is forbidden.
  const long ruleset = syscall(kCreateRuleset, &all, sizeof(all), 0);
  if (ruleset < 0) return false;
  const bool done = syscall(kRestrictSelf, ruleset, 0) == 0;
  close(static_cast<int>(ruleset));
  return done;
}

#endif

}  // namespace hone
