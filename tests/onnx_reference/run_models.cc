// hone_run_models: hone's results for a folder of models, for comparison with another implementation.
//
//   FOLDER/7.onnx  FOLDER/7.x.npy          a model, and the value of its input x
//   FOLDER/7.out0.npy                      written: its first result, of a built package
//   FOLDER/7.folded0.npy                   written: the reference's result, as importing folds constants
//   FOLDER/7.refused                       instead: the message
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "cli/command_line.h"
#include "compiler/build.h"
#include "compiler/codegen/target/host.h"
#include "compiler/frontend/onnx/onnx_import.h"
#include "compiler/relay/infer_type.h"
#include "compiler/relay/reference.h"
#include "core/error.h"
#include "lab/files/npy.h"
#include "lab/files/write_file.h"
#include "runtime/session.h"

namespace hone {
namespace {

using Inputs = std::map<std::string, Tensor>;

Inputs ReadInputs(const relay::IRModule& typed, const std::string& stem) {
  Inputs inputs;
  for (const auto& param : typed.main->params) {
    inputs.emplace(param->name, ReadNpy(fmt::format("{}.{}.npy", stem, param->name)).As(param->type->dtype));
  }
  return inputs;
}

struct Options {
  std::string folder;
  int64_t every = 1;
  std::string target = "host";
  int threads = 1;
  int opt_level = 3;
};

std::vector<Tensor> RunPackage(const relay::IRModule& typed, const Inputs& inputs, const Options& asked) {
  BuildOptions options;
  options.context.target = ResolveTarget(asked.target);
  options.context.threads = asked.threads;
  options.context.opt_level = asked.opt_level;
  Session session(Package::FromBytes(Build(typed, options).package, "drawn"), {.threads = asked.threads});
  for (const auto& [name, value] : inputs) session.SetInput(name, value);
  session.Run();
  std::vector<Tensor> outputs;
  for (int i = 0; i < session.outputs(); ++i) outputs.push_back(session.Output(i));
  return outputs;
}

void WriteAll(const std::vector<Tensor>& outputs, const std::string& stem) {
  for (size_t i = 0; i < outputs.size(); ++i) WriteNpy(outputs[i], fmt::format("{}{}.npy", stem, i));
}

// A model that was imported must build and run: only an error of importing is a refusal.
void RunModel(const std::string& path, bool build, const Options& options) {
  const std::string stem = path.substr(0, path.size() - std::string_view(".onnx").size());
  relay::IRModule typed;
  try {
    typed = relay::InferType(ImportOnnx(path).module);
  } catch (const Error& error) {
    WriteFileAtomically(stem + ".refused", error.what());
    return;
  }
  const Inputs inputs = ReadInputs(typed, stem);
  WriteAll(RunReference(typed, inputs), stem + ".folded");
  if (build) WriteAll(RunPackage(typed, inputs, options), stem + ".out");
}

int Main(const std::vector<std::string>& arguments) {
  CommandLine line("hone_run_models", "Runs every model of a folder and writes what comes out.",
                   "hone_run_models models");
  Options options;
  line.Add("FOLDER", options.folder, "models, and a .npy file for each input");
  line.Add("--build-every", options.every, "of so many models one is built, the others run by the reference alone")
      .ShowDefault();
  line.Add("--target", options.target, "host, or TVM-like text that this machine runs").ShowDefault();
  line.Add("--threads", options.threads, "of the package and its session").ShowDefault();
  line.Add("--opt-level", options.opt_level, "0 to 3").ShowDefault();
  if (!line.Parse(arguments)) return 0;
  std::vector<std::string> models;
  for (const auto& entry : std::filesystem::directory_iterator(options.folder)) {
    if (entry.path().extension() == ".onnx") models.push_back(entry.path());
  }
  std::sort(models.begin(), models.end());
  int failed = 0;
  for (size_t i = 0; i < models.size(); ++i) {
    try {
      RunModel(models[i], static_cast<int64_t>(i) % options.every == 0, options);
    } catch (const std::exception& error) {
      fmt::print("{}: {}\n", models[i], error.what());
      ++failed;
    }
  }
  return failed == 0 ? 0 : 1;
}

}  // namespace
}  // namespace hone

int main(int argc, char** argv) {
  try {
    return hone::Main({argv + 1, argv + argc});
  } catch (const hone::Error& error) {
    fmt::print(stderr, "hone_run_models: {}\n", error.what());
    return static_cast<int>(error.code());
  }
}
