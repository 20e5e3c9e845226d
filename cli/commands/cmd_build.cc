#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <optional>

#include "cli/command_line.h"
#include "cli/machine_options.h"
#include "cli/model_options.h"
#include "cli/quantise_options.h"
#include "cli/record_options.h"
#include "compiler/codegen/target/machine_target.h"
#include "compiler/relay/printer.h"
#include "core/error.h"
#include "core/nth.h"
#include "core/text/printable.h"
#include "lab/files/pack_package.h"
#include "lab/files/read_file.h"
#include "lab/files/write_file.h"
#include "lab/model/build_model.h"
#include "lab/model/extents.h"
#include "lab/model/model.h"
#include "lab/model/model_kind.h"
#include "lab/precision/precision_output.h"
#include "lab/precision/prepare_model.h"
#include "lab/precision/stored_weights_error.h"
#include "lab/text/dispatch_table.h"
#include "lab/text/number_text.h"
#include "lab/text/print.h"
#include "lab/text/table.h"
#include "lab/verify/value_table.h"
#include "rpc_runner/machine/environment.h"
#include "runtime/ranged_inputs.h"

namespace hone {
namespace {

struct BuildCommandOptions {
  ModelOptions model;
  MachineOptions machine;
  std::vector<std::string> targets = {};
  RecordOptions records;
  PrecisionOptions precision;
  std::string output, dump_passes;
  bool pass_times = false;
};

// The result for one target.
struct Result {
  BuiltModel built;
  std::optional<ChosenPrecision> precision;
  std::optional<double> weights_error;  // StoredWeightsError, if it was measured
};

// Writes each pass's module as NN_pass.txt.
std::function<void(const std::string&, const relay::IRModule&)> PassDumper(const std::string& folder) {
  if (folder.empty()) return nullptr;
  MakeFolder(folder);
  return [folder, number = 0](const std::string& pass, const relay::IRModule& module) mutable {
    WriteFileAtomically(fmt::format("{}/{:02}_{}.txt", folder, ++number, pass), relay::ToText(module));
  };
}

// Counts a source wherever its records were found: "record, hub" is a "record".
int CountSource(const Plan& plan, std::string_view source) {
  return static_cast<int>(std::count_if(plan.kernels.begin(), plan.kernels.end(), [source](const PlanKernel& k) {
    return std::string_view(k.dispatch.source).substr(0, k.dispatch.source.find(',')) == source;
  }));
}

bool HasIntegerWeights(const Plan& plan) {
  return std::any_of(plan.kernels.begin(), plan.kernels.end(),
                     [](const PlanKernel& kernel) { return kernel.dispatch.workload.starts_with("nn.dense_blocks"); });
}

// An option of layers with integer weights that changes nothing; "" if there is none.
std::string IdleOption(const Plan& plan, const MachineOptions& options) {
  if (HasIntegerWeights(plan)) return "";
  if (options.weights == "int8" || options.weights == "int4") return "--weights " + options.weights;
  return options.activations == "int8" ? "--activations int8" : "";
}

bool StoresIntegers(const MachineOptions& options) {
  return options.weights == "int8" || options.weights == "int4" || options.activations == "int8";
}

std::string WeightsErrorText(double error) {
  return fmt::format("integer weights move the outputs by up to {:.1e} of their largest value, on random inputs\n",
                     error);
}

void Warn(const BuildResult& result, const MachineOptions& options) {
  const Plan& plan = result.plan;
  if (const std::string idle = IdleOption(plan, options); !idle.empty()) {
    Note("warning: {} changes nothing: no dense layer has integer weights in blocks, or 65,536 float32 ones\n", idle);
  }
  for (const KeptWeights& kept : result.report.kept_weights) {
    Note("warning: {} keeps float32 weights: it {}\n", kept.node.empty() ? "a dense layer" : kept.node, kept.reason);
  }
  if (const int n = CountSource(plan, "other threads"); n > 0) {
    Note("warning: records of another thread count choose {}; `hone tune --threads {}` measures for this one\n",
         Counted(n, "kernel"), plan.threads);
  }
}

std::string LayoutsText(const LayoutReport& layouts) {
  std::string text =
      fmt::format("layouts: {}, {}", Counted(layouts.anchors, "anchor"), Counted(layouts.transforms, "transform"));
  if (layouts.expected_ns > 0) {
    text += fmt::format(", together {} against {} with each layer's best", TimeText(std::llround(layouts.expected_ns)),
                        TimeText(std::llround(layouts.per_layer_ns)));
  }
  return text + "\n";
}

Json LayoutsJson(const LayoutReport& layouts) {
  return {{"anchors", layouts.anchors},
          {"transforms", layouts.transforms},
          {"expected_ns", layouts.expected_ns},
          {"per_layer_ns", layouts.per_layer_ns}};
}

std::string PassTimesText(const BuildReport& report) {
  Table table({"pass", "> ms"});
  for (const auto& [pass, seconds] : report.pass_seconds) table.Add({pass, fmt::format("{:.2f}", seconds * 1e3)});
  return table.ToText();
}

Json SecondsJson(const std::vector<std::pair<std::string, double>>& seconds) {
  Json json = Json::object();
  for (const auto& [step, s] : seconds) json[step] = s;
  return json;
}

// "x 1x3x224x224, mask 1x(seq: 1..128)"
std::string InputsText(const Plan& plan) {
  std::string text;
  for (size_t i = 0; i < plan.inputs.size(); ++i) {
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", Nth(plan.buffers, plan.inputs[i]).name,
                        InputShapeText(plan, i));
  }
  return text;
}

// By the dimension's name: the least and the most extent.
Json RangesJson(const Plan& plan) {
  Json ranges = Json::object();
  for (const FreeDimension& each : FreeDimensions(InputSpecs(plan))) ranges[each.name] = {each.least, each.most};
  return ranges;
}

Json InputsJson(const Plan& plan) {
  Json inputs = Json::object();
  for (const int index : plan.inputs) {
    const PlanBuffer& buffer = plan.buffers.at(static_cast<size_t>(index));
    inputs[buffer.name] = buffer.shape;
  }
  return inputs;
}

void PrintReport(const Result& of, bool pass_times) {
  const BuildResult& result = of.built.result;
  if (pass_times) Print("{}\n", PassTimesText(result.report));
  if (of.precision) Print("{}", ChosenPrecisionText(*of.precision));
  if (of.weights_error) Print("{}", WeightsErrorText(*of.weights_error));
  Print("{}{}{}", DispatchText(result.plan, of.built.losses), LayoutsText(result.report.layouts),
        MemoryText(result.plan));
  Print("{}", ExpectedText(ExpectedOf(result)));
  const std::vector<FreeDimension> free = FreeDimensions(InputSpecs(result.plan));
  if (!free.empty()) Print("free in each run: {}\n", FreeDimensionsText(free));
}

int64_t SizeOf(const BuildResult& result) { return static_cast<int64_t>(result.package.size()) + result.params.size(); }

std::string SummaryText(const BuildResult& result) {
  double total = 0;
  for (const auto& [step, seconds] : result.report.seconds) total += seconds;
  return fmt::format("{}, {}, {}, {}, built in {:.1f} s", BytesText(SizeOf(result)),
                     Counted(result.plan.calls.size(), "call"), FlopText(result.report.flops),
                     Counted(result.plan.threads, "thread"), total);
}

Json ReportJson(const Result& of, const std::string& output) {
  const BuildResult& result = of.built.result;
  Json report = {{"package", output},
                 {"model", result.plan.model},
                 {"target", result.plan.target.ToText()},
                 {"threads", result.plan.threads},
                 {"inputs", InputsJson(result.plan)},
                 {"ranges", RangesJson(result.plan)},
                 {"dispatch", DispatchJson(result.plan, of.built.losses)},
                 {"layouts", LayoutsJson(result.report.layouts)},
                 {"memory", MemoryJson(result.plan)},
                 {"expected", ExpectedJson(ExpectedOf(result))},
                 {"gflop", result.report.flops / 1e9},
                 {"seconds", SecondsJson(result.report.seconds)},
                 {"pass_seconds", SecondsJson(result.report.pass_seconds)}};
  if (of.precision) report["precision"] = ChosenPrecisionJson(*of.precision);
  if (of.weights_error) report["weights_error"] = NumberJson(*of.weights_error);
  return report;
}

void AddOptions(CommandLine& line, BuildCommandOptions& options) {
  AddModelOptions(line, options.model);
  line.Add("-o,--output", options.output, "the package to write").Parsed(RequirePackageName).Writes().Required();
  AddContextOptions(line, options.machine, options.targets);
  AddLengthsOption(line, options.machine);
  AddPrecisionOptions(line, options.precision);
  AddRecordOptions(line, options.records);
  AddPassOptions(line, options.machine);
  line.Add("--dump-passes", options.dump_passes, "folder that gets the module's text after each pass")
      .In(OptionGroup::kPasses)
      .WritesInto();
  line.AddFlag("--pass-times", options.pass_times, "print how long each pass took").In(OptionGroup::kPasses);
}

// One machine per target, resolved before the build for the first begins.
std::vector<Machine> ResolveMachines(const BuildCommandOptions& options) {
  std::vector<Machine> machines;
  for (const std::string& target : options.targets.empty() ? std::vector<std::string>{""} : options.targets) {
    MachineOptions one = options.machine;
    one.target = target;
    machines.push_back(ResolveMachine(one));
  }
  return machines;
}

// A run that is refused must not cost the package.
std::optional<double> WeightsErrorOf(const PreparedModel& prepared, const BuildCommandOptions& options,
                                     const BuildResult& built) {
  if (!StoresIntegers(options.machine) || !HasIntegerWeights(built.plan)) return std::nullopt;
  try {
    return StoredWeightsError(prepared.typed, prepared.machine, options.records, built);
  } catch (const Error& error) {
    Note("warning: what integer weights move the outputs by is not known: {}\n", error.what());
    return std::nullopt;
  }
}

// `joins_params` is as in BuildOptions.
Result BuildFor(const Machine& machine, ModelPreparer& preparer, const std::string& model_sha256,
                const BuildCommandOptions& options, const std::string& dump_passes, bool joins_params) {
  const PreparedModel prepared = preparer.For(machine, options.records);
  const PackagePrecision precision = prepared.chosen ? PackagePrecisionOf(*prepared.chosen) : PackagePrecision();
  BuiltModel built = BuildModel(prepared.typed, prepared.machine, options.records, PassDumper(dump_passes),
                                model_sha256, precision, joins_params);
  const std::optional<double> error = WeightsErrorOf(prepared, options, built.result);
  return {std::move(built), prepared.chosen, error};
}

// Returns the file's size.
int64_t WritePackages(const std::vector<Result>& results, const std::string& path) {
  if (results.size() == 1) {
    const BuildResult& only = results[0].built.result;
    WriteFileAtomically(path, [&](std::ostream& out) {
      out << only.package;
      only.params.Write([&](std::string_view piece) { out << piece; });
    });
    return SizeOf(only);
  }
  std::vector<NamedPackage> packages;
  for (const Result& each : results) packages.push_back({"the package", each.built.result.package});
  const std::string bytes = JoinPackages(packages);
  WriteFileAtomically(path, bytes);
  return static_cast<int64_t>(bytes.size());
}

void PrintReports(const std::vector<Result>& results, const BuildCommandOptions& options, int64_t bytes) {
  if (results.size() == 1) {
    PrintReport(results[0], options.pass_times);
    Print("{} written: {}\n", options.output, SummaryText(results[0].built.result));
    return;
  }
  for (const Result& each : results) {
    Print("target {}, {}\n", each.built.result.plan.target.ToText(), InputsText(each.built.result.plan));
    PrintReport(each, options.pass_times);
    Print("{}\n\n", SummaryText(each.built.result));
  }
  Print("{} written: {}, {}\n", options.output, BytesText(bytes), Counted(results.size(), "package"));
}

Json ReportsJson(const std::vector<Result>& results, const std::string& output) {
  if (results.size() == 1) return ReportJson(results[0], output);
  Json packages = Json::array();
  for (const Result& each : results) packages.push_back(ReportJson(each, output));
  return {{"package", output}, {"packages", packages}};
}

}  // namespace

