// `--precision int8` and `auto` of hone build and hone tune.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "core/json/json_fields.h"
#include "lab/files/npy.h"
#include "tests/cli/run_program.h"
#include "tests/compiler/frontend/model_maker.h"

namespace hone {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::Not;

const std::string kModel = "zoo:dqn --classes 1000 --image-shape 4,36,36 ";
const std::string kBuild = "hone build " + kModel + "--threads 1 --no-records ";
const Shape kInput{1, 4, 36, 36};

Tensor Drawn(const Shape& shape, uint64_t seed) {
  Tensor tensor(DType::kFloat32, shape);
  FillTensor(tensor, Fill::kNormal, seed);
  return tensor;
}

// Two convolutions with a relu between them, in an opset without scales per channel.
std::string OldModel() {
  std::vector<float> first, second;
  for (int i = 0; i < 8 * 4 * 9; ++i) first.push_back(static_cast<float>(std::sin(i)));
  for (int i = 0; i < 8 * 8; ++i) second.push_back(static_cast<float>(std::cos(i)));
  ModelMaker model(9);
  model.Input("x", {1, 4, 8, 8}).Weight("w", {8, 4, 3, 3}, first).Weight("v", {8, 8, 1, 1}, second);
  model.Node("Conv", {"x", "w"}, {"a"}).Node("Relu", {"a"}, {"b"}).Node("Conv", {"b", "v"}, {"y"});
  return model.Output("y").Bytes();
}

class PrecisionProgram : public ProgramTest {
 protected:
  void WriteFolder(const std::string& folder, int count) const {
    for (int i = 0; i < count; ++i) Put(folder, std::to_string(i) + ".npy", Drawn(kInput, static_cast<uint64_t>(i)));
  }
  void Put(const std::string& folder, const std::string& name, const Tensor& tensor) const {
    std::filesystem::create_directories(Path("work/" + folder));
    Write("work/" + folder + "/" + name, NpyBytes(tensor));
  }
  Json JsonOf(const std::string& command) const {
    const ProgramResult r = Shell(command + " --json");
    EXPECT_EQ(r.code, 0) << command << "\n" << r.err;
    return r.code == 0 ? Json::parse(r.out) : Json::object();
  }
  Json ManifestOf(const std::string& package) const { return JsonOf("hone package info " + package).at("manifest"); }
  void Expect(const std::string& command, int code, const std::string& message) const {
    const ProgramResult r = Shell(command);
    EXPECT_EQ(r.code, code) << command << "\n" << r.err;
    EXPECT_THAT(r.err, HasSubstr(message)) << command;
    EXPECT_EQ(std::count(r.err.begin(), r.err.end(), '\n'), 1) << r.err;
    EXPECT_THAT(Files(), Not(Contains(HasSubstr("P.hone")))) << command;
  }
};

TEST_F(PrecisionProgram, Int8IsWhatQuantizeMakes) {
  WriteFolder("in", 3);
  ASSERT_EQ(Shell("hone quantize " + kModel + "--calibrate in -o Q.onnx").code, 0);
  ASSERT_EQ(Shell("hone build Q.onnx --threads 1 --no-records -o Q.hone").code, 0);
  const Json built = JsonOf(kBuild + "--precision int8 --calibrate in -o P.hone");
  for (const char* package : {"P", "Q"}) {
    ASSERT_EQ(Shell(std::string("hone run ") + package + ".hone --seed 3 --output " + package).code, 0);
  }
  EXPECT_EQ(Read("work/P/output.npy"), Read("work/Q/output.npy"));
  const Json manifest = ManifestOf("P.hone");
  EXPECT_EQ(manifest.at("model"), "zoo:dqn");
  EXPECT_EQ(manifest.at("precision").at("name"), "int8");
  EXPECT_EQ(manifest.at("precision").at("layers"), Json({{"float32", 0}, {"bfloat16", 0}, {"int8", 5}}));
  EXPECT_EQ(manifest.at("precision").at("error"), built.at("precision").at("max_error"));
  EXPECT_FALSE(ManifestOf("Q.hone").contains("precision"));
}

// hone reads scales per channel in any opset, so a model need not be converted for it.
TEST_F(PrecisionProgram, AModelOfAnOldOpsetBecomesInt8Too) {
  Write("work/old.onnx", OldModel());
  Expect("hone quantize old.onnx --calibrate random -o P.hone", 65, "the model uses opset 9");
  const Json built = JsonOf("hone build old.onnx --no-records --precision int8 --calibrate random -o P.hone");
  EXPECT_EQ(built.at("precision").at("layers").size(), 2U);
  EXPECT_GT(built.at("precision").at("max_error").get<double>(), 0);
  EXPECT_LT(built.at("precision").at("max_error").get<double>(), 0.3);
  EXPECT_THAT(built.at("dispatch").dump(), HasSubstr("uint8,int8,int32"));
}

TEST_F(PrecisionProgram, Int8LeavesLayersInFloatWithinABudget) {
  const std::string int8 = kBuild + "--precision int8 --calibrate random --samples 3 -o P.hone";
  const double all = JsonOf(int8).at("precision").at("max_error").get<double>();
  const Json half = JsonOf(int8 + " --max-error " + std::to_string(all / 2)).at("precision");
  EXPECT_LE(half.at("max_error").get<double>(), all / 2);
  EXPECT_EQ(half.at("name"), "mixed");
  std::filesystem::remove(Path("work/P.hone"));
  Expect(int8 + " --max-error 1e-9", 1, "the least that was reached is");
}

TEST_F(PrecisionProgram, AutoWithoutABudgetIsFloat32ToTheByte) {
  ASSERT_EQ(Shell(kBuild + "-o F.hone").code, 0);
  const ProgramResult r = Shell(kBuild + "--precision auto --max-error 0 --calibrate random -o P.hone");
  ASSERT_EQ(r.code, 0) << r.err;
  EXPECT_EQ(Read("work/P.hone"), Read("work/F.hone"));
  EXPECT_FALSE(ManifestOf("P.hone").contains("precision"));
}

// The fastest network depends on the machine. Any choice holds the budget and is reported the same everywhere.
TEST_F(PrecisionProgram, AutoTakesOneThatHoldsTheBudgetAndTellsAll) {
  WriteFolder("in", 5);
  const Json report = JsonOf(kBuild + "--precision auto --max-error 0.2 --calibrate in -o P.hone");
  const Json& chosen = report.at("precision");
  EXPECT_EQ(chosen.at("calibration"), Json({{"from", "in"}, {"samples", 4}, {"held_out", 1}}));
  EXPECT_TRUE(chosen.at("measured").get<bool>());
  EXPECT_EQ(chosen.at("layers").size(), 5U);
  int taken = 0;
  for (const Json& tried : chosen.at("tried")) {
    EXPECT_GT(tried.at("ns").get<int64_t>(), 0) << tried;
    if (!tried.at("taken").get<bool>()) continue;
    ++taken;
    EXPECT_TRUE(tried.at("holds").get<bool>());
    EXPECT_LE(tried.at("max_error").get<double>(), 0.2);
    EXPECT_EQ(tried.at("max_error"), chosen.at("max_error"));
  }
  EXPECT_EQ(taken, 1);
  const Json manifest = ManifestOf("P.hone");
  const std::string name =
      manifest.contains("precision") ? manifest.at("precision").at("name").get<std::string>() : "float32";
  EXPECT_EQ(chosen.at("name"), name);
}

// A transposed convolution is a layer like others: it may keep float32 in a network whose other layer is bfloat16.
TEST_F(PrecisionProgram, ATransposedConvolutionIsALayer) {
  std::vector<float> first, up;
  for (int i = 0; i < 16 * 4 * 9; ++i) first.push_back(static_cast<float>(std::sin(i)));
  for (int i = 0; i < 16 * 16 * 4; ++i) up.push_back(static_cast<float>(std::cos(i)));
  ModelMaker model;
  model.Input("x", {1, 4, 8, 8}).Weight("w", {16, 4, 3, 3}, first).Weight("u", {16, 16, 2, 2}, up);
  model.Node("Conv", {"x", "w"}, {"a"})
      .Node("Relu", {"a"}, {"b"})
      .Node("ConvTranspose", {"b", "u"}, {"y"}, {{"strides", std::vector<int64_t>{2, 2}}});
  Write("work/up.onnx", model.Output("y").Bytes());
  const Json built = JsonOf("hone build up.onnx --no-records --precision auto --calibrate random -o P.hone");
  const Json& layers = built.at("precision").at("layers");
  ASSERT_EQ(layers.size(), 2U);
  EXPECT_EQ(layers[1].at("op"), "nn.conv2d_transpose");
}

TEST_F(PrecisionProgram, AutoForAnotherMachineIsEstimatedAndSaysSo) {
  const ProgramResult r = Shell("hone build " + kModel +
                                "--no-records --target cortex-a72 --precision auto --max-error 0.5 --calibrate random "
                                "--samples 2 -o P.hone");
  ASSERT_EQ(r.code, 0) << r.err;
  EXPECT_THAT(r.out, HasSubstr("times are estimates: the target is not this machine"));
  EXPECT_THAT(r.out, HasSubstr("left out: bfloat16: needs a CPU that multiplies bfloat16"));
  EXPECT_THAT(r.out, HasSubstr("with 2 random inputs, which say little of real ones"));
}

TEST_F(PrecisionProgram, AutoOfAQuantisedModelLeavesInt8Out) {
  ASSERT_EQ(Shell("hone quantize " + kModel + "--calibrate random --samples 1 -o once.onnx").code, 0);
  const ProgramResult r = Shell("hone build once.onnx --no-records --precision auto --calibrate random -o P.hone");
  ASSERT_EQ(r.code, 0) << r.err;
  EXPECT_THAT(r.out, HasSubstr("left out: int8: once.onnx: the model is quantised already"));
  EXPECT_EQ(std::filesystem::exists(Path("work/P.hone")), true);
}

// Verification uses the package's own error budget, and not that of float32.
TEST_F(PrecisionProgram, VerifyAllowsWhatThePackageWasBuiltWithin) {
  const std::string build = kBuild + "--precision int8 --calibrate random --samples 5 -o P.hone";
  ASSERT_EQ(Shell(build + " --max-error 0.25").code, 0);
  const ProgramResult within = Shell("hone verify " + kModel + "P.hone");
  EXPECT_EQ(within.code, 0) << within.out << within.err;
  EXPECT_THAT(within.out,
              HasSubstr("tolerance 2.5e-01, the error that the package was built within: the outputs agree"));
  const ProgramResult given = Shell("hone verify " + kModel + "P.hone --tolerance 1e-4 --json");
  EXPECT_EQ(given.code, 1) << given.out << given.err;
  EXPECT_EQ(Json::parse(given.out).at("tolerance_from"), "given");
  const ProgramResult other = Shell("hone verify " + kModel + "--seed 2 P.hone");
  EXPECT_EQ(other.code, 1) << other.out << other.err;
  EXPECT_THAT(other.out, HasSubstr("DIFFERS"));
  const Json float32 = JsonOf("hone verify " + kModel + "--threads 1 --no-records");
  EXPECT_EQ(float32.at("tolerance"), 1e-4);
  EXPECT_EQ(float32.at("tolerance_from"), "default");
}

TEST_F(PrecisionProgram, VerifyOfAPackageWithoutABudgetAllowsTwiceItsError) {
  const Json built = JsonOf(kBuild + "--precision int8 --calibrate random --samples 5 -o P.hone");
  const Json verified = JsonOf("hone verify " + kModel + "P.hone");
  EXPECT_DOUBLE_EQ(verified.at("tolerance").get<double>(), 2 * built.at("precision").at("max_error").get<double>());
  EXPECT_EQ(verified.at("tolerance_from"), "twice the error that the package's build measured");
}

TEST_F(PrecisionProgram, TunesWhatItWillBuild) {
  const std::string about = " " + kModel + "--threads 1 --precision int8 --calibrate random --samples 2";
  const ProgramResult r = Shell("hone tune" + about + " --trials 10 --finals kernels --db s.db --tasks 512x64x1x1");
  ASSERT_EQ(r.code, 0) << r.err;
  EXPECT_THAT(NextOf(r), HasSubstr("--precision int8 --calibrate random --samples 2"));
  const Json built = JsonOf("hone build" + about + " --db s.db --hub none -o P.hone");
  bool found = false;
  for (const Json& kernel : built.at("dispatch")) found = found || kernel.at("source") == "record";
  EXPECT_TRUE(found) << built.at("dispatch");
}

TEST_F(PrecisionProgram, TunesEachPrecisionAndChoosesWithTheRecords) {
  const ProgramResult r =
      Shell("hone tune " + kModel +
            "--threads 1 --precision auto --max-error 0.2 --calibrate random --samples 5 --trials 12 "
            "--finals kernels --db s.db --tasks 512x64 --json");
  ASSERT_EQ(r.code, 0) << r.err;
  const Json done = Json::parse(r.out.substr(r.out.rfind('\n', r.out.size() - 2) + 1));
  std::string tasks;
  for (const Json& task : done.at("tasks")) tasks += task.at("task").get<std::string>() + "\n";
  EXPECT_THAT(tasks, HasSubstr("dtype=float32"));
  EXPECT_THAT(tasks, HasSubstr("dtype=uint8,int8,int32"));
  EXPECT_EQ(done.at("precision").at("budget"), 0.2);
  EXPECT_LE(done.at("precision").at("max_error").get<double>(), 0.2);
}

TEST_F(PrecisionProgram, RefusesWhatDoesNotGoTogether) {
  const std::string end = " -o P.hone";
  Expect(kBuild + "--precision int8" + end, 2, "--precision int8 needs --calibrate FOLDER");
  Expect(kBuild + "--precision auto" + end, 2, "--precision auto needs --calibrate FOLDER");
  Expect(kBuild + "--calibrate random" + end, 2, "--calibrate goes with --precision int8 or auto, not with float32");
  Expect(kBuild + "--max-error 0.1" + end, 2, "--max-error goes with --precision int8 or auto, not with float32");
  Expect(kBuild + "--precision int8 --max-error 0 --calibrate random" + end, 2,
         "--max-error 0 leaves no layer in int8");
  Expect(kBuild + "--precision auto --max-error 2 --calibrate random" + end, 2, "--max-error");
  Expect(kBuild + "--precision int4" + end, 2, "--precision");
  Expect("hone build " + kModel + "--no-records --target cortex-a72 --precision bfloat16" + end, 2,
         "has float32 and int8");
  Expect("hone tune " + kModel + "--precision auto", 2, "--precision auto needs --calibrate FOLDER");
}

TEST_F(PrecisionProgram, RefusesBadCalibrationInputs) {
  for (const char* precision : {"int8", "auto"}) {
    const std::string begin = kBuild + "-o P.hone --precision " + precision + " --calibrate ";
    Expect(begin + "nowhere", 66, "there is no folder nowhere of calibration inputs");
    std::filesystem::create_directories(Path("work/empty"));
    Expect(begin + "empty", 66, "holds no calibration input");
    Put("shape", "a.npy", Drawn({1, 4, 36, 35}, 0));
    Expect(begin + "shape", 65, "it holds 1x4x36x35 float32 for input \"data\", which is 1x4x36x36 float32");
    Tensor bad = Drawn(kInput, 1);
    bad.Set(7, std::nan(""));
    Put("nan", "a.npy", bad);
    Expect(begin + "nan", 65, "element 7 of input \"data\" is nan");
  }
}

}  // namespace
}  // namespace hone
