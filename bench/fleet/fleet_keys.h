// The keys of a benchmark's fleet: a tracker's folder, and one identity for all other programs.
#pragma once

#include <string>

#include "rpc_runner/keys/key_paths.h"

namespace hone::bench {

// Keys in a temporary folder, which is removed with the value.
class FleetKeys {
 public:
  // Throws Error(kCannotCreate).
  FleetKeys();
  ~FleetKeys();
  FleetKeys(const FleetKeys&) = delete;
  FleetKeys& operator=(const FleetKeys&) = delete;

  ServerKeys server() const { return {path_ + "/tracker", ""}; }
  // The identity with the roles tuner, runner and viewer.
  const ClientKeys& client() const { return client_; }
  // A new viewer's identity of this name, valid until Revoke.
  ClientKeys Admit(const std::string& name) const;
  void Revoke(const std::string& name) const;

 private:
  std::string path_;
  ClientKeys client_;
};

}  // namespace hone::bench
