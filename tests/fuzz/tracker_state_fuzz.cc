// A conversation: each line is a message, with the kind and the sender as its first two letters, and then the header.
// For any messages, the tracker neither fails nor exceeds its memory limits.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "core/error.h"
#include "rpc_runner/tracker/tracker_state.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static constexpr hone::FrameKind kKinds[] = {
      hone::FrameKind::kHello,        hone::FrameKind::kBye,     hone::FrameKind::kHeartbeat,
      hone::FrameKind::kLeaseTaken,   hone::FrameKind::kRelease, hone::FrameKind::kStatusQuery,
      hone::FrameKind::kLeaseRequest, hone::FrameKind::kCommand, hone::FrameKind::kError};
  std::string_view rest(reinterpret_cast<const char*>(data), size);
  hone::TrackerState state;
  int64_t now_ns = 0;
  while (rest.size() > 2) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(line.size() + 1, rest.size()));
    if (line.size() < 3) continue;
    const hone::Caller caller{std::string(line.substr(1, 1)), {std::string(1, line[1] & 3 ? 'n' : 'm'), 7}};
    now_ns += 700'000'000;
    try {
      hone::Json header = hone::ParseJson(line.substr(2), "a frame's header");
      if (!header.is_object()) continue;
      for (const auto& out : state.Handle(caller, {kKinds[line[0] % 9u], std::move(header), {}}, now_ns)) {
        // Runners accept every offer.
        if (out.frame.kind != hone::FrameKind::kLeaseOffer) continue;
        hone::Frame answer;
        state.Route(caller, {hone::FrameKind::kJob, out.frame.header["lease"].get<std::string>()}, &answer);
      }
    } catch (const hone::Error& error) {
      if (error.code() != hone::ExitCode::kBadData) std::abort();
    }
    state.Tick(now_ns);
    static_cast<void>(hone::StatusToJson(state.Status(now_ns)));
  }
  return 0;
}
