#include "lab/model/relay_file.h"

#include <fmt/format.h>

#include <map>
#include <utility>

#include "compiler/relay/replace_values.h"
#include "compiler/relay/text/parser.h"
#include "core/error.h"
#include "core/text/spelling.h"
#include "lab/files/read_file.h"
#include "lab/files/safetensors.h"

namespace hone {
namespace {

using TensorsByName = std::map<std::string, Tensor>;

// An unused value most likely has a name that is spelled differently in the text.
void RequireAllUsed(const relay::ParsedModule& parsed, const std::string& text_file, const std::string& values_file) {
  if (parsed.unused.empty()) return;
  std::vector<std::string> names;
  for (const auto& param : parsed.module.main->params) names.push_back(param->name);
  const std::string& name = parsed.unused[0];
  throw Error(ExitCode::kBadData, fmt::format("{} holds {}, which {} has no place for{}", values_file, name, text_file,
                                              DidYouMean(name, names)));
}

TensorsByName Overlaid(const TensorsByName& own, const TensorsByName& others, const std::string& origin) {
  std::vector<std::pair<std::string, Tensor>> all(own.begin(), own.end());
  ReplaceValues(all, others, origin);
  return {all.begin(), all.end()};
}

}  // namespace

bool IsRelayFile(const std::string& path) { return path.ends_with(".relay"); }

Model LoadRelay(const std::string& path, const std::string& params) { return LoadRelay(path, params, {}, ""); }

Model LoadRelay(const std::string& path, const std::string& params, const TensorsByName& others,
                const std::string& origin) {
  const std::string text = ReadFile(path);
  const TensorsByName values =
      params.empty() ? others : Overlaid(ParseSafetensors(ReadFile(params), params), others, origin);
  const relay::ParsedModule parsed = relay::ParseModule(text, path, values);
  RequireAllUsed(parsed, path, params.empty() ? origin : params);
  return {parsed.module, relay::InferParsed(parsed), path, {}};
}

}  // namespace hone
