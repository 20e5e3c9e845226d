#include "cli/commands/run/node.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "cli/command_line.h"
#include "cli/input_options.h"
#include "cli/machine_options.h"
#include "cli/model_options.h"
#include "cli/record_options.h"
#include "core/error.h"
#include "lab/model/model.h"
#include "lab/text/number_text.h"
#include "lab/text/print.h"
#include "lab/text/print_verdicts.h"
#include "lab/verify/node_alone.h"
#include "lab/verify/value_table.h"

namespace hone {
namespace {

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
  Print("one run took {} with {} threads\n", TimeText(alone.run_ns), threads);
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

}  // namespace

int RunNodeCommand(const Arguments& arguments) {
  CommandLine line("hone run MODEL --node NAME",
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
  const bool agree =
      std::all_of(alone.errors.begin(), alone.errors.end(), [](const OutputError& e) { return e.agrees; });
  line.Next("hone verify" + line.Given(kKernelTopics) + " --bisect");
  return agree ? 0 : static_cast<int>(ExitCode::kAnswerIsNo);
}

}  // namespace hone
