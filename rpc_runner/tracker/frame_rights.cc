#include "rpc_runner/tracker/frame_rights.h"

namespace hone {
namespace {

// Only checks the role. TrackerState, which knows the devices, checks which of them the command may mean:
// docs/reference/protocol.md, "Holding and draining".
bool MayCommand(const Sender& sender, const std::string& command) {
  const bool is_hold = command == "hold" || command == "unhold";
  return is_hold ? sender.May(Role::kTuner) : sender.May(Role::kRunner) || sender.May(Role::kAdmin);
}

// The heartbeats of runners and of tuners differ by their headers.
Role RoleFor(const Frame& frame) {
  switch (frame.kind) {
    case FrameKind::kHello:
    case FrameKind::kBye:
    case FrameKind::kLeaseTaken:
    case FrameKind::kNeed:
      return Role::kRunner;
    case FrameKind::kHeartbeat:
      return frame.header.contains("runner") ? Role::kRunner : Role::kTuner;
    default:
      return Role::kTuner;
  }
}

}  // namespace

bool MaySend(const Sender& sender, const Frame& frame) {
  switch (frame.kind) {
    case FrameKind::kHello:
    case FrameKind::kBye:
    case FrameKind::kLeaseTaken:
    case FrameKind::kHeartbeat:
    case FrameKind::kLeaseRequest:
    case FrameKind::kRelease:
    case FrameKind::kNeed:
      return sender.May(RoleFor(frame));
    case FrameKind::kCommand:
      return MayCommand(sender, HeaderText(frame.header, "command"));
    case FrameKind::kStatusQuery:
      return sender.roles != 0;
    default:
      return true;
  }
}

bool MaySendToRunner(const Sender& sender, FrameKind kind) {
  return sender.May(Role::kTuner) &&
         (kind == FrameKind::kHeartbeat || kind == FrameKind::kJob || kind == FrameKind::kBlob);
}

bool MaySendToClient(const Sender& sender, FrameKind kind) {
  return sender.May(Role::kRunner) &&
         (kind == FrameKind::kHeartbeat || kind == FrameKind::kNeed || kind == FrameKind::kResult ||
          kind == FrameKind::kError || kind == FrameKind::kLeaseEnd);
}

}  // namespace hone
