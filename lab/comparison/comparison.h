// The comparison of models on several machines, layer by layer. It is one value, made from records, from saved bench
// results or from packages timed now. It is printed as text, JSON, CSV, Markdown or a page. Pure data. Start here.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/machine/target.h"
#include "core/measurement.h"
#include "rpc_runner/health/roofs.h"

namespace hone {

// The source of a time.
enum class TimeOrigin : uint8_t {
  kMissing,   // unknown
  kRecord,    // the best record of the layer's workload on the device
  kPackage,   // a package that was run as a whole
  kEstimate,  // bytes moved over the device's memory roof, for operators without knobs, which have no records
};
// "missing", "record", "package", "estimate".
std::string_view TimeOriginName(TimeOrigin origin);

struct ComparedTime {
  int64_t ns = 0;                   // 0: unknown
  int64_t low_ns = 0, high_ns = 0;  // interval around it, as its maker defines
  int samples = 0;
  bool operator==(const ComparedTime&) const = default;
};

struct ComparedLayer {
  std::string name;  // the workload's text; without knobs Layer::name
  std::string op;
  std::vector<std::string> nodes;  // of the model
  bool has_knobs = false;
  std::string precision;  // element type of products, "float32" or "int8"; empty without products
  int uses = 1;
  double flops = 0, bytes = 0;  // of one use; 0 if unknown
  TimeOrigin origin = TimeOrigin::kMissing;
  ComparedTime time;             // of one use
  int trials = 0;                // records of the workload on the device, with any fate; 0 if unknown
  std::string schedule, config;  // of a layer with a time
  std::string source;            // source of its config, as in Dispatch; empty if unknown
  std::string hone_version;      // version that took the time; empty if unknown
  double worst_error = 0;        // error of its outputs over the allowed one (Measurement); 0 if unknown
  bool noisy = false;            // has only noisy records
};

// A device's peak rates; zeros if unknown.
struct MachineRoofs {
  double gflops = 0;      // float32 multiply-adds, two operations each, of the row's threads together
  double read_gbps = 0;   // 1e9 bytes a second from memory
  bool measured = false;  // otherwise assumed for its kind of CPU (hone targets)
};

// One way to run: a machine, the code for it, threads, and the cache state while timing.
struct ComparedDevice {
  std::string setup;              // unique among rows: machine, code, threads and cache
  std::string name;               // for people, as DeviceName
  std::string machine;            // see MachineKey: another key is another machine
  std::string short_id;           // of the fingerprint
  std::set<std::string> runners;  // places of it and of exact copies: "KEY/LABEL", else hosts
  std::set<std::string> keys, labels, hosts;
  std::string cpu_model, llvm_cpu;
  Target target;
  int threads = 1;
  // State of the caches: of records their cache mode, of packages the `cache` of a bench result's conditions ("alone",
  // "turns").
  std::string cache;
  bool emulated = false;
  Environment environment;  // environment of one of its times
  MachineRoofs roofs;
  double price_per_hour = 0;  // in any currency; 0: not given
};

// One model on one device.
struct ComparedCell {
  std::vector<ComparedLayer> layers;         // on this device: fusion depends on its instructions
  TimeOrigin origin = TimeOrigin::kMissing;  // origin of `time`; kRecord: the sum of the layers
  // For a package, the median and its 95 % confidence interval. For records, the sum of the layers' least samples, and
  // the sum of the upper ends of their medians' 95 % confidence intervals.
  ComparedTime time;
  int tasks = 0, covered = 0;      // layers with knobs, and those of them with a time (with records: the device's own)
  int64_t estimated_ns = 0;        // the estimated part of time
  double flops = 0, bytes = 0;     // over all layers and uses
  double joules_per_image = 0;     // energy that the machine used; 0: unknown
  std::string precision;           // precision of the layers: "float32", "float32+int8"
  std::set<std::string> versions;  // versions of hone that took the times
  bool noisy = false;
  std::string why_noisy;  // one line, empty unless noisy
};

struct ComparedModel {
  std::string name;
  int64_t images = 1;           // per run: the first dimension of the first input
  bool is_tasks_alone = false;  // the layers of a tuning run, without the operators that have no knobs
};

struct Comparison {
  std::vector<ComparedModel> models;
  std::vector<ComparedDevice> devices;
  std::vector<std::vector<ComparedCell>> cells;  // [device][model]

  const ComparedCell& At(size_t device, size_t model) const { return cells.at(device).at(model); }
};

// Sets every field of a cell that follows from its layers, including the time if the origin is kRecord.
void SumLayers(ComparedCell& cell);

// GFLOP/s, which is flops / ns; 0 if either is unknown.
double GflopsOf(double flops, int64_t ns);
// The share of a roof that is reached in this time; 0 if the roof or the time is unknown.
double FmaShare(const MachineRoofs& roofs, double flops, int64_t ns);
double BandwidthShare(const MachineRoofs& roofs, double bytes, int64_t ns);
// Images per unit of the currency that prices are in; 0 without a price or a time of the whole model.
double ImagesPerMoney(const ComparedDevice& device, const ComparedModel& model, const ComparedCell& cell);
// Money for a million images, in the currency of the prices; 0 as above.
double PriceOfMillion(const Comparison& c, size_t device, size_t model);

// Roofs of compared machines.

// The roofs for this number of threads: the row with the least number that suffices, else the one with the most. Zeros
// if there are no rows. Of several rows with equal threads, the maximum of each roof counts, because a busy machine
// measures too little.
MachineRoofs RoofFor(const std::vector<Roof>& roofs, int threads);

// The roofs measured on the device, for its threads. nullopt if they are far below those assumed for its kind, as when
// other programs keep the machine busy.
std::optional<MachineRoofs> CredibleRoofs(const std::vector<Roof>& measured, const ComparedDevice& device);

// CredibleRoofs, measured once (0.3 s a row), if the device is this machine; else AssumedRoofs.
std::function<MachineRoofs(const ComparedDevice& device)> RoofsKnownHere();

}  // namespace hone
