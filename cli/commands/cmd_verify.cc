#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "cli/command_line.h"
#include "cli/key_options.h"
#include "cli/machine_options.h"
#include "cli/model_options.h"
#include "cli/record_options.h"
#include "compiler/relay/ranged_inputs.h"
#include "compiler/relay/reference.h"
#include "compiler/relay/state_values.h"
#include "core/error.h"
#include "core/text/printable.h"
#include "lab/files/read_file.h"
#include "lab/machine/package_there.h"
#include "lab/model/build_model.h"
#include "lab/model/extents.h"
#include "lab/model/inputs.h"
#include "lab/model/model.h"
#include "lab/model/taken_extents.h"
#include "lab/text/print.h"
#include "lab/verify/compare_nodes.h"
#include "lab/verify/compare_outputs.h"
#include "lab/verify/judge_outputs.h"

namespace hone {
namespace {

using Inputs = std::map<std::string, Tensor>;

struct VerifyPackageOptions {
  ModelOptions model;
  MachineOptions machine;
  RecordOptions records;
  InputOptions inputs;
  std::string package;
  std::vector<std::string> expect;
  double tolerance = -1;  // not given
  bool bisect = false;
  std::string against;  // of --bisect; empty: the reference
  RemoteRunnerOptions remote;
};

// The place where packages run: this machine or a runner.
class Place {
 public:
  Place(const MachineOptions& options, const RemoteRunnerOptions& remote)
      : runner_(IsRemote(remote) ? OneRunner(remote) : nullptr),
        machine_(runner_ ? ResolveMachineOf(options, runner_->Describe(), true) : ResolveMachine(options)) {}

  // Lets the next line name what a runner resolved the options to.
  void Resolve(CommandLine& line) const {
    if (!runner_) return;
    line.Resolve("--threads", fmt::format("{}", machine_.context.threads));
    line.Resolve("--target", machine_.context.target.ToText());
  }

  int threads() const { return machine_.context.threads; }

  std::shared_ptr<const Package> Open(const std::string& path, const InputShapes& shapes) const {
    return runner_ ? Package::Inspect(path, RunsOn(runner_->Describe()), shapes) : Package::Load(path, shapes);
  }

  std::shared_ptr<const Package> Build(const relay::IRModule& module, const RecordOptions& records) const {
    const std::string bytes = BuildModel(module, machine_, records).result.package;
    const std::string name = "the fresh build of " + module.name;
    return runner_ ? Package::InspectBytes(bytes, name) : Package::FromBytes(bytes, name);
  }

  std::vector<Tensor> Run(const std::shared_ptr<const Package>& package, const std::string& name,
                          const Inputs& inputs) const {
    const int threads = machine_.context.threads;
    if (runner_) return RunThere(ForMachine(name, package, threads, runner_->Describe()), inputs, *runner_).outputs;
    return OutputsHere(package, threads, inputs);
  }

