// Tuners that share a store on a PostgreSQL server, as on several hosts. Nothing is measured twice, and a killed server
// that comes back costs no trial.
#include <gtest/gtest.h>
#include <signal.h>

#include <chrono>
#include <cstdio>
#include <map>
#include <memory>
#include <set>
#include <thread>

#include "core/json/serialize.h"
#include "db/record_store.h"
#include "tests/cli/run_program.h"
#include "tests/end_to_end/child_program.h"
#include "tests/support/postgres_server.h"

namespace hone {
namespace {

std::string KeyOf(const std::string& workload, const std::string& schedule, const std::string& config) {
  return workload + " | " + schedule + " | " + config;
}

class SharedServer : public ProgramTest {
 protected:
  // Another strategy makes another run, which does not go on with the first one's trials.
  std::unique_ptr<ChildProgram> Tune(const std::string& strategy) {
    const std::vector<std::string> arguments = {
        "tune",   "zoo:mlp",  "--image-shape", "1,14,14",    "--trials", "40",   "--threads", "1",
        "--json", "--finals", "kernels",       "--strategy", strategy,   "--db", where_};
    return std::make_unique<ChildProgram>(HONE_PROGRAM, arguments, Path("work/" + strategy));
  }

  static std::set<std::string> Acknowledged(const ChildProgram& tune) {
    std::set<std::string> trials;
    for (const std::string& line : tune.Lines()) {
      const Json event = ParseJson(line, "the stream of hone tune");
      if (event.at("event") == "trial")
        trials.insert(KeyOf(event.at("task"), event.at("schedule"), event.at("config")));
    }
    return trials;
  }

  // The number of the searches' trials for each measured candidate; noisy and undecided ones may be repeated.
  std::map<std::string, int> Measured() const {
    std::map<std::string, int> measured;
    for (const Record& record : RecordStore::Open(where_, false)->Find({})) {
      if (record.finals.held > 0) continue;
      const Fate fate = record.measurement.fate;
      const bool telling = !record.measurement.noisy && fate != Fate::kRunnerLost && fate != Fate::kCancelled;
      const Candidate& c = record.candidate;
      measured[KeyOf(c.workload.ToText(), c.schedule, c.config.ToText())] += telling ? 1 : 0;
    }
    return measured;
  }

  PostgresServer server_;
  std::string where_ = server_.NewDatabase();
};

TEST_F(SharedServer, TwoTunersMeasureNothingTwice) {
  const auto left = Tune("random"), right = Tune("evolutionary");
  EXPECT_EQ(left->Wait(), 0) << left->ErrorText();
  EXPECT_EQ(right->Wait(), 0) << right->ErrorText();
  const std::map<std::string, int> measured = Measured();
  for (const ChildProgram* tune : {left.get(), right.get()}) {
    for (const std::string& key : Acknowledged(*tune)) EXPECT_TRUE(measured.contains(key)) << "lost: " << key;
  }
  for (const auto& [key, times] : measured) EXPECT_LE(times, 1) << key;
  EXPECT_GE(measured.size(), 40U);
}

TEST_F(SharedServer, ATunerOutlivesItsRestarts) {
  const auto tune = Tune("random");
  for (int restart = 1; restart <= 2; ++restart) {
    ASSERT_TRUE(tune->WaitForLines("\"event\":\"trial\"", restart * 4)) << tune->ErrorText();
    server_.Kill();
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    server_.Start();
  }
  EXPECT_EQ(tune->Wait(), 0) << tune->ErrorText();
  const std::map<std::string, int> measured = Measured();
  for (const std::string& key : Acknowledged(*tune)) EXPECT_TRUE(measured.contains(key)) << "lost: " << key;
  for (const auto& [key, times] : measured) EXPECT_LE(times, 1) << key;
}

TEST_F(SharedServer, EveryCommandThatTakesAStoreTakesIt) {
  ASSERT_EQ(Tune("random")->Wait(), 0);
  const std::string package = Path("work/m.hone"), file = Path("work/mine.db"), pack = Path("work/p.honepack");
  for (const std::vector<std::string>& arguments : std::vector<std::vector<std::string>>{
           {"log", "list", "--db", where_},
           {"log", "best", "--db", where_},
           {"log", "stats", "--db", where_},
           {"log", "check", "--db", where_},
           {"log", "export", "-o", Path("work/x.log"), "--db", where_},
           {"log", "import", Path("work/x.log"), "--db", where_},
           {"log", "prune", "--keep", "3", "--db", where_},
           {"log", "keygen", "-o", Path("work/k")},
           {"log", "pack", "--name", "p", "--key", Path("work/k"), "-o", pack, "--db", where_},
           {"log", "pull", pack, "--key", Path("work/k.pub"), "--db", where_},
           {"log", "why", "zoo:mlp", "--image-shape", "1,14,14", "--threads", "1", "--db", where_},
           {"log", "verify", pack, "--threads", "1", "--budget", "2s", "--db", where_},
           {"log", "verify", where_, "--threads", "1", "--budget", "2s", "--db", where_},
           {"log", "sync", where_, file},
           {"log", "diff", where_, file},
           {"build", "zoo:mlp", "--image-shape", "1,14,14", "--threads", "1", "--db", where_, "-o", package}}) {
    const ProgramResult result = Hone(arguments);
    EXPECT_EQ(result.code, 0) << arguments[0] << " " << arguments[1] << ": " << result.err;
  }
  EXPECT_EQ(Hone({"log", "backup", "-o", Path("work/b.db"), "--db", where_}).code, 2);
  const ProgramResult secret = Hone({"log", "list", "--db", "postgresql://me:hunter2@localhost/x"});
  EXPECT_EQ(secret.code, 2);
  EXPECT_EQ((secret.out + secret.err).find("hunter2"), std::string::npos) << secret.err;
}

}  // namespace
}  // namespace hone

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  if (hone::PostgresServer::ProgramFolder().empty()) {
    std::puts("SKIPPED: Debian's package postgresql is not installed");
    return 0;
  }
  return RUN_ALL_TESTS();
}
