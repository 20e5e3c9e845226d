#include "tuner/tune_tools.h"

#include <chrono>
#include <thread>

namespace hone {

// Declared in compiler/codegen/target/object.h, which would include LLVM's headers.
std::string LlvmVersion();

TuneTools RealTuneTools() {
  using std::chrono::duration_cast;
  TuneTools tools;
  tools.compile = [](const Candidate& candidate) { return CompileKernel(candidate); };
  tools.reference = CompileReference;
  tools.now_ns = [] {
    return int64_t{
        duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch()).count()};
  };
  tools.unix_ms = [] {
    return int64_t{
        duration_cast<std::chrono::milliseconds>(std::chrono::system_clock::now().time_since_epoch()).count()};
  };
  tools.sleep = [](int64_t ns) { std::this_thread::sleep_for(std::chrono::nanoseconds(ns)); };
  tools.llvm_version = LlvmVersion();
  return tools;
}

std::vector<const Schedule*> SchedulesOf(const TuneTools& tools, const Workload& workload,
                                         const BuildContext& context) {
  auto schedules = tools.schedules.empty() ? SchedulesFor(workload, context.machine()) : tools.schedules;
  if (context.exact_math) std::erase_if(schedules, [](const Schedule* schedule) { return !schedule->exact(); });
  return schedules;
}

}  // namespace hone
