#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <map>
#include <optional>

#include "cli/command.h"
#include "cli/command_line.h"
#include "cli/key_options.h"
#include "cli/machine_options.h"
#include "cli/model_options.h"
#include "cli/record_options.h"
#include "core/error.h"
#include "core/text/printable.h"
#include "core/text/spelling.h"
#include "lab/files/npy.h"
#include "lab/files/pack_package.h"
#include "lab/files/read_file.h"
#include "lab/machine/device_name.h"
#include "lab/machine/package_there.h"
#include "lab/model/inputs.h"
#include "lab/model/model.h"
#include "lab/text/number_text.h"
#include "lab/text/print.h"
#include "lab/verify/node_alone.h"
#include "lab/verify/value_table.h"
#include "runtime/observed_run.h"
#include "runtime/session.h"

namespace hone {
namespace {

// The run touches memory for the first time, so its time is no measurement.
std::string FirstRunText(int64_t run_ns) { return fmt::format("first run, cold: {}", TimeText(run_ns)); }

struct NodeOptions {
  ModelOptions model;
  MachineOptions machine;
  RecordOptions records;
  InputOptions inputs;
  std::vector<std::string> operands;  // NUMBER=FILE
  std::string node, output;
  double tolerance = 1e-4;
};

std::map<size_t, Tensor> GivenOperands(const std::vector<std::string>& texts) {
  std::map<size_t, Tensor> given;
  for (const std::string& text : texts) {
    const size_t equals = text.find('=');
    const std::string number = text.substr(0, equals);
    if (equals == std::string::npos || number.empty() || number.size() > 4 ||
        number.find_first_not_of("0123456789") != std::string::npos) {
      throw Error(ExitCode::kUsage, fmt::format("--operand is given \"{}\"; right is 0=FILE.npy", text));
    }
    if (!given.emplace(std::stoul(number), ReadTensorFile(text.substr(equals + 1))).second) {
      throw Error(ExitCode::kUsage, fmt::format("--operand is given twice for {}", number));
    }
  }
  return given;
}

Json AloneJson(const NodeAlone& alone, const NodeOptions& options, int threads) {
  Json operands = Json::array(), outputs = Json::array();
  for (const auto& [name, tensor] : alone.operands) operands.push_back(TensorJson(name, tensor));
  for (size_t i = 0; i < alone.outputs.size(); ++i) {
    Json output = TensorJson(alone.outputs[i].first, alone.outputs[i].second);
    output["worst"] = NumberJson(alone.errors[i].worst);
    output["agrees"] = alone.errors[i].agrees;
    outputs.push_back(std::move(output));
  }
  return {{"model", options.model.model}, {"node", options.node}, {"threads", threads}, {"run_ns", alone.run_ns},
          {"kernels", alone.kernels},     {"operands", operands}, {"outputs", outputs}};
}

void PrintAlone(const NodeAlone& alone, const NodeOptions& options, int threads) {
  for (const std::string& kernel : alone.kernels) Print("{}\n", kernel);
  for (const auto& [name, tensor] : alone.operands) PrintTensor(name, tensor);
  for (const auto& [name, tensor] : alone.outputs) PrintTensor(name, tensor);
  for (const OutputError& error : alone.errors) {
    PrintVerdicts(fmt::format("{} is {:.2e} off the reference's at element {}: {} (tolerance {:.0e})\n", error.name,
                              error.worst, error.index, error.agrees ? "it agrees" : "it DIFFERS", options.tolerance));
  }
  Print("{} with {}\n", FirstRunText(alone.run_ns), Counted(threads, "thread"));
}

void AddOptions(CommandLine& line, NodeOptions& options) {
  AddModelOptions(line, options.model);
  line.Add("--node", options.node, "name of the node, or of its first output").Required();
  line.Add("--operand", options.operands, "replaces operand N: N=FILE(.npy|.pb), counted from 0 without constants")
      .Reads();
  AddInputOptions(line, options.inputs);
  line.Add("--output", options.output, "folder that gets each operand and output as .npy").WritesInto();
  AddContextOptions(line, options.machine);
  AddPassOptions(line, options.machine);
  AddRecordOptions(line, options.records);
  line.Add("--tolerance", options.tolerance, "largest max|y-r|/max|r| that agrees").BetweenReal(0, 1).ShowDefault();
}

// `hone run MODEL --node NAME`: runs one node of a model by itself.
int RunNodeCommand(const Arguments& arguments) {
  CommandLine line("hone run --node NAME",
                   "Builds one node of a model alone and runs it on what the reference gives it; exit 1 when it gives "
                   "something else than the reference.",
                   "hone run model.onnx --node conv1");
  line.First({"--node", "--operand", "--input", "--tolerance", "--output"});
  NodeOptions options;
  AddOptions(line, options);
  if (!line.Parse(arguments)) return 0;
  const Machine machine = ResolveMachine(options.machine);
  const std::map<size_t, Tensor> given = GivenOperands(options.operands);
  const Model model = LoadModel(options.model);
  options.inputs.seed = options.model.seed;
  const NodeAlone alone =
      RunNodeAlone(model.typed, options.node, options.inputs, given, machine, options.records, options.tolerance);
  if (!options.output.empty()) {
    SaveTensors(alone.operands, options.output);
    SaveTensors(alone.outputs, options.output);
  }
  const int threads = machine.context.threads;
  if (line.json()) {
    PrintJson(AloneJson(alone, options, threads));
  } else {
    PrintAlone(alone, options, threads);
  }
  const bool agree = AllAgree(alone.errors);
  line.Next("hone verify" + line.Given(kKernelTopics) + " --bisect");
  return agree ? 0 : static_cast<int>(ExitCode::kAnswerIsNo);
}

struct RunOptions {
  std::string package, output;
  std::string graph, lib, params;  // instead of a package
  std::string dump, upto;
  std::string node;  // read by RunNodeCommand; here only for the help text
  InputOptions inputs;
  int threads = 0;
  RemoteRunnerOptions remote;
};

struct Ran {
  NamedTensors outputs;
  int64_t run_ns = 0;
  int threads = 0;
  std::optional<Environment> machine;  // of a runner; absent: this machine
};

NamedTensors Named(const Plan& plan, std::vector<Tensor> tensors) {
  NamedTensors outputs;
  for (size_t i = 0; i < tensors.size(); ++i) {
    const auto buffer = static_cast<size_t>(plan.outputs.at(i));
    outputs.emplace_back(plan.buffers.at(buffer).name, std::move(tensors[i]));
  }
  return outputs;
}

bool AreParts(const RunOptions& options) {
  return !options.graph.empty() || !options.lib.empty() || !options.params.empty();
}

// Loads the package's file, or one in three parts.
std::shared_ptr<const Package> LoadHere(const RunOptions& options) {
  if (!AreParts(options)) return Package::Load(options.package, ShapesAsked(options.inputs, options.package));
  PackageParts parts;
  parts.graph = ReadFile(parts.graph_name = options.graph);
  parts.lib = ReadFile(parts.lib_name = options.lib);
  parts.params = ReadFile(parts.params_name = options.params);
  return Package::FromBytes(PackPackage(parts), options.graph);
}

bool Names(const Arguments& arguments, std::string_view option) {
  return std::any_of(arguments.begin(), arguments.end(), [&](std::string_view word) {
    return word.starts_with(option) && (word.size() == option.size() || word[option.size()] == '=');
  });
}

void RequirePackageOrParts(const RunOptions& options) {
  const bool whole = !options.graph.empty() && !options.lib.empty() && !options.params.empty();
  if (AreParts(options) ? whole && options.package.empty() : !options.package.empty()) return;
  throw Error(ExitCode::kUsage,
              "hone run takes a PACKAGE, or --graph graph.json, --lib lib.so and --params params.safetensors of one");
}

Ran RunHere(const RunOptions& options) {
  const auto package = LoadHere(options);
  Session session(package, {.threads = options.threads});
  for (const auto& [name, tensor] : MakeInputs(InputSpecs(*package), options.inputs)) session.SetInput(name, tensor);
  const auto start = std::chrono::steady_clock::now();
  session.Run();
  const auto spent = std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now() - start);
  std::vector<Tensor> outputs;
  for (int i = 0; i < session.outputs(); ++i) outputs.push_back(session.Output(i));
  return {Named(package->plan(), std::move(outputs)), spent.count(), session.threads(), std::nullopt};
}

std::vector<Tensor> InputsInOrder(const Package& package, const InputOptions& options) {
  std::map<std::string, Tensor> by_name = MakeInputs(InputSpecs(package), options);
  std::vector<Tensor> inputs;
  for (const int index : package.plan().inputs) {
    inputs.push_back(by_name.at(package.plan().buffers.at(static_cast<size_t>(index)).name));
  }
  return inputs;
}

// Shows the result of each call up to the named node, and writes it to files if a folder is given.
int ShowValues(const RunOptions& options, bool json) {
  const auto package = LoadHere(options);
  const std::vector<std::string> nodes = NodesOf(package->plan());
  if (!options.upto.empty() && std::find(nodes.begin(), nodes.end(), options.upto) == nodes.end()) {
    throw Error(ExitCode::kUsage,
                fmt::format("{} has no node {}{}; `hone profile {} --in-order` lists them", options.package,
                            options.upto, DidYouMean(options.upto, nodes), options.package));
  }
  ValueTable table(package->plan(), options.dump);
  RunObserved(package, InputsInOrder(*package, options.inputs), options.threads, [&](const ObservedValue& value) {
    table.Add(value);
    return options.upto.empty() || !Computes(package->plan(), value.call, options.upto);
  });
  table.Print(json);
  return 0;
}

Ran RunOnRunner(const RunOptions& options) {
  const InputShapes shapes = ShapesAsked(options.inputs, options.package);
  const auto inputs = MakeInputs(InputSpecs(*Package::Inspect(options.package, nullptr, shapes)), options.inputs);
  const std::unique_ptr<Runner> runner = OneRunner(options.remote);
  const Environment machine = runner->Describe();
  const PackageThere there =
      ForMachine(options.package, Package::Inspect(options.package, RunsOn(machine), shapes), options.threads, machine);
  RanThere ran = RunThere(there, inputs, *runner);
  return {Named(there.package->plan(), std::move(ran.outputs)), ran.run_ns, there.threads, ran.machine};
}

void Report(const Ran& ran, const RunOptions& options, bool json) {
  Json outputs = Json::array();
  for (const auto& [name, tensor] : ran.outputs) {
    if (json) {
      outputs.push_back(TensorJson(name, tensor));
    } else {
      PrintTensor(name, tensor);
    }
  }
  if (json) {
    Json document = {{"package", AreParts(options) ? options.graph : options.package},
                     {"threads", ran.threads},
                     {"run_ns", ran.run_ns},
                     {"outputs", outputs}};
    if (ran.machine) document["machine"] = ToJson(*ran.machine);
    PrintJson(document);
    return;
  }
  Print("{} with {}{}; `hone bench` times it\n", FirstRunText(ran.run_ns), Counted(ran.threads, "thread"),
        ran.machine ? " on " + RunnerName(*ran.machine) + (ran.machine->emulated ? ", which is emulated" : "") : "");
}

}  // namespace

