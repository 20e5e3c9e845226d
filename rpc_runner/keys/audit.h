// Who came, who was refused, who held which device: one JSON object a line, only ever added to.
#pragma once

#include <cstdint>
#include <mutex>
#include <string>

#include "core/serialize.h"

namespace hone {

// Thread-safe. The file is opened for each line, so that it may be moved away at any time. A line that cannot be
// written is told on stderr, once, and is no reason to stop.
class Audit {
 public:
  // Empty: keeps nothing. Throws Error(kBadConfig) when the file cannot be opened to append.
  explicit Audit(const std::string& path);

  // A key was let in. The address is the peer's, as far as it is known.
  void Admitted(const std::string& key, const std::string& name, const std::string& roles, const std::string& address);
  // Somebody was not; `key` empty: it showed none. Of very many in a second only the number is kept.
  void Refused(const std::string& key, const std::string& address, const std::string& why);
  // Connections of a key were closed because it was revoked or has expired.
  void Dropped(const std::string& key);
  // A key came with a one-time code.
  void Enrolled(const std::string& key, const std::string& name, const std::string& roles, const std::string& address);
  // The list was read: how many keys it has, and how many lines admit nobody.
  void Listed(size_t keys, size_t faults);

  // Who held which device. To be called when the lease begins and again when it ends, with the same values and
  // `until_ms`.
  struct HeldDevice {
    std::string lease, device, key;  // the device's label and the key that it offers
    std::string holder, label;       // the name that the transport proved (Sender::name); what the holder calls itself
    int64_t from_ms = 0;             // since 1970, see NowMs
    int64_t until_ms = 0;            // 0: it begins
  };
  void Lease(const HeldDevice& held);
  // Wall time in milliseconds since 1970.
  static int64_t NowMs();

 private:
  void Write(const char* event, Json fields);
  void Append(const std::string& line);
  bool MayWriteRefusal(int64_t now_s);

  const std::string path_;
  std::mutex mutex_;
  bool told_ = false;
  int64_t refusals_s_ = 0;  // the second of these
  int64_t refusals_ = 0;
};

}  // namespace hone
