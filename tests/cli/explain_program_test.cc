// `hone explain`: the record ids, workloads and layers that it takes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>

#include "core/json/serialize.h"
#include "db/record_store.h"
#include "tests/cli/run_program.h"

namespace hone {
namespace {

using testing::HasSubstr;

class ExplainProgram : public ProgramTest {
 protected:
  void SetUp() override {
    ProgramTest::SetUp();
    const ProgramResult tuned = Hone({"tune", "zoo:mlp", "--image-shape", "1,14,14", "--trials", "8", "--threads", "1",
                                      "--tasks", "data=1x128", "--db", Db()});
    ASSERT_EQ(tuned.code, 0) << tuned.err;
    const auto store = RecordStore::Open(Db(), /*create=*/false);
    for (const Record& record : store->Find({})) {
      if (record.measurement.fate == Fate::kOk) record_ = record;
    }
    ASSERT_FALSE(record_.id.empty());
  }
  std::string Db() const { return Path("work/records.db"); }
  void ExpectRefused(const std::string& what, int code, const std::string& message) {
    const ProgramResult r = Hone({"explain", what, "--db", Db()});
    EXPECT_EQ(r.code, code) << r.err;
    EXPECT_THAT(r.err, HasSubstr(message));
    EXPECT_EQ(r.out, "");
    EXPECT_EQ(std::count(r.err.begin(), r.err.end(), '\n'), 1) << r.err;
  }

