// A store that tunings of one small model might have left: noise, failures, doubts, finals with winners and losers,
// several runs, devices and packs.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "compiler/build.h"
#include "core/random.h"
#include "db/record_layers.h"
#include "db/record_store.h"
#include "tests/db/sample_record.h"
#include "tuner/search/search_space.h"
#include "tuner/tuner.h"

namespace hone {

// The target of a small network, and the place of its store.
struct RandomPlace {
  BuildContext context;
  std::optional<Environment> first;           // the first device; absent: one that is made up
  std::string store;                          // path; empty: a temporary file
  std::string session;                        // the id of the first device's last run; empty: a name that is made up
  int64_t begin_unix_ms = 1'700'000'000'000;  // before all records
  bool finals_for_all = false;                // whether each task has finals, so that a tuning that goes on holds none
  RandomPlace();                              // for a Zen 3 CPU and one thread
};

class RandomTunings {
 public:
  explicit RandomTunings(uint64_t seed, RandomPlace place = {});

  const std::vector<Task>& tasks() const { return tasks_; }
  const std::vector<Environment>& devices() const { return devices_; }
  const RecordStore& store() const { return *store_; }
  const relay::IRModule& module() const { return module_; }
  const BuildContext& context() const { return place_.context; }
  const std::string& last_run(size_t device) const { return last_run_.at(device); }
  // The config of the analytic default.
  const Proposal& analytic(const std::string& workload) const { return proposals_.at(workload)[0]; }
  // The choice of a build before a run.
  const Proposal& before(const std::string& run, const std::string& workload) const {
    return before_.at(run).at(workload);
  }
  RecordLayers Layers(bool with_pack) const;

 private:
  Record Trial(const std::string& session, size_t device, const Workload& workload, const Proposal& proposal);
  void Fail(Record& record);
  void Keep(Record record);
  void MakePack();
  // As hone tune: the run says what a build would have taken, each task is searched, and most have finals, in which
  // that choice is the incumbent.
  void Tune(const std::string& session, size_t device);
  void Search(const std::string& session, size_t device, const Workload& workload, const Proposal& before);
  void HoldFinals(const std::string& session, size_t device, const Workload& workload, const Proposal& before);

  const RandomPlace place_;
  const relay::IRModule module_;
  TempFolder folder_;
  Random random_;
  std::vector<Task> tasks_;
  std::unique_ptr<RecordStore> store_;
  std::map<std::string, std::vector<Proposal>> proposals_;
  std::vector<Environment> devices_;
  std::vector<Record> pack_;
  std::map<size_t, std::string> last_run_;
  std::map<std::string, std::map<std::string, Proposal>> before_;
  int64_t number_ = 0;
};

}  // namespace hone
