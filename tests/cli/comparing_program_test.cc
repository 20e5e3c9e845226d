// Choosing hardware as docs/howto/comparing.md shows it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <string>

#include "core/json/serialize.h"
#include "db/record_log.h"
#include "db/record_store.h"
#include "tests/cli/run_program.h"

namespace hone {
namespace {

using testing::AllOf;
using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;

class ComparingProgram : public ProgramTest {
 protected:
  // The log of this machine after a little tuning, and logs of two others with the same measurements and other times.
  void ExportThreeMachines() {
    const ProgramResult tuned =
        Shell("hone tune zoo:mlp --image-shape 1,14,14 --threads 1 --trials 6 --finals kernels --db left.db");
    ASSERT_EQ(tuned.code, 0) << tuned.err;
    ExportAs("left", "26", 1);
    ExportAs("right", "1", 2);
    ExportAs("old", "0", 7);
  }
  void ExportAs(const std::string& host, const std::string& model, int64_t slower) const {
    std::vector<Record> records = RecordStore::Open(Path("work/left.db"))->Find({});
    for (Record& record : records) {
      record.measurement.environment.host = host;
      record.measurement.environment.cpu_id = "AuthenticAMD-25-" + model + "-1";
      for (int64_t& ns : record.measurement.samples_ns) ns *= slower;
      record = Finish(record);
    }
    std::ofstream log(Path("work/" + host + ".log"));
    WriteLog(records, log);
  }
  // The commands of the page, in order.
  static std::vector<std::string> Commands() {
    std::ifstream in(std::string(HONE_SOURCE_DIR) + "/docs/howto/comparing.md");
    std::vector<std::string> commands;
    for (std::string line; std::getline(in, line);) {
      if (line.starts_with("$ ")) commands.push_back(line.substr(2));
    }
    return commands;
  }
};

TEST_F(ComparingProgram, TheSessionOfThePageRuns) {
  ExportThreeMachines();
  const std::vector<std::string> commands = Commands();
  EXPECT_GE(commands.size(), 7U);
  std::string out;
  for (const std::string& command : commands) {
    const ProgramResult result = Shell(command);
    EXPECT_EQ(result.code, 0) << command << "\n" << result.err;
    out += result.out;
  }
  EXPECT_THAT(out, AllOf(HasSubstr("(left)"), HasSubstr("(right)"), HasSubstr("(old)"), HasSubstr("1.00x"),
                         HasSubstr("price per million"), HasSubstr("what differs most"), HasSubstr("portability")));
  const std::string page = Read("work/report.html");
  EXPECT_THAT(page,
              AllOf(HasSubstr("data-chart="), HasSubstr("Roofline"), HasSubstr("Portability"),
                    HasSubstr("is the fastest"), HasSubstr("Least time so far"), HasSubstr("Outcomes of trials")));
  EXPECT_LT(page.size(), 1'000'000U);
  EXPECT_THAT(Read("work/compared.html"), HasSubstr("data-chart="));
}

TEST_F(ComparingProgram, WhatIsAskedWronglyIsSaidInOneLine) {
  ExportThreeMachines();
  ASSERT_EQ(Shell("hone log import left.log --db s.db").code, 0);
  const std::string model = "hone compare zoo:mlp --image-shape 1,14,14 --db s.db ";
  const std::vector<std::pair<std::string, int>> wrong = {
      {"hone compare --db s.db", 2},
      {model + "--price left=cheap", 2},
      {model + "--price nobody=1/h", 2},
      {model + "--accept colour", 2},
      {model + "--between left", 2},
      {model + "--between left,nobody", 2},
      {model + "--measure", 2},
      {model + "--csv --markdown", 2},
      {model + "--since yesterday", 2},
      {model + "--since 1d --csv", 2},
      {model + "--portability", 2},
      {"hone compare --since 1d", 2},
      {"hone compare --results left.log --since 1d", 65},
      {model + "--since 1d --html no/such/folder/x.html", 73},
      {model + "--html no/such/folder/x.html", 73},
      {model + "--results left.log", 2},
      {"hone compare --results left.log", 65},
      {"hone compare --results none.json", 66},
      {"hone compare zoo:mlp --db none.db", 66},
      {"hone report zoo:mlp --db s.db", 2},
      {"hone report zoo:nothing --db s.db -o r.html", 66},
  };
  for (const auto& [command, code] : wrong) {
    const ProgramResult result = Shell(command);
    EXPECT_EQ(result.code, code) << command << "\n" << result.err;
    EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << command << "\n" << result.err;
  }
  for (const std::string& file : Files()) EXPECT_THAT(file, Not(HasSubstr(".html")));
}

TEST_F(ComparingProgram, SaysWhatChangedSinceADayInEachForm) {
  ExportThreeMachines();
  ASSERT_EQ(Shell("hone log import left.log right.log --db s.db").code, 0);
  const std::string since = "hone compare zoo:mlp --image-shape 1,14,14 --db s.db --since ";
  const ProgramResult text = Shell(since + "1d --html changed.html");
  EXPECT_EQ(text.code, 0) << text.err;
  EXPECT_THAT(text.out, HasSubstr("6 new, 0 gone, 0 faster")) << "all was timed today";
  EXPECT_THAT(Read("work/changed.html"), AllOf(HasSubstr("Best records"), Not(HasSubstr("<script"))));
  const Json json = ParseJson(Shell(since + "2100-01-01 --json").out, "the history");
  EXPECT_EQ(json["format"], "hone-history");
  ASSERT_GE(json["diffs"].size(), 2U);
  for (const Json& diff : json["diffs"]) EXPECT_EQ(diff["change"], "gone");

  const ProgramResult diff = Shell("hone log diff left.db s.db --html diff.html --json");
  EXPECT_EQ(diff.code, 0) << diff.err;
  EXPECT_THAT(Read("work/diff.html"), AllOf(HasSubstr("From left.db to s.db"), HasSubstr("<table")));

  ASSERT_EQ(Shell("hone build zoo:mlp --image-shape 1,14,14 --no-records -o P.hone").code, 0);
  ASSERT_EQ(Shell("hone bench P.hone --runs 20 --write json=one.json").code, 0);
  ASSERT_EQ(Shell("hone bench P.hone --runs 20 --write json=two.json").code, 0);
  const Json series = ParseJson(Shell("hone compare --results two.json one.json --since 1h --json").out, "the history");
  ASSERT_EQ(series["series"].size(), 1U);
  EXPECT_EQ(series["series"][0]["points"].size(), 2U);
  EXPECT_EQ(series["series"][0]["points"][0]["package_sha256"], series["series"][0]["points"][1]["package_sha256"]);
}

// A measurement stores the roofs of its machine, which apply wherever the times are read.
TEST_F(ComparingProgram, WhatIsTimedKeepsItsMachinesRoofs) {
  ExportThreeMachines();
  for (const Record& record : RecordStore::Open(Path("work/left.db"))->Find({})) {
    EXPECT_THAT(record.measurement.environment.roofs, HasSubstr(" GFLOP/s, ")) << record.id;
  }
  ASSERT_EQ(Shell("hone build zoo:mlp --image-shape 1,14,14 --threads 1 --no-records -o P.hone").code, 0);
  ASSERT_EQ(Shell("hone bench P.hone --runs 20 --write json=one.json").code, 0);
  EXPECT_THAT(ParseJson(Read("work/one.json"), "one.json")["machine"]["roofs"].get<std::string>(),
              HasSubstr(" GFLOP/s, "));
  EXPECT_THAT(Shell("hone compare --results one.json --html one.html").out, HasSubstr("roofs of "));
  EXPECT_THAT(Read("work/one.html"), ContainsRegex("GB/s, (measured|assumed)"));
}

TEST_F(ComparingProgram, AnEmptyStoreHasNothingToCompare) {
  std::ofstream(Path("work/empty.log")) << "{\"format\":\"hone-log\",\"version\":1}\n";
  ASSERT_EQ(Shell("hone log import empty.log --db s.db").code, 0);
  EXPECT_EQ(Shell("hone compare zoo:mlp --db s.db").code, 1);
  const ProgramResult empty = Shell("hone report --db s.db -o r.html");
  EXPECT_EQ(empty.code, 0);
  EXPECT_THAT(empty.err, HasSubstr("the record store s.db is empty yet\nnext: hone tune MODEL --db s.db\n"));
  EXPECT_THAT(Read("work/r.html"), HasSubstr("hone tune MODEL makes the first ones. This page then shows"));
}

TEST_F(ComparingProgram, AReportBeforeTheFirstTuningSaysWhatWillBeThere) {
  const ProgramResult r = Shell("hone report zoo:mlp --db none.db -o r.html");
  EXPECT_EQ(r.code, 0);
  EXPECT_THAT(r.err, HasSubstr("there is no record store none.db yet; `hone tune` or `hone log import` makes it\n"));
  EXPECT_EQ(NextOf(r), "hone tune zoo:mlp --db none.db");
  EXPECT_THAT(Read("work/r.html"), HasSubstr("This page then shows each model&#39;s time on each device"));
  EXPECT_EQ(Shell("ls none.db").code, 2) << "it is not made";
}

TEST_F(ComparingProgram, EveryFormHasTheSameNumbers) {
  ExportThreeMachines();
  ASSERT_EQ(Shell("hone log import left.log right.log --db s.db").code, 0);
  const std::string compare = "hone compare zoo:mlp --image-shape 1,14,14 --db s.db ";
  const Json json = ParseJson(Shell(compare + "--json").out, "the comparison");
  ASSERT_EQ(json["cells"].size(), 2U);
  const std::string ns = std::to_string(json["cells"][0]["ns"].get<int64_t>());
  EXPECT_THAT(Shell(compare + "--csv").out, HasSubstr("," + ns + ","));
  EXPECT_THAT(Shell(compare + "--markdown").out, HasSubstr("| --- |"));
  EXPECT_EQ(json["portability"][0]["configs"][0]["on"][0]["efficiency"], 1.0);
}

}  // namespace
}  // namespace hone
