#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>

#include "cli/build_model.h"
#include "cli/command_line.h"
#include "cli/files/write_file.h"
#include "cli/model.h"
#include "cli/printing/dispatch_table.h"
#include "cli/printing/number_text.h"
#include "cli/printing/print.h"
#include "cli/printing/print_json.h"
#include "compiler/codegen/machine_target.h"
#include "compiler/relay/printer.h"
#include "core/error.h"
#include "core/shell_word.h"
#include "rpc_runner/machine/environment.h"

namespace hone {
namespace {

struct BuildCommandOptions {
  ModelOptions model;
  MachineOptions machine;
  RecordOptions records;
  std::string output, dump_passes;
};

void MakeFolder(const std::string& path) {
  std::error_code error;
  std::filesystem::create_directories(path, error);
  if (error)
    throw Error(ExitCode::kCannotCreate, fmt::format("the folder {} cannot be made: {}", path, error.message()));
}

// Writes each pass's module as NN_pass.txt.
std::function<void(const std::string&, const relay::IRModule&)> PassDumper(const std::string& folder) {
  if (folder.empty()) return nullptr;
  MakeFolder(folder);
  return [folder, number = 0](const std::string& pass, const relay::IRModule& module) mutable {
    WriteFileAtomically(fmt::format("{}/{:02}_{}.txt", folder, ++number, pass), relay::ToText(module));
  };
}

// Wherever the records were found: "record, hub" is a "record".
int CountSource(const Plan& plan, std::string_view source) {
  return static_cast<int>(std::count_if(plan.kernels.begin(), plan.kernels.end(), [source](const PlanKernel& k) {
    return std::string_view(k.dispatch.source).substr(0, k.dispatch.source.find(',')) == source;
  }));
}

void Warn(const Plan& plan) {
  if (const int n = CountSource(plan, "other threads"); n > 0) {
    Note("warning: {} kernels use records of another thread count; `hone tune --threads {}` measures for this one\n", n,
         plan.threads);
  }
}

std::string LayoutsText(const LayoutReport& layouts) {
  std::string text = fmt::format("layouts: {} anchors, {} transform{}", layouts.anchors, layouts.transforms,
                                 layouts.transforms == 1 ? "" : "s");
  if (layouts.expected_ns > 0) {
    text += fmt::format(", expected {:.3g} ms against {:.3g} ms with each layer's best", layouts.expected_ns / 1e6,
                        layouts.per_layer_ns / 1e6);
  }
  return text + "\n";
}

Json LayoutsJson(const LayoutReport& layouts) {
  return {{"anchors", layouts.anchors},
          {"transforms", layouts.transforms},
          {"expected_ns", layouts.expected_ns},
          {"per_layer_ns", layouts.per_layer_ns}};
}

void PrintReport(const BuildResult& result, const std::string& output) {
  Print("{}{}{}", DispatchText(result.plan), LayoutsText(result.report.layouts), MemoryText(result.plan));
  double total = 0;
  for (const auto& [step, seconds] : result.report.seconds) total += seconds;
  Print("{} written: {}, {} calls, {}, {} threads, built in {:.1f} s\n", output,
        BytesText(static_cast<int64_t>(result.package.size())), result.plan.calls.size(), FlopText(result.report.flops),
        result.plan.threads, total);
}

Json ReportJson(const BuildResult& result, const std::string& output) {
  Json seconds = Json::object();
  for (const auto& [step, s] : result.report.seconds) seconds[step] = s;
  return {{"package", output},
          {"model", result.plan.model},
          {"target", result.plan.target.ToText()},
          {"threads", result.plan.threads},
          {"dispatch", DispatchJson(result.plan)},
          {"layouts", LayoutsJson(result.report.layouts)},
          {"memory", MemoryJson(result.plan)},
          {"gflop", result.report.flops / 1e9},
          {"seconds", seconds}};
}

void AddOptions(CommandLine& line, BuildCommandOptions& options) {
  AddModelOptions(line, options.model);
  line.Add("-o,--output", options.output, "the package to write").Required();
  AddContextOptions(line, options.machine);
  AddRecordOptions(line, options.records);
  line.Add("-O,--opt-level", options.machine.opt_level, "0: no folding, fusion or blocked layouts; 3: everything")
      .Between(0, 3)
      .ShowDefault();
  line.Add("--dump-passes", options.dump_passes, "a folder that gets the module's text after each pass");
}

}  // namespace

int BuildCommand(const Arguments& arguments) {
  CommandLine line("hone build", "Builds a package with the best records of the store.");
  BuildCommandOptions options;
  AddOptions(line, options);
  if (!line.Parse(arguments)) return 0;
  const Machine machine = ResolveMachine(options.machine);
  const Model model = LoadModel(options.model);
  const BuildResult result = BuildModel(model.typed, machine, options.records, PassDumper(options.dump_passes));
  WriteFileAtomically(options.output, result.package);
  Warn(result.plan);
  if (line.json()) {
    PrintJson(ReportJson(result, options.output));
  } else {
    PrintReport(result, options.output);
  }
  line.Next(WhyNotOn(ProbeEnvironment(), machine.context.target, 1).empty()
                ? "hone run " + ShellWord(options.output) + line.Given({Topic::kThreads})
                : "hone package info " + ShellWord(options.output));
  if (CountSource(result.plan, "record") > 0) {
    line.Next("hone compare" + line.Given(kKernelTopics) + " --from-records");
  }
  return 0;
}

}  // namespace hone