int BuildCommand(const Arguments& arguments) {
  CommandLine line("hone build", "Builds a package with the best records of the store.",
                   "hone build model.onnx -o model.hone");
  line.First({"-o", "--target", "--threads", "--precision", "--no-records"});
  BuildCommandOptions options;
  AddOptions(line, options);
  if (!line.Parse(arguments)) return 0;
  CheckPrecisionOptions(options.machine.precision, options.precision);
  const std::vector<Machine> machines = ResolveMachines(options);
  const std::vector<ModelOptions> shapes = EachShape(options.model);
  const size_t packages = machines.size() * shapes.size();
  // Only packages that are joined or run take a copy of the weights.
  const bool joins_params = packages > 1 || StoresIntegers(options.machine);
  std::vector<Result> results;
  for (const ModelOptions& shape : shapes) {
    const Model model = LoadModel(shape);
    const std::string model_sha256 = Sha256OfFile(model.name);
    ModelPreparer preparer(shape, model, options.machine.precision, options.precision);
    for (const Machine& machine : machines) {
      const std::string own = packages == 1 || options.dump_passes.empty()
                                  ? options.dump_passes
                                  : fmt::format("{}/{}", options.dump_passes, results.size() + 1);
      results.push_back(BuildFor(machine, preparer, model_sha256, options, own, joins_params));
      Warn(results.back().built.result, options.machine);
    }
  }
  const int64_t bytes = WritePackages(results, options.output);
  if (line.json()) {
    PrintJson(ReportsJson(results, options.output));
  } else {
    PrintReports(results, options, bytes);
  }
  const Environment here = ProbeEnvironment();
  const bool runs_here = std::any_of(machines.begin(), machines.end(), [&](const Machine& machine) {
    return WhyNotOn(here, machine.context.target, 1).empty();
  });
  line.Next(runs_here ? "hone run " + ShellWord(options.output) + line.Given({Topic::kThreads})
                      : "hone package info " + ShellWord(options.output));
  if (results.size() == 1 && CountSource(results[0].built.result.plan, "record") > 0) {
    line.Next("hone compare" + line.Given(kKernelTopics) + " --from-records");
  }
  return 0;
}

}  // namespace hone
