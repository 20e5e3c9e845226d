// The frame that carries every message between tuners, the tracker, runners and executors. docs/protocol.md is its
// grammar.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/serialize.h"

namespace hone {

inline constexpr uint16_t kProtocolVersion = 2;
inline constexpr size_t kFrameFixedBytes = 36;  // magic to lease
inline constexpr size_t kMaxFrameBytes = size_t{64} << 20;
inline constexpr size_t kMaxPartBytes = size_t{32} << 20;
inline constexpr size_t kMaxHeaderBytes = size_t{1} << 20;
inline constexpr size_t kMaxParts = 8;
inline constexpr size_t kLeaseDigits = 32;  // of a lease's name

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
  // The name of the lease between whose ends the frame goes, in lower case; empty: it goes to the next hop alone.
  std::string lease = {};
};

// Throws Error(kBug) when the frame is beyond the limits or its lease is not a name of kLeaseDigits.
std::string EncodeFrame(const Frame& frame);

// Reads exactly one frame. Throws Error(kBadData) on anything else; of another version the message names both.
Frame DecodeFrame(std::string_view bytes);

// What says where a frame goes. The lengths are checked, the sum, the header and the parts are not looked at. Throws
// Error(kBadData) as DecodeFrame.
struct FrameHead {
  FrameKind kind = FrameKind::kError;
  std::string lease;
};
FrameHead ReadFrameHead(std::string_view bytes);

// True when the bytes begin like a frame of another version than ours: the one case that deserves an answer.
bool IsOtherVersion(std::string_view bytes);

// The whole length of the frame that begins with these kFrameFixedBytes bytes, but for its table of part lengths and
// what follows it: `table_bytes` more bytes tell. Throws Error(kBadData) when a field is out of limits.
struct FrameSizes {
  size_t table_bytes = 0;
  size_t header_bytes = 0;
};
FrameSizes ReadFrameSizes(std::string_view fixed);
// The sum of the parts' lengths in the table. Throws Error(kBadData) when one is out of limits.
size_t ReadPartBytes(std::string_view table);

// The longest text that HeaderText takes, and of an error's text what is kept.
inline constexpr size_t kMaxTextBytes = 64 << 10;
inline constexpr size_t kMaxErrorBytes = 2000;

// An error frame; see docs/protocol.md for the codes. A long message, which may quote what a peer sent, is shortened.
Frame ErrorFrame(std::string_view code, std::string_view message);

// Fields of a header from outside. Each throws Error(kBadData) naming the field that is missing, of another type, or a
// text that is too long: names and hashes, which may be sent on.
std::string HeaderText(const Json& header, const char* name);
uint64_t HeaderNumber(const Json& header, const char* name);
const Json& HeaderObject(const Json& header, const char* name);
// The unsigned numbers of a list; none where there is no list.
std::vector<uint64_t> HeaderNumbers(const Json& header, const char* name);

}  // namespace hone
