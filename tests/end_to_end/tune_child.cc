#include "tests/end_to_end/tune_child.h"

#include <map>

#include "db/record_store.h"

namespace hone {
namespace {

std::string KeyOf(const std::string& workload, const std::string& schedule, const std::string& config) {
  return workload + " | " + schedule + " | " + config;
}

bool SaysNothing(Fate fate) { return fate == Fate::kRunnerLost || fate == Fate::kCancelled; }

}  // namespace

std::unique_ptr<ChildProgram> TuneChildTest::Tune(const std::vector<std::string>& more) {
  std::vector<std::string> arguments = {
      "tune",      "zoo:mlp", "--image-shape", "1,14,14", "--trials", std::to_string(kTrials),
      "--threads", "1",       "--json",        "--db",    Store()};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return std::make_unique<ChildProgram>(HONE_PROGRAM, arguments, Path("work/tune" + std::to_string(started_++)));
}

int TuneChildTest::Acknowledge(const ChildProgram& tune) {
  int trials = 0;
  for (const std::string& line : tune.Lines()) {
    const Json event = ParseJson(line, "the stream of hone tune");
    if (event.at("event") != "trial") continue;
    ++trials;
    acknowledged_.insert(KeyOf(event.at("task"), event.at("schedule"), event.at("config")));
  }
  return trials;
}

Json TuneChildTest::Done(const ChildProgram& tune) {
  const std::vector<std::string> lines = tune.Lines();
  if (lines.empty()) return {};
  Json done = ParseJson(lines.back(), "the stream of hone tune");
  EXPECT_EQ(done.at("event"), "done") << tune.ErrorText();
  return done;
}

int TuneChildTest::ExpectFinalsWhole() const {
  std::map<std::string, std::map<std::string, std::set<int>>> rounds;  // by workload and candidate
  for (const Record& record : RecordStore::Open(Store(), /*create=*/false)->Find({})) {
    if (record.finals.held == 0) continue;
    const Candidate& c = record.candidate;
    // Finals 1 compare kernels, finals 2 the built models.
    EXPECT_EQ(record.finals.held, record.finals.network_ns == 0 ? 1 : 2);
    const std::string which = c.workload.ToText() + " finals " + std::to_string(record.finals.held);
    EXPECT_TRUE(rounds[which][c.schedule + c.config.ToText()].insert(record.finals.round).second);
  }
  for (const auto& [workload, finalists] : rounds) {
    EXPECT_GE(finalists.size(), 2U) << workload;
    for (const auto& [candidate, seen] : finalists) EXPECT_EQ(seen, (std::set<int>{1, 2, 3, 4, 5, 6, 7})) << candidate;
  }
  return static_cast<int>(rounds.size());
}

void TuneChildTest::ExpectStoreWhole() const {
  const auto store = RecordStore::Open(Store(), /*create=*/false);
  std::map<std::string, bool> telling;  // whether the last trial was noisy: only then is it repeated
  std::set<std::string> all;
  for (const Record& record : store->Find({})) {
    const Candidate& c = record.candidate;
    const std::string key = KeyOf(c.workload.ToText(), c.schedule, c.config.ToText());
    all.insert(key);
    if (record.finals.held > 0) continue;
    if (SaysNothing(record.measurement.fate)) continue;
    const auto [at, fresh] = telling.try_emplace(key, record.measurement.noisy);
    EXPECT_TRUE(fresh || at->second) << "twice: " << key;
    at->second = record.measurement.noisy;
  }
  EXPECT_EQ(telling.size(), static_cast<size_t>(kTrials));
  for (const std::string& key : acknowledged_) EXPECT_TRUE(all.contains(key)) << "lost: " << key;
}

}  // namespace hone
