#include "tuner/tuning_run.h"

#include "core/hash/hash.h"
#include "core/json/serialize.h"

namespace hone {

TuningRun MakeTuningRun(const TuneOptions& options) {
  Json asked;
  asked["model"] = options.model;
  asked["target"] = options.context.target.ToText();
  asked["threads"] = options.context.threads;
  asked["strategy"] = options.strategy;
  asked["seed"] = options.seed;
  asked["math"] = options.context.exact_math ? "exact" : "fast";
  // Left out for float32, so that runs from before other precisions existed can continue.
  if (options.context.precision != Precision::kFloat32) asked["precision"] = PrecisionName(options.context.precision);
  if (!options.precision.empty()) asked["precision"] = options.precision;
  if (options.context.weights != StoredWeights::kFloat32) asked["weights"] = StoredWeightsName(options.context.weights);
  asked["cache"] = CacheModeName(options.cache);
  TuningRun run;
  run.json = DumpJson(asked);
  run.id = Sha256Hex(run.json).substr(0, 16);
  run.state = "running";
  return run;
}

TuningRun WithTasks(TuningRun run, const std::vector<Task>& tasks) {
  Json asked = ParseJson(run.json, "a tuning run");
  asked["tasks"] = Json::array();
  for (const Task& task : tasks) {
    asked["tasks"].push_back({{"workload", task.workload.ToText()}, {"uses", task.uses}});
  }
  run.json = DumpJson(asked);
  return run;
}

}  // namespace hone
