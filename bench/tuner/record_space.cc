// hone_bench_record_space WORKLOAD STORE OUT [SECONDS] [TARGET]: times every valid config of a workload on this
// machine, on one thread. Times in STORE are not measured again, so that a long recording can be made in pieces. OUT is
// written when the recording is complete. Exits 1 while it is not.
#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>

#include "bench/run_bench.h"
#include "bench/tuner/space_recorder.h"
#include "compiler/codegen/target/host.h"
#include "core/error.h"

namespace hone::bench {
namespace {

int Run(int argc, char** argv) {
  if (argc < 4 || argc > 6) {
    throw Error(ExitCode::kUsage, "hone_bench_record_space WORKLOAD STORE OUT [SECONDS] [TARGET] is right");
  }
  const double seconds = argc > 4 ? std::atof(argv[4]) : 1e6;
  SpaceRecorder recorder(Workload::Parse(argv[1]), ResolveTarget(argc > 5 ? argv[5] : "host"), argv[2]);
  const int64_t left = recorder.Record(seconds);
  const RecordedSpace space = recorder.Written();
  fmt::print(stderr, "{} valid configs, best {} ns, {} timings to come\n", space.valid(), space.BestNs(), left);
  if (left > 0) return 1;
  std::ofstream out(argv[3]);
  WriteRecordedSpace(space, out);
  if (!out.flush()) throw Error(ExitCode::kCannotCreate, fmt::format("cannot write {}", argv[3]));
  return 0;
}

}  // namespace
}  // namespace hone::bench

int main(int argc, char** argv) {
  return hone::bench::RunBench("hone_bench_record_space", [&] { return hone::bench::Run(argc, argv); });
}
