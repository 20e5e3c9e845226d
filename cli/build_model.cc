#include "cli/build_model.h"

#include <memory>
#include <optional>

#include "cli/store.h"
#include "tuner/record_config_source.h"

namespace hone {

void AddRecordOptions(CommandLine& line, RecordOptions& options) {
  AddStoreOption(line, options.db);
  line.AddFlag("--no-records", options.no_records, "use each schedule's analytic default, whatever the store holds")
      .About(Topic::kStore);
}

BuildResult BuildModel(const relay::IRModule& module, const Machine& machine, const RecordOptions& records,
                       const std::function<void(const std::string&, const relay::IRModule&)>& after_pass) {
  const std::unique_ptr<RecordStore> store = records.no_records ? nullptr : OpenStoreIfThere(records.db);
  std::optional<RecordConfigSource> source;
  if (store != nullptr) source.emplace(*store, machine.fingerprint);
  BuildOptions options;
  options.context = machine.context;
  options.configs = source.has_value() ? &*source : nullptr;
  options.after_pass = after_pass;
  return Build(module, options);
}

}  // namespace hone
