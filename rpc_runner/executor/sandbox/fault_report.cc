#include "rpc_runner/executor/sandbox/fault_report.h"

#include <signal.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#include <cstring>
#include <initializer_list>
#include <new>

namespace hone {
namespace {

struct Watched {
  uintptr_t begin, data_begin, data_end, end;
  int operand;
};

// A signal handler can only reach globals.
int g_note_fd = -1;
const uint64_t* g_fault_nonce = nullptr;
Watched g_watched[32];
int g_watched_count = 0;

// The stack pointer of the faulting code; the handler runs on a stack of its own.
uintptr_t StackPointer(const void* context) {
  const auto* machine = &static_cast<const ucontext_t*>(context)->uc_mcontext;
#if defined(__x86_64__)
  return static_cast<uintptr_t>(machine->gregs[REG_RSP]);
#elif defined(__aarch64__)
  return machine->sp;
#elif defined(__arm__)
  return machine->arm_sp;
#elif defined(__riscv)
  return machine->__gregs[REG_SP];
#endif
}

void FindPlace(uintptr_t address, uintptr_t stack, ChildNote* note) {
  for (int i = 0; i < g_watched_count; ++i) {
    const Watched& w = g_watched[i];
    if (address < w.begin || address >= w.end) continue;
    note->operand = w.operand;
    note->place = address < w.data_begin ? FaultPlace::kBefore : FaultPlace::kInside;
    note->offset = static_cast<int64_t>(address < w.data_begin ? w.data_begin - address : address - w.data_begin);
    if (address >= w.data_end) {
      note->place = FaultPlace::kAfter;
      note->offset = static_cast<int64_t>(address - w.data_end);
    }
    return;
  }
  // A stack overflow faults in or just beyond the newest frame.
  constexpr uintptr_t kNear = 1 << 20;
  if (address + kNear - stack < 2 * kNear) note->place = FaultPlace::kStack;
}

void OnFault(int signal_number, siginfo_t* info, void* context) {
  ChildNote note;
  std::memset(&note, 0, sizeof(note));
  note.nonce = *g_fault_nonce;
  note.kind = NoteKind::kFault;
  note.code = signal_number;
  if (signal_number == SIGSEGV || signal_number == SIGBUS) {
    FindPlace(reinterpret_cast<uintptr_t>(info->si_addr), StackPointer(context), &note);
  }
  // A failure is ignored: the executor still sees the signal.
  [[maybe_unused]] const ssize_t written = write(g_note_fd, &note, sizeof(note));
  // SA_RESETHAND has restored the default action: returning repeats the fault, which kills; an abort continues by
  // itself.
}

}  // namespace

void ReportFaults(int note_fd, const uint64_t* nonce) {
  g_note_fd = note_fd;
  g_fault_nonce = nonce;
  struct sigaction action = {};
  action.sa_sigaction = OnFault;
  action.sa_flags = static_cast<int>(SA_SIGINFO | SA_ONSTACK | SA_RESETHAND);
  sigemptyset(&action.sa_mask);
  for (int signal_number : {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT}) sigaction(signal_number, &action, nullptr);
}

void UseFaultStack() {
  // Space for the handlers; the kernel adds the registers there, 12 KB with AMX.
  constexpr size_t kHandlers = 64 << 10;
  const size_t bytes = kHandlers + getauxval(AT_MINSIGSTKSZ);
  void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  stack_t stack = {};
  stack.ss_sp = memory;
  stack.ss_size = bytes;
  sigaltstack(&stack, nullptr);
}

void WatchBuffer(const GuardedBuffer& buffer, int operand) {
  if (g_watched_count == static_cast<int>(sizeof(g_watched) / sizeof(g_watched[0]))) return;
  g_watched[g_watched_count++] = {buffer.begin(), buffer.data_begin(), buffer.data_end(), buffer.end(), operand};
}

}  // namespace hone
