#include "compiler/passes/chosen_passes.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/error.h"
#include "core/text/spelling.h"

namespace hone {
namespace {

using Names = std::vector<std::string>;

bool Contains(const Names& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

Names NamesOf(int least_level) {
  Names names;
  for (const Pass& pass : AllPasses()) {
    if (pass.min_level >= least_level) names.push_back(pass.name);
  }
  return names;
}

void RequireKnown(const std::string& name) {
  const Names all = NamesOf(0);
  if (Contains(all, name)) return;
  throw Error(ExitCode::kUsage, fmt::format("there is no pass {}{}; the passes are {}", name, DidYouMean(name, all),
                                            fmt::join(all, ", ")));
}

void RequireOptional(const std::string& name) {
  const Names optional = NamesOf(1);
  if (Contains(optional, name)) return;
  throw Error(ExitCode::kUsage, fmt::format("the pass {} runs at every level and cannot be disabled; those that can be "
                                            "are {}",
                                            name, fmt::join(optional, ", ")));
}

}  // namespace

bool IsChosen(const Pass& pass, const BuildContext& context) {
  if (Contains(context.disabled_passes, pass.name)) return false;
  return context.opt_level >= pass.min_level || Contains(context.required_passes, pass.name);
}

void CheckPasses(const BuildContext& context) {
  for (const std::string& name : context.required_passes) {
    RequireKnown(name);
    if (!Contains(context.disabled_passes, name)) continue;
    throw Error(ExitCode::kUsage, fmt::format("the pass {} is both required and disabled; leave one out", name));
  }
  for (const std::string& name : context.disabled_passes) {
    RequireKnown(name);
    RequireOptional(name);
  }
}

}  // namespace hone
