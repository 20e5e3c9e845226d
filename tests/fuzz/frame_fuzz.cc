// Any bytes: a frame that is taken says the same again, and its head is what the relay goes by.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "core/error.h"
#include "rpc_runner/wire/protocol.h"

namespace {

void Require(bool holds) {
  if (!holds) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
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
  return 0;
}
