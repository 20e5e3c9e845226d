// The keys of a benchmark's fleet: a tracker's folder, and one identity for everybody else.
#pragma once

#include <string>

#include "rpc_runner/keys/key_options.h"

namespace hone::bench {

// A temporary folder; it goes with the value.
class FleetKeys {
 public:
  // Throws Error(kCannotCreate).
  FleetKeys();
  ~FleetKeys();
  FleetKeys(const FleetKeys&) = delete;
  FleetKeys& operator=(const FleetKeys&) = delete;

  ServerKeys server() const { return {path_ + "/tracker", ""}; }
  // Of a tuner, a runner and a viewer at once.
  const ClientKeys& client() const { return client_; }
  // Of a viewer of this name, until it is revoked.
  ClientKeys Admit(const std::string& name) const;
  void Revoke(const std::string& name) const;

 private:
  std::string path_;
  ClientKeys client_;
};

}  // namespace hone::bench
