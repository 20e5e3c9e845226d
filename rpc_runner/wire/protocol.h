// The frame that carries every message between tuners, the tracker, runners and executors, and the times of leases.
// docs/reference/protocol.md has the grammar.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/json/serialize.h"

namespace hone {

inline constexpr uint16_t kProtocolVersion = 2;
inline constexpr size_t kFrameFixedBytes = 36;  // magic to lease
inline constexpr size_t kMaxFrameBytes = size_t{64} << 20;
inline constexpr size_t kMaxPartBytes = size_t{32} << 20;
inline constexpr size_t kMaxHeaderBytes = size_t{1} << 20;
inline constexpr size_t kMaxParts = 8;
inline constexpr size_t kLeaseDigits = 32;  // of a lease's name

// The times of docs/reference/protocol.md's "Leases".
inline constexpr int64_t kHeartbeatNs = 1'000'000'000;
inline constexpr int64_t kLostNs = 3'000'000'000;
inline constexpr int64_t kLeaseNs = 15'000'000'000;
// A tracker that answers no heartbeat for so long is connected to again.
inline constexpr int64_t kSilenceNs = 5'000'000'000;
// The least time between heartbeats that announce to the tracker a connection that it does not know yet.
inline constexpr int64_t kAnnounceNs = 200'000'000;

// The numbers are permanent.
enum class FrameKind : uint16_t {
  kError = 1,
  kHeartbeat = 2,
  kHello = 10,
  kBye = 11,
  kLeaseOffer = 12,
  kLeaseTaken = 13,
  kLeaseEnd = 14,
  kLeaseRequest = 20,
  kQueued = 21,
  kLease = 22,
  kRelease = 23,
  kStatusQuery = 30,
  kStatus = 31,
  kCommand = 32,
  kJob = 40,
  kNeed = 41,
  kBlob = 42,
  kResult = 43,
  kDescribe = 44,
  kEnvironment = 45,
};

struct Frame {
  FrameKind kind = FrameKind::kError;
  Json header = Json::object();
  std::vector<std::string> parts;
  // The name, in lower case, of the lease between whose ends the frame goes. Empty: it only goes to the next hop.
  std::string lease = {};
};

// Throws Error(kBug) if the frame is beyond the limits or its lease is not a name of kLeaseDigits.
std::string EncodeFrame(const Frame& frame);

// Reads exactly one frame. Throws Error(kBadData) for anything else; for another version the message names both.
Frame DecodeFrame(std::string_view bytes);

// The fields that say where a frame goes. Lengths are checked; checksum, header and parts are not. Throws
// Error(kBadData) as DecodeFrame does.
struct FrameHead {
  FrameKind kind = FrameKind::kError;
  std::string lease;
};
FrameHead ReadFrameHead(std::string_view bytes);

// Whether the bytes begin like a frame of another version: the only bad frame that gets an answer.
bool IsOtherVersion(std::string_view bytes);

// The sizes in a frame that begins with these kFrameFixedBytes bytes. The next `table_bytes` bytes are its table of
// part lengths, from which the rest follows. Throws Error(kBadData) if a field is out of limits.
struct FrameSizes {
  size_t table_bytes = 0;
  size_t header_bytes = 0;
};
FrameSizes ReadFrameSizes(std::string_view fixed);
// The sum of the parts' lengths in the table. Throws Error(kBadData) if one is out of limits.
size_t ReadPartBytes(std::string_view table);

// The longest text that HeaderText takes, and the length to which an error's text is cut.
inline constexpr size_t kMaxTextBytes = 64 << 10;
inline constexpr size_t kMaxErrorBytes = 2000;

// An error frame; see docs/reference/protocol.md for the codes. A long message, which may quote what a peer sent, is
// shortened.
Frame ErrorFrame(std::string_view code, std::string_view message);

// Fields of a header from outside. Each throws Error(kBadData) naming the field if it is missing, has another type or
// is too long a text. The texts are names and hashes, which may be forwarded.
std::string HeaderText(const Json& header, const char* name);
uint64_t HeaderNumber(const Json& header, const char* name);
const Json& HeaderObject(const Json& header, const char* name);
// The unsigned numbers of a list; empty if there is no list.
std::vector<uint64_t> HeaderNumbers(const Json& header, const char* name);

// Writes one frame to a stream socket, as between a runner and its executor, waiting without limit. Returns false if
// the peer is gone. Never raises SIGPIPE.
bool WriteFrame(int fd, const Frame& frame);
// Reads one frame from a stream socket, waiting without limit. Returns false if the peer is gone, also within a frame.
// Throws Error(kBadData) for a bad frame; its lengths are checked before memory is allocated.
bool ReadFrame(int fd, Frame* frame);

}  // namespace hone
