#include "lab/bench/built_packages.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "core/text/printable.h"
#include "lab/bench/bench_result.h"
#include "lab/files/read_file.h"
#include "lab/machine/machine.h"
#include "lab/model/build_model.h"
#include "lab/model/extents.h"
#include "lab/model/options_of_each.h"
#include "lab/text/print.h"
#include "lab/text/status_line.h"

namespace hone {
namespace {

// "18 record, hub; 3 default; 4 generic": calls by where their kernels' configs came from.
std::string ConfigSourcesText(const Plan& plan) {
  std::string text;
  for (const auto& [source, calls] : KernelSources(plan)) {
    text += fmt::format("{}{} {}", text.empty() ? "" : "; ", calls, source);
  }
  return text;
}

BuildResult BuildNamed(const ModelOptions& options, const Machine& machine, const RecordOptions& records) {
  StatusLine status;
  status.Show("building " + options.model);
  ModelOptions given = options;
  // Its text has the ranges of its dimensions; a package of it is run at the extents.
  if (IsRelayFile(given.model)) given.dims.clear();
  const Model model = LoadModel(given);
  return BuildModel(model.typed, machine, records, nullptr, Sha256OfFile(model.name)).result;
}

}  // namespace

bool IsModel(const std::string& argument) {
  return argument.starts_with("zoo:") || argument.ends_with(".onnx") || IsRelayFile(argument);
}

std::set<std::string> DimsOfPackages(const std::vector<std::string>& arguments) {
  std::set<std::string> names;
  for (const std::string& path : arguments) {
    if (IsModel(path)) continue;
    for (const auto& package : Package::InspectAll(path)) {
      for (const FreeDimension& each : FreeDimensions(InputSpecs(*package))) names.insert(each.name);
    }
  }
  return names;
}

BuiltPackages::BuiltPackages(const std::vector<std::string>& arguments, const ModelOptions& options, int threads,
                             const RecordOptions& records)
    : arguments_(arguments), paths_(arguments) {
  MachineOptions machine_options;
  machine_options.threads = threads;
  std::vector<std::string> models;
  std::copy_if(arguments.begin(), arguments.end(), std::back_inserter(models), IsModel);
  const std::vector<ModelOptions> each = OptionsOfEach(models, options, DimsOfPackages(arguments));
  for (std::string& path : paths_) {
    if (!IsModel(path)) continue;
    const ModelOptions& model = each[temporary_.size()];
    const BuildResult result = BuildNamed(model, ResolveMachine(machine_options), records);
    Note("{}: built for {} in {}, calls by config: {}\n", path, Counted(result.plan.threads, "thread"),
         PrecisionOf(result.plan), ConfigSourcesText(result.plan));
    temporary_.push_back(std::make_unique<const TemporaryPackage>(result.package));
    path = temporary_.back()->path();
  }
}

const std::string& BuiltPackages::ArgumentOf(const std::string& path) const {
  const auto at = std::find(paths_.begin(), paths_.end(), path);
  return arguments_.at(static_cast<size_t>(at - paths_.begin()));
}

}  // namespace hone
