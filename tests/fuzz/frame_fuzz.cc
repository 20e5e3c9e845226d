// Any bytes, also with the checksum that a peer would compute. An accepted frame is encoded the same again, and its
// head is the one that the relay reads.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "core/error.h"
#include "rpc_runner/wire/protocol.h"

namespace {

void Require(bool holds) {
  if (!holds) std::abort();
}

// Sets the CRC-32 of IEEE 802.3 over the bytes that docs/reference/protocol.md's "Frame" names.
void SetSum(std::string& frame) {
  constexpr size_t kSum = 8, kAfter = 12;
  if (frame.size() < kAfter) return;
  uint32_t crc = ~uint32_t{0};
  for (const char byte : frame.substr(kSum - 2, 2) + frame.substr(kAfter)) {
    crc ^= static_cast<uint8_t>(byte);
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ (0xedb88320u & (~(crc & 1) + 1));
  }
  for (size_t i = 0; i < 4; ++i) frame[kSum + i] = static_cast<char>(~crc >> 8 * i);
}

void Take(std::string_view bytes) {
  try {
    const hone::FrameHead head = hone::ReadFrameHead(bytes);
    const hone::Frame frame = hone::DecodeFrame(bytes);
    Require(head.kind == frame.kind && head.lease == frame.lease);
    const hone::Frame again = hone::DecodeFrame(hone::EncodeFrame(frame));
    Require(again.kind == frame.kind && again.lease == frame.lease && again.parts == frame.parts);
    Require(again.header == frame.header);
  } catch (const hone::Error& error) {
    Require(error.code() == hone::ExitCode::kBadData);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::string bytes(reinterpret_cast<const char*>(data), size);
  Take(bytes);
  SetSum(bytes);
  Take(bytes);
  return 0;
}
