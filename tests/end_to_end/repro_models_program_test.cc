// Small models that once failed in a build or a run, given to the program: outputs that agree, or one line of error.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "compiler/frontend/onnx/onnx_import.h"
#include "tests/cli/run_program.h"

namespace hone {
namespace {

class ReproModelsProgram : public ProgramTest {
 protected:
  ProgramResult Verify(const std::string& path, const std::vector<std::string>& more) const {
    std::vector<std::string> arguments = {"verify", path, "--no-records"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return Hone(arguments);
  }

  // Options that give every input twice its batch.
  static std::vector<std::string> Doubled(const std::string& path) {
    std::vector<std::string> arguments;
    const relay::IRModule module = ImportOnnx(path).module;
    for (const auto& param : module.main->params) {
      Shape shape = param->type->shape;
      shape.at(0) *= 2;
      std::string dims;
      for (const int64_t dim : shape) dims += (dims.empty() ? "" : ",") + std::to_string(dim);
      arguments.insert(arguments.end(), {"--shape", param->name + "=" + dims});
    }
    return arguments;
  }
};

TEST_F(ReproModelsProgram, AgreeWithTheReferenceAtAnyBatch) {
  int models = 0, refused = 0;
  for (const auto& file : std::filesystem::directory_iterator(HONE_TEST_DATA "/repro")) {
    const std::string path = file.path().string();
    SCOPED_TRACE(path);
    ++models;
    const ProgramResult once = Verify(path, {}), twice = Verify(path, Doubled(path));
    EXPECT_EQ(once.code, 0) << once.out << once.err;
    if (twice.code == 65) {
      ++refused;
      EXPECT_NE(twice.err.find("does not join the others"), std::string::npos) << twice.err;
      EXPECT_EQ(std::count(twice.err.begin(), twice.err.end(), '\n'), 1) << twice.err;
    } else {
      EXPECT_EQ(twice.code, 0) << twice.out << twice.err;
    }
  }
  EXPECT_EQ(models, 25);
  EXPECT_EQ(refused, 4) << "those that join an input to a constant of its batch";
}

}  // namespace
}  // namespace hone
