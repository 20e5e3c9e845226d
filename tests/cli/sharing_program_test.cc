// Logs, packs and stores shared between people: `hone log` as docs/howto/sharing.md shows it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "core/json/serialize.h"
#include "db/record_log.h"
#include "db/record_store.h"
#include "tests/cli/run_program.h"
#include "tests/db/one_shot_server.h"

namespace hone {
namespace {

using testing::HasSubstr;

class SharingProgram : public ProgramTest {
 protected:
  // The log of a machine that tuned a little, and of another one with the same measurements and other times.
  void ExportTwoMachines() {
    const ProgramResult tuned = Shell(
        "hone tune zoo:mlp --image-shape 1,14,14 --threads 1 --trials 6 --finals kernels --db left.db && "
        "hone log export --all --db left.db -o left.log");
    ASSERT_EQ(tuned.code, 0) << tuned.err;
    std::vector<Record> records = RecordStore::Open(Path("work/left.db"))->Find({});
    for (Record& record : records) {
      record.measurement.environment.host = "right";
      record.measurement.environment.cpu_id = "AuthenticAMD-25-1-1";
      for (int64_t& ns : record.measurement.samples_ns) ns *= 2;
      record = Finish(record);
    }
    std::ofstream log(Path("work/right.log"));
    WriteLog(records, log);
  }

