// hone_bench_many_records [SCALE [FOLDER]]: the costs of a store with many records. SCALE 1 means 10 million records,
// some 30 GB in FOLDER (default: the temporary folder), and most of an hour. The default, 0.01, takes seconds. Prints
// goal, reached and verdict of each row. Exits 1 on a miss for which docs/howto/sharing.md names no bound. Run it in
// the checkout's folder.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "bench/store/made_up_records.h"
#include "bench/store/pack_size.h"
#include "bench/tuner/verdict.h"
#include "compiler/build.h"
#include "compiler/codegen/target/host.h"
#include "compiler/frontend/zoo/zoo.h"
#include "core/error.h"
#include "core/random.h"
#include "db/record_log.h"
#include "rpc_runner/machine/environment.h"
#include "rpc_runner/process/clock.h"
#include "tuner/record_config_source.h"

namespace hone::bench {
namespace {

constexpr int64_t kOfAWorkload = 1'000;
constexpr int kLookups = 500;
constexpr int kWriters = 4;
constexpr size_t kBatch = 64;

class ScratchFolder {
 public:
  explicit ScratchFolder(const std::string& in) : path_(in + fmt::format("/hone_bench_many_records_{}", getpid())) {
    std::filesystem::create_directories(path_);
  }
  ~ScratchFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  std::string File(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

struct Bench {
  double scale = 0.01;
  const ScratchFolder& folder;
  const Target target = HostTarget();
  Verdicts verdicts = Verdicts(ReadBounds(std::string("docs/howto/sharing.md")));

  int64_t Scaled(int64_t whole) const {
    return std::max<int64_t>(1, static_cast<int64_t>(static_cast<double>(whole) * scale));
  }
};

double SecondsSince(int64_t begin_ns) { return static_cast<double>(MonotonicNs() - begin_ns) / 1e9; }

bool Any(const std::string&, const Config&) { return true; }

double MedianMs(std::vector<int64_t> ns) {
  std::nth_element(ns.begin(), ns.begin() + static_cast<ptrdiff_t>(ns.size() / 2), ns.end());
  return static_cast<double>(ns[ns.size() / 2]) / 1e6;
}

void Lookups(Bench& bench) {
  const auto store = RecordStore::Open(bench.folder.File("lookups.db"));
  const std::vector<Task> tasks = ExtractTasks(BuildZoo("resnet-50"), {bench.target});
  const int64_t workloads = bench.Scaled(10'000);
  for (int64_t i = 0; i < workloads; ++i) {
    store->Append(MadeUpRecords(MadeUpWorkload(i), bench.target, kOfAWorkload, static_cast<uint64_t>(i)));
  }
  for (const Task& task : tasks) store->Append(MadeUpRecords(task.workload, bench.target, kOfAWorkload, 1));
  fmt::print("{} records of {} workloads\n", store->Stats().records, workloads + static_cast<int64_t>(tasks.size()));
  RecordConfigSource source(*store, FingerprintOf(ProbeEnvironment()));
  Random random(1);
  std::vector<int64_t> each_ns, dispatch_ns;
  for (int i = 0; i < kLookups; ++i) {
    const Workload workload = MadeUpWorkload(static_cast<int64_t>(random.Next() % static_cast<uint64_t>(workloads)));
    const int64_t begin_ns = MonotonicNs();
    if (!source.Choose(workload, bench.target, 1, Any))
      throw Error(ExitCode::kBug, "a record that is there was not found");
    each_ns.push_back(MonotonicNs() - begin_ns);
  }
  for (int round = 0; round < 9; ++round) {
    const int64_t begin_ns = MonotonicNs();
    for (const Task& task : tasks) source.Choose(task.workload, bench.target, 1, Any);
    dispatch_ns.push_back(MonotonicNs() - begin_ns);
  }
  const std::string of_how_many = bench.scale == 1 ? "" : fmt::format(" at SCALE {}", bench.scale);
  bench.verdicts.AtMost(fmt::format("best lookup among 10 million records{}, ms (median)", of_how_many), 1,
                        MedianMs(each_ns));
  bench.verdicts.AtMost("ResNet-50's dispatch, ms (median)", 20, MedianMs(dispatch_ns));
}

void Import(Bench& bench) {
  const auto store = RecordStore::Open(bench.folder.File("foreign.db"));
  const int64_t lines = bench.Scaled(1'000'000);
  std::istringstream log(MadeUpAutoTvmLog(lines));
  const int64_t begin_ns = MonotonicNs();
  const ImportCounts counts = ImportLog(log, "made up", *store);
  const double seconds = SecondsSince(begin_ns);
  if (counts.foreign != lines)
    throw Error(ExitCode::kBug, fmt::format("{} of {} lines were taken", counts.foreign, lines));
  bench.verdicts.AtLeast("import of AutoTVM lines, lines/s", 100'000, static_cast<double>(lines) / seconds);
}

// Merges as `hone log export` and `import` do.
void Merge(Bench& bench) {
  const int64_t workloads = bench.Scaled(1'000);
  const auto a = RecordStore::Open(bench.folder.File("a.db")), b = RecordStore::Open(bench.folder.File("b.db"));
  for (int64_t i = 0; i < workloads; ++i) {
    a->Append(MadeUpRecords(MadeUpWorkload(i), bench.target, kOfAWorkload, 1));
    b->Append(MadeUpRecords(MadeUpWorkload(i), bench.target, kOfAWorkload, 2));
  }
  const std::string path = bench.folder.File("a.log");
  const int64_t begin_ns = MonotonicNs();
  std::ofstream out(path, std::ios::binary);
  ExportLog(*a, RecordQuery{}, out);
  out.close();
  std::ifstream in(path, std::ios::binary);
  const ImportCounts counts = ImportLog(in, path, *b);
  const double seconds = SecondsSince(begin_ns);
  if (counts.fresh != workloads * kOfAWorkload) throw Error(ExitCode::kBug, "the merge lost records");
  bench.verdicts.AtMost("merge of two stores of a million records, s (of the whole)", 60, seconds / bench.scale);
}

void Appends(Bench& bench) {
  const std::string path = bench.folder.File("appends.db");
  RecordStore::Open(path);
  const int64_t each = bench.Scaled(4'000) * static_cast<int64_t>(kBatch);
  std::vector<std::vector<Record>> made;
  for (int writer = 0; writer < kWriters; ++writer) {
    made.push_back(MadeUpRecords(MadeUpWorkload(writer), bench.target, each, 3));
  }
  const int64_t begin_ns = MonotonicNs();
  std::vector<std::thread> writers;
  for (const std::vector<Record>& records : made) {
    writers.emplace_back([&path, &records] {
      const auto store = RecordStore::Open(path);
      for (size_t i = 0; i < records.size(); i += kBatch) {
        const auto begin = records.begin() + static_cast<ptrdiff_t>(i);
        store->Append(std::vector<Record>(begin, begin + static_cast<ptrdiff_t>(kBatch)));
      }
    });
  }
  for (std::thread& writer : writers) writer.join();
  const double rows = static_cast<double>(each) * kWriters;
  bench.verdicts.AtLeast("durable appends, 4 writers, batches of 64, rows/s", 20'000, rows / SecondsSince(begin_ns));
}

void Pack(Bench& bench) {
  bench.verdicts.AtMost("pack of twelve networks at 1 and 2 threads, KB", 200,
                        static_cast<double>(PackBytes(bench.target)) / 1e3);
}

int Run(double scale, const std::string& in) {
  const ScratchFolder folder(in);
  Bench bench{scale, folder};
  fmt::print("scale {}\n{:<68} {}\n", scale, "row", "goal    reached  verdict");
  Lookups(bench);
  Import(bench);
  Merge(bench);
  Appends(bench);
  Pack(bench);
  return bench.verdicts.all_met() ? 0 : 1;
}

}  // namespace
}  // namespace hone::bench

int main(int argc, char** argv) {
  try {
    const double scale = argc > 1 ? std::stod(argv[1]) : 0.01;
    if (!(scale > 0 && scale <= 1)) throw hone::Error(hone::ExitCode::kUsage, "SCALE is more than 0 and at most 1");
    return hone::bench::Run(scale, argc > 2 ? argv[2] : std::filesystem::temp_directory_path().string());
  } catch (const std::exception& error) {
    fmt::print(stderr, "hone_bench_many_records: {}\n", error.what());
    return 2;
  }
}