  Record record_;
};

TEST_F(ExplainProgram, TakesAnIdThatTheLogListsOrItsBeginning) {
  EXPECT_THAT(Hone({"log", "list", "--db", Db()}).out, HasSubstr(record_.id));
  for (const size_t digits : {16U, 12U}) {
    const ProgramResult r = Hone({"explain", record_.id.substr(0, digits), "--db", Db()});
    ASSERT_EQ(r.code, 0) << r.err;
    for (const char* part :
         {"record ", "roofline:", "GFLOP/s", "measured peak", "hot loop", "multiply-adds", "knobs"}) {
      EXPECT_THAT(r.out, HasSubstr(part));
    }
    EXPECT_THAT(r.out, HasSubstr(record_.candidate.config.ToText()));
  }
}

TEST_F(ExplainProgram, SaysAllAsJson) {
  const ProgramResult r = Hone({"explain", record_.id, "--db", Db(), "--json"});
  ASSERT_EQ(r.code, 0) << r.err;
  const Json json = ParseJson(r.out, "explain");
  EXPECT_EQ(json.at("record"), record_.id);
  EXPECT_EQ(json.at("roofline").at("flops"), 2.0 * 128 * 64);
  EXPECT_GT(json.at("roofline").at("bytes").get<int64_t>(), 4 * 128 * 64);
  EXPECT_GT(json.at("roofline").at("peak_gflops").get<double>(), 0);
  ASSERT_EQ(json.at("kernels").size(), 2U);
  EXPECT_GT(json.at("kernels")[0].at("multiply_adds").get<int>(), 0);
  EXPECT_NE(json.at("kernels")[0].at("config"), json.at("kernels")[1].at("config"));
}

TEST_F(ExplainProgram, TakesAWorkloadForItsBest) {
  const ProgramResult r = Hone({"explain", record_.candidate.workload.ToText(), "--db", Db(), "--json"});
  ASSERT_EQ(r.code, 0) << r.err;
  EXPECT_EQ(ParseJson(r.out, "explain").at("workload"), record_.candidate.workload.ToText());
}

TEST_F(ExplainProgram, TakesThisMachinesBestBeforeAFasterOneElsewhere) {
  Record faster = record_;
  faster.id = "";
  faster.measurement.environment.cpu_id = "AuthenticAMD-99-1-0";
  faster.measurement.environment.host = "elsewhere";
  for (int64_t& ns : faster.measurement.samples_ns) ns = 1;
  faster = Finish(faster);
  RecordStore::Open(Db())->Append({faster});
  const ProgramResult r = Hone({"explain", record_.candidate.workload.ToText(), "--db", Db(), "--json"});
  ASSERT_EQ(r.code, 0) << r.err;
  EXPECT_NE(ParseJson(r.out, "explain").at("record"), faster.id);
}

TEST_F(ExplainProgram, RefusesWhatIsNoRecordInOneLine) {
  ExpectRefused("0000000000000000", 66, "hone log list");
  ExpectRefused("not-an-id", 2, "not-an-id");
  ExpectRefused("", 2, "neither");
  ExpectRefused("nn.dense data=1x7 weight=3x7", 66, "no time");
  ExpectRefused("some words", 65, "some");
}

TEST_F(ExplainProgram, ABeginningOfSeveralIdsIsRefusedWithThem) {
  const std::vector<Record> records = RecordStore::Open(Db())->Find({});
  for (const Record& a : records) {
    const auto same = [&](const Record& b) { return b.id != a.id && b.id[0] == a.id[0]; };
    if (std::none_of(records.begin(), records.end(), same)) continue;
    return ExpectRefused(a.id.substr(0, 1), 2, a.id);
  }
  FAIL() << "all of " << records.size() << " records begin with digits of their own";
}

TEST_F(ExplainProgram, RefusesRecordsThatCannotBeExplained) {
  Record failed = record_, old = record_;
  failed.id = old.id = "";
  failed.measurement.fate = Fate::kWrongOutput;
  failed.measurement.samples_ns.clear();
  failed.measurement.batch.clear();
  old.schedule_version = 999;
  failed = Finish(failed);
  old = Finish(old);
  RecordStore::Open(Db())->Append({failed, old});
  ExpectRefused(failed.id, 2, "WrongOutput");
  ExpectRefused(old.id, 2, "version 999");
}

constexpr const char* kMlp = "zoo:mlp --image-shape 1,14,14 --threads 1";

TEST_F(ExplainProgram, ListsTheLayersAsABuildChoosesThem) {
  const std::string records = std::string(" --hub none --db ") + Db();
  const ProgramResult listed = Shell(std::string("hone explain ") + kMlp + records + " --json");
  ASSERT_EQ(listed.code, 0) << listed.err;
  const ProgramResult built = Shell(std::string("hone build -o m.hone ") + kMlp + records + " --json");
  ASSERT_EQ(built.code, 0) << built.err;
  const Json report = ParseJson(built.out, "build"), explained = ParseJson(listed.out, "explain");
  std::map<std::string, Json> dispatch;
  for (const Json& row : report["dispatch"]) dispatch[row["workload"]] = row;
  int records_taken = 0;
  for (const Json& layer : explained["layers"]) {
    if (layer["workload"] == "") continue;
    const Json& row = dispatch.at(layer["workload"]);
    for (const char* field : {"schedule", "config", "record", "source"}) EXPECT_EQ(layer[field], row[field]) << field;
    records_taken += layer["record"] != "";
  }
  EXPECT_EQ(records_taken, 1) << listed.out;
}

TEST_F(ExplainProgram, ExplainsALayerByNameIndexOrPartOfItsWorkload) {
  ASSERT_EQ(Shell("hone zoo mlp --image-shape 1,14,14 -o m.onnx").code, 0);
  const std::string options = " --threads 1 --hub none --db " + Db();
  const auto ask = [&](const std::string& layer, const std::string& more = "") {
    return Shell("hone explain m.onnx:" + layer + options + more);
  };
  const Json list = ParseJson(Shell("hone explain m.onnx" + options + " --json").out, "list")["layers"];
  const auto tuned =
      std::find_if(list.begin(), list.end(), [](const Json& l) { return !l.value("record", "").empty(); });
  ASSERT_NE(tuned, list.end()) << list.dump();
  const std::string name = (*tuned)["nodes"][0], index = std::to_string((*tuned)["index"].get<int>());
  const std::string id = (*tuned)["record"];
  const ProgramResult by_name = ask(name);
  ASSERT_EQ(by_name.code, 0) << by_name.err;
  const std::string heading = "layer " + index + " of ";
  for (const std::string& layer : {name, index, std::string("data=1x128")}) {
    EXPECT_THAT(ask(layer).out, testing::StartsWith(heading)) << layer;
  }
  for (const std::string& part :
       {"record " + id, std::string("of store, measured on exactly this machine"), std::string("passed over: "),
        std::string("layouts: reads "), std::string("register tile: "), std::string("caches: ")}) {
    EXPECT_THAT(by_name.out, HasSubstr(part));
  }
  EXPECT_THAT(NextOf(by_name), testing::StartsWith("hone log why 'nn.dense data=1x128"));
  EXPECT_EQ(Shell(NextOf(by_name)).code, 0);
  EXPECT_THAT(NextOf(by_name, 1), testing::StartsWith("hone explain " + id));
  const Json json = ParseJson(ask(index, " --json").out, "explain");
  EXPECT_EQ(json["record"]["record"], id);
  EXPECT_GT(json["bounds"]["of_bound"].get<double>(), 0);
  EXPECT_THAT(ask(index, " --no-records").out, HasSubstr("no record: the analytic default"));
}

TEST_F(ExplainProgram, RefusesLayersThatAreNotThereInOneLine) {
  ExpectRefused("zoo:mlp:nothing", 66, "near ones: ");
  ExpectRefused("zoo:mlp:99", 66, "hone explain zoo:mlp");
  ExpectRefused("zoo:mlq:0", 66, "mlp");
  ExpectRefused("missing.onnx:conv1", 66, "missing.onnx");
}

}  // namespace
}  // namespace hone
