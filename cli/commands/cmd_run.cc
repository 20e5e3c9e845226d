#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <optional>

#include "cli/command_line.h"
#include "cli/device_name.h"
#include "cli/files/npy.h"
#include "cli/inputs.h"
#include "cli/machine_options.h"
#include "cli/package_there.h"
#include "cli/printing/number_text.h"
#include "cli/printing/print.h"
#include "cli/printing/print_json.h"
#include "cli/remote_options.h"
#include "core/error.h"
#include "runtime/session.h"

namespace hone {
namespace {

struct RunOptions {
  std::string package, output;
  InputOptions inputs;
  int threads = 0;
  RemoteRunnerOptions remote;
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

struct NamedOutput {
  std::string name;
  Tensor tensor;
};

struct Ran {
  std::vector<NamedOutput> outputs;
  int64_t run_ns = 0;
  int threads = 0;
  std::optional<Environment> machine;  // of a runner; absent: this one
};

void SaveOutputs(const std::vector<NamedOutput>& outputs, const std::string& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error)
    throw Error(ExitCode::kCannotCreate, fmt::format("the folder {} cannot be made: {}", folder, error.message()));
  for (const NamedOutput& output : outputs) WriteNpy(output.tensor, folder + "/" + FileName(output.name));
}

std::vector<NamedOutput> Named(const Plan& plan, std::vector<Tensor> tensors) {
  std::vector<NamedOutput> outputs;
  for (size_t i = 0; i < tensors.size(); ++i) {
    const auto buffer = static_cast<size_t>(plan.outputs.at(i));
    outputs.push_back({plan.buffers.at(buffer).name, std::move(tensors[i])});
  }
  return outputs;
}

Ran RunHere(const RunOptions& options) {
  const auto package = Package::Load(options.package);
  Session session(package, {.threads = options.threads});
  for (const auto& [name, tensor] : MakeInputs(InputSpecs(*package), options.inputs)) session.SetInput(name, tensor);
  const auto start = std::chrono::steady_clock::now();
  session.Run();
  const auto spent = std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now() - start);
  std::vector<Tensor> outputs;
  for (int i = 0; i < session.outputs(); ++i) outputs.push_back(session.Output(i));
  return {Named(package->plan(), std::move(outputs)), spent.count(), session.threads(), std::nullopt};
}

Ran RunOnRunner(const RunOptions& options) {
  const auto inputs = MakeInputs(InputSpecs(*Package::Inspect(options.package)), options.inputs);
  const std::unique_ptr<Runner> runner = OneRunner(options.remote);
  const Environment machine = runner->Describe();
  const PackageThere there =
      ForMachine(options.package, Package::Inspect(options.package, RunsOn(machine)), options.threads, machine);
  RanThere ran = RunThere(there, inputs, *runner);
  return {Named(there.package->plan(), std::move(ran.outputs)), ran.run_ns, there.threads, ran.machine};
}

void Report(const Ran& ran, const RunOptions& options, bool json) {
  Json outputs = Json::array();
  for (const auto& [name, tensor] : ran.outputs) {
    if (json) {
      outputs.push_back(OutputJson(name, tensor));
    } else {
      PrintOutput(name, tensor);
    }
  }
  if (json) {
    Json document = {
        {"package", options.package}, {"threads", ran.threads}, {"run_ns", ran.run_ns}, {"outputs", outputs}};
    if (ran.machine) document["machine"] = ToJson(*ran.machine);
    PrintJson(document);
    return;
  }
  Print("one run took {} with {} threads{}\n", TimeText(ran.run_ns), ran.threads,
        ran.machine ? " on " + RunnerName(*ran.machine) + (ran.machine->emulated ? ", which is emulated" : "") : "");
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
  AddRemoteOptions(line, options.remote, "run on a runner behind it");
  if (!line.Parse(arguments)) return 0;
  const Ran ran = IsRemote(options.remote) ? RunOnRunner(options) : RunHere(options);
  if (!options.output.empty()) SaveOutputs(ran.outputs, options.output);
  Report(ran, options, line.json());
  line.Next("hone bench" + line.Given({Topic::kPackage, Topic::kThreads, Topic::kInputs, Topic::kRunners}));
  return 0;
}

}  // namespace hone
