// A build uses the records that a tuning run found.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <sstream>

#include "compiler/compile_kernel.h"
#include "db/record_log.h"
#include "rpc_runner/machine/environment.h"
#include "tests/end_to_end/run_model.h"
#include "tests/end_to_end/tune_record.h"
#include "tuner/record_config_source.h"

namespace hone {
namespace {

// A convolution of the second stage of resnet-18 at 3x64x64.
constexpr const char* kWorkload =
    "nn.conv2d data=1x64x16x16 weight=64x64x3x3 strides=1x1 padding=1x1x1x1 dilation=1x1 groups=1 dtype=float32 "
    "epilogue=bias_act";

class AppliedRecords : public testing::Test {
 protected:
  void TearDown() override {
    store_.reset();
    std::filesystem::remove_all(folder_);
  }
  BuildResult BuildWith(ConfigSource* configs) const {
    BuildOptions options = HostBuild();
    options.configs = configs;
    return Build(ZooModule("resnet-18", {3, 64, 64}, 1, 10), options);
  }
  static const PlanKernel& KernelOf(const Plan& plan) {
    const auto found = std::find_if(plan.kernels.begin(), plan.kernels.end(),
                                    [](const PlanKernel& k) { return k.dispatch.workload == kWorkload; });
    EXPECT_NE(found, plan.kernels.end());
    return *found;
  }

  static std::string Made(const std::string& folder) {
    std::filesystem::create_directory(folder);
    return folder;
  }

  // A folder, because a store keeps its journal beside it.
  std::string folder_ = Made(testing::TempDir() + "hone_applied_" + std::to_string(getpid()));
  std::unique_ptr<RecordStore> store_ = RecordStore::Open(folder_ + "/records.db");
  Fingerprint machine_ = FingerprintOf(ProbeEnvironment());
};

TEST_F(AppliedRecords, ARecordFromALogIsTheKernelOfTheBuild) {
  const Record record = WinningRecord(OddCandidate(Workload::Parse(kWorkload)), HostBuild().context.threads);
  std::istringstream log(LogOf(record));
  ASSERT_EQ(ImportLog(log, "a.log", *store_).fresh, 1);
  RecordConfigSource source(*store_, machine_);
  const BuildResult tuned = BuildWith(&source);
  const Dispatch& dispatch = KernelOf(tuned.plan).dispatch;
  EXPECT_EQ(dispatch.record, record.id);
  EXPECT_EQ(dispatch.source, "record");
  EXPECT_EQ(dispatch.schedule, record.candidate.schedule);
  EXPECT_EQ(dispatch.config, record.candidate.config.ToText());
  EXPECT_EQ(dispatch.expected_ns, 10);
  const auto alone = CompileKernel(record.candidate);
  ASSERT_TRUE(std::holds_alternative<Artifact>(alone));
  EXPECT_EQ(dispatch.kernel_sha256, std::get<Artifact>(alone).object_sha256);
}

TEST_F(AppliedRecords, WithoutRecordsItIsAnotherKernelAndTheSameFunction) {
  const Record record = WinningRecord(OddCandidate(Workload::Parse(kWorkload)), HostBuild().context.threads);
  store_->Append({record});
  RecordConfigSource source(*store_, machine_);
  const BuildResult tuned = BuildWith(&source), untuned = BuildWith(nullptr);
  EXPECT_EQ(KernelOf(untuned.plan).dispatch.record, "");
  EXPECT_EQ(KernelOf(untuned.plan).dispatch.source, "default");
  EXPECT_NE(KernelOf(untuned.plan).dispatch.kernel_sha256, KernelOf(tuned.plan).dispatch.kernel_sha256);
  const Tensor got = RunOnce(Package::FromBytes(tuned.package, "tuned"), 1, Fill::kNormal, 1).at(0);
  const Tensor want = RunOnce(Package::FromBytes(untuned.package, "untuned"), 1, Fill::kNormal, 1).at(0);
  EXPECT_LE(WorstError(got, {want.data<float>(), want.data<float>() + want.elements()}), 1e-4);
}

TEST_F(AppliedRecords, ARecordOfAnotherThreadCountSaysSo) {
  const Record record = WinningRecord(OddCandidate(Workload::Parse(kWorkload)), HostBuild().context.threads + 1);
  store_->Append({record});
  RecordConfigSource source(*store_, machine_);
  const BuildResult tuned = BuildWith(&source);
  EXPECT_EQ(KernelOf(tuned.plan).dispatch.record, record.id);
  EXPECT_EQ(KernelOf(tuned.plan).dispatch.source, "other threads");
}

}  // namespace
}  // namespace hone
