#include "tests/lab/random_tunings.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "compiler/frontend/zoo/zoo.h"
#include "compiler/relay/infer_type.h"
#include "compiler/schedules/schedule.h"
#include "core/json/serialize.h"
#include "db/verdicts/row_verdicts.h"
#include "tuner/record_config_source.h"

namespace hone {
namespace {

constexpr int kConfigs = 6;

relay::IRModule SmallModel() {
  ZooOptions options;
  options.image_shape = {1, 14, 14};
  relay::IRModule module = relay::InferType(BuildZoo("mlp", options));
  module.name = "zoo:mlp";
  return module;
}

}  // namespace

RandomPlace::RandomPlace() {
  context.target = SampleRecord(0).candidate.target;
  context.target.num_cores = 2;  // as a host's
}

RandomTunings::RandomTunings(uint64_t seed, RandomPlace place)
    : place_(std::move(place)), module_(SmallModel()), random_(seed), tasks_(ExtractTasks(module_, place_.context)) {
  store_ = RecordStore::Open(place_.store.empty() ? folder_.File("records.db") : place_.store);
  const MachineModel machine = place_.context.machine();
  for (const Task& task : tasks_) {
    const SearchSpace space({task.workload, machine, {}, nullptr});
    for (int i = 0; i < kConfigs; ++i) {
      const auto& ranked = space.ranked();
      proposals_[task.workload.ToText()].push_back(ranked[i == 0 ? 0 : random_.Below(ranked.size())].proposal);
    }
  }
  for (uint64_t device = 0; device < 1 + random_.Below(3); ++device) {
    devices_.push_back(EpycOf(fmt::format("AuthenticAMD-25-{}-1", device + 1)));
    devices_.back().host = fmt::format("host{}", device);
  }
  if (place_.first) devices_[0] = *place_.first;
  MakePack();
  const uint64_t runs = 1 + random_.Below(3);
  for (uint64_t run = 0; run < runs; ++run) {
    for (size_t device = 0; device < devices_.size(); ++device) {
      const bool named = device == 0 && run + 1 == runs && !place_.session.empty();
      Tune(named ? place_.session : fmt::format("run{}-{}", run, device), device);
    }
  }
}

RecordLayers RandomTunings::Layers(bool with_pack) const {
  RecordLayers layers;
  layers.Add(kStoreOrigin, StoreLayer(Borrowed(*store_)));
  if (with_pack) layers.Add("hub", FixedLayer(pack_), RecordLayers::Reach::kOwnKind);
  return layers;
}

Record RandomTunings::Trial(const std::string& session, size_t device, const Workload& workload,
                            const Proposal& proposal) {
  Record record = SampleRecord(0);
  record.candidate = {workload, proposal.schedule, proposal.config, place_.context.target};
  record.schedule_version = FindSchedule(proposal.schedule)->version();
  record.measurement.environment = devices_[device];
  record.session = session;
  record.unix_ms = place_.begin_unix_ms + 25 * ++number_;
  const auto ns = static_cast<int64_t>(1'000'000 + 1'000 * random_.Below(40));
  record.measurement.samples_ns = {ns + 3'000, ns, ns + 9'000};
  record.measurement.batch = {1, 1, 1};
  record.measurement.noisy = random_.Below(6) == 0;
  if (random_.Below(10) == 0) Fail(record);
  return record;
}

void RandomTunings::Fail(Record& record) {
  static constexpr Fate kFates[] = {Fate::kCrashed, Fate::kWrongOutput, Fate::kTimedOut, Fate::kCompileFailed};
  record.measurement.fate = kFates[random_.Below(4)];
  record.measurement.samples_ns.clear();
  record.measurement.batch.clear();
  record.measurement.noisy = false;
  // Trouble of the machine, which speaks against no record.
  if (random_.Below(2) == 0) record.measurement.message = "hone-compiler cannot be started: Cannot allocate memory";
}

void RandomTunings::Keep(Record record) { store_->Append({Finish(std::move(record))}); }

void RandomTunings::MakePack() {
  for (const Task& task : tasks_) {
    if (random_.Below(2) == 0) continue;
    const std::vector<Proposal>& all = proposals_.at(task.workload.ToText());
    pack_.push_back(Finish(Trial("pack", random_.Below(devices_.size()), task.workload, all[random_.Below(kConfigs)])));
  }
}

void RandomTunings::Tune(const std::string& session, size_t device) {
  Json said = Json::array();
  std::map<std::string, Proposal> before;
  const RecordLayers layers = Layers(true);
  RecordConfigSource source(layers, FingerprintOf(devices_[device]));
  for (const Task& task : tasks_) {
    const std::string text = task.workload.ToText();
    const auto choice = source.Choose(task.workload, place_.context.target, place_.context.threads,
                                      [](const std::string&, const Config&) { return true; });
    before[text] = choice ? Proposal{choice->schedule, choice->config} : analytic(text);
    said.push_back({{"workload", text},
                    {"uses", task.uses},
                    {"default", {{"schedule", before[text].schedule}, {"config", before[text].config.ToText()}}}});
  }
  store_->PutRun({session, "running", DumpJson({{"model", "zoo:mlp"}, {"threads", 1}, {"tasks", said}})});
  for (const Task& task : tasks_) Search(session, device, task.workload, before[task.workload.ToText()]);
  for (const Task& task : tasks_) {
    const bool has_finals = random_.Below(4) > 0;
    if (has_finals || place_.finals_for_all) HoldFinals(session, device, task.workload, before[task.workload.ToText()]);
  }
  last_run_[device] = session;
  before_[session] = std::move(before);
}

void RandomTunings::Search(const std::string& session, size_t device, const Workload& workload,
                           const Proposal& before) {
  Record first = Trial(session, device, workload, before);  // the incumbent works, so that it has a time
  if (first.measurement.fate != Fate::kOk) first = Trial(session, device, workload, before);
  Keep(std::move(first));
  for (const Proposal& proposal : proposals_.at(workload.ToText())) {
    Record record = Trial(session, device, workload, proposal);
    if (random_.Below(4) == 0) {
      record.timing.cache = CacheMode::kWarm;
      record.session += "-warm";
    }
    if (random_.Below(8) == 0 && record.measurement.fate == Fate::kOk) Keep(Doubted(record, "its clock fell"));
    Keep(std::move(record));
  }
}

void RandomTunings::HoldFinals(const std::string& session, size_t device, const Workload& workload,
                               const Proposal& before) {
  std::vector<Proposal> finalists = {before};
  for (const Proposal& proposal : proposals_.at(workload.ToText())) {
    const bool known = std::find(finalists.begin(), finalists.end(), proposal) != finalists.end();
    if (!known && random_.Below(2) == 0) finalists.push_back(proposal);
  }
  const uint64_t winner = random_.Below(finalists.size());
  std::vector<Record> rounds;
  for (uint64_t f = 0; f < finalists.size(); ++f) {
    for (int round = 1; round <= 7; ++round) {
      Record record = Trial(session, device, workload, finalists[f]);
      if (record.measurement.fate != Fate::kOk) record = Trial(session, device, workload, finalists[f]);
      record.finals = {1, round, f == winner ? 1 : 2 + static_cast<int>(f), f == 0, 0};
      rounds.push_back(Finish(std::move(record)));
    }
  }
  store_->Append(rounds);
}

}  // namespace hone
