// Commands of the administrator's that a tracker runs when a device is lost or quarantined.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "rpc_runner/keys/audit.h"
#include "rpc_runner/tracker/device_history.h"

namespace hone {

struct DeviceHookCommands {
  std::string on_quarantine, on_lost;  // lines for /bin/sh; empty: nothing is run
};

// The command has the variables HONE_DEVICE (the label), HONE_DEVICE_KEY, HONE_DEVICE_STATE and HONE_DEVICE_WHY. It
// runs beside the tracker, is ended after a minute, and is audited when it begins and ends. The same device has each
// command at most once in ten minutes, and all together have at most ten a minute. What is left out is audited, too.
// Not thread-safe.
class DeviceHooks {
 public:
  DeviceHooks(DeviceHookCommands commands, Audit& audit) : commands_(std::move(commands)), audit_(audit) {}
  ~DeviceHooks();
  DeviceHooks(const DeviceHooks&) = delete;
  DeviceHooks& operator=(const DeviceHooks&) = delete;

  void Run(const std::vector<DeviceHistory::Change>& changes, int64_t now_ns);
  // Ends what has run too long, and reaps what has ended. Does not wait.
  void Reap(int64_t now_ns);

 private:
  struct Running {
    pid_t pid = -1;
    Audit::Hook hook;
    int64_t until_ns = 0;
  };
  bool MayRun(const DeviceHistory::Change& change, int64_t now_ns);
  void Start(const std::string& command, const DeviceHistory::Change& change, int64_t now_ns);

  const DeviceHookCommands commands_;
  Audit& audit_;
  std::map<std::string, int64_t> ran_ns_;  // the last time, by state, key and label
  std::vector<int64_t> started_ns_;        // within the last minute
  std::vector<Running> running_;
};

}  // namespace hone
