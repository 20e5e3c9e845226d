// Logs of other tuners, and the outcome of each line.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include "core/error.h"
#include "core/machine/fingerprint.h"
#include "db/record_log.h"
#include "tests/db/sample_record.h"
#include "tests/db/store_place.h"

namespace hone {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr int64_t kGood = 12;  // lines of templates.log that are trials
const std::string kTemplates = HONE_TEST_DATA "/autotvm/templates.log";

class ForeignImport : public testing::Test {
 protected:
  ImportCounts Import(const std::string& text) {
    std::istringstream in(text);
    return ImportLog(in, "x.log", *store_);
  }
  std::vector<std::string> Configs(const std::string& task) {
    std::vector<std::string> texts;
    for (const ForeignTrial& trial : store_->FindForeign("")) {
      if (trial.task == task && trial.fate == Fate::kOk) texts.push_back(trial.schedule + " " + trial.config.ToText());
    }
    return texts;
  }

  TempFolder folder_;
  StorePlace place_;
  std::unique_ptr<RecordStore> store_ = place_.Open();
};

TEST_F(ForeignImport, EveryLineIsATrialOrRefusedWithItsReason) {
  const ImportCounts counts = Import(ReadBytes(kTemplates));
  EXPECT_EQ(counts.fresh, kGood);
  EXPECT_EQ(counts.foreign, kGood);
  EXPECT_EQ(counts.foreign_failed, 2);
  std::map<int64_t, std::string> refused;
  for (const RefusedLine& line : counts.refused) refused[line.line] = line.reason;
  ASSERT_EQ(refused.size(), 5U);
  EXPECT_THAT(refused[14], HasSubstr("conv2d_nchw_winograd.arm_cpu"));
  EXPECT_THAT(refused[15], HasSubstr("version 0.1"));
  EXPECT_THAT(refused[16], HasSubstr("Ansor"));
  EXPECT_THAT(refused[17], HasSubstr("MetaSchedule"));
  EXPECT_THAT(refused[18], HasSubstr("pickle"));
  EXPECT_EQ(Import(ReadBytes(kTemplates)).known, kGood) << "importing twice changes nothing";
}

TEST_F(ForeignImport, KnobsMeanWhatTheSchedulesMean) {
  Import(ReadBytes(kTemplates));
  EXPECT_THAT(Configs("conv2d_NCHWc.x86"),
              ElementsAre("conv2d_direct oc_block=16 ic_block=16 tile_oc=1 tile_ow=14 tile_oh=2",
                          "conv2d_direct oc_block=32 ic_block=16 tile_oc=1 tile_ow=7"));
  EXPECT_THAT(Configs("depthwise_conv2d_NCHWc.x86"), ElementsAre("conv2d_depthwise oc_block=16 tile_ow=7"));
  EXPECT_THAT(Configs("dense_pack.x86"),
              ElementsAre("dense_pack oc_block=16 tile_m=4 unroll_ic=8", "dense_pack oc_block=16 tile_m=4"));
  EXPECT_THAT(Configs("dense_nopack.x86"), ElementsAre("dense_pack oc_block=8 tile_m=1"));
  EXPECT_THAT(Configs("batch_matmul.x86"), ElementsAre("batch_matmul oc_block=8 tile_m=4"));
  EXPECT_THAT(Configs("conv2d_nchw_spatial_pack.arm_cpu"), ElementsAre("conv2d_direct oc_block=4 tile_oc=1 tile_ow=7",
                                                                       "conv2d_direct oc_block=4 tile_oc=1 tile_ow=7"));
  EXPECT_THAT(Configs("depthwise_conv2d_nchw.arm_cpu"), ElementsAre("conv2d_depthwise oc_block=4 tile_ow=7"));
}

TEST_F(ForeignImport, ATrialKeepsWhereItCameFromAndItsLine) {
  Import(ReadBytes(kTemplates));
  const std::string workload =
      "nn.conv2d data=1x64x28x28 weight=128x64x3x3 strides=2x2 padding=1x1x1x1 dilation=1x1 groups=1 dtype=float32 "
      "epilogue=none";
  const std::vector<ForeignTrial> trials = store_->FindForeign(workload);
  ASSERT_EQ(trials.size(), 1U);
  EXPECT_EQ(trials[0].source, "x.log");
  EXPECT_EQ(trials[0].format, "autotvm-0.2");
  EXPECT_EQ(trials[0].target, "llvm -keys=cpu -mcpu=skylake-avx512");
  EXPECT_EQ(trials[0].cost_ns, 30'000) << "the mean of its two costs";
  EXPECT_EQ(trials[0].unix_ms, 1'700'000'000'250);
  EXPECT_THAT(ReadBytes(kTemplates), HasSubstr(trials[0].line));
}

TEST_F(ForeignImport, TheWorkloadsAreHones) {
  Import(ReadBytes(kTemplates));
  std::map<std::string, int> trials;
  for (const ForeignTrial& trial : store_->FindForeign("")) ++trials[trial.workload];
  EXPECT_EQ(trials["nn.batch_matmul data=12x32x16 weight=12x32x16 layouts=BMK,BNK,BMN dtype=float32 epilogue=none"], 1);
  EXPECT_EQ(trials["nn.dense data=16x96 weight=48x96 dtype=float32 epilogue=none"], 3);
  EXPECT_EQ(trials["nn.conv2d data=1x16x14x14 weight=32x16x3x3 strides=1x1 padding=1x1x1x1 dilation=1x1 groups=1 "
                   "dtype=int8,int8,int32,int32 epilogue=none"],
            1);
  EXPECT_EQ(trials["nn.conv2d data=1x32x14x14 weight=32x1x3x3 strides=1x1 padding=1x1x1x1 dilation=1x1 groups=32 "
                   "dtype=float32 epilogue=none"],
            2);
}

TEST_F(ForeignImport, NoQueryOfRecordsSeesThem) {
  Import(ReadBytes(kTemplates));
  EXPECT_THAT(store_->Find({}), IsEmpty());
  EXPECT_THAT(store_->Workloads(), IsEmpty());
  EXPECT_EQ(store_->Arrived(), 0);
  const Target target = Target::Parse("llvm -mtriple=x86_64-pc-linux-gnu -mcpu=skylake-avx512");
  for (const ForeignTrial& trial : store_->FindForeign("")) {
    EXPECT_THAT(store_->Best(trial.workload, target, Fingerprint(), 1), IsEmpty());
  }
  EXPECT_EQ(store_->Stats().foreign, kGood);
}

TEST_F(ForeignImport, TheFastestComeFirstAndTheFailedLast) {
  Import(ReadBytes(kTemplates));
  const auto trials = store_->FindForeign("nn.dense data=16x96 weight=48x96 dtype=float32 epilogue=none");
  ASSERT_EQ(trials.size(), 3U);
  EXPECT_EQ(trials[0].cost_ns, 5000);
  EXPECT_EQ(trials[1].cost_ns, 6000);
  EXPECT_EQ(trials[2].fate, Fate::kTimedOut);
  EXPECT_EQ(trials[2].cost_ns, 0);
  EXPECT_EQ(store_->FindForeign(trials[0].workload, 1).size(), 1U);
}

TEST_F(ForeignImport, AHoneLogMayStandBehindAForeignOne) {
  std::string text = ReadBytes(kTemplates) + "{\"format\":\"hone-log\",\"version\":1}\n";
  text += DumpJson(ToJson(SampleRecord(1))) + "\n" + ReadBytes(kTemplates);
  const ImportCounts counts = Import(text);
  EXPECT_EQ(counts.fresh, kGood + 1);
  EXPECT_EQ(counts.known, kGood);
}

// A line cut anywhere is not imported; the lines around it are.
TEST_F(ForeignImport, ALineThatIsCutIsRefusedAlone) {
  std::istringstream in(ReadBytes(kTemplates));
  std::string comment, first, second;
  std::getline(in, comment);
  std::getline(in, first);
  std::getline(in, second);
  for (size_t size = 1; size < first.size(); ++size) {
    const ImportCounts counts = Import(first.substr(0, size) + "\n" + second + "\n");
    ASSERT_EQ(counts.refused.size(), 1U) << size;
    ASSERT_EQ(counts.refused[0].line, 1);
    ASSERT_EQ(counts.fresh + counts.known, 1) << size;
  }
}

TEST_F(ForeignImport, FieldsThatCannotBeAreRefused) {
  std::istringstream in(ReadBytes(kTemplates));
  std::string line;
  std::getline(in, line);
  std::getline(in, line);
  const std::vector<std::pair<std::string, std::string>> damages = {{"[2e-05, 4e-05]", "[]"},
                                                                    {"[2e-05, 4e-05]", "[-1]"},
                                                                    {"[2e-05, 4e-05]", "[\"x\"]"},
                                                                    {"[2e-05, 4e-05]", "[1e300]"},
                                                                    {"[[2e-05, 4e-05], 0", "[[2e-05, 4e-05], 9"},
                                                                    {"\"sp\", [-1, 32]", "\"sp\", []"},
                                                                    {"\"sp\", [-1, 32]", "\"sp\", [-1, 0]"},
                                                                    {"\"tile_oc\"", "\"tile_q\""},
                                                                    {"[1, 64, 28, 28]", "[1, 63, 28, 28]"},
                                                                    {"[1, 64, 28, 28]", "[1, 64, 28]"},
                                                                    {"[1, 64, 28, 28]", "[1, 64, 28, 9000000000000]"},
                                                                    {"[2, 2]", "[0, 2]"},
                                                                    {"[1, 1, 1, 1]", "[-1, 1, 1, 1]"},
                                                                    {"\"NCHW\", \"NCHW\"", "\"NHWC\", \"NHWC\""},
                                                                    {"\"float32\"], {}", "\"float33\"], {}"},
                                                                    {"\"version\": 0.2", "\"version\": 0.3"},
                                                                    {"1700000000.25", "-5"},
                                                                    {"\"ot\"", "\"zz\""}};
  for (const auto& [from, to] : damages) {
    std::string damaged = line;
    ASSERT_NE(damaged.find(from), std::string::npos) << from;
    damaged.replace(damaged.find(from), from.size(), to);
    const ImportCounts counts = Import(damaged);
    EXPECT_EQ(counts.fresh + counts.known, 0) << to;
    ASSERT_EQ(counts.refused.size(), 1U) << to;
    EXPECT_FALSE(counts.refused[0].reason.empty());
  }
}

// The reader recognises a line's input when it repeats, but must not take the input of another line.
TEST_F(ForeignImport, LinesThatBeginAlikeAreReadAsOnTheirOwn) {
  const std::string all = ReadBytes(kTemplates);
  std::istringstream in(all);
  std::string line;
  while (std::getline(in, line)) {
    std::string noted = line;
    if (const size_t at = noted.find(", {}]"); at != std::string::npos) noted.replace(at, 5, R"(, {"config": 1}])");
    std::string twice = line;
    if (const size_t at = twice.find("\"result\""); at != std::string::npos) twice.insert(at, "\"input\": 1, ");
    const auto alone = RecordStore::Open(folder_.File("alone.db")),
               together = RecordStore::Open(folder_.File("all.db"));
    int64_t fresh = 0, refused = 0;
    for (const std::string& text : {line, noted, line, twice}) {
      std::istringstream one(text);
      const ImportCounts counts = ImportLog(one, "x", *alone);
      fresh += counts.fresh;
      refused += static_cast<int64_t>(counts.refused.size());
    }
    std::istringstream four(line + "\n" + noted + "\n" + line + "\n" + twice + "\n");
    const ImportCounts counts = ImportLog(four, "x", *together);
    EXPECT_EQ(counts.fresh, fresh) << line;
    EXPECT_EQ(static_cast<int64_t>(counts.refused.size()), refused) << line;
    EXPECT_EQ(together->FindForeign(""), alone->FindForeign(""));
  }
}

// Logs that others published, from HONE_TUNING_LOGS or else shared/ beside the checkout. Tests are skipped where the
// logs are absent.
class PublishedLogs : public ForeignImport {
 protected:
  ImportCounts ImportFile(const std::string& name) {
    const char* named = std::getenv("HONE_TUNING_LOGS");
    const std::filesystem::path folder = named != nullptr ? named : HONE_SOURCE_DIR "/../shared/data/tuning_logs";
    if (!std::filesystem::exists(folder / name)) return {};
    std::ifstream in(folder / name, std::ios::binary);
    return ImportLog(in, name, *store_);
  }
};

struct Published {
  const char* file;
  int64_t trials, failed, refused;
};

TEST_F(PublishedLogs, NoLineIsDropped) {
  for (const Published& log :
       {Published{"tlcbench_resnet_50-B1-float32.graph.log", 53, 0, 0}, Published{"tophub_llvm_v0.04.log", 35, 0, 0},
        Published{"tophub_llvm_v0.03.log", 0, 0, 35}, Published{"tophub_arm_cpu_v0.07.log", 961 + 90, 0, 105 + 8},
        Published{"tlcbench_bert-B1-float32.kernel.log", 5254 + 896 + 650, 650, 0}}) {
    const ImportCounts counts = ImportFile(log.file);
    if (counts.fresh + counts.known == 0 && counts.refused.empty()) GTEST_SKIP() << log.file << " is not at hand";
    EXPECT_EQ(counts.foreign, log.trials) << log.file;
    EXPECT_EQ(counts.fresh + counts.known, log.trials) << log.file;
    EXPECT_EQ(counts.foreign_failed, log.failed) << log.file;
    EXPECT_EQ(static_cast<int64_t>(counts.refused.size()), log.refused) << log.file;
  }
}

}  // namespace
}  // namespace hone