int RunCommand(const Arguments& arguments) {
  if (Names(arguments, "--node")) return RunNodeCommand(arguments);
  CommandLine line("hone run", "Runs a package once and prints the first values of each output.",
                   "hone run model.hone --input image=cat.npy");
  line.First({"--input", "--output", "--threads", "--dump", "--node"});
  RunOptions options;
  const Option package =
      line.Add("PACKAGE", options.package, "a package that `hone build` wrote").Reads().About(Topic::kPackage);
  if (!Names(arguments, "--graph")) package.Required();
  line.Add("--graph", options.graph, "graph.json of `hone package unpack`, instead of PACKAGE")
      .In(OptionGroup::kModel)
      .Reads();
  line.Add("--lib", options.lib, "lib.so for --graph").In(OptionGroup::kModel).Reads();
  line.Add("--params", options.params, "params.safetensors for --graph, or others of the same shapes")
      .In(OptionGroup::kModel)
      .Reads();
  AddInputOptions(line, options.inputs);
  AddPackageShapeOption(line, options.inputs);
  AddPackageDimOption(line, options.inputs);
  line.Add("--seed", options.inputs.seed, "seed of random and uniform inputs").In(OptionGroup::kShapes);
  line.Add("--output", options.output, "folder that gets each output as a .npy file").WritesInto();
  line.Add("--dump", options.dump, "folder that gets each call's value as a .npy file").WritesInto();
  line.Add("--upto", options.upto, "stop after this node of the model, and print its values").In(OptionGroup::kOutput);
  line.Add("--node", options.node, "run one node of a model: `hone run MODEL --node NAME --help`");
  AddThreadsOption(line, options.threads);
  AddRemoteOptions(line, options.remote, "run on one of its runners");
  if (!line.Parse(arguments)) return 0;
  RequirePackageOrParts(options);
  if (AreParts(options) && IsRemote(options.remote)) {
    throw Error(ExitCode::kUsage, "a runner takes a PACKAGE; `hone package pack` makes one of its parts");
  }
  if (!options.dump.empty() || !options.upto.empty()) {
    if (IsRemote(options.remote)) throw Error(ExitCode::kUsage, "--dump and --upto run on this machine alone");
    const int code = ShowValues(options, line.json());
    line.Next("hone profile" + line.Given({Topic::kPackage, Topic::kThreads, Topic::kInputs}) + " --in-order");
    return code;
  }
  const Ran ran = IsRemote(options.remote) ? RunOnRunner(options) : RunHere(options);
  if (!options.output.empty()) SaveTensors(ran.outputs, options.output);
  Report(ran, options, line.json());
  if (AreParts(options)) {
    line.Next("hone package pack FOLDER -o P.hone");
    return 0;
  }
  line.Next("hone bench" + line.Given({Topic::kPackage, Topic::kThreads, Topic::kInputs, Topic::kRunners}));
  return 0;
}

}  // namespace hone
