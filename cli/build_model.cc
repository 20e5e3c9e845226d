#include "cli/build_model.h"

#include <optional>

#include "tuner/record_config_source.h"

namespace hone {

BuildResult BuildModel(const relay::IRModule& module, const Machine& machine, const RecordOptions& records,
                       const std::function<void(const std::string&, const relay::IRModule&)>& after_pass) {
  const RecordLayers layers = OpenRecords(records, module.name);
  std::optional<RecordConfigSource> source;
  if (!layers.empty()) source.emplace(layers, machine.fingerprint);
  BuildOptions options;
  options.context = machine.context;
  options.configs = source.has_value() ? &*source : nullptr;
  options.after_pass = after_pass;
  return Build(module, options);
}

}  // namespace hone
