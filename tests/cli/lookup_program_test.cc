// The places where a build looks for records, and the explanation by `hone log why`.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "core/json/serialize.h"
#include "db/record_log.h"
#include "db/record_store.h"
#include "tests/cli/run_program.h"
#include "tests/db/one_shot_server.h"

namespace hone {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

const char* const kModel = "zoo:mlp --classes 1000 --image-shape 1,14,14 --threads 1";

class LookupProgram : public ProgramTest {
 protected:
  void Tune(const std::string& more = "") {
    const ProgramResult tuned =
        Shell(std::string("hone tune --trials 6 --finals kernels --db own.db ") + kModel + " " + more);
    ASSERT_EQ(tuned.code, 0) << tuned.err;
  }
  Json Answer(const std::string& command) {
    const ProgramResult result = Shell(command + " --json");
    EXPECT_EQ(result.code, 0) << result.err;
    return ParseJson(result.out, command);
  }
  // Source and record that a build uses, by workload.
  std::map<std::string, std::string> Built(const std::string& options) {
    std::map<std::string, std::string> built;
    const Json report = Answer("hone build -o m.hone " + options);
    for (const Json& row : report["dispatch"]) {
      if (row["workload"] != "")
        built[row["workload"]] = row["source"].get<std::string>() + " " + row["record"].get<std::string>();
    }
    return built;
  }
  std::map<std::string, std::string> Why(const std::string& options) {
    std::map<std::string, std::string> why;
    const Json answer = Answer("hone log why " + options);
    for (const Json& workload : answer["workloads"]) {
      std::string record;
      for (const Json& considered : workload["considered"]) {
        if (considered["taken"]) record = considered["record"];
      }
      why[workload["workload"]] = workload["source"].get<std::string>() + " " + record;
    }
    return why;
  }
};

TEST_F(LookupProgram, WhyNamesWhatABuildTakes) {
  Tune();
  const auto built = Built(std::string(kModel) + " --db own.db");
  EXPECT_EQ(built.size(), 3U);
  EXPECT_EQ(Why(std::string(kModel) + " --db own.db"), built);
  EXPECT_EQ(Why(std::string(kModel) + " --db own.db --no-records"),
            Built(std::string(kModel) + " --db own.db --no-records"));
}

TEST_F(LookupProgram, ABuildSaysThatNoStoreIsWhereHoneDbIs) {
  environment["HONE_DB"] = "typo.db";
  const std::string build = std::string("hone build -o m.hone ") + kModel;
  const ProgramResult mistyped = Shell(build);
  EXPECT_EQ(mistyped.code, 0);
  EXPECT_THAT(mistyped.err, HasSubstr("HONE_DB names typo.db, and no record store is there"));
  environment.erase("HONE_DB");
  EXPECT_THAT(Shell(build).err, testing::Not(HasSubstr("record store"))) << "the user's own is not made yet";
}

TEST_F(LookupProgram, ABuildSaysThatRecordsAreOfOtherVersionsOfTheirSchedules) {
  Tune();
  const std::string build = std::string("hone build -o m.hone ") + kModel + " --db ";
  EXPECT_THAT(Shell(build + "own.db").err, testing::Not(HasSubstr("other versions")));
  std::vector<Record> records = RecordStore::Open(Path("work/own.db"))->Find({});
  int64_t worked = 0;
  for (Record& record : records) {
    worked += record.measurement.fate == Fate::kOk ? 1 : 0;
    record.schedule_version += 1000;
    record = Finish(record);
  }
  RecordStore::Open(Path("work/other.db"))->Append(records);
  EXPECT_THAT(Shell(build + "other.db").err,
              HasSubstr("have " + std::to_string(worked) + " records of other versions"));
}

TEST_F(LookupProgram, ABuildTakesKernelsThatFailedOnlyThroughTheMachine) {
  Tune();
  const std::string options = std::string(kModel) + " --db own.db";
  const auto before = Built(options);
  std::vector<Record> blames = RecordStore::Open(Path("work/own.db"))->Find({});
  for (Record& record : blames) {
    record.session = "of an older version";
    record.measurement.samples_ns = record.measurement.batch = {};
    record.measurement.fate = Fate::kCompileFailed;
    record.measurement.message = "lld wrote no output";
    record = Finish(record);
  }
  RecordStore::Open(Path("work/own.db"))->Append(blames);
  EXPECT_EQ(Built(options), before);
  EXPECT_THAT(Shell("hone build -o m.hone " + options).err,
              HasSubstr("with the machine's trouble blamed on a candidate"));
  ASSERT_EQ(Shell("hone log heal --db own.db").code, 0);
  EXPECT_THAT(Shell("hone build -o m.hone " + options).err, testing::Not(HasSubstr("blame")));
}

TEST_F(LookupProgram, WhyIsToldOfALayerOrAWorkload) {
  Tune();
  const ProgramResult layer =
      Shell("hone log why zoo:mlp:weight=128x196 --image-shape 1,14,14 --threads 1 --db own.db");
  EXPECT_EQ(layer.code, 0) << layer.err;
  EXPECT_THAT(layer.out, StartsWith("nn.dense data=1x196 weight=128x196"));
  EXPECT_THAT(layer.out, HasSubstr("\ntaken: "));
  const std::string workload = layer.out.substr(0, layer.out.find('\n'));
  const std::string of_workload = Shell("hone log why '" + workload + "' --threads 1 --db own.db").out;
  EXPECT_EQ(of_workload.substr(of_workload.rfind("\ntaken")), layer.out.substr(layer.out.rfind("\ntaken")));
  const ProgramResult none = Shell("hone log why zoo:mlp:no_such_layer --db own.db");
  EXPECT_EQ(none.code, 66);
  EXPECT_THAT(none.err, HasSubstr("hone inspect zoo:mlp --tasks"));
  EXPECT_THAT(Shell(std::string("hone log why --no-records ") + kModel).out, HasSubstr("taken: the analytic default"));
}

TEST_F(LookupProgram, AFailureThatCameLaterIsNamedAndItsKernelNotBuilt) {
  Tune();
  const auto before = Why(std::string(kModel) + " --db own.db");
  const std::string taken = before.begin()->second;
  const auto store = RecordStore::Open(Path("work/own.db"));
  Record failed = *store->Get(taken.substr(taken.rfind(' ') + 1));
  failed.measurement.fate = Fate::kWrongOutput;
  failed.measurement.samples_ns.clear();
  failed.measurement.batch.clear();
  failed.finals = {};
  failed.session = "later";
  failed = Finish(failed);
  store->Append({failed});
  const std::string workload = "'" + before.begin()->first + "'";
  const ProgramResult why = Shell("hone log why " + workload + " --threads 1 --db own.db --limit 0");
  EXPECT_THAT(why.out, HasSubstr("failed since: " + failed.id));
  EXPECT_NE(Built(std::string(kModel) + " --db own.db")[before.begin()->first], taken);
}

// Two unknown machines; the one whose kernels fit this machine is the slower of the two.
TEST_F(LookupProgram, OfOtherMachinesTheKindThatLosesLeastIsTakenAndTheLossTold) {
  // Tasks are tuned one by one: together, a task that promises no gain is timed only with its default.
  for (const char* task : {"128x196", "64x128", "1000x64"}) Tune("--tasks weight=" + std::string(task));
  const auto own = RecordStore::Open(Path("work/own.db")), far = RecordStore::Open(Path("work/far.db"));
  std::map<std::string, std::vector<Record>> by_workload;
  RecordQuery ok;
  ok.fate = Fate::kOk;
  ok.by_time = true;
  for (const Record& record : own->Find(ok)) {
    std::vector<Record>& of = by_workload[record.candidate.workload.ToText()];
    const auto same = [&](const Record& r) { return r.candidate == record.candidate; };
    if (std::none_of(of.begin(), of.end(), same)) of.push_back(record);
  }
  ASSERT_EQ(by_workload.size(), 3U);
  const auto measured = [](Record record, const std::string& cpu_id, int64_t ns) {
    record.measurement.environment.cpu_id = cpu_id;
    record.measurement.environment.host = cpu_id;
    record.measurement.samples_ns = {ns};
    record.measurement.batch = {1};
    record.measurement.noisy = false;
    record.finals = {};
    record.session = "elsewhere";
    return Finish(record);
  };
  const std::string quick = "GenuineIntel-6-1-1", fitting = "AuthenticAMD-1-1-1";
  std::string asked;
  for (const auto& [workload, records] : by_workload) {
    ASSERT_GE(records.size(), 2U) << workload;
    far->Append({measured(records[0], quick, 10), measured(records[1], fitting, 900)});
    if (asked.empty()) {
      asked = workload;
      continue;
    }
    Record worse = records[0], best = records[1];
    for (Record* record : {&worse, &best}) record->finals = {};
    worse.measurement.samples_ns = {1500};
    best.measurement.samples_ns = {1000};
    for (Record* record : {&worse, &best}) {
      record->measurement.batch = {1};
      record->measurement.noisy = false;
      *record = Finish(*record);
    }
    far->Append({worse, best});
  }
  const std::string why = Shell("hone log why '" + asked + "' --threads 1 --db far.db --hub none").out;
  EXPECT_THAT(why, HasSubstr("its kind of machine loses more here"));
  EXPECT_THAT(why, HasSubstr("50.0 % of 2 tasks"));
  EXPECT_THAT(why, HasSubstr("; expected loss 0.0 % of 2 tasks\n"));
  const ProgramResult built = Shell(std::string("hone build -o m.hone --db far.db --hub none ") + kModel);
  EXPECT_EQ(built.code, 0) << built.err;
  EXPECT_THAT(built.out, HasSubstr(" 0.0 % of 2 tasks"));
  Json losses = Json::array();
  const Json report = Answer(std::string("hone build -o m.hone --db far.db --hub none ") + kModel);
  for (const Json& row : report["dispatch"]) {
    if (row.contains("expected_loss")) losses.push_back(row["expected_loss"]);
  }
  const Json least = {{"share", 0.0}, {"tasks", 2}};
  EXPECT_EQ(losses, Json::array({least})) << "the others were measured here";
}

TEST_F(LookupProgram, WhereNothingConnectsTwoMachinesTheEstimateIsTold) {
  Tune();
  const auto own = RecordStore::Open(Path("work/own.db")), far = RecordStore::Open(Path("work/far.db"));
  RecordQuery ok;
  ok.fate = Fate::kOk;
  for (Record record : own->Find(ok)) {
    record.measurement.environment.cpu_id = "GenuineIntel-6-1-1";
    record.measurement.environment.host = "far";
    far->Append({Finish(record)});
  }
  EXPECT_THAT(Shell(std::string("hone build -o m.hone --db far.db --hub none ") + kModel).out,
              HasSubstr(" %, estimated"));
}

TEST_F(LookupProgram, TheProjectsStoreAndTheHubAreAskedAfterTheUsersOwn) {
  Tune();
  std::filesystem::create_directory(Path("work/a project"));
  ASSERT_EQ(Shell("hone zoo mlp --classes 1000 --image-shape 1,14,14 -o 'a project/m.onnx' && hone log pack --name p "
                  "--db own.db -o "
                  "p.honepack")
                .code,
            0);
  const auto sources = [this](const std::string& options) {
    std::string text;
    for (const auto& [workload, source] : Built(options)) text += source.substr(0, source.rfind(' ')) + ";";
    return text;
  };
  EXPECT_EQ(sources("'a project/m.onnx' --threads 1"), "default;default;default;");
  EXPECT_EQ(sources("'a project/m.onnx' --threads 1 --hub p.honepack"), "record, hub;record, hub;record, hub;");
  std::filesystem::copy_file(Path("work/own.db"), Path("work/a project/hone.db"));
  EXPECT_EQ(sources("'a project/m.onnx' --threads 1 --hub p.honepack"),
            "record, project;record, project;record, project;");
  EXPECT_EQ(sources("'a project/m.onnx' --threads 1 --db own.db"), "record;record;record;");
  EXPECT_EQ(sources("'a project/m.onnx' --threads 1 --no-records --hub p.honepack"), "default;default;default;");
  EXPECT_THAT(Shell("hone log hub --hub p.honepack").out, HasSubstr("p serial"));
  EXPECT_EQ(Shell("hone log hub").code, 66) << "the tests do without one";
  const ProgramResult absent = Shell(std::string("hone build -o x.hone --hub nowhere.honepack ") + kModel);
  EXPECT_EQ(absent.code, 66);
  Write("work/bad.honepack", "HONEPACK and no more");
  EXPECT_EQ(Shell(std::string("hone build -o x.hone --hub bad.honepack ") + kModel).code, 65);
}

// The pack where `cmake --install` puts it, beside the program's own folder.
TEST_F(LookupProgram, TheHubThatCameWithHoneIsAskedUnlessItIsToBeLeftOut) {
  Tune();
  for (const char* folder : {"work/prefix", "work/prefix/bin", "work/prefix/share", "work/prefix/share/hone"}) {
    std::filesystem::create_directory(Path(folder));
  }
  std::filesystem::copy_file(HONE_PROGRAM, Path("work/prefix/bin/hone"));
  ASSERT_EQ(Shell("hone log pack --name hub --db own.db -o prefix/share/hone/hub.honepack").code, 0);
  const std::string asks = "unset HONE_HUB; prefix/bin/hone ", build = asks + "build -o m.hone " + kModel;
  EXPECT_THAT(Shell(build).out, HasSubstr("record, hub"));
  EXPECT_THAT(Shell(build + " --hub none").out, testing::Not(HasSubstr("hub")));
  EXPECT_THAT(Shell(asks + "log hub").out, HasSubstr("prefix/share/hone/hub.honepack: hub serial"));
}

TEST_F(LookupProgram, TheTreesLogsMakeTheSameHubEveryTime) {
  const std::string make = "'" HONE_SOURCE_DIR "/scripts/make_hub.sh' \"$HONE\" ";
  ASSERT_EQ(Shell(make + "'a hub.honepack'").code, 0);
  ASSERT_EQ(Shell(make + "again.honepack").code, 0);
  EXPECT_EQ(Read("work/a hub.honepack"), Read("work/again.honepack"));
  const Json hub = Answer("hone log hub --hub 'a hub.honepack'");
  EXPECT_EQ(hub["manifest"]["name"], "hub");
  EXPECT_GT(hub["records"].size(), 0U);
  EXPECT_LT(Read("work/again.honepack").size(), 200'000U);
  EXPECT_EQ(Shell("'" HONE_SOURCE_DIR "/scripts/make_hub.sh' /bin/false x.honepack").code, 65);
}

TEST_F(LookupProgram, OtherProgramsGetTheirOwnFormats) {
  Tune();
  const std::string t4 = Shell("hone log export --db own.db --best --format t4").out;
  EXPECT_EQ(ParseJson(t4, "t4")["results"].size(), 3U);
  ASSERT_EQ(Shell("hone log export --db own.db --format google-benchmark -o b.json").code, 0);
  EXPECT_FALSE(ParseJson(Read("work/b.json"), "b.json")["benchmarks"].empty());
  EXPECT_EQ(Shell("hone log export --db own.db --format csv").code, 2);
}

TEST_F(LookupProgram, APackIsPutToAServerAndNeverReplaced) {
  Tune();
  ASSERT_EQ(Shell("hone log keygen -o k && hone log pack --name p --db own.db --key k -o p.honepack").code, 0);
  const OneShotServer server([](int, const std::string& request) {
    return std::string(request.starts_with("PUT ") ? "HTTP/1.1 201 Created" : "HTTP/1.1 404 Not Found") +
           "\r\nContent-Length: 0\r\n\r\n";
  });
  const ProgramResult pushed = Shell("hone log push p.honepack " + server.Url("/hub"));
  EXPECT_EQ(pushed.code, 0) << pushed.err;
  const auto requests = server.requests();
  ASSERT_EQ(requests.size(), 3U);
  EXPECT_THAT(requests[1], StartsWith("PUT /hub/p.honepack.minisig "));
  EXPECT_THAT(requests[2], StartsWith("PUT /hub/p.honepack "));
  EXPECT_THAT(requests[2], EndsWith(Read("work/p.honepack")));
  const OneShotServer other(
      [](int, const std::string&) { return "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nother"; });
  EXPECT_EQ(Shell("hone log push p.honepack " + other.Url("/hub/")).code, 73);
  EXPECT_EQ(other.requests().size(), 1U);
}

}  // namespace
}  // namespace hone
