// hone_bench_store [FOLDER [SECONDS]]: measures durable rows per second of tuners, and the lookup of a whole network's
// dispatch. Uses a store in a file and one on a PostgreSQL server that it starts. Prints goal, reached and verdict of
// each row. Exits 1 on a miss for which docs/howto/sharing.md names no bound. FOLDER (/var/tmp) is on the disk to be
// timed; rows are appended for SECONDS (5). Run it in the checkout's folder.
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "bench/tuner/verdict.h"
#include "core/error.h"
#include "core/machine/fingerprint.h"
#include "db/record_store.h"
#include "tests/db/sample_record.h"
#include "tests/support/postgres_server.h"

namespace hone::bench {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kBatch = 64;
constexpr double kBatchesASecond = 80;  // the most of a tuner; they are made in advance
constexpr int kRecordsEach = 500;       // per workload

double SecondsSince(Clock::time_point begin) { return std::chrono::duration<double>(Clock::now() - begin).count(); }

struct Convolution {
  int in, size, out, kernel, stride;
};
// ResNet-50 (He et al., 2015, table 1) with the strides in the 3x3 convolutions.
constexpr Convolution kResNet50[] = {
    {3, 224, 64, 7, 2},     {64, 56, 64, 1, 1},   {64, 56, 64, 3, 1},    {64, 56, 256, 1, 1},   {256, 56, 64, 1, 1},
    {256, 56, 128, 1, 1},   {128, 56, 128, 3, 2}, {128, 28, 512, 1, 1},  {256, 56, 512, 1, 2},  {512, 28, 128, 1, 1},
    {128, 28, 128, 3, 1},   {512, 28, 256, 1, 1}, {256, 28, 256, 3, 2},  {256, 14, 1024, 1, 1}, {512, 28, 1024, 1, 2},
    {1024, 14, 256, 1, 1},  {256, 14, 256, 3, 1}, {1024, 14, 512, 1, 1}, {512, 14, 512, 3, 2},  {512, 7, 2048, 1, 1},
    {1024, 14, 2048, 1, 2}, {2048, 7, 512, 1, 1}, {512, 7, 512, 3, 1}};

std::vector<std::string> Workloads() {
  std::vector<std::string> workloads;
  for (const Convolution& c : kResNet50) {
    const int pad = c.kernel / 2;
    workloads.push_back(fmt::format(
        "nn.conv2d data=1x{}x{}x{} weight={}x{}x{}x{} strides={}x{} padding={}x{}x{}x{} dilation=1x1 groups=1 "
        "dtype=float32 epilogue=bias_act",
        c.in, c.size, c.size, c.out, c.in, c.kernel, c.kernel, c.stride, c.stride, pad, pad, pad, pad));
  }
  workloads.push_back("nn.dense data=1x2048 weight=1000x2048 dtype=float32 epilogue=bias_act");
  return workloads;
}

// The rows per second of `writers` tuners that append batches until the time is over. Records are made in advance.
double AppendRate(const std::string& where, int writers, double seconds_in_all) {
  RecordStore::Open(where);
  std::atomic<int> ready = 0;
  std::atomic<bool> go = false;
  std::atomic<int64_t> rows = 0;
  std::atomic<double> longest = 0;
  std::vector<std::thread> threads;
  for (int w = 0; w < writers; ++w) {
    threads.emplace_back([&, w] {
      const auto store = RecordStore::Open(where);
      std::vector<std::vector<Record>> batches(static_cast<size_t>(std::ceil(kBatchesASecond * seconds_in_all)));
      int number = w * 10'000'000;
      for (auto& batch : batches) {
        for (int i = 0; i < kBatch; ++i) batch.push_back(SampleRecord(number++));
      }
      ++ready;
      while (!go) std::this_thread::yield();
      const auto begin = Clock::now();
      int64_t own = 0;
      for (size_t b = 0; b < batches.size() && SecondsSince(begin) < seconds_in_all; ++b)
        own += store->Append(batches[b]);
      rows += own;
      double seconds = SecondsSince(begin);
      for (double known = longest; seconds > known && !longest.compare_exchange_weak(known, seconds);) {
      }
    });
  }
  while (ready < writers) std::this_thread::sleep_for(std::chrono::milliseconds(10));
  go = true;
  for (std::thread& thread : threads) thread.join();
  return static_cast<double>(rows) / longest;
}

// The median milliseconds of 21 lookups of a whole network's best records, among kRecordsEach records per workload.
double LookupMs(const std::string& where) {
  const auto store = RecordStore::Open(where);
  const std::vector<std::string> workloads = Workloads();
  Record any = SampleRecord(0);
  any.measurement.environment.cpu_id = "GenuineIntel-6-85-7";
  for (const std::string& workload : workloads) {
    std::vector<Record> records;
    for (int i = 0; i < kRecordsEach; ++i) {
      Record record = any;
      record.candidate.workload = Workload::Parse(workload);
      record.measurement.samples_ns = {10'000 + i * 37 % 9'000};
      record.unix_ms += i;
      records.push_back(Finish(record));
    }
    store->Append(records);
  }
  std::vector<double> times;
  for (int i = 0; i < 21; ++i) {
    const auto begin = Clock::now();
    for (const std::string& workload : workloads) {
      const auto best =
          store->Best(workload, any.candidate.target, FingerprintOf(any.measurement.environment), any.threads, 1);
      if (best.size() != 1) throw Error(ExitCode::kBug, "a workload has no best record");
    }
    times.push_back(1e3 * SecondsSince(begin));
  }
  std::nth_element(times.begin(), times.begin() + 10, times.end());
  return times[10];
}

int Run(const std::string& folder, double seconds) {
  Verdicts verdicts(ReadBounds(std::string("docs/howto/sharing.md")));
  const std::string file = folder + "/hone-bench-store.db";
  std::filesystem::remove(file);
  verdicts.AtLeast("file: rows/s, 4 writers append batches of 64", 20'000, AppendRate(file, 4, seconds));
  std::filesystem::remove(file);
  verdicts.AtMost("file: ms, ResNet-50's dispatch among 12,000 records", 20, LookupMs(file));
  std::filesystem::remove(file);
  if (PostgresServer::ProgramFolder().empty()) {
    fmt::print("server: Debian's package postgresql is not installed, so nothing was timed\n");
    return verdicts.all_met() ? 0 : 1;
  }
  PostgresServer server(PostgresServer::Sync::kOn, folder);
  verdicts.AtLeast("server: rows/s, 8 tuners append batches of 64", 10'000,
                   AppendRate(server.NewDatabase(), 8, seconds));
  verdicts.AtMost("server: ms, ResNet-50's dispatch among 12,000 records", 50, LookupMs(server.NewDatabase()));
  return verdicts.all_met() ? 0 : 1;
}

}  // namespace
}  // namespace hone::bench

int main(int argc, char** argv) {
  try {
    const double seconds = argc > 2 ? std::atof(argv[2]) : 5;
    if (!(seconds > 0)) throw hone::Error(hone::ExitCode::kUsage, "SECONDS is more than 0");
    return hone::bench::Run(argc > 1 ? argv[1] : "/var/tmp", seconds);
  } catch (const hone::Error& error) {
    fmt::print(stderr, "hone_bench_store: {}\n", error.what());
    return static_cast<int>(error.code());
  }
}