  // The commands of the page, in order.
  static std::vector<std::string> CommandsOf(const std::string& page) {
    std::ifstream in(std::string(HONE_SOURCE_DIR) + "/docs/" + page);
    std::vector<std::string> commands;
    for (std::string line; std::getline(in, line);) {
      if (line.starts_with("$ ")) commands.push_back(line.substr(2));
    }
    return commands;
  }
};

TEST_F(SharingProgram, TheSessionOfThePageRuns) {
  ExportTwoMachines();
  std::filesystem::create_directory(Path("work/public"));
  const std::vector<std::string> commands = CommandsOf("howto/sharing.md");
  EXPECT_GE(commands.size(), 9U);
  std::string out;
  for (const std::string& command : commands) {
    if (command.starts_with("minisign") && Shell("minisign -v").code != 0) continue;
    const ProgramResult result = Shell(command);
    EXPECT_EQ(result.code, 0) << command << "\n" << result.err;
    out += result.out;
  }
  EXPECT_THAT(out, HasSubstr("byte for byte"));
  EXPECT_THAT(out, HasSubstr("records hold within 3 %"));
  EXPECT_THAT(out, HasSubstr("0 new, "));
  EXPECT_TRUE(std::filesystem::exists(Path("work/mlp.hone")));
  EXPECT_EQ(Shell("hone log pull public/team.honepack --db mine.db").code, 0) << "the same again";
  Shell("hone log untrust team");
  const ProgramResult refused = Shell("hone log pull public/team.honepack --db other.db");
  EXPECT_EQ(refused.code, 77) << refused.err;
  EXPECT_FALSE(std::filesystem::exists(Path("work/other.db")));
}

TEST_F(SharingProgram, APackThatWasChangedIsRefusedAndLeavesNothing) {
  ExportTwoMachines();
  ASSERT_EQ(Shell("hone log keygen -o k && hone log pack --name x --db left.db --signing-key k -o x.honepack").code, 0);
  std::string bytes = Read("work/x.honepack");
  bytes[bytes.size() / 2] = static_cast<char>(bytes[bytes.size() / 2] ^ 1);
  Write("work/x.honepack", bytes);
  const ProgramResult refused = Shell("hone log pull x.honepack --signing-key k.pub --db mine.db");
  EXPECT_EQ(refused.code, 77) << refused.err;
  EXPECT_EQ(std::count(refused.err.begin(), refused.err.end(), '\n'), 1) << refused.err;
  EXPECT_FALSE(std::filesystem::exists(Path("work/mine.db")));
  EXPECT_EQ(Shell("hone log push x.honepack .").code, 65);
  EXPECT_EQ(Shell("hone log pack --name x --db left.db -o x.honepack").code, 73) << "a pack never changes";
}

TEST_F(SharingProgram, OneRecordOfEachTaskIsExported) {
  ExportTwoMachines();
  const auto lines = [&](const std::string& options) {
    const std::string out = Shell("hone log export --db left.db " + options).out;
    return std::count(out.begin(), out.end(), '\n') - 1;  // less the header
  };
  const auto all = lines("--all"), best = lines("");
  EXPECT_GT(all, best);
  EXPECT_GT(best, 0);
  EXPECT_EQ(lines("--best"), best);
  EXPECT_EQ(lines("--fate Ok"), best);
  EXPECT_EQ(Shell("hone log export --db left.db --best --all").code, 2);
  EXPECT_EQ(lines("--model zoo:mlp --threads 1"), best - 1) << "its own image is larger: another first layer";
  EXPECT_EQ(lines("--all --since 1h"), all);
  EXPECT_EQ(lines("--since 2099-01-01"), 0);
  EXPECT_EQ(Shell("hone log export --db left.db --since yesterday").code, 2);
}

// Failed records are never the best.
TEST_F(SharingProgram, RecordsThatFailedAreExportedWhereTheyAreAskedFor) {
  ExportTwoMachines();
  Record failed = RecordStore::Open(Path("work/left.db"))->Find({}).front();
  failed.measurement.fate = Fate::kCrashed;
  failed = Finish(failed);
  RecordStore::Open(Path("work/left.db"))->Append({failed});
  EXPECT_THAT(Shell("hone log export --db left.db --fate Crashed").out, HasSubstr(failed.id));
  EXPECT_EQ(Shell("hone log export --db left.db").out.find(failed.id), std::string::npos);
}

TEST_F(SharingProgram, AStoreIsComparedWithWhatItWasBeforeADay) {
  ExportTwoMachines();
  const auto store = RecordStore::Open(Path("work/left.db"));
  std::vector<Record> records = store->Find({});
  for (Record& record : records) {
    record.unix_ms = 1'700'000'000'000;  // 2023-11-14
    record.measurement.samples_ns = std::vector<int64_t>(9, 1);
    record.measurement.batch = std::vector<int64_t>(9, 1);
    record.session = "before";
    record.finals = {};
    record = Finish(record);
  }
  store->Append(records);
  const Json diffs = ParseJson(Shell("hone log diff left.db --since 2024-01-01 --json").out, "the diffs")["diffs"];
  ASSERT_EQ(diffs.size(), 3U);
  for (const Json& diff : diffs) EXPECT_EQ(diff["before_ns"], 1);
  const Json news = ParseJson(Shell("hone log diff left.db --since 2020-01-01 --json").out, "the diffs")["diffs"];
  for (const Json& diff : news) EXPECT_EQ(diff["change"], "new");
  EXPECT_THAT(Shell("hone log diff left.db --since 2024-01-01").out, HasSubstr("3 "));
  for (const char* wrong : {"left.db", "left.db left.db --since 1h", "left.db --since yesterday"}) {
    EXPECT_EQ(Shell(std::string("hone log diff ") + wrong).code, 2) << wrong;
  }
}

TEST_F(SharingProgram, APackIsPulledFromAWebServer) {
  ExportTwoMachines();
  ASSERT_EQ(Shell("hone log keygen -o k && hone log pack --name p --db left.db --key k -o p.honepack").code, 0);
  const std::string pack = Read("work/p.honepack"), signature = Read("work/p.honepack.minisig");
  const OneShotServer server([&](int, const std::string& request) {
    const std::string& body = request.find("minisig ") != std::string::npos ? signature : pack;
    if (!request.starts_with("GET /hub/p.honepack"))
      return std::string("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n");
    return "HTTP/1.1 200 OK\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
  });
  const std::string pull = "hone log pull " + server.Url("/hub/p.honepack") + " --db mine.db";
  const ProgramResult untrusted = Shell(pull);
  EXPECT_EQ(untrusted.code, 77) << untrusted.err;
  EXPECT_FALSE(std::filesystem::exists(Path("work/mine.db")));
  const ProgramResult pulled = Shell(pull + " --key k.pub");
  EXPECT_EQ(pulled.code, 0) << pulled.err;
  EXPECT_EQ(Shell("hone log best --db mine.db").out, Shell("hone log best --db left.db").out);
  EXPECT_EQ(Shell("hone log pull " + server.Url("/hub/other.honepack") + " --key k.pub --db mine.db").code, 66);
}

TEST_F(SharingProgram, AStoreIsCheckedCopiedPrunedAndRecovered) {
  ExportTwoMachines();
  EXPECT_EQ(Shell("hone log check --db left.db").code, 0);
  EXPECT_EQ(Shell("hone log backup --db left.db -o copy.db").code, 0);
  EXPECT_EQ(Shell("hone log backup --db left.db -o copy.db").code, 73);
  EXPECT_EQ(Shell("hone log prune --db copy.db").code, 2) << "nothing says what may go";
  const std::string best = Shell("hone log best --db copy.db").out;
  EXPECT_EQ(Shell("hone log prune --db copy.db --keep 1").code, 0);
  EXPECT_EQ(Shell("hone log best --db copy.db").out, best);
  EXPECT_THAT(Shell("hone log stats --db left.db").out, HasSubstr("records"));
  std::string bytes = Read("work/left.db");
  std::fill_n(bytes.begin(), 4096, '\0');
  Write("work/left.db", bytes);
  const ProgramResult damaged = Shell("hone log check --db left.db");
  EXPECT_EQ(damaged.code, 65);
  EXPECT_THAT(damaged.err, HasSubstr("hone log recover left.db"));
  EXPECT_EQ(Shell("hone log recover left.db -o new.db").code, 0);
  EXPECT_EQ(Shell("hone log check --db new.db").code, 0);
  EXPECT_GT(RecordStore::Open(Path("work/new.db"))->Stats().records, 0);
}

TEST_F(SharingProgram, OtherTunersLinesAreCountedAndRefusedOneByOne) {
  const ProgramResult r = Hone({"log", "import", HONE_TEST_DATA "/autotvm/templates.log", "--json"});
  EXPECT_EQ(r.code, 65);
  const Json report = ParseJson(r.out, "the report");
  EXPECT_EQ(report["counts"]["foreign"], 12);
  EXPECT_EQ(report["counts"]["foreign_failed"], 2);
  EXPECT_EQ(report["refused"].size(), 5U);
  EXPECT_THAT(Hone({"log", "list"}).out, HasSubstr("0 records")) << "no record, and never a best";
}

}  // namespace
}  // namespace hone
