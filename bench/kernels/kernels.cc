// hone_bench_kernels [--bytes] [--target TEXT] [--records STORE] [--bounds PAGE] [MODEL...]: times the anchors of zoo
// networks on one thread. Results are shares of the measured FMA peak or, for depthwise layers, of the copy bandwidth
// of the cache that serves them. --bytes times their convolutions as int8. Their shares are of four times that peak,
// the peak of an instruction that sums four products. Prints goal, reached and verdict for each class of layers. Exits
// 1 on a miss that PAGE's table "Bounds" does not name.
#include <fmt/format.h>

#include <cstdio>
#include <functional>
#include <memory>

#include "bench/kernels/class_shares.h"
#include "bench/kernels/copy_bandwidth.h"
#include "bench/kernels/kernel_timer.h"
#include "bench/kernels/layers.h"
#include "bench/kernels/peak.h"
#include "bench/run_bench.h"
#include "compiler/codegen/target/host.h"
#include "compiler/compile_kernel.h"
#include "core/error.h"
#include "db/record_store.h"
#include "rpc_runner/machine/environment.h"
#include "tuner/record_config_source.h"

namespace hone::bench {
namespace {

struct Options {
  Target target = HostTarget();
  std::string store;
  std::string page = "bench/results/bounds.md";
  bool bytes = false;
  std::vector<std::string> models;
};

Options OptionsFrom(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word == "--bytes") {
      options.bytes = true;
      continue;
    }
    if (!word.starts_with("--")) {
      options.models.push_back(word);
      continue;
    }
    if (i + 1 == argc) throw Error(ExitCode::kUsage, fmt::format("{} without a value", word));
    const std::string value = argv[++i];
    if (word == "--target") {
      options.target = ResolveTarget(value);
    } else if (word == "--records") {
      options.store = value;
    } else if (word == "--bounds") {
      options.page = value;
    } else {
      throw Error(ExitCode::kUsage,
                  fmt::format("no option {}; --bytes, --target, --records and --bounds would be right", word));
    }
  }
  if (options.bytes && MachineModelFor(options.target).byte_dots_feature.empty()) {
    throw Error(ExitCode::kUsage,
                "--bytes is of a target with VNNI, whose dot product takes as long as a multiply-add");
  }
  if (options.bytes && !options.store.empty()) {
    throw Error(ExitCode::kUsage, "--bytes measures analytic defaults; --records is of floats");
  }
  if (options.models.empty()) options.models = {"resnet-50", "mobilenet", "mobilenet_v2"};
  return options;
}

int64_t BytesMoved(const Artifact& artifact) {
  int64_t bytes = 0;
  for (const KernelOperand& operand : artifact.operands) {
    bytes += ElementCount(operand.layout.PhysicalShape(operand.shape)) * 4;
  }
  return bytes;
}

// Lower bounds on the time: arithmetic at the FMA peak, memory at the copy bandwidth of the layer's footprint.
struct Limits {
  double arithmetic_ns = 0;
  double memory_ns = 0;  // for layers that are judged by it; 0 for others
};

Limits LimitsOf(const Layer& layer, LayerClass kind, const Artifact& artifact, const Target& target, double peak) {
  Limits limits{layer.workload.Flops() / peak, 0};
  if (!BoundByMemory(kind)) return limits;
  const int64_t bytes = BytesMoved(artifact);
  limits.memory_ns = static_cast<double>(bytes) / MeasureCopyBandwidth(target, bytes);
  return limits;
}

void PrintLayer(const Layer& layer, const KernelTimes& times, const Limits& limits) {
  const std::string memory = limits.memory_ns > 0 ? fmt::format("{:.0f}%", 100 * limits.memory_ns / times.hot_ns) : "-";
  fmt::print("{:>5} {:>9.1f} {:>9.1f} {:>5.0f}% {:>5.0f}% {:>7}  {} | {} {} ({})\n", layer.uses, times.hot_ns / 1e3,
             times.cold_ns / 1e3, 100 * limits.arithmetic_ns / times.hot_ns, 100 * limits.arithmetic_ns / times.cold_ns,
             memory, layer.workload.ToText(), layer.choice.schedule, layer.choice.config.ToText(), layer.choice.source);
}

