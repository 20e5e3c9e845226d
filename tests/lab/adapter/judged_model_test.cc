#include "lab/adapter/judged_model.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <string>
#include <vector>

#include "lab/files/read_file.h"
#include "lab/machine/machine.h"
#include "lab/model/build_model.h"

namespace hone {
namespace {

using Finding = JudgedOutputs::Finding;

JudgedModel Judged(const std::string& network, const std::string& image_shape) {
  ModelOptions options;
  options.model = network;
  options.image_shape = image_shape;
  MachineOptions machine;
  machine.threads = 1;
  RecordOptions records;
  records.no_records = true;
  const std::string bytes = BuildModel(LoadModel(options).typed, ResolveMachine(machine), records).result.package;
  return {options, *Package::InspectBytes(bytes, network), InputOptions{}};
}

// The reference's outputs, the first element of which is off by this share of the largest.
std::vector<Tensor> OffBy(JudgedModel& model, double share) {
  std::vector<Tensor> outputs = {model.Reference().at(0).Clone()};
  auto* values = outputs[0].data<float>();
  const float largest = std::abs(*std::max_element(values, values + outputs[0].elements(),
                                                   [](float a, float b) { return std::abs(a) < std::abs(b); }));
  values[0] += static_cast<float>(share) * largest;
  return outputs;
}

TEST(JudgedModel, AllowsWhatThePrecisionExplains) {
  JudgedModel model = Judged("zoo:mlp", "1,14,14");
  EXPECT_EQ(model.Judge(OffBy(model, 0), "float32").finding, Finding::kAgree);
  EXPECT_EQ(model.Judge(OffBy(model, 5e-5), "float32").finding, Finding::kAgree);
  const JudgedOutputs differs = model.Judge(OffBy(model, 1e-3), "float32");
  EXPECT_EQ(differs.finding, Finding::kDiffer);
  EXPECT_NEAR(differs.error, 1e-3, 1e-5);
  EXPECT_THAT(differs.why, testing::HasSubstr("output 0 differs from the float64 reference by 0.001 of its largest"));
  EXPECT_EQ(model.Judge(OffBy(model, 1e-3), "bfloat16").finding, Finding::kAgree);
  EXPECT_EQ(model.Judge(OffBy(model, 0.3), "bfloat16").finding, Finding::kDiffer);
}

TEST(JudgedModel, CannotTellWhereThePrecisionExplainsAlmostAll) {
  JudgedModel model = Judged("zoo:mobilenet_v2", "3,32,32");
  const JudgedOutputs judged = model.Judge(OffBy(model, 0.05), "bfloat16");
  EXPECT_EQ(judged.finding, Finding::kCannotTell) << judged.allowed;
  EXPECT_THAT(judged.why, testing::HasSubstr("and bfloat16 may change it by "));
  // Outputs that agree in float32 need no allowance.
  EXPECT_EQ(model.Judge(OffBy(model, 0), "bfloat16").finding, Finding::kAgree);
}

TEST(JudgedModel, NamesOutputsOfAnotherForm) {
  JudgedModel model = Judged("zoo:mlp", "1,14,14");
  EXPECT_THAT(model.Judge({}, "float32").why, testing::HasSubstr("it gives 0 outputs, and the model has 1"));
  const JudgedOutputs shape = model.Judge({Tensor(DType::kFloat32, {3})}, "float32");
  EXPECT_EQ(shape.finding, Finding::kDiffer);
  EXPECT_THAT(shape.why, testing::HasSubstr("output 0 is 3, and 1x"));
  EXPECT_EQ(model.Judge(OffBy(model, NAN), "bfloat16").finding, Finding::kDiffer);
}

TEST(JudgedModel, GivesInputsInTheModelsOrder) {
  const std::string path = testing::TempDir() + "ordered.relay";
  std::ofstream(path) << "def @main(%second: Tensor[(1, 8), float32], %first: Tensor[(1, 4), float32]) {\n"
                         "  %0 = concatenate((%second, %first), axis=1);\n  negative(%0)\n}\n";
  const Json inputs = Judged(path, "").AdapterInputs();
  ASSERT_EQ(inputs.size(), 2);
  EXPECT_EQ(inputs[0]["name"], "second");
  EXPECT_EQ(inputs[1]["shape"], Json::array({1, 4}));
}

TEST(JudgedModel, ExportsWhatIsNoFileAndLeavesNone) {
  std::string path;
  {
    const JudgedModel model = Judged("zoo:mlp", "1,14,14");
    path = model.path();
    EXPECT_TRUE(path.ends_with(".onnx"));
    EXPECT_TRUE(IsThere(path));
  }
  EXPECT_FALSE(IsThere(path));
}

}  // namespace
}  // namespace hone
