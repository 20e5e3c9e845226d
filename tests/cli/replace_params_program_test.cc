// `hone package replace-params`: a package's code with other parameters equals a fresh build with them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/cli/run_program.h"

namespace hone {
namespace {

using testing::HasSubstr;

constexpr const char* kDigits = "zoo:mlp --image-shape 1,14,14";

class ReplaceParams : public ProgramTest {
 protected:
  void Expect(const std::string& line) {
    const ProgramResult r = Shell(line);
    EXPECT_EQ(r.code, 0) << line << "\n" << r.out << r.err;
  }
  // The error of a line that must fail with that exit code and leave no q.hone.
  std::string Refusal(const std::string& line, int code) {
    const ProgramResult r = Shell(line);
    EXPECT_EQ(r.code, code) << line << "\n" << r.out << r.err;
    EXPECT_NE(Shell("ls q.hone").code, 0) << line;
    return r.err;
  }
  // Builds with two seeds' weights. Replacing the first build's weights by the second's gives the second build, byte
  // for byte.
  void ExpectFreshBuild(const std::string& model, const std::string& options, const std::string& of_model = "") {
    Expect("hone build " + model + " --seed 1 --threads 2 " + options + of_model + " -o one.hone");
    Expect("hone build " + model + " --seed 2 --threads 2 " + options + of_model + " -o two.hone");
    Expect("! cmp -s one.hone two.hone");
    Expect("hone package replace-params one.hone --model " + model + of_model + " --seed 2 -o q.hone");
    Expect("cmp two.hone q.hone");
  }
};

TEST_F(ReplaceParams, GivesTheBytesOfAFreshBuild) {
  ExpectFreshBuild(kDigits, "--no-records");
  // Batch norms folded into weights, Winograd's transform, layouts from records.
  ExpectFreshBuild("zoo:resnet-18", "", " --image-shape 3,64,64");
  ExpectFreshBuild("zoo:squeezenet_v1.1", "--no-records -O1", " --image-shape 3,64,64");
  ExpectFreshBuild(kDigits, "--no-records --target x86-64-v3 --target x86-64-v2");
}

TEST_F(ReplaceParams, KeepsWhatTheBuildWasToldOfMathAndPrecision) {
  ExpectFreshBuild("zoo:resnet-18", "--no-records --math exact", " --image-shape 3,32,32");
  ExpectFreshBuild(kDigits, "--no-records --precision bfloat16 --target sapphirerapids");
}

TEST_F(ReplaceParams, TakesValuesByTheModelsNames) {
  Expect(
      "hone zoo mlp --image-shape 1,14,14 --seed 1 -o one.onnx && hone zoo mlp --image-shape 1,14,14 --seed 2 -o "
      "two.onnx");
  Expect("hone inspect " + std::string(kDigits) + " --seed 2 --text --save-params two.safetensors > two.relay");
  Expect("hone build one.onnx --no-records --threads 1 -o one.hone");
  Expect("hone build two.onnx --no-records --threads 1 -o two.hone");
  const std::string run = " --fill ramp --output ";
  Expect("hone run two.hone" + run + "two");
  Expect("hone package replace-params one.hone --model one.onnx --params two.safetensors -o a.hone");
  Expect("hone run a.hone" + run + "a && cmp two/*.npy a/*.npy");
  // The other model's own values, also as Relay's text.
  Expect("hone package replace-params one.hone --model two.onnx -o b.hone && hone run b.hone" + run +
         "b && cmp two/*.npy b/*.npy");
  Expect("hone build two.relay --params two.safetensors --no-records --threads 1 -o text.hone");
  Expect("hone package replace-params text.hone --model two.relay --params-file two.safetensors -o c.hone");
  Expect("cmp text.hone c.hone");
  Expect("hone package replace-params text.hone --model two.relay --params two.safetensors -o d.hone");
  Expect("cmp text.hone d.hone");
}

TEST_F(ReplaceParams, PackKeepsWhatItNeeds) {
  Expect("hone build " + std::string(kDigits) + " --no-records -o one.hone && hone package unpack one.hone -o parts");
  Expect("hone package pack parts -o packed.hone");
  Expect("hone package replace-params packed.hone --model " + std::string(kDigits) +
         " -o q.hone && cmp one.hone q.hone");
}

TEST_F(ReplaceParams, RefusesWhatDoesNotFit) {
  Expect("hone zoo mlp --image-shape 1,14,14 -o m.onnx && hone build m.onnx --no-records -o m.hone");
  const std::string line = "hone package replace-params m.hone -o q.hone --model ";
  EXPECT_THAT(Refusal(line + "zoo:mlp --image-shape 1,7,7", 65),
              HasSubstr("computed otherwise than m.hone computes it, from nn.dense on"));
  EXPECT_THAT(Refusal(line + "zoo:resnet-18", 65), HasSubstr("`hone build` would be right"));
  Expect("hone inspect zoo:mlp --image-shape 1,7,7 --text --save-params small.safetensors > small.relay");
  EXPECT_THAT(Refusal(line + "m.onnx --params small.safetensors", 65),
              HasSubstr("small.safetensors: parameter fc1_weight is float32 128x49; the model's is float32 128x196"));
  Expect("hone inspect zoo:dqn --text --save-params dqn.safetensors > dqn.relay");
  EXPECT_THAT(Refusal(line + "m.onnx --params dqn.safetensors", 65), HasSubstr("which is no parameter of the model"));
  EXPECT_THAT(Refusal(line + "m.onnx --params m.onnx", 65), HasSubstr("m.onnx is no .safetensors file"));
  EXPECT_THAT(Refusal(line + "none.onnx", 66), HasSubstr("none.onnx"));
  EXPECT_THAT(Refusal("hone package replace-params m.hone -o q.hone", 2), HasSubstr("--model"));
}

// A pass may read values: integers and their scales become constants in the code.
TEST_F(ReplaceParams, SaysWhereTheValuesAskForOtherCode) {
  const std::string quantise = "hone quantize " + std::string(kDigits) + " --calibrate random --seed ";
  Expect(quantise + "1 -o one.onnx && " + quantise + "2 -o two.onnx && hone build one.onnx --no-records -o one.hone");
  EXPECT_THAT(Refusal("hone package replace-params one.hone --model two.onnx -o q.hone", 65),
              HasSubstr("computed otherwise than one.hone computes it, from "));
}

TEST_F(ReplaceParams, RefusesAPackageOfAnotherVersion) {
  Expect("hone build " + std::string(kDigits) + " --no-records -o m.hone && hone package unpack m.hone -o parts");
  const std::string replace = "hone package replace-params old.hone --model " + std::string(kDigits) + " -o q.hone";
  Expect("sed -i 's/\"built\"/\"build\"/' parts/manifest.json && hone package pack parts -o old.hone");
  EXPECT_THAT(Refusal(replace, 78), HasSubstr("old.hone does not tell how it was built: build it again"));
  Expect("sed -i 's/\"build\": {/\"built\": [0], \"x\": {/' parts/manifest.json");
  EXPECT_THAT(Refusal("hone package pack parts -o old.hone && mv old.hone q.hone", 65),
              HasSubstr("built must be an object with math, opt_level, precision and kernels"));
}

}  // namespace
}  // namespace hone
