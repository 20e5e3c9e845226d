// hone_bench_comparing [RECORDS [FOLDER [MODELS]]]: the time and memory of `hone compare` and `hone report`. Compares
// three machines in a store with their records of MODELS models (default: five). Reports on a store of RECORDS records
// (default: a million) of the same models and of other layers on the same machines. Prints goal, reached and verdict of
// each row; exits 1 on a miss. Takes a few minutes and 5 GB in FOLDER (default: the temporary folder).
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
#include "core/text/printable.h"
#include "db/record_store.h"
#include "rpc_runner/process/clock.h"

namespace hone::bench {
namespace {

namespace fs = std::filesystem;

constexpr int64_t kMachines = 3;
constexpr int64_t kOfALayer = 64, kOfAWorkload = 1'000;
constexpr double kMostMegabytes = 5;

const std::vector<std::string> kModels = {"squeezenet", "resnet-18", "resnet-50", "mobilenet", "densenet-121"};

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
std::vector<Workload> Layers(const std::vector<std::string>& models, const Target& target) {
  std::set<std::string> seen;
  std::vector<Workload> layers;
  BuildContext context;
  context.target = target;
  for (const std::string& model : models) {
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
double SecondsOf(const std::string& command, const std::vector<std::string>& of_models) {
  std::string line = fmt::format("'{}' {}", HONE_PROGRAM, command);
  for (const std::string& model : of_models) line += " zoo:" + model;
  const int64_t begin_ns = MonotonicNs();
  const int status = std::system((line + " > /dev/null 2>&1").c_str());
  const double seconds = static_cast<double>(MonotonicNs() - begin_ns) / 1e9;
  if (status != 0) throw Error(ExitCode::kBug, fmt::format("{}: status {}", line, status));
  return seconds;
}

int Run(int64_t records, const std::string& in, const std::vector<std::string>& of_models) {
  const ScratchFolder folder(in);
  Verdicts verdicts;
  const Target target = HostTarget();
  const std::vector<Workload> layers = Layers(of_models, target);
  fmt::print("{} layers of {} models on {} machines\n{:<68} {}\n", layers.size(), of_models.size(), kMachines, "row",
             "goal    reached  verdict");
  const std::string models = folder.File("models.db"), many = folder.File("many.db"), page = folder.File("r.html");
  FillWithModels(*RecordStore::Open(models), layers, target);
  const std::string compare = fmt::format("compare --threads 1 --db '{}'", models);
  SecondsOf(compare, of_models);  // after this the files are in the page cache
  std::vector<double> seconds;
  for (int i = 0; i < 3; ++i) seconds.push_back(SecondsOf(compare, of_models));
  std::sort(seconds.begin(), seconds.end());
  verdicts.AtMost(
      fmt::format("compare of 3 machines x {} from records, s (median of 3)", Counted(of_models.size(), "model")), 2,
      seconds[1]);
  {
    const auto store = RecordStore::Open(many);
    FillWithModels(*store, layers, target);
    FillUpTo(*store, target, records);
    records = store->Stats().records;
  }
  const double report = SecondsOf(fmt::format("report --threads 1 --db '{}' -o '{}'", many, page), of_models);
  verdicts.AtMost(fmt::format("report of a store with {} records, s", records), 10, report);
  verdicts.AtMost("its page, MB", kMostMegabytes, static_cast<double>(fs::file_size(page)) / 1e6);
  return verdicts.all_met() ? 0 : 1;
}

}  // namespace
}  // namespace hone::bench

int main(int argc, char** argv) {
  try {
    const int64_t records = argc > 1 ? std::stoll(argv[1]) : 1'000'000;
    const std::vector<std::string>& all = hone::bench::kModels;
    const size_t models = argc > 3 ? std::stoul(argv[3]) : all.size();
    if (records < 1 || models < 1 || models > all.size()) {
      throw hone::Error(hone::ExitCode::kUsage,
                        fmt::format("RECORDS is a number from 1 on, MODELS one from 1 to {}", all.size()));
    }
    return hone::bench::Run(records, argc > 2 ? argv[2] : std::filesystem::temp_directory_path().string(),
                            {all.begin(), all.begin() + static_cast<std::ptrdiff_t>(models)});
  } catch (const std::exception& error) {
    fmt::print(stderr, "hone_bench_comparing: {}\n", error.what());
    return 2;
  }
}
