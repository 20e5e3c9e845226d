#include "tuner/best_by_records.h"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include "compiler/schedules/schedule.h"
#include "db/verdicts/best_in_setup.h"
#include "tuner/record_config_source.h"

namespace hone {
namespace {

bool BuildTakes(const BestRow& row, const Workload& workload, const BuildContext& context) {
  const Schedule* schedule = FindSchedule(row.schedule());
  return schedule != nullptr && schedule->version() == row.schedule_version &&
         !WhyUnusable(workload, context.machine(), row.schedule(), Config::Parse(row.config()), context.exact_math);
}

}  // namespace

void TakeBest(const std::vector<BestRow>& rows, const Setup& setup,
              const std::function<bool(const BestRow& row)>& usable, TaskReport& task) {
  const std::vector<BestRow> ranked = RankInSetup(rows, [&](const BestRow& row) { return *row.setup == setup; });
  const auto best = std::find_if(ranked.begin(), ranked.end(), usable);
  const bool found = best != ranked.end();
  task.best_ns = found ? best->worth_ns : 0;
  task.best_schedule = found ? best->schedule() : "";
  task.best_config = found ? best->config() : "";
  task.default_ns = NsInSetup(ranked, CandidateText(task.default_schedule, task.default_config));
  task.analytic_ns = NsInSetup(ranked, CandidateText(task.analytic_schedule, task.analytic_config));
}

void TakeBests(const RecordLayers& layers, const BuildContext& context, TuneReport& report) {
  for (TaskReport& task : report.tasks) {
    const auto usable = [&](const BestRow& row) { return BuildTakes(row, task.workload, context); };
    const std::string before = CandidateText(task.best_schedule, task.best_config);
    TakeBest(layers.Rows(task.workload.ToText()), report.setup, usable, task);
    task.finals.in_model = task.finals.held > 0 && before != CandidateText(task.best_schedule, task.best_config);
  }
}

RecordLayers LayersBefore(std::shared_ptr<const RecordStore> store, const TuneOptions& options) {
  RecordLayers layers;
  const int64_t until = store->Arrived();
  layers.Add(kStoreOrigin, LayerBefore(StoreLayer(std::move(store)), until, MakeTuningRun(options).id));
  return layers;
}

std::function<std::optional<ConfigChoice>(const Workload&)> ChoicesBefore(const RecordLayers& layers,
                                                                          const BuildContext& context,
                                                                          const Fingerprint& machine) {
  const auto source = std::make_shared<RecordConfigSource>(layers, machine);
  return [source, context](const Workload& workload) {
    return source->Choose(workload, context.target, context.threads,
                          [&](const std::string& schedule, const Config& config) {
                            return !WhyUnusable(workload, context.machine(), schedule, config, context.exact_math);
                          });
  };
}

}  // namespace hone
