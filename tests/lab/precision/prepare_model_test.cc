#include "lab/precision/prepare_model.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "lab/files/npy.h"
#include "lab/files/write_file.h"

namespace hone {
namespace {

// Calibration inputs in a folder that may vanish after the first preparation.
class ModelPreparerTest : public testing::Test {
 protected:
  ModelPreparerTest() {
    options_.model = "zoo:dqn";
    options_.classes = 1000;
    options_.image_shape = "4,36,36";
    model_ = LoadModel(options_);
    std::filesystem::create_directories(folder_);
    for (uint64_t i = 0; i < 2; ++i) {
      Tensor input(DType::kFloat32, {1, 4, 36, 36});
      FillTensor(input, Fill::kNormal, i);
      WriteFileAtomically((folder_ / (std::to_string(i) + ".npy")).string(), NpyBytes(input));
    }
    precision_.calibrate = folder_.string();
  }
  ~ModelPreparerTest() override { std::filesystem::remove_all(folder_); }

  static Machine Of(const std::string& target) {
    MachineOptions options;
    options.target = target;
    options.threads = 1;
    return ResolveMachine(options);
  }
  static RecordOptions NoRecords() {
    RecordOptions records;
    records.no_records = true;
    return records;
  }

  const std::filesystem::path folder_ =
      std::filesystem::temp_directory_path() / ("hone_prepare_model_test." + std::to_string(getpid()));
  ModelOptions options_;
  Model model_;
  PrecisionOptions precision_;
};

TEST_F(ModelPreparerTest, CalibratesOnceForAllTargets) {
  for (const char* precision : {"int8", "auto"}) {
    SCOPED_TRACE(precision);
    const std::filesystem::path away = folder_.string() + ".away";
    ModelPreparer preparer(options_, model_, precision, precision_);
    const PreparedModel first = preparer.For(Of("cortex-a72"), NoRecords());
    std::filesystem::rename(folder_, away);
    const PreparedModel second = preparer.For(Of("x86-64-v3"), NoRecords());
    std::filesystem::rename(away, folder_);
    ASSERT_TRUE(first.chosen && second.chosen);
    EXPECT_EQ(first.chosen->samples, 2U);
    EXPECT_EQ(second.chosen->samples, 2U);
    EXPECT_EQ(second.machine.context.target.ToText(), Of("x86-64-v3").context.target.ToText());
  }
}

TEST_F(ModelPreparerTest, ChoosesWithWhatTheTasksWereFoundWith) {
  ModelPreparer preparer(options_, model_, "auto", precision_);
  const Machine machine = Of("cortex-a72");
  EXPECT_GT(preparer.TasksOfEachPrecision(machine).size(), ExtractTasks(model_.typed, machine.context).size());
  std::filesystem::remove_all(folder_);
  EXPECT_TRUE(preparer.For(machine, NoRecords()).chosen.has_value());
}

}  // namespace
}  // namespace hone
