#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>

#include "cli/command_line.h"
#include "cli/files/npy.h"
#include "cli/inputs.h"
#include "cli/machine_options.h"
#include "cli/printing/number_text.h"
#include "cli/printing/print.h"
#include "cli/printing/print_json.h"
#include "core/error.h"
#include "runtime/session.h"

namespace hone {
namespace {

struct RunOptions {
  std::string package, output;
  InputOptions inputs;
  int threads = 0;
};

constexpr int64_t kShown = 10;

// Output names are the model's own text: as file names they keep only what is harmless.
std::string FileName(const std::string& output) {
  std::string name = output;
  for (char& c : name) {
    const bool plain =
        (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-' || c == '.';
    if (!plain) c = '_';
  }
  return (name.empty() || name[0] == '.' ? "_" + name : name) + ".npy";
}

const std::string& OutputName(const Session& session, int i) {
  const Plan& plan = session.package().plan();
  return plan.buffers.at(static_cast<size_t>(plan.outputs.at(static_cast<size_t>(i)))).name;
}

// JSON has no NaN and no infinity.
Json NumberJson(double value) { return std::isfinite(value) ? Json(value) : Json(fmt::format("{}", value)); }

Json OutputJson(const std::string& name, const Tensor& tensor) {
  Json first = Json::array();
  for (int64_t i = 0; i < std::min(kShown, tensor.elements()); ++i) first.push_back(NumberJson(tensor.At(i)));
  return {{"name", name}, {"shape", tensor.shape()}, {"dtype", DTypeName(tensor.dtype())}, {"first", first}};
}

void PrintOutput(const std::string& name, const Tensor& tensor) {
  Print("{} {} {}:", name, ShapeText(tensor.shape()), DTypeName(tensor.dtype()));
  for (int64_t i = 0; i < std::min(kShown, tensor.elements()); ++i) Print(" {:.6g}", tensor.At(i));
  Print("{}\n", tensor.elements() > kShown ? " ..." : "");
}

void SaveOutputs(const Session& session, const std::string& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error)
    throw Error(ExitCode::kCannotCreate, fmt::format("the folder {} cannot be made: {}", folder, error.message()));
  for (int i = 0; i < session.outputs(); ++i)
    WriteNpy(session.Output(i), folder + "/" + FileName(OutputName(session, i)));
}

int64_t TimeRun(Session& session) {
  const auto start = std::chrono::steady_clock::now();
  session.Run();
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now() - start).count();
}

void Report(const Session& session, const RunOptions& options, int64_t ns, bool json) {
  Json outputs = Json::array();
  for (int i = 0; i < session.outputs(); ++i) {
    const Tensor tensor = session.Output(i);
    if (json) {
      outputs.push_back(OutputJson(OutputName(session, i), tensor));
    } else {
      PrintOutput(OutputName(session, i), tensor);
    }
  }
  if (json) {
    PrintJson({{"package", options.package}, {"threads", session.threads()}, {"run_ns", ns}, {"outputs", outputs}});
  } else {
    Print("one run took {} with {} threads\n", TimeText(ns), session.threads());
  }
}

}  // namespace

int RunCommand(const Arguments& arguments) {
  CommandLine line("hone run", "Runs a package once and prints the first values of each output.");
  RunOptions options;
  line.Add("PACKAGE", options.package, "a package that `hone build` wrote").Required().About(Topic::kPackage);
  AddInputOptions(line, options.inputs);
  line.Add("--seed", options.inputs.seed, "seed of random and uniform inputs");
  line.Add("--output", options.output, "a folder that gets every output as a .npy file");
  AddThreadsOption(line, options.threads);
  if (!line.Parse(arguments)) return 0;
  const auto package = Package::Load(options.package);
  Session session(package, {.threads = options.threads});
  for (const auto& [name, tensor] : MakeInputs(InputSpecs(*package), options.inputs)) session.SetInput(name, tensor);
  const int64_t ns = TimeRun(session);
  if (!options.output.empty()) SaveOutputs(session, options.output);
  Report(session, options, ns, line.json());
  line.Next("hone bench" + line.Given({Topic::kPackage, Topic::kThreads, Topic::kInputs}));
  return 0;
}

}  // namespace hone
