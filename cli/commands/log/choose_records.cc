#include "cli/commands/log/choose_records.h"

#include <algorithm>
#include <optional>

#include "compiler/build.h"
#include "db/rows/trial_row.h"
#include "lab/machine/machine.h"
#include "lab/model/model.h"
#include "lab/records/best_records.h"

namespace hone {
namespace {

// The workloads of the models' tasks, as this machine would tune them.
std::vector<std::string> TasksOf(const std::vector<std::string>& models, std::optional<int> threads) {
  MachineOptions machine;
  machine.threads = threads.value_or(0);
  const BuildContext context = ResolveMachine(machine).context;
  std::vector<std::string> workloads;
  for (const std::string& name : models) {
    ModelOptions options;
    options.model = name;
    for (const Task& task : ExtractTasks(LoadModel(options).typed, context))
      workloads.push_back(task.workload.ToText());
  }
  return workloads;
}

}  // namespace

RecordQuery OfModels(RecordQuery query, const std::vector<std::string>& models) {
  if (!models.empty()) query.workloads = TasksOf(models, query.threads);
  return query;
}

std::vector<std::string> ChooseIds(const RecordStore& store, const RecordQuery& of,
                                   const std::vector<std::string>& models, bool best) {
  RecordQuery query = OfModels(of, models);
  if (best) query.fate = Fate::kOk;
  std::vector<std::string> all;
  for (const std::string& workload : WorkloadsOf(store, query)) {
    query.workload = workload;
    std::vector<std::string> ids;
    if (best) {
      ids = BestIds(store, query);
    } else {
      store.EachTrial(query, [&ids](const TrialRow& row) { ids.push_back(row.id); });
    }
    std::sort(ids.begin(), ids.end());
    all.insert(all.end(), ids.begin(), ids.end());
  }
  return all;
}

std::vector<Record> ChooseRecords(const RecordStore& store, const RecordQuery& of,
                                  const std::vector<std::string>& models, bool best) {
  RecordQuery query = OfModels(of, models);
  if (best) query.fate = Fate::kOk;
  const std::vector<Record> records = store.Find(query);
  return best ? BestOf(records) : records;
}

}  // namespace hone
