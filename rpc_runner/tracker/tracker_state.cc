#include "rpc_runner/tracker/tracker_state.h"

#include <algorithm>

#include "core/error.h"
#include "core/llvm_cpu_name.h"
#include "rpc_runner/machine/machine_kind.h"
#include "rpc_runner/tracker/lease_times.h"
#include "rpc_runner/wire/socket.h"

namespace hone {
namespace {

constexpr int64_t kForgetNs = 60'000'000'000;
constexpr size_t kMostUnlike = 16;

// Whose leases a client's are counted with: programs that do not say have one each.
std::string TunerOf(const Json& header) { return HeaderText(header, header.contains("tuner") ? "tuner" : "client"); }

}  // namespace

std::vector<TrackerState::Outgoing> TrackerState::TakeOutgoing() {
  std::vector<Outgoing> outgoing;
  outgoing.swap(outgoing_);
  return outgoing;
}

void TrackerState::Send(const std::string& peer, FrameKind kind, Json header) {
  outgoing_.push_back({peer, {kind, std::move(header), {}}});
}

std::vector<TrackerState::Outgoing> TrackerState::Handle(const std::string& peer, const Frame& frame, int64_t now_ns) {
  const Json& header = frame.header;
  switch (frame.kind) {
    case FrameKind::kHello:
      OnHello(peer, header, now_ns);
      break;
    case FrameKind::kBye:
      OnBye(header);
      break;
    case FrameKind::kHeartbeat:
      header.contains("runner") ? OnRunnerBeat(peer, header, now_ns) : OnClientBeat(peer, header, now_ns);
      break;
    case FrameKind::kLeaseTaken:
      OnLeaseTaken(header, now_ns);
      break;
    case FrameKind::kLeaseRequest:
      OnLeaseRequest(peer, header, now_ns);
      break;
    case FrameKind::kRelease:
      OnRelease(header);
      break;
    case FrameKind::kStatusQuery:
      Send(peer, FrameKind::kStatus, StatusToJson(Status()));
      break;
    default:
      throw Error(ExitCode::kBadData, "bad frame: a tracker does not take messages of this kind");
  }
  Match(now_ns);
  return TakeOutgoing();
}

void TrackerState::OnHello(const std::string& peer, const Json& header, int64_t now_ns) {
  RunnerEntry entry;
  entry.id = HeaderText(header, "runner");
  entry.peer = peer;
  entry.key = HeaderText(header, "key");
  entry.label = HeaderText(header, "label");
  entry.address = HeaderText(header, "address");
  const Environment environment = EnvironmentFromJson(HeaderObject(header, "environment"));
  entry.environment = ToJson(environment);
  entry.machine = MachineKind(environment);
  entry.lease = HeaderText(header, "lease");
  entry.jobs_done = static_cast<int64_t>(HeaderNumber(header, "jobs_done"));
  entry.heard_ns = now_ns;
  entry.state = entry.lease.empty() ? State::kFree : State::kBusy;
  entry.lease_until_ns = now_ns + kLeaseNs;
  RunnerEntry& known = runners_[entry.id];
  if (!known.lease.empty() && known.lease == entry.lease) entry.client = known.client;
  if (known.state == State::kOffered) waiting_.push_front(known.client);
  known = std::move(entry);
  Send(peer, FrameKind::kHeartbeat, Json::object());
}

void TrackerState::OnBye(const Json& header) {
  const auto it = runners_.find(HeaderText(header, "runner"));
  if (it == runners_.end()) return;
  MarkLost(it->second);
  runners_.erase(it);
}

void TrackerState::OnRunnerBeat(const std::string& peer, const Json& header, int64_t now_ns) {
  const auto it = runners_.find(HeaderText(header, "runner"));
  if (it == runners_.end() || it->second.state == State::kLost) {
    outgoing_.push_back({peer, ErrorFrame("unknown_runner", "say hello")});
    return;
  }
  RunnerEntry& runner = it->second;
  const std::string lease = HeaderText(header, "lease");
  runner.peer = peer;
  runner.heard_ns = now_ns;
  runner.jobs_done = static_cast<int64_t>(HeaderNumber(header, "jobs_done"));
  // A beat may have crossed our offer; but once it has taken a lease, the runner is right about when that ends.
  if (runner.state == State::kBusy && lease != runner.lease) {
    runner.lease = lease;
    runner.client = {};
    runner.lease_until_ns = now_ns + kLeaseNs;
    if (lease.empty()) runner.state = State::kFree;
  } else if (runner.state == State::kFree && !lease.empty()) {
    Send(peer, FrameKind::kLeaseEnd, {{"lease", lease}});
  }
  Send(peer, FrameKind::kHeartbeat, Json::object());
}

void TrackerState::OnClientBeat(const std::string& peer, const Json& header, int64_t now_ns) {
  const std::string lease = HeaderText(header, "lease");
  for (auto& [id, runner] : runners_) {
    if (runner.state != State::kBusy || runner.lease != lease) continue;
    runner.lease_until_ns = now_ns + kLeaseNs;
    runner.client.id = HeaderText(header, "client");
    runner.client.tuner = TunerOf(header);
    runner.client.peer = peer;
    if (ShouldYield(runner)) Send(peer, FrameKind::kHeartbeat, {{"lease", lease}, {"yield", true}});
  }
}

void TrackerState::OnLeaseTaken(const Json& header, int64_t now_ns) {
  const auto it = runners_.find(HeaderText(header, "runner"));
  if (it == runners_.end() || it->second.state != State::kOffered) return;
  RunnerEntry& runner = it->second;
  if (runner.lease != HeaderText(header, "lease")) return;
  runner.state = State::kBusy;
  runner.lease_until_ns = now_ns + kLeaseNs;
  SendLease(runner);
}

void TrackerState::SendLease(const RunnerEntry& runner) {
  Send(runner.client.peer, FrameKind::kLease,
       {{"lease", runner.lease},
        {"client", runner.client.id},
        {"address", runner.address},
        {"label", runner.label},
        {"environment", runner.environment},
        {"expires_ns", kLeaseNs}});
}

void TrackerState::OnLeaseRequest(const std::string& peer, const Json& header, int64_t now_ns) {
  Client client;
  client.id = HeaderText(header, "client");
  client.peer = peer;
  client.label = HeaderText(header, "label");
  client.key = HeaderText(header, "key");
  client.tuner = TunerOf(header);
  if (header.contains("machine")) client.machine = HeaderObject(header, "machine");
  client.heard_ns = now_ns;
  for (auto& [id, runner] : runners_) {
    if (runner.client.id != client.id || (runner.state != State::kBusy && runner.state != State::kOffered)) continue;
    runner.client = client;
    // It asks again because our answer was lost.
    if (runner.state == State::kBusy) SendLease(runner);
    return;
  }
  const auto it =
      std::find_if(waiting_.begin(), waiting_.end(), [&](const Client& other) { return other.id == client.id; });
  if (it != waiting_.end()) {
    *it = client;
  } else {
    waiting_.push_back(client);
  }
  SendQueued(client);
}

void TrackerState::SendQueued(const Client& client) {
  int64_t position = 0, offering = 0;
  for (const Client& other : waiting_) {
    if (other.id == client.id) break;
    position += other.key == client.key;
  }
  for (const auto& [id, runner] : runners_) offering += runner.state != State::kLost && Fits(runner, client);
  Json header = {{"key", client.key}, {"position", position}, {"runners", offering}};
  if (Json unlike = Unlike(client); !unlike.empty()) header["unlike"] = std::move(unlike);
  Send(client.peer, FrameKind::kQueued, std::move(header));
}

Json TrackerState::Unlike(const Client& client) const {
  Json unlike = Json::array();
  for (const auto& [id, runner] : runners_) {
    if (runner.key != client.key || runner.state == State::kLost || Fits(runner, client)) continue;
    if (unlike.size() == kMostUnlike) break;
    unlike.push_back({{"label", runner.label},
                      {"address", runner.address},
                      {"why", KindDifference(runner.machine, client.machine)}});
  }
  return unlike;
}

bool TrackerState::Fits(const RunnerEntry& runner, const Client& client) {
  return runner.key == client.key &&
         (client.machine.is_null() || KindDifference(runner.machine, client.machine).empty());
}

TrackerState::RunnerEntry* TrackerState::FreeFor(const Client& client) {
  for (auto& [id, runner] : runners_) {
    if (runner.state == State::kFree && Fits(runner, client)) return &runner;
  }
  return nullptr;
}

int64_t TrackerState::Held(const std::string& tuner, const std::string& key) const {
  return std::count_if(runners_.begin(), runners_.end(), [&](const auto& entry) {
    const RunnerEntry& runner = entry.second;
    const bool leased = runner.state == State::kBusy || runner.state == State::kOffered;
    return leased && runner.key == key && runner.client.tuner == tuner;
  });
}

// One runner less for its tuner and one more for who waits must not turn the tables.
bool TrackerState::ShouldYield(const RunnerEntry& runner) const {
  if (waiting_.empty()) return false;
  const std::string& tuner = runner.client.tuner;
  const int64_t held = Held(tuner, runner.key);
  return std::any_of(waiting_.begin(), waiting_.end(), [&](const Client& client) {
    return client.tuner != tuner && Fits(runner, client) && held >= Held(client.tuner, runner.key) + 2;
  });
}

void TrackerState::OnRelease(const Json& header) {
  const std::string client = HeaderText(header, "client");
  std::erase_if(waiting_, [&](const Client& other) { return other.id == client; });
  for (auto& [id, runner] : runners_) {
    const bool leased = runner.state == State::kBusy || runner.state == State::kOffered;
    if (leased && runner.client.id == client) EndLease(runner);
  }
}

void TrackerState::EndLease(RunnerEntry& runner) {
  Send(runner.peer, FrameKind::kLeaseEnd, {{"lease", runner.lease}});
  runner.state = State::kFree;
  runner.lease.clear();
  runner.client = {};
}

void TrackerState::MarkLost(RunnerEntry& runner) {
  if (runner.state == State::kOffered) {
    waiting_.push_front(runner.client);
  } else if (runner.state == State::kBusy && !runner.client.peer.empty()) {
    Send(runner.client.peer, FrameKind::kLeaseEnd, {{"lease", runner.lease}});
  }
  runner.state = State::kLost;
  runner.lease.clear();
  runner.client = {};
}

// Whoever has least goes first; of equals, who came first.
void TrackerState::Match(int64_t now_ns) {
  const auto is_free = [](const auto& entry) { return entry.second.state == State::kFree; };
  while (!waiting_.empty() && std::any_of(runners_.begin(), runners_.end(), is_free)) {
    auto next = waiting_.end();
    RunnerEntry* runner = nullptr;
    int64_t least = 0;
    for (auto client = waiting_.begin(); client != waiting_.end(); ++client) {
      RunnerEntry* const free = FreeFor(*client);
      if (free == nullptr) continue;
      const int64_t held = Held(client->tuner, client->key);
      if (runner != nullptr && held >= least) continue;
      next = client;
      runner = free;
      least = held;
    }
    if (runner == nullptr) return;
    runner->state = State::kOffered;
    runner->lease = NewRandomName();
    runner->client = *next;
    runner->lease_until_ns = now_ns + kLostNs;
    Send(runner->peer, FrameKind::kLeaseOffer, {{"lease", runner->lease}, {"client", next->label}});
    waiting_.erase(next);
  }
}

std::vector<TrackerState::Outgoing> TrackerState::Tick(int64_t now_ns) {
  std::erase_if(waiting_, [&](const Client& client) { return now_ns - client.heard_ns > kLostNs; });
  for (auto& [id, runner] : runners_) {
    if (runner.state == State::kLost) continue;
    const bool silent = now_ns - runner.heard_ns > kLostNs;
    const bool late = now_ns > runner.lease_until_ns;
    if (silent || (runner.state == State::kOffered && late)) {
      MarkLost(runner);
    } else if (runner.state == State::kBusy && late) {
      EndLease(runner);
    }
  }
  std::erase_if(runners_, [&](const auto& entry) { return now_ns - entry.second.heard_ns > kForgetNs; });
  Match(now_ns);
  return TakeOutgoing();
}

TrackerStatus TrackerState::Status() const {
  TrackerStatus status;
  for (const auto& [id, runner] : runners_) {
    const Environment environment = EnvironmentFromJson(runner.environment);
    RunnerInfo info{runner.key, runner.label,          environment.cpu_model, environment.features,
                    "",         environment.isolation, runner.address,        LlvmCpuOf(environment)};
    info.state = runner.state == State::kFree ? "free" : runner.state == State::kLost ? "lost" : "busy";
    info.cores = environment.cores;
    info.jobs_done = runner.jobs_done;
    status.runners.push_back(std::move(info));
  }
  std::map<std::string, int> queues;
  // One that would like another one besides those it has does not wait.
  for (const Client& client : waiting_) queues[client.key] += Held(client.tuner, client.key) == 0;
  for (const auto& [key, count] : queues) status.queues.push_back({key, count});
  return status;
}

Json StatusToJson(const TrackerStatus& status) {
  Json json = {{"runners", Json::array()}, {"queues", Json::array()}};
  for (const RunnerInfo& r : status.runners) {
    json["runners"].push_back({{"key", r.key},
                               {"label", r.label},
                               {"cpu", r.cpu},
                               {"llvm_cpu", r.llvm_cpu},
                               {"features", r.features},
                               {"cores", r.cores},
                               {"state", r.state},
                               {"jobs_done", r.jobs_done},
                               {"isolation", r.isolation},
                               {"address", r.address}});
  }
  for (const QueueInfo& q : status.queues) json["queues"].push_back({{"key", q.key}, {"waiting", q.waiting}});
  return json;
}

TrackerStatus StatusFromJson(const Json& json) {
  TrackerStatus status;
  if (!json.contains("runners") || !json.contains("queues")) throw Error(ExitCode::kBadData, "bad frame: not a status");
  for (const Json& r : json["runners"]) {
    RunnerInfo info{HeaderText(r, "key"),     HeaderText(r, "label"),
                    HeaderText(r, "cpu"),     HeaderText(r, "features"),
                    HeaderText(r, "state"),   HeaderText(r, "isolation"),
                    HeaderText(r, "address"), r.contains("llvm_cpu") ? HeaderText(r, "llvm_cpu") : ""};
    info.cores = static_cast<int>(HeaderNumber(r, "cores"));
    info.jobs_done = static_cast<int64_t>(HeaderNumber(r, "jobs_done"));
    status.runners.push_back(std::move(info));
  }
  for (const Json& q : json["queues"]) {
    status.queues.push_back({HeaderText(q, "key"), static_cast<int>(HeaderNumber(q, "waiting"))});
  }
  return status;
}

}  // namespace hone
