// hone_bench_record_space WORKLOAD STORE OUT: times every valid config of a workload on this machine, one thread.
// What STORE holds already is not timed again. OUT is a recorded space as bench/tuner/recorded_space.h describes it.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <map>

#include "bench/tuner/recorded_space.h"
#include "compiler/codegen/host.h"
#include "core/error.h"
#include "tuner/batch_measurer.h"
#include "tuner/search_space.h"

namespace hone::bench {
namespace {

constexpr size_t kBatch = 64;
const char* const kSession = "record-space";

class SpaceRecorder {
 public:
  SpaceRecorder(const Workload& workload, const std::string& store)
      : workload_(workload),
        target_(HostTarget()),
        space_({workload, MachineModelFor(target_), {}, nullptr}),
        store_(RecordStore::Open(store)),
        runner_(MakeLocalRunner()),
        tools_(RealTuneTools()),
        reference_(CompileReference(workload, target_)) {}

  RecordedSpace Record() {
    Recall();
    std::vector<Trial> batch;
    for (const SearchSpace::Ranked& ranked : space_.ranked()) {
      if (times_.contains(space_.Key(ranked.proposal))) continue;
      batch.push_back(NewTrial(ranked.proposal));
      if (batch.size() == kBatch) Measure(batch);
    }
    Measure(batch);
    return Written();
  }

 private:
  void Recall() {
    RecordQuery query;
    query.workload = workload_.ToText();
    query.session = kSession;
    for (const auto& record : store_->Find(query)) {
      times_[space_.Key({record.candidate.schedule, record.candidate.config})] = record.measurement.MinNs();
    }
    fmt::print(stderr, "{} valid of {} configs, {} known\n", space_.ranked().size(), space_.size(), times_.size());
  }

  Trial NewTrial(const Proposal& proposal) {
    Trial trial;
    trial.proposal = proposal;
    trial.candidate = {workload_, proposal.schedule, proposal.config, target_};
    trial.timing.max_samples = trial.timing.min_samples;
    trial.built = tools_.compile(trial.candidate);
    return trial;
  }

  void Measure(std::vector<Trial>& batch) {
    BatchMeasurer measurer(*runner_, *store_, tools_,
                           {[this](Trial& trial) {
                              return KernelJob{std::get<Artifact>(trial.built),
                                               reference_,
                                               space_.Find(trial.proposal.schedule)->tolerance(),
                                               {1},
                                               trial.timing};
                            },
                            [this](const Trial& trial) {
                              return MakeRecord(trial, {kSession, tools_.llvm_version, tools_.unix_ms(),
                                                        space_.Find(trial.proposal.schedule)});
                            },
                            [] { return false; }, [](const Trial&) { return true; }});
    measurer.Measure(batch);
    for (const Trial& trial : batch) times_[space_.Key(trial.proposal)] = trial.measurement.MinNs();
    batch.clear();
    fmt::print(stderr, "\r{} timed", times_.size());
  }

  RecordedSpace Written() {
    RecordedSpace recorded;
    recorded.workload = workload_;
    recorded.target = target_;
    recorded.cpu_model = runner_->Describe().cpu_model;
    for (const SearchSpace::Ranked& ranked : space_.ranked()) {
      recorded.configs.push_back(
          {ranked.proposal, static_cast<int64_t>(ranked.estimate_ns), times_.at(space_.Key(ranked.proposal))});
    }
    std::stable_sort(recorded.configs.begin(), recorded.configs.end(),
                     [](const auto& a, const auto& b) { return a.proposal.schedule < b.proposal.schedule; });
    return recorded;
  }

  Workload workload_;
  Target target_;
  SearchSpace space_;
  std::unique_ptr<RecordStore> store_;
  std::unique_ptr<Runner> runner_;
  TuneTools tools_;
  Artifact reference_;
  std::map<std::string, int64_t> times_;  // by key
};

int Run(int argc, char** argv) {
  if (argc != 4) throw Error(ExitCode::kUsage, "hone_bench_record_space WORKLOAD STORE OUT is right");
  SpaceRecorder recorder(Workload::Parse(argv[1]), argv[2]);
  const RecordedSpace space = recorder.Record();
  std::ofstream out(argv[3]);
  WriteRecordedSpace(space, out);
  if (!out.flush()) throw Error(ExitCode::kCannotCreate, fmt::format("cannot write {}", argv[3]));
  fmt::print(stderr, "\nbest {} ns of {} configs\n", space.BestNs(), space.configs.size());
  return 0;
}

}  // namespace
}  // namespace hone::bench

int main(int argc, char** argv) {
  try {
    return hone::bench::Run(argc, argv);
  } catch (const hone::Error& error) {
    fmt::print(stderr, "hone_bench_record_space: {}\n", error.what());
    return static_cast<int>(error.code());
  }
}
