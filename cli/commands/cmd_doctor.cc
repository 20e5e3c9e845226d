#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <functional>

#include "cli/command_line.h"
#include "cli/key_options.h"
#include "cli/record_options.h"
#include "compiler/codegen/target/host.h"
#include "core/error.h"
#include "core/files/temporary_folder.h"
#include "core/text/printable.h"
#include "db/open_database.h"
#include "lab/bench/machine_context.h"
#include "lab/files/fresh_file.h"
#include "lab/files/read_file.h"
#include "lab/machine/doctor_checks.h"
#include "lab/machine/versions.h"
#include "lab/records/records.h"
#include "lab/text/number_text.h"
#include "lab/text/print.h"
#include "lab/text/table.h"
#include "rpc_runner/health/golden_history.h"
#include "rpc_runner/machine/core_set.h"
#include "rpc_runner/machine/environment.h"
#include "rpc_runner/runner.h"
#include "rpc_runner/tracker/ask_tracker.h"
#include "runtime/session.h"
#include "runtime/small_file.h"
#include "runtime/threads/allowed_cores.h"
#include "tuner/compile/compile_pool.h"

namespace hone {
namespace {

// state: "ok", "note" (works but could be better) or "bad" (something will not work).
struct DoctorFinding {
  std::string check, state, what;
};
using DoctorFindings = std::vector<DoctorFinding>;

DoctorFinding CheckToolchain() {
  const Json versions = VersionJson();
  return {"toolchain", "ok",
          fmt::format("hone {}, LLVM {}", versions["hone"].get<std::string>(), versions["llvm"].get<std::string>())};
}

DoctorFinding CheckCpu(const Environment& environment) {
  const Target host = HostTarget();
  const MachineModel m = MachineModelFor(host);
  return {"cpu", "ok",
          fmt::format("{} ({}), machine model {}: {} lanes, {} registers, L1d {}, L2 {}, L3 {}", environment.cpu_model,
                      host.cpu, m.name, m.vector_lanes, m.vector_registers, BytesText(m.l1_bytes),
                      BytesText(m.l2_bytes), BytesText(m.l3_bytes))};
}

DoctorFinding CheckCores() {
  const std::string cpuinfo = ReadSmallFile("/proc/cpuinfo").value_or("");
  const std::vector<int> allowed = AffinityCpus();
  const std::vector<CpuPlace> used = PlacesOf(allowed, cpuinfo), all = PlacesOf(OnlineCpus(allowed), cpuinfo);
  const std::string what = fmt::format("{} allowed, {}", AllowedCores(), CoreSetInWords(used, all));
  if (!IsMixed(used)) return {"cores", "ok", what};
  return {"cores", "note",
          what + "; threads wait for the slowest: --cores takes big, nosmt or node0 of a runner or tune"};
}

DoctorFinding CheckGovernor(const Environment& environment) {
  if (environment.governor.empty())
    return {"governor", "note", "the system does not tell; clocks may change while timing"};
  if (environment.governor == "performance") return {"governor", "ok", environment.governor};
  return {"governor", "note",
          environment.governor + "; \"performance\" gives steadier times: cpupower frequency-set -g performance"};
}

DoctorFinding CheckLoad(const Environment& environment) {
  const double busy = BusyCpusNow();
  const std::string load =
      fmt::format("other programs use {:.2f} CPUs{}", busy,
                  environment.hypervisor.empty() ? "" : ", virtual machine (" + environment.hypervisor + ")");
  if (busy > 0.5) return {"load", "note", load + "; they share the cores while timing"};
  return {"load", "ok", load};
}

DoctorFinding CheckTimer() {
  const TimerNoise noise = MeasureTimerNoise(200'000'000);
  const std::string what =
      fmt::format("clock step {}, {:.2f}% of the time lost to others, worst gap {}", TimeText(noise.resolution_ns),
                  100 * noise.lost_share, TimeText(noise.worst_gap_ns));
  if (noise.lost_share > 0.01)
    return {"timer", "note", what + "; close other programs, or give --cores that are quieter"};
  return {"timer", "ok", what};
}

DoctorFinding CheckRecordStore(const std::string& db) {
  const std::string path = StorePath(db);
  const bool server = IsServerStore(path);
  const std::string why = server ? "" : WhyNoFileIn(std::filesystem::absolute(path).parent_path());
  if (!why.empty()) return {"store", "bad", fmt::format("no record can be kept: {}", why)};
  if (!server && !IsThere(path))
    return {"store", db.empty() ? "ok" : "bad", path + " is not there yet; `hone tune` makes it"};
  if (!server && access(path.c_str(), W_OK) != 0)
    return {"store", "bad", fmt::format("no record can be kept: {}: {}", path, std::strerror(errno))};
  const StoreStats stats = OpenExistingStore(db)->Stats();
  return {"store", "ok",
          fmt::format("{}: {}, schema {}, journal {}, {} {}", path, Counted(stats.records, "record"),
                      stats.engine.schema_version, stats.engine.journal, stats.engine.name, stats.engine.version)};
}

// Checks the folder itself, or the one in which it would be made.
DoctorFinding CheckFolder(const std::string& check, const std::filesystem::path& folder, const std::string& wrong) {
  const std::string why = WhyNoFileIn(folder);
  return why.empty() ? DoctorFinding{check, "ok", folder.string()}
                     : DoctorFinding{check, "bad", fmt::format("{}; {}", why, wrong)};
}

// $TMPDIR must exist, because nothing makes it.
DoctorFinding CheckTemporaryFolder() {
  const std::filesystem::path folder = TemporaryFolder();
  if (!IsThere(folder.string())) return {"temporary files", "bad", folder.string() + " is not there; set TMPDIR right"};
  return CheckFolder("temporary files", folder, "set TMPDIR to a folder with room");
}

// Compiles the kernel that each tuning run compiles first.
DoctorFinding CheckCompiler() {
  const auto start = std::chrono::steady_clock::now();
  CompilePool pool({});
  Workload workload;
  workload.op = "nn.dense";
  workload.data = {1, 16};
  workload.weight = {16, 16};
  pool.Reference(workload, HostTarget());
  const auto took = std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now() - start);
  return {"compiler", "ok", fmt::format("hone-compiler answered in {}", TimeText(took.count()))};
}

DoctorFinding CheckExecutor() {
  const auto start = std::chrono::steady_clock::now();
  const Environment environment = MakeLocalRunner()->Describe();
  const auto took = std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now() - start);
  return {"executor", "ok",
          fmt::format("answered in {}, isolation: {}", TimeText(took.count()),
                      environment.isolation.empty() ? "none" : environment.isolation)};
}

