// Reads what a tuning run says of its tasks from the records, as a build finds them. Nothing else decides which config
// a report names as the best.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "db/record_layers.h"
#include "db/setup.h"
#include "db/verdicts/best_lookup.h"
#include "tuner/tune_tools.h"
#include "tuner/tuner.h"

namespace hone {

// Sets the best, and the times of the default and the analytic default. `rows` are all of the task's workload; those of
// the setup decide (db/verdicts/best_in_setup.h). The best is the first row that `usable` admits.
void TakeBest(const std::vector<BestRow>& rows, const Setup& setup,
              const std::function<bool(const BestRow& row)>& usable, TaskReport& task);

// Does so for all tasks, with the rows that a build with this context may use. Call it again after finals in the built
// model, whose winners may be others.
void TakeBests(const RecordLayers& layers, const BuildContext& context, TuneReport& report);

// The store as it is, without the records of the run that these options ask for: what a build would have looked up
// before the run.
RecordLayers LayersBefore(std::shared_ptr<const RecordStore> store, const TuneOptions& options);

// TuneTools::before: the choice of a build on `machine` from these layers, which must outlive it.
std::function<std::optional<ConfigChoice>(const Workload&)> ChoicesBefore(const RecordLayers& layers,
                                                                          const BuildContext& context,
                                                                          const Fingerprint& machine);

}  // namespace hone