struct Measured {
  std::string name;  // for the rows' names
  std::vector<Layer> layers;
  double peak = 0;
  std::function<ClassGoals(LayerClass)> goals_of;
};

Measured FloatsOf(const std::string& model, const Target& target, ConfigSource* records, double peak) {
  const MachineModel machine = MachineModelFor(target);
  return {fmt::format("{}, {}", model, machine.name), LayersOf(model, target, records), peak,
          [machine](LayerClass layer) { return GoalsOf(layer, machine); }};
}

Measured BytesOf(const std::string& model, const Target& target, double peak) {
  constexpr double kProductsAnInstruction = 4;
  return {fmt::format("{}, {}, bytes", model, MachineModelFor(target).name), ByteLayersOf(model, target),
          kProductsAnInstruction * peak, ByteGoalsOf};
}

// Prints every layer. Returns whether all goals are reached or excused by a bound.
bool Measure(const Measured& model, const Target& target, const Bounds& bounds) {
  fmt::print("\n{}\n{:>5} {:>9} {:>9} {:>6} {:>6} {:>7}  {}\n", model.name, "uses", "hot us", "cold us", "hot", "cold",
             "of copy", "workload");
  ClassShares shares;
  double hot = 0, cold = 0, flops = 0;
  for (const Layer& layer : model.layers) {
    const auto compiled = CompileKernel({layer.workload, layer.choice.schedule, layer.choice.config, target});
    const Artifact& artifact = std::get<Artifact>(compiled);
    const KernelTimes times = TimeKernel(artifact, 0.1);
    const LayerClass kind = ClassOf(layer.workload, layer.choice.schedule);
    const Limits limits = LimitsOf(layer, kind, artifact, target, model.peak);
    PrintLayer(layer, times, limits);
    shares.Add(kind, layer.workload.ToText(), BoundByMemory(kind) ? limits.memory_ns : limits.arithmetic_ns, times);
    hot += layer.uses * times.hot_ns;
    cold += layer.uses * times.cold_ns;
    flops += layer.uses * layer.workload.Flops();
  }
  fmt::print("sum: {:.2f} ms hot, {:.2f} ms cold; {:.0f} % and {:.0f} % of the peak\n\n{:<40} {:>6} {:>9}  {}\n",
             hot / 1e6, cold / 1e6, 100 * flops / hot / model.peak, 100 * flops / cold / model.peak, "row", "goal",
             "reached", "verdict");
  return shares.PrintVerdicts(model.name, model.goals_of, bounds);
}

int Run(const Options& options) {
  std::unique_ptr<RecordStore> store;
  std::unique_ptr<RecordConfigSource> records;
  if (!options.store.empty()) {
    store = RecordStore::Open(options.store, false);
    records = std::make_unique<RecordConfigSource>(*store, FingerprintOf(ProbeEnvironment()));
  }
  const Bounds bounds = ReadBounds(options.page);
  const double peak = MeasureFmaPeak(options.target);
  fmt::print("{}: measured FMA peak {:.1f} GFLOP/s on one core\n", options.target.ToText(), peak);
  bool good = true;
  for (const std::string& model : options.models) {
    const Measured measured =
        options.bytes ? BytesOf(model, options.target, peak) : FloatsOf(model, options.target, records.get(), peak);
    good = Measure(measured, options.target, bounds) && good;
  }
  return good ? 0 : 1;
}

}  // namespace
}  // namespace hone::bench

int main(int argc, char** argv) {
  return hone::bench::RunBench("hone_bench_kernels",
                               [&] { return hone::bench::Run(hone::bench::OptionsFrom(argc, argv)); });
}
