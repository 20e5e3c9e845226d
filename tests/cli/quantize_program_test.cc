// `hone quantize`: its files, output and refusals.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "core/json/json_fields.h"
#include "lab/files/npy.h"
#include "tests/cli/run_program.h"
#include "tests/lab/zip_archive.h"

namespace hone {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::Not;

const std::string kQuantize = "hone quantize zoo:dqn --classes 1000 --image-shape 4,36,36 ";
const Shape kInput{1, 4, 36, 36};

Tensor Drawn(const Shape& shape, uint64_t seed) {
  Tensor tensor(DType::kFloat32, shape);
  FillTensor(tensor, Fill::kNormal, seed);
  return tensor;
}

class QuantizeProgram : public ProgramTest {
 protected:
  void WriteFolder(const std::string& folder, int count) const {
    for (int i = 0; i < count; ++i) {
      Put(folder, std::to_string(i) + ".npy", NpyBytes(Drawn(kInput, static_cast<uint64_t>(i))));
    }
  }
  void Put(const std::string& folder, const std::string& name, const std::string& bytes) const {
    std::filesystem::create_directories(Path("work/" + folder));
    Write("work/" + folder + "/" + name, bytes);
  }
  Json Quantized(const std::string& more) const {
    const ProgramResult r = Shell(kQuantize + "-o Q.onnx --json " + more);
    EXPECT_EQ(r.code, 0) << r.err;
    return r.code == 0 ? Json::parse(r.out) : Json::object();
  }
  void Expect(const std::string& command, int code, const std::string& message) const {
    const ProgramResult r = Shell(command);
    EXPECT_EQ(r.code, code) << command << "\n" << r.err;
    EXPECT_THAT(r.err, HasSubstr(message)) << command;
    EXPECT_EQ(std::count(r.err.begin(), r.err.end(), '\n'), 1) << r.err;
    EXPECT_THAT(Files(), Not(Contains(HasSubstr("Q.onnx")))) << command;
  }
};

TEST_F(QuantizeProgram, WritesAModelWhoseLayersAreBytes) {
  WriteFolder("in", 5);
  const ProgramResult r = Shell(kQuantize + "--calibrate in -o Q.onnx");
  ASSERT_EQ(r.code, 0) << r.err;
  EXPECT_THAT(r.out, HasSubstr("ranges by min-max of 4 inputs of in; errors are of 1 other\n"));
  EXPECT_THAT(r.out, HasSubstr("5 of 5 layers in int8"));
  EXPECT_EQ(NextOf(r), "hone tune Q.onnx");
  const ProgramResult built = Shell("hone build Q.onnx --no-records -o Q.hone");
  ASSERT_EQ(built.code, 0) << built.err;
  const ProgramResult tasks = Shell("hone inspect Q.onnx --tasks");
  EXPECT_THAT(tasks.out, HasSubstr("uint8,int8,int32"));
  const ProgramResult verified = Shell("hone verify Q.onnx Q.hone");
  EXPECT_EQ(verified.code, 0) << verified.out << verified.err;
}

TEST_F(QuantizeProgram, TellsTheErrorOfEachLayerAndOfTheWhole) {
  WriteFolder("in", 3);
  const Json json = Quantized("--calibrate in");
  EXPECT_EQ(json.at("calibration").at("samples"), 3);
  EXPECT_EQ(json.at("calibration").at("held_out"), 0);
  EXPECT_EQ(json.at("left_in_float"), 0);
  ASSERT_EQ(json.at("layers").size(), 5u);
  for (const Json& layer : json.at("layers")) {
    for (const char* where : {"alone", "in_network"}) {
      EXPECT_GT(layer.at(where).at("sqnr_db").get<double>(), 20) << layer;
      EXPECT_LT(layer.at(where).at("sqnr_db").get<double>(), 80) << layer;
      EXPECT_GT(layer.at(where).at("cosine").get<double>(), 0.99) << layer;
    }
  }
  // The first layer has nothing before it; losses within the network accumulate in later layers.
  const Json& first = json.at("layers")[0];
  EXPECT_NEAR(first.at("in_network").at("sqnr_db").get<double>(), first.at("alone").at("sqnr_db").get<double>(), 3);
  EXPECT_LT(json.at("outputs")[0].at("sqnr_db").get<double>(),
            json.at("layers")[0].at("in_network").at("sqnr_db").get<double>());
}

TEST_F(QuantizeProgram, TakesTheSameInputsInEveryForm) {
  WriteFolder("files", 4);
  Tensor all(DType::kFloat32, {4, 4, 36, 36});
  for (int i = 0; i < 4; ++i) {
    const Tensor one = Drawn(kInput, static_cast<uint64_t>(i));
    std::copy_n(one.data<float>(), one.elements(), all.data<float>() + i * one.elements());
    Put("folders/" + std::to_string(i), "data.npy", NpyBytes(one));
    Put("archives", std::to_string(i) + ".npz", ZipArchive({{"data.npy", NpyBytes(one)}}, i % 2 == 1));
  }
  Put("batch", "all.npy", NpyBytes(all));
  Quantized("--calibrate files");
  const std::string expected = Read("work/Q.onnx");
  for (const char* form : {"folders", "archives", "batch"}) {
    EXPECT_EQ(Quantized(std::string("--calibrate ") + form).at("calibration").at("samples"), 4);
    EXPECT_EQ(Read("work/Q.onnx"), expected) << form;
  }
}

TEST_F(QuantizeProgram, SaysSoWhenInputsAreRandom) {
  const ProgramResult r = Shell(kQuantize + "--calibrate random --samples 2 -o Q.onnx");
  EXPECT_EQ(r.code, 0) << r.err;
  EXPECT_THAT(r.out, HasSubstr("of 2 random inputs, which say little of real ones"));
  EXPECT_THAT(r.out, HasSubstr("; errors are of 8 others"));
}

TEST_F(QuantizeProgram, EachMethodMakesAModelOfItsOwn) {
  WriteFolder("in", 3);
  std::vector<std::string> models;
  for (const char* method : {"min-max", "percentile --percentile 99", "mse", "entropy"}) {
    const Json json = Quantized(std::string("--calibrate in --method ") + method);
    EXPECT_LT(json.at("outputs")[0].at("max_error").get<double>(), 0.3) << method;
    models.push_back(Read("work/Q.onnx"));
    EXPECT_EQ(std::count(models.begin(), models.end(), models.back()), 1) << method;
  }
}

// A tighter budget leaves at least as many layers in float, and each budget is kept.
TEST_F(QuantizeProgram, LeavesLayersInFloatUntilTheErrorIsSmallEnough) {
  WriteFolder("in", 3);
  const double all = Quantized("--calibrate in").at("outputs")[0].at("max_error").get<double>();
  int64_t left = 0;
  for (const double share : {1.0, 0.8, 0.5}) {
    const double budget = all * share * 1.001;
    const Json json = Quantized("--calibrate in --max-error " + std::to_string(budget));
    EXPECT_LE(json.at("outputs")[0].at("max_error").get<double>(), budget);
    EXPECT_GE(json.at("left_in_float").get<int64_t>(), left) << share;
    left = json.at("left_in_float").get<int64_t>();
  }
  EXPECT_GT(left, 0);
  EXPECT_LT(left, 5);
  std::filesystem::remove(Path("work/Q.onnx"));
  Expect(kQuantize + "--calibrate in --max-error 1e-9 -o Q.onnx", 1, "the least that was reached is");
}

TEST_F(QuantizeProgram, RefusesBadCalibrationInputs) {
  const std::string end = " -o Q.onnx --calibrate ";
  Expect(kQuantize + end + "nowhere", 66, "there is no folder nowhere of calibration inputs");
  Put("empty", "notes.txt", "none");
  Expect(kQuantize + end + "empty", 66, "holds no calibration input");
  Put("shape", "a.npy", NpyBytes(Drawn({1, 4, 36, 35}, 0)));
  Expect(kQuantize + end + "shape", 65, "it holds 1x4x36x35 float32 for input \"data\", which is 1x4x36x36 float32");
  Put("type", "a.npy", NpyBytes(Tensor(DType::kInt64, kInput)));
  Expect(kQuantize + end + "type", 65, "int64 for input \"data\"");
  Tensor bad = Drawn(kInput, 1);
  bad.Set(7, std::nan(""));
  Put("nan", "a.npy", NpyBytes(bad));
  Expect(kQuantize + end + "nan", 65, "element 7 of input \"data\" is nan");
  Put("name", "a.npz", ZipArchive({{"image.npy", NpyBytes(Drawn(kInput, 0))}}, false));
  Expect(kQuantize + end + "name", 65, "the model has no input \"image\"; right are data");
  Put("damaged", "a.npy", "\x93NUMPY");
  Expect(kQuantize + end + "damaged", 65, "not a usable .npy file");
}

TEST_F(QuantizeProgram, RefusesWhatItWasNotTold) {
  Expect(kQuantize + "-o Q.onnx", 2, "--calibrate");
  Expect(kQuantize + "--calibrate random", 2, "--output");
  Expect(kQuantize + "-o Q.onnx --calibrate random --method entropie", 2,
         "there is no method \"entropie\"; there are min-max, percentile, mse, entropy");
  Expect("hone quantize zoo:nothing --calibrate random -o Q.onnx", 66, "nothing");
  Expect("hone quantize missing.onnx --calibrate random -o Q.onnx", 66, "missing.onnx");
}

TEST_F(QuantizeProgram, RefusesAModelThatIsQuantisedAlready) {
  ASSERT_EQ(Shell(kQuantize + "--calibrate random --samples 1 -o once.onnx").code, 0);
  Expect("hone quantize once.onnx --calibrate random -o Q.onnx", 65, "the model is quantised already");
  Write("work/text.onnx", "no model");
  Expect("hone quantize text.onnx --calibrate random -o Q.onnx", 65, "not an ONNX model, or a damaged one");
}

}  // namespace
}  // namespace hone
