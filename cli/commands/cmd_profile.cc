#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>

#include "cli/command_line.h"
#include "cli/machine_options.h"
#include "cli/model_options.h"
#include "compiler/frontend/export/onnx_export.h"
#include "core/error.h"
#include "core/hash/hash.h"
#include "core/nth.h"
#include "core/text/printable.h"
#include "lab/files/read_file.h"
#include "lab/files/write_file.h"
#include "lab/profile/profile.h"
#include "lab/text/number_text.h"
#include "lab/text/print.h"
#include "lab/text/status_line.h"
#include "lab/text/table.h"

namespace hone {
namespace {

constexpr int kMostRuns = 100'000;

struct ProfileCommandOptions {
  std::string package, trace, folded, annotate, model;
  bool in_order = false;
  int top = 0;
  ProfileOptions profile;
};

std::vector<ProfiledCall> Shown(const Profile& profile, const ProfileCommandOptions& options) {
  std::vector<ProfiledCall> calls = profile.calls;
  if (!options.in_order)
    std::stable_sort(calls.begin(), calls.end(), [](const auto& a, const auto& b) { return a.ns > b.ns; });
  if (options.top > 0 && calls.size() > static_cast<size_t>(options.top))
    calls.resize(static_cast<size_t>(options.top));
  return calls;
}

std::string RoofText(const ProfiledCall& call) {
  if (call.of_roof <= 0) return "-";
  return fmt::format("{:.0f}% {}", 100 * call.of_roof, call.memory_bound ? "mem" : "fma");
}

// The numbers fit eighty columns, so the names come last.
void PrintCalls(const Profile& profile, const ProfileCommandOptions& options) {
  const Plan& plan = profile.package->plan();
  Table table({"> time", "> share", "> GFLOP/s", "> moved", "> of roof", "op", "node"});
  for (const ProfiledCall& call : Shown(profile, options)) {
    table.Add({TimeText(call.ns), fmt::format("{:.1f}%", 100 * call.share), GflopsText(call.flops, call.ns),
               BytesText(call.bytes), RoofText(call), plan.calls[call.call].op, call.node});
  }
  Print("{}", table.ToText(OutputColumns()));
}

void PrintCounters(const Profile& profile) {
  const HardwareCounts& counts = profile.counts;
  if (!counts.any()) return Note("no hardware counters: {}\n", counts.why_not);
  const auto runs = static_cast<double>(profile.runs.size());
  const auto per_run = [&](int64_t count) { return static_cast<double>(count) / runs; };
  Print("a run: {:.3g} cycles, {:.3g} instructions ({:.2f} a cycle), {:.3g} cache misses, {:.3g} branch misses\n",
        per_run(counts.cycles), per_run(counts.instructions),
        static_cast<double>(counts.instructions) / static_cast<double>(std::max<int64_t>(counts.cycles, 1)),
        per_run(counts.cache_misses), per_run(counts.branch_misses));
}

void PrintProfile(const Profile& profile, const ProfileCommandOptions& options) {
  const int64_t total_ns = std::accumulate(profile.calls.begin(), profile.calls.end(), int64_t{0},
                                           [](int64_t sum, const ProfiledCall& call) { return sum + call.ns; });
  PrintCalls(profile, options);
  Print("{} in {} on {}, medians of {}{}\n", TimeText(total_ns), Counted(profile.calls.size(), "call"),
        Counted(profile.threads, "thread"), Counted(profile.runs.size(), "run"),
        profile.extents.empty() ? "" : " at " + ExtentsText(profile.extents));
  if (profile.roof.gflops > 0)
    Print("roofs: {:.1f} GFLOP/s of float32 multiply-adds, {:.1f} GB/s read from memory\n", profile.roof.gflops,
          profile.roof.read_gbps);
  double fma = 0, memory = 0;
  for (const ProfiledCall& call : profile.calls) {
    double& greatest = call.memory_bound ? memory : fma;
    greatest = std::max(greatest, call.of_roof);
  }
  Print("{}", AboveRoofsText(fma, memory));
  PrintCounters(profile);
}

// The notes that Netron shows on a node.
std::map<std::string, OnnxNotes> NotesOf(const Profile& profile) {
  const Plan& plan = profile.package->plan();
  std::map<std::string, OnnxNotes> notes;
  for (const ProfiledCall& call : profile.calls) {
    const std::vector<std::string>& nodes = plan.calls[call.call].nodes;
    const Dispatch& d = Nth(plan.kernels, call.kernel).dispatch;
    for (const std::string& node : nodes) {
      OnnxNotes& of = notes[node];
      of["hone.time"] = TimeText(call.ns);
      of["hone.share"] = fmt::format("{:.2f} %", 100 * call.share);
      of["hone.gflops"] = GflopsText(call.flops, call.ns);
      of["hone.of_roof"] = RoofText(call);
      of["hone.schedule"] = d.config.empty() ? d.schedule : d.schedule + " " + d.config;
      if (nodes.size() > 1) of["hone.together_with"] = fmt::format("{}", fmt::join(nodes, ", "));
    }
  }
  return notes;
}

// Packages of an older hone, or of a zoo network, lack the hash of their model; there only the names are compared.
void RequireSameModel(const Profile& profile, const std::string& path, const std::string& model) {
  const Json& manifest = profile.package->manifest();
  const auto told = manifest.find("model_sha256");
  if (told == manifest.end()) return;
  constexpr size_t kShown = 12;
  const std::string built = told->get<std::string>(), given = Sha256Hex(model);
  if (built == given) return;
  throw Error(ExitCode::kBadData,
              fmt::format("{} was not built of {}: its model's SHA-256 is {}..., that of the file is "
                          "{}...; --model FILE names another",
                          profile.path, path, built.substr(0, kShown), given.substr(0, kShown)));
}

std::string Annotated(const Profile& profile, const ProfileCommandOptions& options) {
  const std::string model = options.model.empty() ? profile.package->plan().model : options.model;
  OutputGuard::Own().AddInput(model, OutputGuard::Use::kModel);
  const std::string bytes = ReadFile(model);
  std::string annotated = AnnotateOnnx(bytes, NotesOf(profile));
  RequireSameModel(profile, model, bytes);
  return annotated;
}

void WriteFiles(const Profile& profile, const ProfileCommandOptions& options) {
  // Everything is read before anything is written.
  const std::string annotated = options.annotate.empty() ? "" : Annotated(profile, options);
  if (!options.trace.empty()) WriteFileAtomically(options.trace, DumpJson(ChromeTrace(profile)) + "\n");
  if (!options.folded.empty()) WriteFileAtomically(options.folded, FoldedStacks(profile));
  if (!options.annotate.empty()) WriteFileAtomically(options.annotate, annotated);
}

void AddOptions(CommandLine& line, ProfileCommandOptions& options) {
  line.Add("PACKAGE", options.package, "a package that `hone build` wrote").Reads().Required().About(Topic::kPackage);
  AddThreadsOption(line, options.profile.threads);
  line.Add("--runs", options.profile.runs, "runs with a clock around each call").Between(1, kMostRuns).ShowDefault();
  line.Add("--top", options.top, "print only the first N rows").Between(1, kMostRuns);
  line.AddFlag("--in-order", options.in_order, "sort by execution order instead of time");
  line.Add("--trace", options.trace, "write a Chrome trace here, for ui.perfetto.dev").Writes();
  line.Add("--folded", options.folded, "write folded stacks here, for flame graphs").Writes();
  const Option annotate =
      line.Add("--annotate", options.annotate, "write the ONNX model here, with times in its metadata").Writes();
  line.Add("--model", options.model, "the ONNX model to annotate")
      .In(OptionGroup::kOutput)
      .Default("the one it was built from")
      .ReadsModel()
      .Needs(annotate);
  AddInputOptions(line, options.profile.inputs);
  AddPackageShapeOption(line, options.profile.inputs);
  AddPackageDimOption(line, options.profile.inputs);
}

}  // namespace

int ProfileCommand(const Arguments& arguments) {
  CommandLine line("hone profile", "Times every call of a package and holds it against this machine's roofs.",
                   "hone profile model.hone --top 10");
  line.First({"--threads", "--runs", "--top", "--in-order", "--trace"});
  ProfileCommandOptions options;
  AddOptions(line, options);
  if (!line.Parse(arguments)) return 0;
  options.profile.workers = !options.trace.empty();
  const Profile profile = ProfilePackage(options.package, options.profile);
  WriteFiles(profile, options);
  if (line.json()) {
    PrintJson(ToJson(profile));
  } else {
    PrintProfile(profile, options);
  }
  line.Next("hone bench " + ShellWord(options.package) + line.Given({Topic::kThreads, Topic::kInputs}));
  return 0;
}

}  // namespace hone
