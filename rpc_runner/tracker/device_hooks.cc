#include "rpc_runner/tracker/device_hooks.h"

#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

extern char** environ;

namespace hone {
namespace {

constexpr int64_t kMinuteNs = 60'000'000'000, kAgainNs = 10 * kMinuteNs;
constexpr size_t kMostOfMinute = 10;

std::vector<char*> PointersInto(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (std::string& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

// In a process group of its own, so that what it starts can be ended with it. Returns 0 or an errno.
int SpawnShell(const std::string& command, std::vector<std::string> variables, pid_t* pid) {
  std::vector<std::string> words = {"/bin/sh", "-c", command};
  for (char** each = environ; each != nullptr && *each != nullptr; ++each) variables.emplace_back(*each);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
  const int error =
      posix_spawn(pid, "/bin/sh", nullptr, &attributes, PointersInto(words).data(), PointersInto(variables).data());
  posix_spawnattr_destroy(&attributes);
  return error;
}

}  // namespace

DeviceHooks::~DeviceHooks() {
  for (const Running& each : running_) {
    kill(-each.pid, SIGKILL);
    waitpid(each.pid, nullptr, 0);
  }
}

void DeviceHooks::Run(const std::vector<DeviceHistory::Change>& changes, int64_t now_ns) {
  for (const DeviceHistory::Change& change : changes) {
    const std::string& command = change.to == "lost"          ? commands_.on_lost
                                 : change.to == "quarantined" ? commands_.on_quarantine
                                                              : std::string();
    if (command.empty()) continue;
    MayRun(change, now_ns) ? Start(command, change, now_ns)
                           : audit_.HookRun({change.to, change.label, change.key}, "left out");
  }
}

bool DeviceHooks::MayRun(const DeviceHistory::Change& change, int64_t now_ns) {
  std::erase_if(ran_ns_, [&](const auto& ran) { return now_ns - ran.second >= kAgainNs; });
  std::erase_if(started_ns_, [&](int64_t ns) { return now_ns - ns >= kMinuteNs; });
  const std::string name = change.to + '\0' + change.key + '\0' + change.label;
  if (ran_ns_.contains(name) || started_ns_.size() >= kMostOfMinute) return false;
  ran_ns_[name] = now_ns;
  started_ns_.push_back(now_ns);
  return true;
}

void DeviceHooks::Start(const std::string& command, const DeviceHistory::Change& change, int64_t now_ns) {
  const Audit::Hook hook{change.to, change.label, change.key};
  Running running{-1, hook, now_ns + kMinuteNs};
  const int error = SpawnShell(command,
                               {"HONE_DEVICE=" + change.label, "HONE_DEVICE_KEY=" + change.key,
                                "HONE_DEVICE_STATE=" + change.to, "HONE_DEVICE_WHY=" + change.why},
                               &running.pid);
  audit_.HookRun(hook, error == 0 ? "begun" : std::string("not begun: ") + std::strerror(error));
  if (error == 0) running_.push_back(running);
}

void DeviceHooks::Reap(int64_t now_ns) {
  std::erase_if(running_, [&](const Running& each) {
    int status = 0;
    const bool late = now_ns >= each.until_ns;
    if (late) kill(-each.pid, SIGKILL);
    if (waitpid(each.pid, &status, late ? 0 : WNOHANG) != each.pid) return false;
    audit_.HookRun(each.hook, late                  ? "ended after a minute"
                              : WIFSIGNALED(status) ? "ended by signal " + std::to_string(WTERMSIG(status))
                                                    : "ended with code " + std::to_string(WEXITSTATUS(status)));
    return true;
  });
}

}  // namespace hone
