// Who asks a tracker for a runner.
#pragma once

#include <cstdint>
#include <set>
#include <string>

#include "core/serialize.h"
#include "rpc_runner/wire/sender.h"

namespace hone {

// One who has sent a frame: its connection, and who that is as far as the transport could prove it.
struct Caller {
  std::string peer;
  Sender sender = {};
};

// One who asks for leases, or has one.
struct TrackerClient {
  std::string id;
  std::string peer;   // its connection
  std::string owner;  // the name of the sender it belongs to; empty without keys
  std::string label;  // for people
  std::string key;
  std::string tuner;              // whose leases are counted together; the id where the client does not say
  std::string user;               // for whom runners may be held
  Json machine;                   // the kind that it must be; null: any
  std::set<std::string> without;  // ids of runners that it does not want
  int priority = 100;
  int64_t heard_ns = 0;
};

// As a lease_request or a client's beat says. Throws Error(kBadData) and TooBig.
TrackerClient ClientOf(const Caller& caller, const Json& header, int64_t now_ns);
// With keys the key's name, whatever the header says.
std::string UserOf(const Caller& caller, const Json& header);
// "ada@lab (resnet)"
std::string NameForPeople(const TrackerClient& client);

}  // namespace hone
