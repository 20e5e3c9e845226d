// The clients that ask a tracker for runners.
#pragma once

#include <cstdint>
#include <set>
#include <string>

#include "core/json/serialize.h"
#include "rpc_runner/wire/security.h"

namespace hone {

// The sender of a frame: its connection, and its identity as far as the transport could prove it.
struct Caller {
  std::string peer;
  Sender sender = {};
};

// A client that asks for a lease, or has one.
struct TrackerClient {
  std::string id;
  std::string peer;   // its connection
  std::string owner;  // the name of the sender that owns it; empty without keys
  std::string label;  // for people
  std::string key;
  std::string tuner;              // the tuner under which leases are counted; the id if the client does not say
  std::string user;               // the user for whom runners may be held
  Json machine;                   // the machine kind that it requires; null: any
  std::set<std::string> without;  // ids of runners that it refuses
  int priority = 100;
  int64_t heard_ns = 0;
};

// Reads a lease_request or a client's heartbeat. Throws Error(kBadData) and LimitExceeded.
TrackerClient ClientOf(const Caller& caller, const Json& header, int64_t now_ns);
// The user; with keys this is the key's name, whatever the header says.
std::string UserOf(const Caller& caller, const Json& header);
// "ada@lab (resnet)"
std::string NameForPeople(const TrackerClient& client);

}  // namespace hone
