#include "bench/store/pack_size.h"

#include <fmt/format.h>

#include <array>
#include <string>
#include <utility>
#include <vector>

#include "bench/store/made_up_records.h"
#include "compiler/build.h"
#include "compiler/frontend/zoo/zoo.h"
#include "core/hash/hash.h"
#include "core/random.h"
#include "db/packs/pack.h"

namespace hone::bench {
namespace {

constexpr std::array<const char*, kPackedNetworks> kNetworks = {
    "squeezenet", "resnet-18",    "resnet-34", "resnet-50",    "mobilenet",    "mobilenet_v2",
    "shufflenet", "densenet-121", "googlenet", "inception_v2", "inception_v3", "darknet"};
constexpr int kSamples = 30;  // of a task's best record, with its finals

std::string HexDigits(Random& random) { return Sha256Hex(fmt::format("{}", random.Next())); }

Record AsTuned(Record record, int threads, Random& random) {
  const int64_t least_ns = record.measurement.MinNs();
  record.measurement.samples_ns.clear();
  for (int i = 0; i < kSamples; ++i) {
    record.measurement.samples_ns.push_back(least_ns + static_cast<int64_t>(random.Next() % 100'000));
  }
  record.measurement.batch.assign(kSamples, 1);
  record.measurement.worst_error = random.Uniform();
  record.measurement.wall_ns = static_cast<int64_t>(random.Next() % 100'000'000);
  record.measurement.environment.load = random.Uniform() * 4;
  record.threads = record.timing.threads = threads;
  record.artifact_sha256 = HexDigits(random);
  record.session = HexDigits(random).substr(0, 16);
  record.unix_ms += static_cast<int64_t>(random.Next() % 100'000'000);
  return Finish(std::move(record));
}

}  // namespace

int64_t PackBytes(const Target& target) {
  Random random(1);
  std::vector<Record> records;
  for (const char* network : kNetworks) {
    const relay::IRModule module = BuildZoo(network);
    for (const int threads : {1, 2}) {
      for (const Task& task : ExtractTasks(module, {target, threads})) {
        Record one = MadeUpRecords(task.workload, target, 1, random.Next()).front();
        records.push_back(AsTuned(std::move(one), threads, random));
      }
    }
  }
  return static_cast<int64_t>(WritePack({"twelve", 1, "bench"}, {}, std::move(records)).size());
}

}  // namespace hone::bench
