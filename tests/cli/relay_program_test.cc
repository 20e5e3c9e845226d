// Models as Relay's text, and packages as their parts, from text to outputs.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "core/json/serialize.h"
#include "tests/cli/run_program.h"

namespace hone {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::Not;

class RelayProgram : public ProgramTest {
 protected:
  void Expect(const std::string& line, int code) {
    const ProgramResult r = Shell(line);
    EXPECT_EQ(r.code, code) << line << "\n" << r.out << r.err;
  }
  // The error of a line that must fail with that exit code.
  std::string Refusal(const std::string& line, int code) {
    const ProgramResult r = Shell(line);
    EXPECT_EQ(r.code, code) << line << "\n" << r.out << r.err;
    return r.err;
  }
};

constexpr const char* kDigits = "zoo:mlp --image-shape 1,14,14 ";

TEST_F(RelayProgram, BuildsFromTextWhatItBuildsFromTheModel) {
  Expect("hone inspect " + std::string(kDigits) + "--text --save-params p.safetensors > digits.relay", 0);
  Expect("hone inspect digits.relay --text > again.relay && cmp digits.relay again.relay", 0);
  Expect("hone build " + std::string(kDigits) + "--no-records --threads 1 -o zoo.hone", 0);
  Expect("hone build digits.relay --params p.safetensors --no-records --threads 1 -o text.hone", 0);
  Expect("hone run zoo.hone --output zoo --fill ramp && hone run text.hone --output text --fill ramp", 0);
  Expect("cmp zoo/*.npy text/*.npy", 0);
  Expect("hone verify digits.relay --params p.safetensors text.hone", 0);
  // Parameters without values are inputs.
  EXPECT_THAT(Shell("hone inspect digits.relay").out, HasSubstr("input   fc1_weight"));
  EXPECT_THAT(Shell("hone inspect digits.relay --params-file p.safetensors --params").out, HasSubstr("fc1_weight"));
}

TEST_F(RelayProgram, ConstantsOfAnOnnxModelComeBackByTheirNumbers) {
  Expect("hone zoo mlp --image-shape 1,14,14 -o m.onnx", 0);
  Expect("hone inspect m.onnx --text --save-params p.safetensors > m.relay", 0);
  EXPECT_THAT(Read("work/m.relay"), HasSubstr("meta[relay.Constant][0] /* ty=Tensor["));
  EXPECT_THAT(Refusal("hone inspect m.relay", 65), HasSubstr("meta[relay.Constant][0] has no value; --params"));
  Expect("hone inspect m.relay --params-file p.safetensors --text > again.relay && cmp m.relay again.relay", 0);
  Expect("hone build m.relay --params p.safetensors --no-records -o m.hone && hone verify m.onnx m.hone", 0);
}

TEST_F(RelayProgram, SeveralFunctionsAreOneModel) {
  Write("work/f.relay",
        "def @block(%x) { nn.relu(add(%x, %x)) }\n"
        "def @main(%x: Tensor[(1, 8), float32]) -> Tensor[(1, 8), float32] { @block(@block(%x)) }\n");
  EXPECT_THAT(Shell("hone inspect f.relay").out, HasSubstr("nn.relu       2"));
  Expect("hone verify f.relay --no-records", 0);
}

TEST_F(RelayProgram, AGraphMadeInCppIsAPackageAndText) {
  Expect(std::string(HONE_EXAMPLE_GRAPH) + " g.hone > said && sed -n '/^def/,/^}/p' said > g.relay", 0);
  // The package gives the same outputs as the program computed in its own process.
  std::string outputs;
  const Json run = ParseJson(Shell("hone run g.hone --fill ramp --json").out, "run");
  for (const Json& value : run.at("outputs").at(0).at("first")) {
    outputs += fmt::format("{:.4f} ", value.get<double>());
  }
  EXPECT_THAT(Read("work/said"), testing::EndsWith("\n" + outputs + "\n"));
  EXPECT_GT(outputs.size(), 50U);
  Expect("hone inspect g.relay --text | cmp g.relay -", 0);
  EXPECT_EQ(Shell(std::string(HONE_EXAMPLE_GRAPH)).code, 2);
  EXPECT_EQ(Shell(std::string(HONE_EXAMPLE_GRAPH) + " none/g.hone").code, 73);
}

TEST_F(RelayProgram, PassesAreChosenTimedAndDumped) {
  const std::string build = "hone build zoo:mobilenet --image-shape 3,32,32 --classes 10 --no-records --threads 2 ";
  const auto passes = [&](const std::string& options) {
    std::vector<std::string> names;
    const Json built = ParseJson(Shell(build + "-o m.hone --dump-passes dumps --json " + options).out, "build");
    for (const auto& [pass, seconds] : built.at("pass_seconds").items()) names.push_back(pass);
    return names;
  };
  EXPECT_THAT(passes("-O3"), Contains("merge_groups"));
  const std::vector<std::string> without = passes("--disable-pass merge_groups --disable-pass sink_concats");
  EXPECT_THAT(without, Not(Contains("merge_groups")));
  EXPECT_THAT(without, Not(Contains("sink_concats")));
  EXPECT_THAT(Shell("ls dumps").out, HasSubstr("_fold_batch_norm.txt"));
  EXPECT_THAT(passes("-O0"), Not(Contains("fold_batch_norm")));
  EXPECT_THAT(passes("-O0 --require-pass fold_batch_norm"), Contains("fold_batch_norm"));
  EXPECT_THAT(Shell(build + "-o m.hone --pass-times").out, testing::ContainsRegex("fold_batch_norm +[0-9]+[.][0-9]"));
  EXPECT_THAT(Shell(build + "-o m.hone").out, Not(HasSubstr("fold_batch_norm")));
  Expect("rm m.hone", 0);
  EXPECT_EQ(Refusal(build + "-o m.hone --disable-pass fuse", 2).rfind("hone: the pass fuse runs at every level", 0),
            0U);
  EXPECT_THAT(Refusal(build + "-o m.hone --disable-pass merge_group", 2), HasSubstr("did you mean merge_groups?"));
  EXPECT_EQ(Shell("ls m.hone").code, 2);
  const std::string inspect = "hone inspect zoo:mobilenet --text --optimized --image-shape 3,32,32 -O0 ";
  EXPECT_THAT(Shell(inspect).out, HasSubstr("multiply"));
  EXPECT_THAT(Shell(inspect + "--require-pass fold_batch_norm").out, Not(HasSubstr("multiply")));
  Expect("hone verify zoo:mobilenet --image-shape 3,32,32 --disable-pass fold_batch_norm --no-records", 0);
}

// Convolutions with user-set attributes give the results of their reference when built.
TEST_F(RelayProgram, LayoutsAndTypesOfConvolutionsAreBuilt) {
  const auto verify = [&](const std::string& data, const std::string& weight, const std::string& attrs) {
    SCOPED_TRACE(attrs);
    Write("work/c.relay",
          "def @main(%x: Tensor[" + data + "], %w: Tensor[" + weight + "]) {\n  nn.conv2d(%x, %w, " + attrs + ")\n}\n");
    for (const char* level : {"-O0", "-O3"}) Expect("hone verify c.relay --no-records " + std::string(level), 0);
    Expect("hone inspect c.relay", 0);
  };
  const std::string float32 = "), float32", float16 = "), float16", int8 = "), int8";
  verify("(1, 9, 9, 16" + float32, "(3, 3, 16, 24" + float32,
         "data_layout=\"NHWC\", kernel_layout=\"HWIO\", padding=1");
  verify("(1, 9, 9, 16" + float32, "(3, 3, 16, 1" + float32,
         "data_layout=\"NHWC\", kernel_layout=\"HWOI\", groups=16, strides=2, padding=[1, 0]");
  verify("(1, 16, 9, 9" + float32, "(8, 3, 3, 16" + float32,
         "kernel_layout=\"OHWI\", out_layout=\"NHWC\", padding=[0, 1, 2, 1]");
  verify("(1, 16, 9, 9" + float16, "(8, 16, 3, 3" + float16, "out_dtype=\"float32\"");
  verify("(1, 16, 9, 9" + float16, "(8, 16, 3, 3" + float16, "padding=1");
  verify("(1, 16, 9, 9" + int8, "(8, 16, 3, 3" + int8, "out_dtype=\"int32\", padding=1");
  verify("(1, 128, 5, 5" + int8, "(8, 128, 3, 3" + int8, "out_dtype=\"int32\"");
  verify("(1, 16, 9, 9), uint8", "(8, 16, 3, 3" + int8, "out_dtype=\"int32\"");
  Write("work/bad.relay",
        "def @main(%x: Tensor[(1, 8, 8, 3), float32]) {\n  nn.conv2d(%x, %x, data_layout=\"NHCW\")\n}\n");
  EXPECT_EQ(Refusal("hone inspect bad.relay", 65),
            "hone: bad.relay:2:3: nn.conv2d: data_layout = \"NHCW\" must be one of NCHW, NHWC\n");
}

TEST_F(RelayProgram, RefusesInOneLineWithThePlace) {
  Write("work/bad.relay", "def @main(%x: Tensor[(1, 8), float32]) {\n  %0 = nn.rellu(%x);\n  %0\n}\n");
  EXPECT_EQ(Refusal("hone inspect bad.relay", 65),
            "hone: bad.relay:2:8: there is no operator nn.rellu; did you mean nn.relu?\n");
  Write("work/power.relay",
        "def @main(%x: Tensor[(4), int64], %y: Tensor[(4), int64]) {\n  power(add(%x, %y), %y)\n}\n");
  EXPECT_EQ(Refusal("hone build power.relay -o p.hone", 65),
            "hone: no kernel can be made of power: power is compiled for float32 only, the argument is int64\n");
  Write("work/type.relay", "def @main(%x: Tensor[(1, 8), float32]) {\n  nn.conv2d(%x, %x)\n}\n");
  EXPECT_THAT(Refusal("hone build type.relay -o p.hone", 65), HasSubstr("hone: type.relay:2:3: nn.conv2d: "));
  Expect("hone inspect " + std::string(kDigits) + "--text --save-params p.safetensors > digits.relay", 0);
  Expect("sed -i s/fc1_weight/fc1_weigth/g digits.relay", 0);
  EXPECT_THAT(
      Refusal("hone build digits.relay --params p.safetensors -o p.hone", 65),
      HasSubstr("p.safetensors holds fc1_weight, which digits.relay has no place for; did you mean fc1_weigth?"));
  EXPECT_THAT(Refusal("hone inspect digits.relay --batch 2", 2), HasSubstr("a .relay file has its shapes in its text"));
  EXPECT_THAT(Refusal("hone build zoo:mlp --params p.safetensors -o p.hone", 2),
              HasSubstr("--params is for .relay files"));
  Expect("head -c 1000 p.safetensors > cut.safetensors", 0);
  EXPECT_THAT(Refusal("hone build digits.relay --params cut.safetensors -o p.hone", 65), HasSubstr("cut.safetensors"));
  EXPECT_EQ(Shell("hone inspect none.relay").code, 66);
  EXPECT_EQ(Shell("ls p.hone").code, 2);
}

TEST_F(RelayProgram, OperatorsTellHowTheyAreComputed) {
  EXPECT_THAT(Shell("hone ops nn.conv2d").out,
              HasSubstr("of ONNX's: CausalConvWithState, Conv, ConvInteger, DeformConv, QLinearConv\n"));
  EXPECT_THAT(Shell("hone ops nn.relu --json").out, HasSubstr("\"onnx\""));
  EXPECT_THAT(Shell("hone ops").out, testing::ContainsRegex("nn.bias_add +data, bias +1  "));
  EXPECT_THAT(
      Shell("hone ops nn.conv2d").out,
      HasSubstr("pattern: anchor; layout: its schedule's; schedules: conv2d_direct, conv2d_amx, conv2d_winograd"));
  EXPECT_THAT(Shell("hone ops tanh").out,
              HasSubstr("pattern: elementwise; layout: any; code from the generic generator"));
  EXPECT_THAT(Shell("hone ops --json nn.dense").out, HasSubstr("\"schedules\":[\"dense_pack\",\"dense_amx\"]"));
}

TEST_F(RelayProgram, OperatorsTellWhichElementTypesTheyTakeAndGive) {
  const std::string take = Shell("hone ops take").out, conv = Shell("hone ops nn.conv2d").out;
  EXPECT_THAT(take, testing::ContainsRegex("data +any +any shape\n"));
  EXPECT_THAT(take, testing::ContainsRegex("indices +int32 or int64 +any shape\n"));
  EXPECT_THAT(take, testing::ContainsRegex("output +element types *\n.*result +like data *\n"));
  EXPECT_THAT(conv, HasSubstr("float16 with data of float16; int8 with data of int8 or uint8"));
  const std::string json = Shell("hone ops --json nn.dense").out;
  EXPECT_THAT(json, HasSubstr("{\"input\":\"data\",\"of\":[\"uint8\"],\"types\":[\"int8\"]}"));
  EXPECT_THAT(json, HasSubstr("\"outputs\":[{\"name\":\"result\",\"types\":[\"float32\",\"int32\"]"));
  EXPECT_THAT(Shell("hone ops --json add").out, HasSubstr("\"like\":\"lhs\""));
}

class PackageParts : public RelayProgram {
 protected:
  void SetUp() override {
    RelayProgram::SetUp();
    Expect("hone build " + std::string(kDigits) + "--no-records --threads 1 -o p.hone", 0);
    Expect("hone package unpack p.hone -o parts", 0);
  }
};

TEST_F(PackageParts, PackAsTheyWere) {
  Expect("hone package pack parts -o q.hone && cmp p.hone q.hone", 0);
  Expect("hone build zoo:mlp --image-shape 1,14,14 --no-records --target x86-64-v3 --target x86-64-v2 -o fat.hone", 0);
  Expect("hone package unpack fat.hone -o fat && hone package pack fat -o again.hone && cmp fat.hone again.hone", 0);
}

TEST_F(PackageParts, RunAlone) {
  Expect("hone run p.hone --fill ramp --output whole", 0);
  Expect(
      "hone run --graph parts/graph.json --lib parts/lib.so --params parts/params.safetensors --fill ramp --output of",
      0);
  Expect("cmp whole/*.npy of/*.npy", 0);
  Expect("hone run --input data=x.npy p.hone", 66);
}

TEST_F(PackageParts, RunWithOtherParameters) {
  Expect("hone build " + std::string(kDigits) + "--seed 7 --no-records --threads 1 -o seven.hone", 0);
  Expect("hone package unpack seven.hone -o seven && hone run seven.hone --fill ramp --output whole", 0);
  Expect(
      "hone run --graph parts/graph.json --lib parts/lib.so --params seven/params.safetensors --fill ramp --output of",
      0);
  Expect("cmp whole/*.npy of/*.npy", 0);
}

TEST_F(PackageParts, AreRefusedWhereTheyDoNotBelongTogether) {
  EXPECT_THAT(Refusal("hone run --graph parts/graph.json", 2), HasSubstr("hone run takes a PACKAGE, or --graph"));
  EXPECT_EQ(Shell("hone run").code, 2);
  Expect("hone build zoo:mlp --image-shape 1,7,7 --no-records --threads 1 -o small.hone", 0);
  Expect("hone package unpack small.hone -o small", 0);
  const std::string run = "hone run --graph parts/graph.json --lib parts/lib.so --params ";
  EXPECT_THAT(Refusal(run + "small/params.safetensors", 65), HasSubstr("small/params.safetensors: parameter "));
  EXPECT_THAT(Refusal(run + "parts/lib.so", 65), HasSubstr("parts/lib.so is no .safetensors file"));
  EXPECT_EQ(Shell("hone run --graph parts/graph.json --lib small/lib.so --params parts/params.safetensors").code, 65);
  Expect("cp small/graph.json parts/graph.json", 0);
  EXPECT_EQ(Shell("hone package pack parts -o bad.hone").code, 65);
  EXPECT_EQ(Shell("hone package pack none -o bad.hone").code, 66);
  EXPECT_EQ(Shell("ls bad.hone").code, 2);
}

}  // namespace
}  // namespace hone
