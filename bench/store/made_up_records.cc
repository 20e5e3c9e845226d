#include "bench/store/made_up_records.h"

#include <fmt/format.h>

#include "compiler/schedules/schedule.h"
#include "core/random.h"
#include "rpc_runner/machine/environment.h"

namespace hone::bench {
namespace {

const Environment& ThisMachine() {
  static const Environment environment = ProbeEnvironment();
  return environment;
}

}  // namespace

Workload MadeUpWorkload(int64_t number) {
  const int64_t rows = 7 + number % 50, columns = 7 + number / 50 % 50, channels = 16 * (1 + number / 2500);
  return Workload::Parse(
      fmt::format("nn.conv2d data=1x{0}x{1}x{2} weight=64x{0}x3x3 strides=1x1 padding=1x1x1x1 dilation=1x1 groups=1 "
                  "dtype=float32 epilogue=bias_act",
                  channels, rows, columns));
}

std::vector<Record> MadeUpRecords(const Workload& workload, const Target& target, int64_t count, uint64_t seed) {
  const DefaultConfig best = AnalyticDefault(workload, MachineModelFor(target));
  Random random(seed);
  std::vector<Record> records;
  for (int64_t i = 0; i < count; ++i) {
    Record record;
    record.candidate = {workload, std::string(best.schedule->name()), best.config, target};
    record.candidate.config.Set("tile_ow", 1 + i % 28);
    record.candidate.config.Set("ic_chunk", i / 28);
    record.schedule_version = best.schedule->version();
    const auto ns = static_cast<int64_t>(100'000 + random.Next() % 900'000);
    record.measurement.samples_ns = {ns + 700, ns, ns + 300};
    record.measurement.batch = {4, 4, 4};
    record.measurement.environment = ThisMachine();
    record.unix_ms = 1'700'000'000'000 + i;
    record.session = fmt::format("bench {}", seed);
    records.push_back(Finish(std::move(record)));
  }
  return records;
}

std::string MadeUpAutoTvmLog(int64_t count) {
  constexpr int64_t kConfigs = 500;
  std::string log;
  for (int64_t i = 0; i < count; ++i) {
    log += fmt::format(
        R"({{"input": ["llvm -mcpu=skylake-avx512", "dense_pack.x86", [["TENSOR", [16, {}], "float32"], )"
        R"(["TENSOR", [48, {}], "float32"], null, "float32"], {{}}], "config": {{"index": {}, "entity": [["tile_y", "sp", [-1, 2, {}]], )"
        R"(["tile_x", "sp", [-1, 1, 16]], ["tile_k", "sp", [-1, {}]]]}}, "result": [[5e-06], 0, 1.5, 1700000003.0], "version": 0.2}})"
        "\n",
        96 + i / kConfigs, 96 + i / kConfigs, i, 1 + i % 20, 1 + i % kConfigs / 20);
  }
  return log;
}

}  // namespace hone::bench
