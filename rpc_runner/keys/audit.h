// A log of admissions, refusals and leases: one JSON object per line, append-only.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <string>

#include "core/json/serialize.h"

namespace hone {

// Thread-safe. The file is opened for each line, so that it may be moved away at any time. If a line cannot be written,
// that is printed on stderr, once, and ignored.
class Audit {
 public:
  // An empty path keeps nothing. Throws Error(kBadConfig) if the file cannot be opened to append.
  explicit Audit(const std::string& path);

  // A key was admitted. The address is the peer's, as far as it is known.
  void Admitted(const std::string& key, const std::string& name, const std::string& roles, const std::string& address);
  // A peer was refused; `key` is empty if it showed none. `reason` is one of a few constant texts, and `detail` follows
  // it in the log. If there are very many in a second, the log keeps only their number.
  void Refused(const std::string& key, const std::string& address, const std::string& reason,
               const std::string& detail = "");
  // Refusals by reason since the start, whether or not there is a log.
  std::map<std::string, int64_t> RefusalCounts() const;
  // Connections of a key were closed because it was revoked or has expired.
  void Dropped(const std::string& key);
  // A key came with a one-time code.
  void Enrolled(const std::string& key, const std::string& name, const std::string& roles, const std::string& address);
  // The list was read: how many keys it has, and how many of its lines are faulty.
  void Listed(size_t keys, size_t faults);

  // A device that somebody held. Call Lease when the lease begins, and again with the same values and `until_ms` when
  // it ends.
  struct HeldDevice {
    std::string lease, device, key;  // the device's label and the key that it offers
    // The name that the transport proved (Sender::name); the name that the holder gives itself.
    std::string holder, label;
    int64_t from_ms = 0;   // since 1970, see NowMs
    int64_t until_ms = 0;  // 0: the lease begins
  };
  void Lease(const HeldDevice& held);

  // A command of the administrator's for a device that became "lost" or "quarantined".
  struct Hook {
    std::string state, device, key;
  };
  // `what` is "begun", "left out" or how it ended.
  void HookRun(const Hook& hook, const std::string& what);
  // Wall time in milliseconds since 1970.
  static int64_t NowMs();

 private:
  void Write(const char* event, Json fields);
  void Append(const std::string& line);
  bool MayWriteRefusal(int64_t now_s);

  const std::string path_;
  mutable std::mutex mutex_;
  std::map<std::string, int64_t> refused_;  // by reason
  bool reported_ = false;
  int64_t refusals_s_ = 0;  // the second in which refusals_ were counted
  int64_t refusals_ = 0;
};

}  // namespace hone
