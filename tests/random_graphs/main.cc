// hone_random_graphs builds and runs random graphs, and prints which of them fail.
#include <fmt/format.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "cli/command_line.h"
#include "compiler/build.h"
#include "compiler/codegen/target/host.h"
#include "compiler/frontend/onnx/file/onnx_parse.h"
#include "core/error.h"
#include "lab/files/write_file.h"
#include "tests/random_graphs/graph_report.h"
#include "tests/random_graphs/onnx_graph_bytes.h"
#include "tests/random_graphs/random_graph.h"
#include "tests/random_graphs/watched_checks.h"
#include "tests/support/emulated_program.h"

namespace hone {
namespace {

struct Options {
  int64_t count = 1000;
  int64_t seed = 0;
  std::string target = "host";
  int opt_level = -1;
  int threads = 0;
  std::string shrink;
  std::string write;
  std::vector<std::string> models;
};

GraphRun RunOf(const Options& options, uint64_t seed, const Target& target) {
  GraphRun run = DrawGraphRun(seed, target);
  if (options.opt_level >= 0) run.opt_level = options.opt_level;
  if (options.threads > 0) run.threads = run.session_threads = options.threads;
  return run;
}

OnnxGraph ReadModel(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) throw Error(ExitCode::kNoInput, path + ": no such file");
  std::stringstream bytes;
  bytes << in.rdbuf();
  std::vector<std::string> notices;
  return ParseOnnx(bytes.str(), nullptr, notices);
}

void CheckSeeds(const Options& options, const Target& target, GraphReport& report) {
  const auto seed_of = [&](int64_t index) { return static_cast<uint64_t>(options.seed + index); };
  WatchChecks(
      options.count,
      [&](int64_t index, const CheckStep& step) {
        return CheckGraph(MakeRandomGraph(seed_of(index)).graph, RunOf(options, seed_of(index), target), step);
      },
      [&](int64_t index, const GraphCheck& check) {
        const uint64_t seed = seed_of(index);
        const OnnxGraph graph = check.verdict == Verdict::kRight ? OnnxGraph() : MakeRandomGraph(seed).graph;
        report.Add(std::to_string(seed), graph, RunOf(options, seed, target), check);
      });
}

void CheckModels(const Options& options, const Target& target, GraphReport& report) {
  for (const std::string& path : options.models) {
    const OnnxGraph graph = ReadModel(path);
    const GraphRun run = RunOf(options, static_cast<uint64_t>(options.seed), target);
    report.Add(std::filesystem::path(path).stem(), graph, run, CheckWatched(graph, run));
  }
}

void WriteModels(const Options& options) {
  std::filesystem::create_directories(options.write);
  for (int64_t i = 0; i < options.count; ++i) {
    const auto seed = static_cast<uint64_t>(options.seed + i);
    WriteFileAtomically(fmt::format("{}/{}.onnx", options.write, seed), OnnxBytes(MakeRandomGraph(seed).graph));
  }
}

// The reason that this machine cannot run code for the target; empty when it can.
std::string WhyNot(const Target& target) {
  if (!testing::EmulatorFor(target).empty()) return "";
  const auto architecture = [](const Target& each) { return each.triple.substr(0, each.triple.find('-')); };
  if (architecture(target) != architecture(HostTarget())) return "no emulator on the PATH for " + target.triple;
  const std::string feature = MissingFeature(target);
  return feature.empty() ? "" : "this machine has no " + feature;
}

int Main(const std::vector<std::string>& arguments) {
  CommandLine line("hone_random_graphs", "Builds and runs random graphs; exit 1 when one fails.", "hone_random_graphs");
  Options options;
  line.Add("MODEL", options.models, "an .onnx file to check, or to shrink, instead of random graphs");
  line.Add("--count", options.count, "graphs").ShowDefault();
  line.Add("--seed", options.seed, "of the first; each next one's is one more").ShowDefault();
  line.Add("--target", options.target, "host, or TVM-like text").ShowDefault();
  line.Add("--opt-level", options.opt_level, "0 to 3; none: drawn from the seed");
  line.Add("--threads", options.threads, "none: drawn from the seed");
  line.Add("--shrink", options.shrink, "a folder for the smallest models that still fail; takes seconds each");
  line.Add("--write", options.write, "a folder: the models are written there and not run");
  if (!line.Parse(arguments)) return 0;
  if (!options.write.empty()) {
    WriteModels(options);
    return 0;
  }
  const Target target = ResolveTarget(options.target);
  if (const std::string missing = WhyNot(target); !missing.empty()) {
    fmt::print("skipped: {}\n", missing);
    return 0;
  }
  const auto begin = std::chrono::steady_clock::now();
  GraphReport report(options.shrink);
  options.models.empty() ? CheckSeeds(options, target, report) : CheckModels(options, target, report);
  const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - begin;
  return report.Finish(spent.count()) ? 0 : 1;
}

}  // namespace
}  // namespace hone

int main(int argc, char** argv) {
  try {
    return hone::Main({argv + 1, argv + argc});
  } catch (const hone::Error& error) {
    fmt::print(stderr, "hone_random_graphs: {}\n", error.what());
    return static_cast<int>(error.code());
  }
}
