// Packages for several shapes: one file from which a run takes the package that fits.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/json/json_fields.h"
#include "lab/files/npy.h"
#include "runtime/hone.h"
#include "runtime/package.h"
#include "tests/cli/run_program.h"
#include "tests/compiler/frontend/model_maker.h"

namespace hone {
namespace {

using testing::AllOf;
using testing::HasSubstr;

class ShapesProgram : public ProgramTest {
 protected:
  void SetUp() override {
    ProgramTest::SetUp();
    ASSERT_EQ(Shell("hone zoo mlp --image-shape 1,4,4 --classes 5 -o m.onnx").code, 0);
  }
  ProgramResult Build(const std::string& rest) const { return Shell("hone build m.onnx --no-records " + rest); }
  void WriteInput(const std::string& name, int64_t batch) const {
    Tensor tensor(DType::kFloat32, {batch, 1, 4, 4});
    for (int64_t i = 0; i < tensor.elements(); ++i) tensor.Set(i, static_cast<double>(i % 7) - 3);
    WriteNpy(tensor, Path("work/" + name));
  }
};

// A model that draws random numbers takes the seed of each run as one more input.
TEST_F(ShapesProgram, HaveAnInputForASeed) {
  ModelMaker model(17);
  model.Input("x", {2, 2}).Node("RandomUniformLike", {"x"}, {"r"}).Node("Add", {"x", "r"}, {"y"}).Output("y");
  Write("work/r.onnx", model.Bytes());
  ASSERT_EQ(Shell("hone build r.onnx --no-records --seed-input seed -o r.hone").code, 0);
  const auto drawn = [this](double seed) {
    Tensor tensor(DType::kInt64, {});
    tensor.Set(0, seed);
    WriteNpy(tensor, Path("work/seed.npy"));
    return Do("run r.hone --fill zeros --input seed=seed.npy --json");
  };
  const auto values = [&](double seed) { return ParseJson(drawn(seed), "the run").at("outputs"); };
  EXPECT_EQ(values(1), values(1));
  EXPECT_NE(values(1), values(2));
}

TEST_F(ShapesProgram, TakeThePackageThatFits) {
  const ProgramResult built = Build("--shape data=1..6,1,4,4 -o p.hone");
  ASSERT_EQ(built.code, 0) << built.err;
  EXPECT_THAT(built.out, AllOf(HasSubstr("data 1x1x4x4\n"), HasSubstr("data 2x1x4x4\n"), HasSubstr("data 4x1x4x4\n"),
                               HasSubstr("data 6x1x4x4\n"), HasSubstr("4 packages")));
  for (const int64_t batch : {1, 2, 4, 6}) {
    const std::string shape = std::to_string(batch) + "x1x4x4", given = "data=" + std::to_string(batch) + ",1,4,4";
    WriteInput("x.npy", batch);
    const ProgramResult ran = Shell("hone run p.hone --input data=x.npy --output y");
    EXPECT_THAT(ran.out, HasSubstr(" " + std::to_string(batch) + "x5 float32")) << ran.err;
    EXPECT_THAT(Shell("hone run p.hone --shape " + given).out, HasSubstr(" " + std::to_string(batch) + "x5 float32"));
    EXPECT_THAT(Shell("hone verify m.onnx p.hone --shape " + given).out, HasSubstr("the outputs agree")) << given;
    // The outputs equal those of a single-shape package, to the bit.
    ASSERT_EQ(Build("--shape " + given + " -o one.hone").code, 0);
    ASSERT_EQ(Shell("hone run one.hone --input data=x.npy --output z").code, 0);
    EXPECT_EQ(Shell("cmp y/*.npy z/*.npy").code, 0) << given;
  }
  EXPECT_EQ(Shell("hone bench p.hone --shape data=6,1,4,4 --runs 10").code, 0);
  EXPECT_EQ(Shell("hone profile p.hone --shape data=6,1,4,4 --runs 10").code, 0);
}

TEST_F(ShapesProgram, SayWhatTheyLack) {
  ASSERT_EQ(Build("--shape data=1..2,1,4,4 -o p.hone").code, 0);
  WriteInput("x.npy", 3);
  for (const char* line : {"hone run p.hone --input data=x.npy", "hone bench p.hone --shape data=3,1,4,4",
                           "hone verify m.onnx p.hone --shape data=3,1,4,4"}) {
    const ProgramResult result = Shell(line);
    EXPECT_EQ(result.code, 2) << line;
    EXPECT_EQ(result.err, "hone: p.hone was built for data 1x1x4x4; data 2x1x4x4; not for data 3x1x4x4\n") << line;
  }
}

TEST_F(ShapesProgram, OfAPackageForOneAreThatOne) {
  ASSERT_EQ(Build("-o p.hone").code, 0);
  EXPECT_EQ(Shell("hone run p.hone --shape data=1,1,4,4").code, 0);
  const ProgramResult other = Shell("hone run p.hone --shape data=3,1,4,4");
  EXPECT_EQ(other.code, 2);
  EXPECT_EQ(other.err,
            "hone: --shape asks for \"data\" 3x1x4x4; the package was built for 1x1x4x4, and `hone build MODEL "
            "--shape data=3,1,4,4 -o P.hone` builds one\n");
  EXPECT_THAT(Shell("hone run p.hone --shape date=1,1,4,4").err, HasSubstr("did you mean data?"));
}

TEST_F(ShapesProgram, AreJoinedWithTargets) {
  const ProgramResult built = Build("--shape data=1..2,1,4,4 --target x86-64-v2 --target x86-64-v3 -o p.hone --json");
  ASSERT_EQ(built.code, 0) << built.err;
  const Json packages = ParseJson(built.out, "the report").at("packages");
  ASSERT_EQ(packages.size(), 4U);
  EXPECT_EQ(packages[3].at("inputs").at("data"), Json({2, 1, 4, 4}));
  ASSERT_EQ(Build("--shape data=4,1,4,4 --target x86-64-v3 -o four.hone").code, 0);
  ASSERT_EQ(Shell("hone package join p.hone four.hone -o all.hone").code, 0);
  EXPECT_EQ(Package::InspectAll(Path("work/all.hone")).size(), 5U);
  const ProgramResult again = Shell("hone package join p.hone p.hone -o twice.hone");
  EXPECT_EQ(again.code, 2);
  EXPECT_THAT(again.err, HasSubstr("take the same shapes: one of them would never be taken"));
}

TEST_F(ShapesProgram, GetOtherParameters) {
  ASSERT_EQ(Build("--shape data=1..2,1,4,4 -o p.hone").code, 0);
  ASSERT_EQ(Shell("hone zoo mlp --image-shape 1,4,4 --classes 5 --seed 7 -o seven.onnx").code, 0);
  ASSERT_EQ(Shell("hone package replace-params p.hone --model seven.onnx -o q.hone").code, 0);
  for (const char* shape : {"data=1,1,4,4", "data=2,1,4,4"}) {
    EXPECT_THAT(Shell(std::string("hone verify seven.onnx q.hone --shape ") + shape).out, HasSubstr("agree")) << shape;
  }
  ASSERT_EQ(Shell("hone package open-params p.hone --model m.onnx -o open.hone").code, 0);
  EXPECT_EQ(Package::InspectAll(Path("work/open.hone")).size(), 2U);
}

TEST_F(ShapesProgram, AreChosenFromC) {
  ASSERT_EQ(Build("--shape data=1..2,1,4,4 -o p.hone").code, 0);
  const std::string path = Path("work/p.hone");
  const int64_t dims[] = {2, 1, 4, 4};
  hone_tensor_info asked{};
  asked.name = "data";
  asked.rank = 4;
  asked.shape = dims;
  hone_package* package = nullptr;
  ASSERT_EQ(hone_package_load_for(path.c_str(), &asked, 1, &package), HONE_OK) << hone_error_text();
  hone_tensor_info found{};
  ASSERT_EQ(hone_package_input_info(package, 0, &found), HONE_OK);
  EXPECT_EQ(found.shape[0], 2);
  hone_package_free(package);
  asked.rank = 3;
  EXPECT_EQ(hone_package_load_for(path.c_str(), &asked, 1, &package), HONE_USAGE);
  EXPECT_THAT(hone_error_text(), HasSubstr("not for data 2x1x4"));
  EXPECT_EQ(package, nullptr);
  asked.name = "another";  // the name of no input, so it does not restrict the choice
  ASSERT_EQ(hone_package_load_for(path.c_str(), &asked, 1, &package), HONE_OK);
  hone_package_free(package);
  EXPECT_EQ(hone_package_load_for(path.c_str(), nullptr, 1, &package), HONE_USAGE);
  EXPECT_EQ(hone_package_load_for(path.c_str(), &asked, -1, &package), HONE_USAGE);
}

}  // namespace
}  // namespace hone
