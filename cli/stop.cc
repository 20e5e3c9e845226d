#include "cli/stop.h"

#include <unistd.h>

#include <csignal>

#include "lab/files/fresh_file.h"

namespace hone {
namespace {

std::atomic<bool> stop_asked{false};
std::atomic<int> stop_signal{0};
static_assert(std::atomic<bool>::is_always_lock_free && std::atomic<int>::is_always_lock_free,
              "a signal handler may touch nothing that locks");

void OnSignal(int signal_number) {
  if (stop_asked.exchange(true)) {
    RemoveFreshFiles();
    _exit(128 + signal_number);
  }
  stop_signal = signal_number;
}

bool IsIgnored(int signal_number) {
  struct sigaction now = {};
  return sigaction(signal_number, nullptr, &now) == 0 && now.sa_handler == SIG_IGN;
}

}  // namespace

const std::atomic<bool>* CatchStopSignals() {
  struct sigaction action = {};
  action.sa_handler = OnSignal;
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
  // SIGHUP stays ignored under nohup.
  if (!IsIgnored(SIGHUP)) sigaction(SIGHUP, &action, nullptr);
  // A reader that closes the pipe is then an output error. This is a handler because spawned programs would inherit
  // SIG_IGN.
  std::signal(SIGPIPE, [](int) {});
  return &stop_asked;
}

int StopExitCode(int otherwise) { return stop_signal != 0 ? 128 + stop_signal : otherwise; }

}  // namespace hone