DoctorFinding CheckTracker(const std::string& tracker, const ClientKeys& keys) {
  const auto start = std::chrono::steady_clock::now();
  const TrackerStatus status = QueryTracker(tracker, 3'000'000'000, keys);
  const auto took = std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now() - start);
  return {"tracker", status.runners.empty() ? "note" : "ok",
          fmt::format("answered in {}, {}", TimeText(took.count()), Counted(status.runners.size(), "runner"))};
}

// A check that throws is a finding, not the end of the examination.
DoctorFinding Try(const std::string& check, const std::function<DoctorFinding()>& run) {
  try {
    return run();
  } catch (const std::exception& e) {
    return {check, "bad", e.what()};
  }
}

DoctorFindings Examine(const std::string& db, const RemoteRunnerOptions& remote) {
  const Environment environment = ProbeEnvironment();
  DoctorFindings findings;
  findings.push_back(CheckToolchain());
  findings.push_back(CheckCpu(environment));
  findings.push_back(CheckCores());
  findings.push_back(CheckGovernor(environment));
  findings.push_back(CheckLoad(environment));
  findings.push_back(CheckTimer());
  findings.push_back(Try("store", [&] { return CheckRecordStore(db); }));
  findings.push_back(CheckTemporaryFolder());
  if (const std::string state = StateFolder(); !state.empty()) {
    findings.push_back(CheckFolder("state", state, "a runner forgets how fast its device was; set XDG_STATE_HOME"));
  }
  findings.push_back(Try("compiler", CheckCompiler));
  findings.push_back(Try("executor", CheckExecutor));
  if (remote.tracker.empty()) return findings;
  if (remote.key.empty()) {
    findings.push_back(Try("tracker", [&] { return CheckTracker(remote.tracker, remote.keys); }));
    return findings;
  }
  for (const Hop& hop : TryRunner(remote)) findings.push_back({hop.name, hop.ok ? "ok" : "bad", hop.what});
  return findings;
}

}  // namespace

int DoctorCommand(const Arguments& arguments) {
  CommandLine line(
      "hone doctor",
      "Checks toolchain, CPU, noise, folders, store, compiler and executor, and says what to change. Exit 1 when "
      "something is bad.",
      "hone doctor --tracker tcp://tracker:9190 --key pi4");
  line.First({"--db", "--tracker", "--key"});
  std::string db;
  RemoteRunnerOptions remote;
  AddStoreOption(line, db);
  const Option tracker =
      line.Add("--tracker", remote.tracker, "also check this tracker, tcp://HOST:PORT").Env("HONE_TRACKER");
  line.Add("--key", remote.key, "also build and run a small kernel on such a runner").Needs(tracker);
  AddClientKeyOptions(line, remote.keys);
  if (!line.Parse(arguments)) return 0;
  Json list = Json::array();
  Table table({"check", "state", "what was found"});
  bool bad = false;
  for (const DoctorFinding& f : Examine(db, remote)) {
    bad = bad || f.state == "bad";
    list.push_back({{"check", f.check}, {"state", f.state}, {"what", f.what}});
    table.Add({f.check, f.state, f.what});
  }
  if (line.json()) {
    PrintJson({{"ok", !bad}, {"checks", list}});
  } else {
    Print("{}", table.ToText());
  }
  line.Next("hone tune zoo:resnet-18 --budget 60s" + line.Given({Topic::kStore}));
  return bad ? static_cast<int>(ExitCode::kAnswerIsNo) : 0;
}

}  // namespace hone
