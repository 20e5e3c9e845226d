#include "lab/precision/prepare_model.h"

#include <algorithm>
#include <utility>

#include "compiler/frontend/onnx/onnx_import.h"
#include "compiler/relay/infer_type.h"
#include "lab/model/build_model.h"
#include "lab/precision/network_timer.h"
#include "lab/quantise/quantise_model.h"
#include "lab/text/status_line.h"

namespace hone {
namespace {

QuantiseOptions CalibrationOf(const PrecisionOptions& options, const std::string& precision) {
  QuantiseOptions calibration;
  // The search of auto also covers attention's products, whose loss is measured like a layer's. int8 chooses nothing.
  calibration.products = precision == "auto";
  calibration.calibrate = options.calibrate;
  calibration.samples = options.samples;
  calibration.images = options.images;
  return calibration;
}

// The context in which models are run on this machine to observe their values.
BuildContext ContextHere(const Machine& machine) {
  MachineOptions options;
  options.threads = machine.is_host ? machine.context.threads : 0;
  return ResolveMachine(options).context;
}

void AddTasks(const std::vector<Task>& more, std::vector<Task>& tasks) {
  for (const Task& task : more) {
    const auto known =
        std::find_if(tasks.begin(), tasks.end(), [&](const Task& t) { return t.workload == task.workload; });
    if (known == tasks.end()) {
      tasks.push_back(task);
    } else {
      known->uses = std::max(known->uses, task.uses);
    }
  }
}

ChosenPrecision Described(const QuantisedModel& quantised, const PrecisionOptions& options) {
  ChosenPrecision chosen;
  chosen.is_float32 = false;
  chosen.calibrate = options.calibrate;
  chosen.max_error = options.max_error;
  chosen.samples = quantised.samples;
  chosen.held_out = quantised.held_out;
  for (const LayerError& layer : quantised.layers) {
    const LayerPrecision precision = layer.quantised ? LayerPrecision::kInt8 : LayerPrecision::kFloat32;
    const double alone_db = layer.quantised ? layer.alone.sqnr_db() : SignalError::kExact;
    chosen.layers.push_back({layer.layer.node, layer.layer.op_type, precision, 0, 0, alone_db});
  }
  TriedNetwork only;
  only.what = "int8";
  only.layers = CountLayers(chosen.layers);
  only.taken = true;
  for (const auto& [name, error] : quantised.outputs) only.error = std::max(only.error, error.largest());
  chosen.tried.push_back(only);
  return chosen;
}

Machine WithPrecision(const Machine& machine, Precision precision) {
  Machine with = machine;
  with.context.precision = precision;
  return with;
}

PrecisionTools ToolsFor(const PrecisionModels& models, const Machine& machine, const BuildContext& here,
                        const RecordOptions& records, NetworkTimer& timer) {
  PrecisionTools tools;
  tools.timer = &timer;
  tools.build = [&machine, &records](const PrecisionNetwork& network) {
    return BuildModel(network.module, WithPrecision(machine, network.precision), records).result;
  };
  // A network for another machine is built again for this one. The order of sums may differ, but no rounding does.
  tools.run = [&](const PrecisionNetwork& network, const BuildResult& built) {
    if (machine.is_host) return RunPackage(built.package, models.samples().judges(), here.threads);
    BuildOptions options;
    options.context = here;
    options.context.precision = network.precision;
    return RunPackage(Build(network.module, options).package, models.samples().judges(), here.threads);
  };
  return tools;
}

}  // namespace

ModelPreparer::ModelPreparer(const ModelOptions& options, const Model& model, std::string precision,
                             const PrecisionOptions& precision_options)
    : options_(options),
      model_(model),
      precision_(std::move(precision)),
      precision_options_(precision_options),
      calibration_(CalibrationOf(precision_options, precision_)) {}

ModelPreparer::~ModelPreparer() = default;

const PrecisionModels& ModelPreparer::ModelsOn(const Machine& machine) {
  if (models_ == nullptr) {
    models_ = std::make_unique<PrecisionModels>(options_, model_.typed, calibration_, ContextHere(machine));
  }
  return *models_;
}

PreparedModel ModelPreparer::Quantised(const Machine& machine) {
  if (!quantised_) {
    QuantiseOptions calibration = calibration_;
    calibration.max_error = std::max(precision_options_.max_error, 0.0);
    const QuantisedModel quantised =
        QuantiseModel(options_, calibration, machine.is_host ? machine.context.threads : 0, QuantisedFor::kHone);
    quantised_.emplace();
    quantised_->typed =
        relay::InferType(ImportOnnxBytes(quantised.bytes, options_.model, ImportOptionsOf(options_)).module);
    quantised_->chosen = Described(quantised, precision_options_);
  }
  PreparedModel prepared = *quantised_;
  prepared.machine = machine;
  return prepared;
}

PreparedModel ModelPreparer::Chosen(const Machine& machine, const RecordOptions& records) {
  const BuildContext here = ContextHere(machine);
  const PrecisionModels& models = ModelsOn(machine);
  const std::unique_ptr<NetworkTimer> timer = MakeNetworkTimer(machine);
  PreparedModel prepared;
  StatusLine status;
  PrecisionTools tools = ToolsFor(models, machine, here, records, *timer);
  tools.reference = [&] {
    if (reference_.empty()) reference_ = ReferenceOutputs(models.NetworkOf({}).module, models.samples().judges());
    return reference_;
  };
  tools.tell = [&status](const std::string& what) { status.Show("precision auto: " + what); };
  const double max_error = precision_options_.max_error < 0 ? kAutoMaxError : precision_options_.max_error;
  prepared.chosen = ChoosePrecision(models, max_error, WhyNoBFloat16(machine.context), tools);
  prepared.chosen->calibrate = precision_options_.calibrate;
  const PrecisionNetwork& network = prepared.chosen->network;
  prepared.typed = prepared.chosen->is_float32 ? model_.typed : network.module;
  prepared.machine = WithPrecision(machine, network.precision);
  return prepared;
}

PreparedModel ModelPreparer::For(const Machine& machine, const RecordOptions& records) {
  if (precision_ == "int8") return Quantised(machine);
  if (precision_ == "auto") return Chosen(machine, records);
  return {model_.typed, machine, std::nullopt};
}

std::vector<Task> ModelPreparer::TasksOfEachPrecision(const Machine& machine) {
  const PrecisionModels& models = ModelsOn(machine);
  std::vector<Task> tasks = ExtractTasks(model_.typed, machine.context);
  const auto add = [&](LayerPrecision precision) {
    const PrecisionNetwork network = models.NetworkOf(models.All(precision));
    AddTasks(ExtractTasks(network.module, WithPrecision(machine, network.precision).context), tasks);
  };
  if (WhyNoBFloat16(machine.context).empty()) add(LayerPrecision::kBFloat16);
  if (models.why_not_int8().empty()) add(LayerPrecision::kInt8);
  return tasks;
}

}  // namespace hone
