#include "rpc_runner/tracker/tracker_state.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/error.h"
#include "rpc_runner/tracker/fleet_command.h"
#include "rpc_runner/tracker/fleet_status.h"
#include "rpc_runner/tracker/runner_hello.h"
#include "rpc_runner/tracker/tracker_client.h"
#include "rpc_runner/wire/protocol.h"
#include "rpc_runner/wire/socket.h"

namespace hone {
namespace {

constexpr int64_t kForgetNs = 60'000'000'000;

}  // namespace

std::vector<TrackerState::Outgoing> TrackerState::TakeOutgoing() {
  std::vector<Outgoing> outgoing;
  outgoing.swap(outgoing_);
  return outgoing;
}

void TrackerState::Send(const std::string& peer, FrameKind kind, Json header) {
  outgoing_.push_back({peer, {kind, std::move(header), {}}});
}

void TrackerState::Refuse(const std::string& peer, const char* code, const std::string& message) {
  ++counts_.refused[code];
  outgoing_.push_back({peer, ErrorFrame(code, message)});
}

std::vector<TrackerState::Outgoing> TrackerState::Handle(const Caller& caller, const Frame& frame, int64_t now_ns) {
  const Json& header = frame.header;
  if (!MaySend(caller.sender, frame)) {
    Refuse(caller.peer, "not_allowed", "the sender's key is not for messages of this kind");
    return TakeOutgoing();
  }
  try {
    switch (frame.kind) {
      case FrameKind::kHello:
        OnHello(caller, header, now_ns);
        break;
      case FrameKind::kBye:
        OnBye(caller, header);
        break;
      case FrameKind::kHeartbeat:
        header.contains("runner") ? OnRunnerHeartbeat(caller, header, now_ns)
                                  : OnClientHeartbeat(caller, header, now_ns);
        break;
      case FrameKind::kLeaseTaken:
        OnLeaseTaken(caller, header, now_ns);
        break;
      case FrameKind::kLeaseRequest:
        OnLeaseRequest(caller, header, now_ns);
        break;
      case FrameKind::kRelease:
        OnRelease(caller, header);
        break;
      case FrameKind::kStatusQuery:
        SendStatus(caller.peer, now_ns);
        break;
      case FrameKind::kCommand:
        OnCommand(caller, frame, now_ns);
        break;
      case FrameKind::kNeed:
        OnNeed(caller, header);
        break;
      default:
        throw Error(ExitCode::kBadData, "bad frame: a tracker does not take messages of this kind");
    }
  } catch (const LimitExceeded& exceeded) {
    Refuse(caller.peer, "too_big", exceeded.what);
  }
  Match(now_ns);
  return TakeOutgoing();
}

std::optional<std::string> TrackerState::Route(const Caller& caller, const FrameHead& head, Frame* answer) {
  const RunnerEntry* runner = runners_.FindLease(head.lease);
  const bool taken = runner != nullptr && runner->state == State::kBusy;
  const auto is = [&](const std::string& peer, const std::string& owner) {
    return !peer.empty() && caller.peer == peer && caller.sender.name == owner;
  };
  const bool from_runner = taken && is(runner->peer, runner->owner);
  const bool from_client = taken && is(runner->client.peer, runner->holder);
  if (from_runner && !runner->client.peer.empty() && MaySendToClient(caller.sender, head.kind)) {
    return runner->client.peer;
  }
  if (from_client && MaySendToRunner(caller.sender, head.kind)) return runner->peer;
  // A runner whose client has not come back after a restart gets no_lease, on which it need not act.
  const char* code = from_runner || from_client ? "not_allowed" : "no_lease";
  if (from_runner && runner->client.peer.empty()) code = "no_lease";
  ++counts_.refused[code];
  *answer = ErrorFrame(code, from_runner || from_client ? "this end of the lease may not say that now"
                                                        : "the sender is no end of that lease");
  answer->header["lease"] = head.lease;
  return std::nullopt;
}

// Lost runners make room for new ones.
bool TrackerState::MakeRoom() {
  if (runners_.all().size() < kMostRunners) return true;
  const auto& all = runners_.all();
  const auto lost =
      std::find_if(all.begin(), all.end(), [](const auto& entry) { return entry.second.state == State::kLost; });
  if (lost == all.end()) return false;
  runners_.Remove(std::string(lost->first));
  return true;
}

void TrackerState::OnHello(const Caller& caller, const Json& header, int64_t now_ns) {
  RunnerEntry entry = EntryFromHello(caller, header, now_ns);
  const RunnerEntry* old = runners_.Find(entry.id);
  const RunnerEntry* rival = entry.lease.empty() ? nullptr : runners_.FindLease(entry.lease);
  if ((old != nullptr && old->owner != entry.owner) || (rival != nullptr && rival->id != entry.id)) {
    return Refuse(caller.peer, "not_allowed", "that runner, or its lease, belongs to another client");
  }
  if (old == nullptr && !MakeRoom()) {
    return Refuse(caller.peer, "full", fmt::format("this tracker knows {} runners already", kMostRunners));
  }
  RunnerEntry& known = runners_.Insert(entry.id);
  if (old != nullptr && known.state == State::kLost && !entry.lease.empty()) {
    // The client knows already that this lease is over.
    Send(caller.peer, FrameKind::kLeaseEnd, {{"lease", entry.lease}});
    entry.lease.clear();
    entry.holder.clear();
    entry.state = State::kFree;
  }
  MergeKnown(known, &entry);
  if (known.state == State::kOffered && entry.lease != known.lease) waiting_.push_front(known.client);
  if (old == nullptr) ApplyNote(entry, header, now_ns);
  NoteUpgrade(header, &entry);
  runners_.Update(known, [&](RunnerEntry& e) { e = std::move(entry); });
  changed_ = true;
  Send(caller.peer, FrameKind::kHeartbeat, Json::object());
}

void TrackerState::OnBye(const Caller& caller, const Json& header) {
  RunnerEntry* runner = runners_.Find(HeaderText(header, "runner"));
  if (runner == nullptr) return;
  if (runner->owner != caller.sender.name || runner->peer != caller.peer) {
    return Refuse(caller.peer, "not_allowed", "that runner belongs to another client");
  }
  MarkLost(*runner);
  --counts_.lost_runners;
  runners_.Remove(std::string(runner->id));
}

void TrackerState::OnRunnerHeartbeat(const Caller& caller, const Json& header, int64_t now_ns) {
  RunnerEntry* runner = runners_.Find(HeaderText(header, "runner"));
  if (runner == nullptr || runner->state == State::kLost) return Refuse(caller.peer, "unknown_runner", "say hello");
  if (runner->owner != caller.sender.name) {
    return Refuse(caller.peer, "not_allowed", "that runner belongs to another client");
  }
  const std::string lease = BoundedText(header, "lease");
  const auto jobs_done = static_cast<int64_t>(HeaderNumber(header, "jobs_done"));
  runner->peer = caller.peer;
  runner->heard_ns = now_ns;
  runner->jobs_done = jobs_done;
  // A heartbeat may have crossed an offer. But once the runner has taken a lease, it knows best when that ends.
  if (runner->state == State::kBusy && lease.empty()) {
    runners_.Update(*runner, [](RunnerEntry& entry) {
      entry.state = State::kFree;
      entry.lease.clear();
      entry.holder.clear();
      entry.client = {};
    });
    changed_ = true;
  } else if (!lease.empty() && lease != runner->lease) {
    Send(caller.peer, FrameKind::kLeaseEnd, {{"lease", lease}});
  }
  Send(caller.peer, FrameKind::kHeartbeat, HeartbeatTo(*runner, now_ns));
}

Json TrackerState::HeartbeatTo(const RunnerEntry& runner, int64_t now_ns) const {
  Json heartbeat = {{"note", NoteFor(runner, now_ns)}};
  if (!runner.wanted.empty()) heartbeat["upgrade"] = runner.wanted;
  return heartbeat;
}

void TrackerState::OnNeed(const Caller& caller, const Json& header) {
  const RunnerEntry* runner = runners_.Find(HeaderText(header, "runner"));
  const std::string sha256 = HeaderText(header, "sha256");
  if (runner == nullptr || runner->owner != caller.sender.name || runner->peer != caller.peer) {
    return Refuse(caller.peer, "not_allowed", "that runner belongs to another client");
  }
  const std::vector<std::string>* parts = runner->wanted == sha256 ? programs_.Find(sha256) : nullptr;
  if (parts == nullptr) return Refuse(caller.peer, "no_program", "that runner was not asked to become this program");
  outgoing_.push_back({caller.peer, {FrameKind::kBlob, {{"sha256", sha256}}, *parts}});
}

void TrackerState::OnClientHeartbeat(const Caller& caller, const Json& header, int64_t now_ns) {
  const std::string lease = BoundedText(header, "lease");
  RunnerEntry* runner = runners_.FindLease(lease);
  const TrackerClient client = ClientOf(caller, header, now_ns);
  if (runner == nullptr || runner->state != State::kBusy || runner->holder != caller.sender.name) {
    Refuse(caller.peer, "no_lease", "the sender is no end of that lease");
    outgoing_.back().frame.header["lease"] = lease;
    return;
  }
  const auto take = [&](RunnerEntry& entry) {
    entry.lease_until_ns = now_ns + kLeaseNs;
    const int priority = header.contains("priority") ? client.priority : entry.client.priority;
    entry.client = client;
    entry.client.key = entry.key;
    entry.client.priority = priority;
  };
  const bool listed_alike = runner->client.id == client.id && runner->client.tuner == client.tuner;
  listed_alike ? take(*runner) : runners_.Update(*runner, take);
  Json answer = {{"lease", lease}};
  if (MustYield(*runner)) {
    answer["yield"] = answer["must"] = true;
  } else if (ShouldYield(*runner, waiting_, runners_)) {
    answer["yield"] = true;
  }
  Send(caller.peer, FrameKind::kHeartbeat, std::move(answer));
}

void TrackerState::OnLeaseTaken(const Caller& caller, const Json& header, int64_t now_ns) {
  RunnerEntry* runner = runners_.Find(HeaderText(header, "runner"));
  if (runner == nullptr || runner->state != State::kOffered || runner->lease != HeaderText(header, "lease")) return;
  if (runner->owner != caller.sender.name || runner->peer != caller.peer) {
    return Refuse(caller.peer, "not_allowed", "that runner belongs to another client");
  }
  runners_.Update(*runner, [&](RunnerEntry& entry) {
    entry.state = State::kBusy;
    entry.lease_until_ns = now_ns + kLeaseNs;
    entry.leased_ns = now_ns;
  });
  ++counts_.leases;
  SendLease(*runner);
}

void TrackerState::SendLease(const RunnerEntry& runner) {
  Json header = {{"lease", runner.lease}, {"client", runner.client.id},        {"label", runner.label},
                 {"runner", runner.id},   {"environment", runner.environment}, {"expires_ns", kLeaseNs}};
  if (!runner.address.empty()) header["address"] = runner.address;
  if (runner.machine.contains("boot")) header["boot"] = runner.machine["boot"];
  Send(runner.client.peer, FrameKind::kLease, std::move(header));
}

void TrackerState::OnLeaseRequest(const Caller& caller, const Json& header, int64_t now_ns) {
  const TrackerClient client = ClientOf(caller, header, now_ns);
  if (client.key.empty()) throw Error(ExitCode::kBadData, "bad frame: field \"key\" should be a text");
  const auto is_strangers = [&](const TrackerClient& other) { return other.owner != client.owner; };
  if (RunnerEntry* runner = runners_.FindClient(client.id)) {
    if (is_strangers(runner->client))
      return Refuse(caller.peer, "not_allowed", "that client belongs to another connection");
    runners_.Update(*runner, [&](RunnerEntry& entry) { entry.client = client; });
    // The client asks again because the answer was lost.
    if (runner->state == State::kBusy) SendLease(*runner);
    return;
  }
  const auto it =
      std::find_if(waiting_.begin(), waiting_.end(), [&](const TrackerClient& other) { return other.id == client.id; });
  if (it != waiting_.end()) {
    if (is_strangers(*it)) return Refuse(caller.peer, "not_allowed", "that client belongs to another connection");
    *it = client;
  } else if (waiting_.size() >= kMostWaiting) {
    return Refuse(caller.peer, "full", fmt::format("{} clients wait at this tracker already", kMostWaiting));
  } else {
    waiting_.push_back(client);
  }
  changed_ = true;
  SendQueued(client, now_ns);
}

void TrackerState::SendQueued(const TrackerClient& client, int64_t now_ns) {
  Json header = {{"client", client.id},
                 {"key", client.key},
                 {"position", PlaceInQueue(client, waiting_)},
                 {"runners", RunnersFor(client, runners_)}};
  if (Json unlike = UnlikeRunners(client, runners_); !unlike.empty()) header["unlike"] = std::move(unlike);
  if (Json busy = BusyRunners(client, runners_, now_ns); !busy.empty()) header["busy"] = std::move(busy);
  Send(client.peer, FrameKind::kQueued, std::move(header));
}

void TrackerState::OnRelease(const Caller& caller, const Json& header) {
  const std::string id = HeaderText(header, "client");
  const std::string& owner = caller.sender.name;
  std::erase_if(waiting_, [&](const TrackerClient& other) { return other.id == id && other.owner == owner; });
  RunnerEntry* runner = runners_.FindClient(id);
  if (runner == nullptr) runner = runners_.FindLease(HeaderText(header, "lease"));
  if (runner != nullptr && runner->holder == owner) EndLease(*runner);
}

void TrackerState::OnCommand(const Caller& caller, const Frame& frame, int64_t now_ns) {
  FleetCommand command = ReadCommand(caller, frame.header);
  std::vector<RunnerEntry*> concerned;
  for (const auto& [id, entry] : runners_.all()) {
    if (Concerns(command, entry)) concerned.push_back(runners_.Find(id));
  }
  if (concerned.empty()) {
    return Refuse(caller.peer, "unknown_device",
                  fmt::format("no runner has the device key or the label \"{}\"", command.what));
  }
  for (const RunnerEntry* runner : concerned) {
    if (!MayCommand(command, *runner)) {
      return Refuse(caller.peer, "not_allowed",
                    fmt::format("{} is {}'s device; its own key or one with the role admin would be right",
                                runner->label, runner->owner));
    }
    if (const std::string why = WhyRefused(command, *runner); !why.empty()) return Refuse(caller.peer, "held", why);
  }
  if (command.kind == FleetCommand::Kind::kUpgrade) command.program = programs_.Put(frame.parts);
  for (RunnerEntry* runner : concerned) {
    runners_.Update(*runner, [&](RunnerEntry& entry) { Apply(command, now_ns, &entry); });
    // The runner must know before the tracker exits.
    Send(runner->peer, FrameKind::kHeartbeat, HeartbeatTo(*runner, now_ns));
  }
  changed_ = true;
  SendStatus(caller.peer, now_ns);
}

void TrackerState::EndLease(RunnerEntry& runner) {
  Send(runner.peer, FrameKind::kLeaseEnd, {{"lease", runner.lease}});
  runners_.Update(runner, [](RunnerEntry& entry) {
    entry.state = State::kFree;
    entry.lease.clear();
    entry.holder.clear();
    entry.client = {};
  });
  changed_ = true;
}

void TrackerState::MarkLost(RunnerEntry& runner) {
  if (runner.state == State::kOffered) {
    waiting_.push_front(runner.client);
    changed_ = true;
  } else if (runner.state == State::kBusy && !runner.client.peer.empty()) {
    Send(runner.client.peer, FrameKind::kLeaseEnd, {{"lease", runner.lease}});
  }
  ++counts_.lost_runners;
  runners_.Update(runner, [](RunnerEntry& entry) {
    entry.state = State::kLost;
    entry.lease.clear();
    entry.holder.clear();
    entry.client = {};
  });
}

void TrackerState::Match(int64_t now_ns) {
  if (!changed_) return;
  changed_ = false;
  while (!waiting_.empty() && runners_.any_free()) {
    const auto match = NextMatch(waiting_, runners_);
    if (!match) return;
    const auto client = waiting_.begin() + static_cast<std::ptrdiff_t>(match->client);
    RunnerEntry& runner = *match->runner;
    runners_.Update(runner, [&](RunnerEntry& entry) {
      entry.state = State::kOffered;
      entry.lease = NewRandomName();
      entry.client = *client;
      entry.holder = client->owner;
      entry.lease_until_ns = now_ns + kLostNs;
      entry.leased_ns = now_ns;
    });
    Send(runner.peer, FrameKind::kLeaseOffer,
         {{"lease", runner.lease}, {"client", client->label}, {"holder", runner.holder}});
    waiting_.erase(client);
  }
}

std::vector<TrackerState::Outgoing> TrackerState::Tick(int64_t now_ns) {
  std::erase_if(waiting_, [&](const TrackerClient& client) { return now_ns - client.heard_ns > kLostNs; });
  std::vector<std::string> forgotten;
  for (const auto& [id, entry] : runners_.all()) {
    RunnerEntry& runner = *runners_.Find(id);
    if (!runner.held_by.empty() && now_ns > runner.held_until_ns) {
      runner.held_by.clear();
      changed_ = true;
    }
    if (now_ns - runner.heard_ns > kForgetNs) forgotten.push_back(id);
    if (runner.state == State::kLost) continue;
    const bool silent = now_ns - runner.heard_ns > kLostNs;
    const bool late = runner.leased() && now_ns > runner.lease_until_ns;
    if (silent || (runner.state == State::kOffered && late)) {
      MarkLost(runner);
    } else if (runner.state == State::kBusy && late) {
      ++counts_.lapsed_leases;
      EndLease(runner);
    }
  }
  for (const std::string& id : forgotten) runners_.Remove(id);
  Match(now_ns);
  return TakeOutgoing();
}

TrackerStatus TrackerState::Status(int64_t now_ns) const { return StatusOf(runners_, waiting_, now_ns); }

void TrackerState::SendStatus(const std::string& peer, int64_t now_ns) {
  outgoing_.push_back({peer, {FrameKind::kStatus, Json::object(), {DumpJson(StatusToJson(Status(now_ns)))}}});
}

}  // namespace hone
