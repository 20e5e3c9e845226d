// How models run on several machines, layer by layer: one value, made from records, from saved bench results or from
// packages timed now, and told as text, JSON, CSV, Markdown or a page. Pure data. Start here.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/measurement.h"
#include "core/target.h"

namespace hone {

// Where a time comes from.
enum class TimeOrigin : uint8_t {
  kMissing,   // nothing is known
  kRecord,    // the best record of the layer's workload on the device
  kPackage,   // a package that was run as a whole
  kEstimate,  // bytes moved over the device's memory roof: of operators without knobs, which records do not hold
};
// "missing", "record", "package", "estimate".
std::string_view TimeOriginName(TimeOrigin origin);

struct ComparedTime {
  int64_t ns = 0;                   // 0: not known
  int64_t low_ns = 0, high_ns = 0;  // an interval around it: see who made the comparison
  int samples = 0;
  bool operator==(const ComparedTime&) const = default;
};

struct ComparedLayer {
  std::string name;  // the workload's text; of an operator without knobs as Layer::name
  std::string op;
  std::vector<std::string> nodes;  // of the model
  bool has_knobs = false;
  std::string precision;  // what is multiplied, "float32" or "int8"; empty where nothing is
  int uses = 1;
  double flops = 0, bytes = 0;  // of one use; 0 where not known
  TimeOrigin origin = TimeOrigin::kMissing;
  ComparedTime time;             // of one use
  int trials = 0;                // records of the workload on the device, whatever their fate; 0 where not known
  std::string schedule, config;  // of a layer with a time
  std::string source;            // where its config came from, as in Dispatch; empty where not known
  std::string hone_version;      // of the time; empty where not known
  double worst_error = 0;        // of its outputs, over what is allowed (Measurement); 0 where not known
  bool noisy = false;            // nothing but noisy records
};

// What a device can do at most; zeros where nothing is known.
struct MachineRoofs {
  double gflops = 0;      // float32 multiply-adds, two operations each, of the row's threads together
  double read_gbps = 0;   // 1e9 bytes a second from memory
  bool measured = false;  // else assumed of its kind of CPU (hone targets)
};

// One way to run: a machine, the code for it, threads, and how it was timed.
struct ComparedDevice {
  std::string setup;              // what no other row has: machine, code, threads and cache
  std::string name;               // for people, as DeviceName
  std::string machine;            // see MachineKey: what has another key is another machine
  std::string short_id;           // of the fingerprint
  std::set<std::string> runners;  // where it, or those exactly alike, stand: "KEY/LABEL", else hosts
  std::set<std::string> keys, labels, hosts;
  std::string cpu_model, llvm_cpu;
  Target target;
  int threads = 1;
  // What the caches held: of records their cache mode, of packages as a bench result's conditions ("alone", "turns").
  std::string cache;
  bool emulated = false;
  Environment environment;  // of one of its times
  MachineRoofs roofs;
  double price_per_hour = 0;  // in whatever money; 0: not given
};

// One model on one device.
struct ComparedCell {
  std::vector<ComparedLayer> layers;         // of this device: fusing depends on its instructions
  TimeOrigin origin = TimeOrigin::kMissing;  // of `time`: kRecord is the layers' sum
  // A package: median and its 95 % interval. Records: the sums of the layers' least samples, and of the upper ends of
  // their medians' 95 % intervals.
  ComparedTime time;
  int tasks = 0, covered = 0;      // layers with knobs, and those with a time (with records: of the device's own)
  int64_t estimated_ns = 0;        // part of time that is estimated
  double flops = 0, bytes = 0;     // of all layers and uses
  double joules_per_image = 0;     // that the machine used; 0: not known
  std::string precision;           // "float32", "float32+int8": of the layers
  std::set<std::string> versions;  // of hone, that the times were taken with
  bool noisy = false;
  std::string why_noisy;  // one line, empty unless noisy
};

struct ComparedModel {
  std::string name;
  int64_t images = 1;  // of a run: the first dimension of the first input
};

struct Comparison {
  std::vector<ComparedModel> models;
  std::vector<ComparedDevice> devices;
  std::vector<std::vector<ComparedCell>> cells;  // [device][model]

  const ComparedCell& At(size_t device, size_t model) const { return cells.at(device).at(model); }
};

// Sets everything of a cell that follows from its layers, the time too where the origin is kRecord.
void SumLayers(ComparedCell& cell);

// Of a time: flops / ns is GFLOP/s. 0 where either is not known.
double GflopsOf(double flops, int64_t ns);
// The part of a roof that the time reaches; 0 where the roof or the time is not known.
double FmaShare(const MachineRoofs& roofs, double flops, int64_t ns);
double BandwidthShare(const MachineRoofs& roofs, double bytes, int64_t ns);
// Images for one unit of the money that prices are in; 0 without a price or a time.
double ImagesPerMoney(const ComparedDevice& device, const ComparedModel& model, const ComparedCell& cell);

}  // namespace hone
