// A header and parts with a correct checksum, as a peer with a key can send them. The input's first byte is the kind.
// Then comes the header up to a zero byte, then the parts, separated by zero bytes.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "core/error.h"
#include "rpc_runner/device/lease_server.h"
#include "rpc_runner/wire/job_message.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size < 2) return 0;
  static const std::string lease(32, 'a');
  std::string_view rest(reinterpret_cast<const char*>(data) + 1, size - 1);
  const auto next = [&rest] {
    const size_t end = std::min(rest.find('\0'), rest.size());
    const std::string_view piece = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    return piece;
  };
  static constexpr hone::FrameKind kKinds[] = {hone::FrameKind::kJob, hone::FrameKind::kBlob,
                                               hone::FrameKind::kHeartbeat, hone::FrameKind::kResult};
  try {
    hone::Frame frame{kKinds[data[0] % 4], hone::ParseJson(next(), "a frame's header"), {}, lease};
    while (!rest.empty() && frame.parts.size() < hone::kMaxParts) frame.parts.emplace_back(next());
    if (!frame.header.is_object()) return 0;
    if (frame.kind == hone::FrameKind::kResult) {
      const hone::ResultMessage result = hone::ResultFromFrame(frame);
      static_cast<void>(hone::ResultFromFrame(hone::ResultToFrame(result)));
      return 0;
    }
    hone::LeaseServer server(hone::JobCaps{0, 0, 1 << 20, 1 << 20});
    server.Begin(lease);
    bool for_us = false;
    server.Handle(frame, &for_us);
    while (server.NextJob()) {
    }
  } catch (const hone::Error& error) {
    if (error.code() != hone::ExitCode::kBadData) std::abort();
  }
  return 0;
}
