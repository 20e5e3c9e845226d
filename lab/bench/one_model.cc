#include "lab/bench/one_model.h"

#include <fmt/format.h>

#include <filesystem>

#include "core/error.h"
#include "runtime/package.h"

namespace hone {
namespace {

struct ModelOf {
  std::string name, sha256;
};

ModelOf OfPackage(const std::string& path) {
  const auto package = Package::Inspect(path);
  return {package->plan().model, package->manifest().value("model_sha256", "")};
}

std::string FileName(const std::string& model) { return std::filesystem::path(model).filename().string(); }

bool Agree(const ModelOf& a, const ModelOf& b) {
  return FileName(a.name) == FileName(b.name) || (!a.sha256.empty() && a.sha256 == b.sha256);
}

[[noreturn]] void Refuse(const std::string& first, const ModelOf& a, const std::string& second, const ModelOf& b) {
  throw Error(ExitCode::kUsage,
              fmt::format("{} is of {}, and {} of {}: their times say nothing about each other; --any-model compares "
                          "them all the same",
                          first, a.name, second, b.name));
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
  const ModelOf then{baseline.packages.begin()->second.model, ""}, now{result.packages[0].package->plan().model, ""};
  if (!then.name.empty() && !Agree(then, now)) Refuse(baseline.path, then, result.packages[0].path, now);
}

}  // namespace hone
