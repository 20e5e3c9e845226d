#include "lab/bench/one_model.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>

#include "core/error.h"
#include "runtime/package.h"

namespace hone {
namespace {

struct ModelOf {
  std::string name, sha256;
  std::vector<std::string> inputs;  // shapes; empty: not known, or chosen for each run
};

std::vector<std::string> InputsOf(const Plan& plan) {
  std::vector<std::string> inputs;
  if (!plan.ranged.empty()) return inputs;
  for (const int input : plan.inputs) inputs.push_back(ShapeText(plan.buffers[static_cast<size_t>(input)].shape));
  return inputs;
}

ModelOf OfPackage(const std::string& path) {
  const auto package = Package::Inspect(path);
  return {package->plan().model, package->manifest().value("model_sha256", ""), InputsOf(package->plan())};
}

std::string FileName(const std::string& model) { return std::filesystem::path(model).filename().string(); }

bool TakeOtherInputs(const ModelOf& a, const ModelOf& b) {
  return !a.inputs.empty() && !b.inputs.empty() && a.inputs != b.inputs;
}

bool Agree(const ModelOf& a, const ModelOf& b) {
  if (TakeOtherInputs(a, b)) return false;
  return FileName(a.name) == FileName(b.name) || (!a.sha256.empty() && a.sha256 == b.sha256);
}

std::string Told(const ModelOf& model, bool with_inputs) {
  return with_inputs ? fmt::format("{} with input {}", model.name, fmt::join(model.inputs, ", ")) : model.name;
}

[[noreturn]] void Refuse(const std::string& first, const ModelOf& a, const std::string& second, const ModelOf& b) {
  throw Error(ExitCode::kUsage,
              fmt::format("{} is of {}, and {} of {}: their times say nothing about each other; --any-model compares "
                          "them all the same",
                          first, Told(a, TakeOtherInputs(a, b)), second, Told(b, TakeOtherInputs(a, b))));
}

}  // namespace

void RequireOneModel(const std::vector<std::string>& paths, const std::vector<std::string>& names) {
  if (paths.size() < 2) return;
  const ModelOf first = OfPackage(paths[0]);
  for (size_t i = 1; i < paths.size(); ++i) {
    const ModelOf other = OfPackage(paths[i]);
    if (!Agree(first, other)) Refuse(names[0], first, names[i], other);
  }
}

void RequireOneModel(const BenchBaseline& baseline, const BenchResult& result) {
  if (baseline.packages.size() != 1 || result.packages.size() != 1) return;  // they are matched by their names
  const ModelOf then{baseline.packages.begin()->second.model, "", {}},
      now{result.packages[0].package->plan().model, "", {}};
  if (!then.name.empty() && !Agree(then, now)) Refuse(baseline.path, then, result.packages[0].path, now);
}

}  // namespace hone
