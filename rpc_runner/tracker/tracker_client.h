// The clients of a tracker: what each role may send, the fields that are kept of its frames, and the clients that ask
// for runners.
#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>

#include "core/json/serialize.h"
#include "rpc_runner/wire/protocol.h"
#include "rpc_runner/wire/security.h"

namespace hone {

// Fields of a frame's header that a tracker keeps. Each function throws Error(kBadData) as those of wire/protocol.h do,
// and LimitExceeded beyond docs/reference/protocol.md's Limits.
constexpr size_t kMostTextBytes = 128;
constexpr size_t kMostLongTextBytes = 256;
// The most runners or people in one list.
constexpr size_t kMostNamed = 16;

// A frame asks the tracker to keep more than it may.
struct LimitExceeded {
  std::string what;
};

std::string BoundedText(const Json& header, const char* name, size_t most = kMostTextBytes);
std::string BoundedTextOr(const Json& header, const char* name, const std::string& absent,
                          size_t most = kMostTextBytes);
const Json& BoundedObject(const Json& header, const char* name);
// Reads at most kMostNamed texts.
std::set<std::string> BoundedNames(const Json& header, const char* name);

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

// The frames that each role may send: docs/reference/protocol.md, "Who may say what". For a frame to the tracker
// itself. True for kinds that a tracker does not take, since those are refused elsewhere.
bool MaySend(const Sender& sender, const Frame& frame);
// For a frame between the ends of a lease.
bool MaySendToRunner(const Sender& sender, FrameKind kind);
bool MaySendToClient(const Sender& sender, FrameKind kind);

}  // namespace hone
