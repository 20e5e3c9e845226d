#include "lab/comparison/models_of_runs.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <tuple>
#include <utility>

#include "core/error.h"
#include "core/json/serialize.h"
#include "core/workload.h"

namespace hone {
namespace {

// Identifies the code for which tasks were made.
using Code = std::tuple<std::string, std::string, std::vector<std::string>, int>;
using LayersByCode = std::map<Code, std::vector<Layer>>;

Code CodeOf(const Target& target, int threads) { return {target.triple, target.cpu, target.features, threads}; }

double BytesOf(const Shape& shape, DType type) { return static_cast<double>(ElementCount(shape) * DTypeBytes(type)); }

Layer LayerOfTask(const Json& task) {
  Layer layer;
  layer.workload = Workload::Parse(task.at("workload").get<std::string>());
  const Workload& w = *layer.workload;
  layer.op = w.op;
  layer.name = w.ToText();
  if (const std::string node = task.value("node", ""); !node.empty()) layer.nodes = {node};
  layer.uses = task.at("uses").get<int>();
  layer.flops = w.Flops();
  layer.bytes =
      BytesOf(w.data, w.types.data) + BytesOf(w.weight, w.types.weight) + BytesOf(w.OutputShape(), w.types.output);
  return layer;
}

struct ModelOfRuns {
  std::string name;
  int64_t images = 1;  // in a run
  std::shared_ptr<LayersByCode> layers = std::make_shared<LayersByCode>();
};

// Adds a run's tasks, which replace those of an older run for the same code.
void AddRun(const Json& asked, std::vector<ModelOfRuns>& models) {
  std::vector<Layer> layers;
  for (const Json& task : asked.at("tasks")) layers.push_back(LayerOfTask(task));
  if (layers.empty()) return;
  const Code code = CodeOf(Target::Parse(asked.at("target").get<std::string>()), asked.at("threads").get<int>());
  const std::string name = asked.at("model").get<std::string>();
  const int64_t images = std::max<int64_t>(1, asked.value("images", int64_t{1}));
  auto known = std::find_if(models.begin(), models.end(),
                            [&](const ModelOfRuns& m) { return m.name == name && m.images == images; });
  if (known == models.end()) known = models.insert(models.end(), {name, images});
  known->layers->try_emplace(code, std::move(layers));
}

}  // namespace

std::vector<ModelToCompare> ModelsOfRuns(const RecordStore& store) {
  std::vector<ModelOfRuns> models;
  const std::vector<TuningRun> runs = store.Runs();
  for (auto run = runs.rbegin(); run != runs.rend(); ++run) {
    try {
      AddRun(ParseJson(run->json, "a tuning run"), models);
    } catch (const std::exception&) {
      // A run of another version, whose description has other fields.
    }
  }
  if (models.size() > kMostModels) models.resize(kMostModels);
  std::vector<ModelToCompare> compared;
  for (const ModelOfRuns& model : models) {
    const auto layers = [layers = model.layers](const BuildContext& context) {
      const auto found = layers->find(CodeOf(context.target, context.threads));
      return found == layers->end() ? std::vector<Layer>() : found->second;
    };
    const std::string batch = model.images > 1 ? fmt::format(", batch {}", model.images) : "";
    compared.push_back({model.name + batch, {}, layers, model.images});
  }
  return compared;
}

}  // namespace hone
