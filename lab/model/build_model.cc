#include "lab/model/build_model.h"

#include <optional>
#include <set>

#include "core/workload.h"
#include "lab/text/print.h"
#include "tuner/record_config_source.h"

namespace hone {
namespace {

KernelLosses LossesOf(const Plan& plan, const RecordConfigSource& source, const BuildContext& context) {
  KernelLosses losses;
  for (const PlanKernel& kernel : plan.kernels) {
    const Dispatch& dispatch = kernel.dispatch;
    const bool far = !dispatch.record.empty() && !dispatch.source.starts_with(NearnessName(0));
    losses.push_back(far ? source.LossOf(Workload::Parse(dispatch.workload), dispatch.record, context) : std::nullopt);
  }
  return losses;
}

// Without this warning, a layer that was tuned with an older hone would only be reported as "default".
void WarnOfOtherVersions(const Plan& plan, const RecordConfigSource& source) {
  int64_t records = 0;
  std::set<std::string> seen;
  for (const PlanKernel& kernel : plan.kernels) {
    const Dispatch& dispatch = kernel.dispatch;
    if (!dispatch.record.empty() || dispatch.workload.empty() || !seen.insert(dispatch.workload).second) continue;
    records += source.OtherVersions(Workload::Parse(dispatch.workload));
  }
  if (records == 0) return;
  Note(
      "warning: {} records of layers without a usable one are of other versions of their schedules; `hone tune` "
      "measures them anew\n",
      records);
}

void WarnOfBlames(const RecordConfigSource& source) {
  const int64_t records = source.BlamesForMachine();
  if (records == 0) return;
  Note(
      "warning: {} records blame candidates for trouble of the machine and do not count; `hone log heal` takes them "
      "out\n",
      records);
}

}  // namespace

BuiltModel BuildModel(const relay::IRModule& module, const Machine& machine, const RecordOptions& records,
                      const std::function<void(const std::string&, const relay::IRModule&)>& after_pass,
                      const std::string& model_sha256, const PackagePrecision& precision) {
  const RecordLayers layers = OpenRecords(records, module.name);
  std::optional<RecordConfigSource> source;
  if (!layers.empty()) source.emplace(layers, machine.fingerprint);
  BuildOptions options;
  options.context = machine.context;
  options.configs = source.has_value() ? &*source : nullptr;
  options.after_pass = after_pass;
  options.model_sha256 = model_sha256;
  options.precision = precision;
  BuiltModel built{Build(module, options), {}};
  if (source) WarnOfOtherVersions(built.result.plan, *source);
  if (source) WarnOfBlames(*source);
  if (source) built.losses = LossesOf(built.result.plan, *source, machine.context);
  return built;
}

}  // namespace hone