 private:
  std::unique_ptr<Runner> runner_;
  Machine machine_;
};

// The package to verify, and inputs of one length.
struct VerifiedPackage {
  Place place;
  std::string name;  // the package's name, for messages
  std::shared_ptr<const Package> package;
  Inputs inputs;
  VerifyTolerance tolerance;
};

InputShapes ShapesOf(const Model& model) {
  InputShapes shapes;
  for (const auto& param : model.typed.main->params) shapes[param->name] = param->type->shape;
  return shapes;
}

VerifiedPackage Open(const VerifyPackageOptions& options, const Model& model) {
  VerifiedPackage subject{{options.machine, options.remote}, options.package, nullptr, {}, {}};
  if (options.package.empty()) {
    subject.name = "the model";
    subject.package = subject.place.Build(model.typed, options.records);
  } else {
    subject.package = subject.place.Open(options.package, ShapesOf(model));
  }
  subject.package->VerifyParams();
  const std::optional<double> given = options.tolerance < 0 ? std::nullopt : std::optional(options.tolerance);
  subject.tolerance = ToleranceFor(given, *subject.package, subject.name);
  return subject;
}

// A model that was loaded with fixed extents is compared at these.
std::vector<std::string> FixedShapes(const std::vector<InputSpec>& specs, const Model& model) {
  const std::vector<relay::RangedInput> ranged = relay::RangedInputs(*model.typed.main);
  std::vector<std::string> shapes;
  for (size_t i = 0; i < model.typed.main->params.size(); ++i) {
    const relay::Var& param = *model.typed.main->params[i];
    const bool free = std::any_of(ranged.begin(), ranged.end(), [i](const relay::RangedInput& each) {
      return each.input == static_cast<int64_t>(i);
    });
    const bool of_package = std::any_of(specs.begin(), specs.end(), [&](const InputSpec& spec) {
      return spec.name == param.name && !spec.ranges.empty();
    });
    if (!free && of_package) shapes.push_back(fmt::format("{}={}", param.name, fmt::join(param.type->shape, ",")));
  }
  return shapes;
}

// The inputs at each length: what the options or the model choose, or else several lengths of a package that leaves
// them to its runs.
struct ComparedInputs {
  std::vector<Inputs> each;
  std::vector<Extents> passed_over;  // lengths that no run of the model takes
};
ComparedInputs EachInputs(const VerifyPackageOptions& options, const Model& model, const Package& package) {
  InputOptions of_inputs = options.inputs;
  of_inputs.seed = options.model.seed;
  const std::vector<InputSpec> specs = InputSpecs(package);
  of_inputs.shapes = FixedShapes(specs, model);
  const auto takes = [&](const Extents& extents) { return TakesExtents(model.typed, extents); };
  SampledExtents samples = SampleExtents(FreeDimensions(specs), takes);
  const bool chosen = !of_inputs.files.empty() || !of_inputs.shapes.empty() || !options.expect.empty();
  if (chosen || options.bisect) samples = {{{}}, {}};
  ComparedInputs inputs{{}, samples.passed_over};
  for (const Extents& extents : samples.taken) {
    of_inputs.dims.clear();
    for (const auto& [name, extent] : extents) of_inputs.dims.push_back(fmt::format("{}={}", name, extent));
    inputs.each.push_back(MakeInputs(specs, of_inputs));
    RequireIndicesInRange(specs, inputs.each.back());
  }
  return inputs;
}

std::vector<OutputError> CompareAll(const std::vector<Tensor>& got, const std::vector<Tensor>& expected,
                                    const std::vector<std::string>& names, double tolerance) {
  if (got.size() != expected.size()) {
    throw Error(ExitCode::kUsage, fmt::format("there are {}, and {} to compare them with",
                                              Counted(got.size(), "output"), expected.size()));
  }
  std::vector<OutputError> errors;
  for (size_t i = 0; i < got.size(); ++i) errors.push_back(CompareOutput(names.at(i), got[i], expected[i], tolerance));
  return errors;
}

std::vector<std::string> OutputNames(const Plan& plan, const std::string& suffix = "") {
  std::vector<std::string> names;
  for (const int index : plan.outputs) names.push_back(plan.buffers.at(static_cast<size_t>(index)).name + suffix);
  return names;
}

// Expected values, computed at most once per command because the reference is slow.
struct Expected {
  std::optional<Logits> logits;       // present if the model ends in a softmax
  std::vector<Tensor> logits_values;  // outputs of the logits' module
  std::vector<Tensor> outputs;
};
Expected ReferenceOutputs(const Model& model, const Inputs& inputs, const std::vector<std::string>& files) {
  Expected expected;
  if (!files.empty()) {
    for (const std::string& file : files) expected.outputs.push_back(ReadTensorFile(file));
    return expected;
  }
  expected.logits = WithoutTrailingSoftmax(model.typed);
  if (!expected.logits) {
    expected.outputs = RunReference(model.typed, inputs);
    return expected;
  }
  expected.logits_values = RunReference(expected.logits->module, inputs);
  expected.outputs = {ApplySoftmax(expected.logits_values.at(0), expected.logits->softmax)};
  return expected;
}

std::vector<OutputError> Verify(const VerifiedPackage& subject, const VerifyPackageOptions& options,
                                const Model& model) {
  const Place& place = subject.place;
  const double tolerance = subject.tolerance.value;
  const Plan& plan = subject.package->plan();
  const std::vector<Tensor> got = place.Run(subject.package, subject.name, subject.inputs);
  const Expected expected = ReferenceOutputs(model, subject.inputs, options.expect);
  std::vector<OutputError> errors = CompareAll(got, expected.outputs, OutputNames(plan), tolerance);
  AllowRounding(model.typed, *subject.package, subject.inputs, subject.tolerance, errors);
  JudgeElements(model.typed, *subject.package, subject.inputs, subject.tolerance, got, expected.outputs, errors);
  TellLimits(model.typed, subject.inputs, subject.tolerance, errors);
  if (options.package.empty() && expected.logits) {
    const auto without = place.Build(expected.logits->module, options.records);
    std::vector<OutputError> more = CompareAll(place.Run(without, "the model", subject.inputs), expected.logits_values,
                                               OutputNames(without->plan(), " (before softmax)"), tolerance);
    AllowRounding(expected.logits->module, *without, subject.inputs, subject.tolerance, more);
    TellLimits(expected.logits->module, subject.inputs, subject.tolerance, more);
    errors.insert(errors.end(), more.begin(), more.end());
  }
  return errors;
}

// If they differ, the next step is to find out whether a pass is the cause.
std::string NextOf(const CommandLine& line, const VerifyPackageOptions& options, bool agree) {
  if (agree && !options.package.empty())
    return "hone bench" + line.Given({Topic::kPackage, Topic::kThreads, Topic::kInputs, Topic::kRunners});
  if (agree || options.machine.opt_level == 0) return "hone build" + line.Given(kKernelTopics) + " -o P.hone";
  std::set<Topic> topics = kKernelTopics;
  topics.insert({Topic::kInputs, Topic::kRunners});
  return "hone verify" + line.Given(topics) + " -O0";
}

std::string ToleranceText(const VerifyTolerance& tolerance) {
  const bool of_package = !tolerance.from.empty() && tolerance.from != "given";
  if (!of_package) return fmt::format("{:.0e}", tolerance.value);
  return fmt::format("{:.1e}, {}", tolerance.value, tolerance.from);
}

// "lengths that no run takes: height=1, width=1; height=5, width=7"; empty if there are none.
std::string PassedOverText(const std::vector<Extents>& passed_over) {
  std::string text;
  for (const Extents& each : passed_over) {
    text += (text.empty() ? "lengths that no run takes: " : "; ") + ExtentsText(each);
  }
  return text.empty() ? text : text + "\n";
}

// A package of another file explains the difference.
void NoteOtherModel(const Model& model, const Package& package) {
  const std::string built_of = package.manifest().value("model_sha256", "");
  if (built_of.empty() || !IsThere(model.name) || Sha256OfFile(model.name) == built_of) return;
  Note("{} is not the file that the package was built of, which was {}\n", model.name, package.plan().model);
}

const std::string kCannotTell =
    "cannot tell whether the outputs agree: rounding may change those of a right package as much; other inputs, or "
    "--precision float32, may tell";

void Report(const std::vector<OutputError>& errors, const VerifyTolerance& tolerance,
            const std::vector<Extents>& passed_over, bool json) {
  const std::string finding = FindingOf(errors);
  if (json) {
    PrintJson({{"agrees", finding == "agree"},
               {"finding", finding},
               {"tolerance", tolerance.value},
               {"tolerance_from", tolerance.from.empty() ? "default" : tolerance.from},
               {"passed_over", passed_over},
               {"outputs", ErrorsJson(errors)}});
  } else {
    PrintVerdicts(fmt::format("{}{}tolerance {}: {}\n", PassedOverText(passed_over), ErrorsText(errors),
                              ToleranceText(tolerance),
                              finding == "cannot tell" ? kCannotTell : "the outputs " + finding));
  }
}

// The values to compare a package with: the reference, another package, or a folder of values computed elsewhere.
ExpectedValue ExpectedOf(const VerifyPackageOptions& options, const Model& model, const Inputs& inputs, int threads) {
  if (options.against.empty()) return ExpectReference(model.typed, inputs);
  if (std::filesystem::is_directory(options.against)) return ExpectFiles(options.against);
  return ExpectPackage(Package::Load(options.against, ShapesOf(model)), inputs, threads);
}

std::vector<NodeError> Bisect(const VerifiedPackage& subject, const VerifyPackageOptions& options, const Model& model) {
  const int threads = subject.place.threads();
  const std::string& against = options.against.empty() ? model.name : options.against;
  return CompareNodes(subject.package, subject.inputs, threads, subject.tolerance.value,
                      ExpectedOf(options, model, subject.inputs, threads), against, model.result_names);
}

void RequireHereAndReference(const VerifyPackageOptions& options) {
  if (!IsRemote(options.remote) && options.expect.empty()) return;
  throw Error(ExitCode::kUsage,
              "--bisect compares values on this machine: not with --tracker or --expect; --against would be right");
}

void AddOptions(CommandLine& line, VerifyPackageOptions& options) {
  AddModelOptions(line, options.model);
  line.Add("PACKAGE", options.package, "a package of that model").Default("builds one").Reads().About(Topic::kPackage);
  AddContextOptions(line, options.machine);
  AddRecordOptions(line, options.records);
  AddInputOptions(line, options.inputs);
  line.Add("--expect", options.expect, "expected outputs, a .pb or .npy file for each").Reads().About(Topic::kInputs);
  AddPassOptions(line, options.machine);
  line.AddFlag("--bisect", options.bisect, "compare every node's value, and name the first that differs");
  line.Add("--against", options.against, "with --bisect, compare with this package or folder of .npy files").Reads();
  AddRemoteOptions(line, options.remote, "run on one of its runners");
  line.Add("--tolerance", options.tolerance, "largest max|y-r|/max|r| that agrees")
      .Default("1e-4, or the build's own")
      .BetweenReal(0, 1);
}

}  // namespace

int VerifyCommand(const Arguments& arguments) {
  CommandLine line("hone verify", "Runs a package and the reference on the same inputs; exit 1 when they differ.",
                   "hone verify model.onnx model.hone");
  line.First({"--bisect", "--against", "--tolerance", "--input", "--expect"});
  VerifyPackageOptions options;
  AddOptions(line, options);
  if (!line.Parse(arguments)) return 0;
  if (!options.package.empty() && ChoosesPasses(options.machine)) {
    throw Error(
        ExitCode::kUsage,
        fmt::format("-O, --require-pass and --disable-pass are for a package that is built anew, and {} is there; "
                    "leave them out",
                    options.package));
  }
  if (!options.bisect && !options.against.empty()) {
    throw Error(ExitCode::kUsage, "--against is for --bisect; outputs are compared with files by --expect");
  }
  if (options.bisect) RequireHereAndReference(options);
  const Model model = LoadModel(options.model);
  VerifiedPackage subject = Open(options, model);
  subject.place.Resolve(line);
  ComparedInputs inputs_of = EachInputs(options, model, *subject.package);
  if (options.bisect) {
    subject.inputs = std::move(inputs_of.each[0]);
    const bool agree = ReportNodes(Bisect(subject, options, model), subject.tolerance.value, line.json());
    line.Next(NextOf(line, options, agree));
    return agree ? 0 : static_cast<int>(ExitCode::kAnswerIsNo);
  }
  // States are no outputs of a package.
  Model visible = model;
  visible.typed = relay::WithoutStateResults(model.typed);
  std::vector<OutputError> errors;
  const std::vector<InputSpec> specs = InputSpecs(*subject.package);
  for (Inputs& inputs : inputs_of.each) {
    subject.inputs = std::move(inputs);
    const std::string at = ExtentsText(ExtentsOf(specs, subject.inputs));
    for (OutputError& error : Verify(subject, options, visible)) {
      if (!at.empty()) error.name += " at " + at;
      errors.push_back(std::move(error));
    }
  }
  Report(errors, subject.tolerance, inputs_of.passed_over, line.json());
  const bool all = AllAgree(errors);
  if (!all) NoteOtherModel(model, *subject.package);
  line.Next(NextOf(line, options, all));
  return all ? 0 : static_cast<int>(ExitCode::kAnswerIsNo);
}

}  // namespace hone
