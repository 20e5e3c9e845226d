// hone_bench_comparing [RECORDS [FOLDER]]: the time and memory of `hone compare` and `hone report`. Compares three
// machines in a store with their records of five models. Reports on a store of RECORDS records (default: a million) of
// the same models and of other layers on the same machines. Prints goal, reached and verdict of each row; exits 1 on a
// miss. Takes a few minutes and 5 GB in FOLDER (default: the temporary folder).
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "bench/store/made_up_records.h"
#include "bench/tuner/verdict.h"
#include "compiler/build.h"
#include "compiler/codegen/target/host.h"
#include "compiler/frontend/zoo/zoo.h"
#include "core/error.h"
#include "db/record_store.h"
#include "rpc_runner/process/clock.h"

namespace hone::bench {
namespace {

namespace fs = std::filesystem;

constexpr int64_t kMachines = 3;
constexpr int64_t kOfALayer = 64, kOfAWorkload = 1'000;
constexpr double kMostMegabytes = 5;

const std::vector<std::string>& Models() {
  static const std::vector<std::string> models = {"resnet-18", "resnet-50", "mobilenet", "squeezenet", "densenet-121"};
  return models;
}

class ScratchFolder {
 public:
  explicit ScratchFolder(const std::string& in)
      : path_(fs::path(in) / fmt::format("hone_bench_comparing_{}", getpid())) {
    fs::create_directories(path_);
  }
  ~ScratchFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  std::string File(const std::string& name) const { return (path_ / name).string(); }

 private:
  fs::path path_;
};

// The layers with knobs of all models, without duplicates.
std::vector<Workload> Layers(const Target& target) {
  std::set<std::string> seen;
  std::vector<Workload> layers;
  BuildContext context;
  context.target = target;
  for (const std::string& model : Models()) {
    for (const Task& task : ExtractTasks(BuildZoo(model), context)) {
      if (seen.insert(task.workload.ToText()).second) layers.push_back(task.workload);
    }
  }
  return layers;
}

// The records as made by one of the three machines: this one, or one of two other CPU models.
std::vector<Record> RecordsOf(int64_t machine, const Workload& workload, const Target& target, int64_t count) {
  std::vector<Record> records = MadeUpRecords(workload, target, count, static_cast<uint64_t>(machine));
  if (machine == 0) return records;
  for (Record& record : records) {
    record.measurement.environment.cpu_id = fmt::format("AuthenticAMD-25-{}-1", 90 + machine);
    record.measurement.environment.host = fmt::format("machine-{}", machine);
    record = Finish(record);
  }
  return records;
}

void FillWithModels(RecordStore& store, const std::vector<Workload>& layers, const Target& target) {
  for (const Workload& layer : layers) {
    for (int64_t machine = 0; machine < kMachines; ++machine) {
      store.Append(RecordsOf(machine, layer, target, kOfALayer));
    }
  }
}

// Adds records of other layers, on each machine in turn, up to so many.
void FillUpTo(RecordStore& store, const Target& target, int64_t records) {
  int64_t held = store.Stats().records;
  for (int64_t number = 0; held < records; ++number) {
    held += store.Append(RecordsOf(number % kMachines, MadeUpWorkload(number), target, kOfAWorkload));
  }
}

// The program's run time in seconds. Throws Error(kBug) if it fails.
double SecondsOf(const std::string& command) {
  std::string line = fmt::format("'{}' {}", HONE_PROGRAM, command);
  for (const std::string& model : Models()) line += " zoo:" + model;
  const int64_t begin_ns = MonotonicNs();
  const int status = std::system((line + " > /dev/null 2>&1").c_str());
  const double seconds = static_cast<double>(MonotonicNs() - begin_ns) / 1e9;
  if (status != 0) throw Error(ExitCode::kBug, fmt::format("{}: status {}", line, status));
  return seconds;
}

int Run(int64_t records, const std::string& in) {
  const ScratchFolder folder(in);
  Verdicts verdicts;
  const Target target = HostTarget();
  const std::vector<Workload> layers = Layers(target);
  fmt::print("{} layers of {} models on {} machines\n{:<68} {}\n", layers.size(), Models().size(), kMachines, "row",
             "goal    reached  verdict");
  const std::string models = folder.File("models.db"), many = folder.File("many.db"), page = folder.File("r.html");
  FillWithModels(*RecordStore::Open(models), layers, target);
  SecondsOf(fmt::format("compare --threads 1 --db '{}'", models));  // after this the files are in the page cache
  std::vector<double> seconds;
  for (int i = 0; i < 3; ++i) seconds.push_back(SecondsOf(fmt::format("compare --threads 1 --db '{}'", models)));
  std::sort(seconds.begin(), seconds.end());
  verdicts.AtMost("compare of 3 machines x 5 models from records, s (median of 3)", 2, seconds[1]);
  {
    const auto store = RecordStore::Open(many);
    FillWithModels(*store, layers, target);
    FillUpTo(*store, target, records);
    records = store->Stats().records;
  }
  const double report = SecondsOf(fmt::format("report --threads 1 --db '{}' -o '{}'", many, page));
  verdicts.AtMost(fmt::format("report of a store with {} records, s", records), 10, report);
  verdicts.AtMost("its page, MB", kMostMegabytes, static_cast<double>(fs::file_size(page)) / 1e6);
  return verdicts.all_met() ? 0 : 1;
}

}  // namespace
}  // namespace hone::bench

int main(int argc, char** argv) {
  try {
    const int64_t records = argc > 1 ? std::stoll(argv[1]) : 1'000'000;
    if (records < 1) throw hone::Error(hone::ExitCode::kUsage, "RECORDS is a number from 1 on");
    return hone::bench::Run(records, argc > 2 ? argv[2] : std::filesystem::temp_directory_path().string());
  } catch (const std::exception& error) {
    fmt::print(stderr, "hone_bench_comparing: {}\n", error.what());
    return 2;
  }
}
