#include "lab/bench/other_runtime.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <filesystem>
#include <utility>

#include "compiler/frontend/export/onnx_export.h"
#include "core/error.h"
#include "core/json/json_fields.h"
#include "core/stats/statistics.h"
#include "core/text/printable.h"
#include "lab/bench/timed_package.h"
#include "lab/files/npy.h"
#include "lab/files/read_file.h"
#include "lab/files/write_file.h"
#include "lab/machine/package_there.h"
#include "lab/text/number_text.h"
#include "lab/verify/compare_outputs.h"
#include "lab/verify/rounding_spread.h"
#include "rpc_runner/process/clock.h"

namespace hone {
namespace {

constexpr int kProtocol = 1;

// The script's place beside the hub: bin/hone and share/hone/onnxruntime_peer.py.
std::string PeerScript() {
  const std::filesystem::path program = ThisProgramsPath();
  return (program.parent_path().parent_path() / "share" / "hone" / "onnxruntime_peer.py").string();
}

SpawnedProgram StartPeer(const std::string& python) {
  const std::string script = PeerScript();
  if (!IsThere(script)) {
    throw Error(ExitCode::kNoRunner, fmt::format("--against: there is no {}; install it from hone's package", script));
  }
  try {
    return {python, {script}};
  } catch (const Error& error) {
    throw Error(error.code(), fmt::format("--against: {}; --python names a Python with onnxruntime", error.what()));
  }
}

}  // namespace

OnnxRuntimePeer::OnnxRuntimePeer(const std::string& python, int64_t answer_ns)
    : answer_ns_(answer_ns), program_(StartPeer(python)), name_("the other runtime") {
  const Json hello = Answer("its start in " + ShellWord(python));
  if (const int protocol = IntField(hello, "protocol"); protocol != kProtocol) {
    throw Error(ExitCode::kNoRunner, fmt::format("{} speaks version {} of the protocol for other runtimes, not {}",
                                                 PeerScript(), protocol, kProtocol));
  }
  if (hello.contains("error")) {
    throw Error(ExitCode::kNoRunner,
                fmt::format("{0} has no ONNX Runtime ({1}): install it by {0} -m pip install onnxruntime, or name "
                            "another Python by --python",
                            ShellWord(python), TextField(hello, "error")));
  }
  name_ = TextField(hello, "name") + " " + TextField(hello, "version");
  folder_ = TextField(hello, "folder");
}

void OnnxRuntimePeer::Use(const ModelOptions& model, int threads, const std::map<std::string, Tensor>& inputs) {
  std::string path = model.model;
  if (!path.ends_with(".onnx")) {
    path = folder_ + "/model.onnx";
    WriteFileAtomically(path, ExportOnnxBytes(LoadModel(model).typed));
  }
  Json files = Json::object();
  for (const auto& [name, tensor] : inputs) {
    const std::string file = fmt::format("{}/input{}.npy", folder_, files.size());
    WriteNpy(tensor, file);
    files[name] = file;
  }
  load_ = {{"load", path}, {"threads", threads}, {"inputs", files}};
}

void OnnxRuntimePeer::LoadAnew() { Ask(load_, "loading " + TextField(load_, "load")); }

int64_t OnnxRuntimePeer::RunNs(int64_t runs) {
  return IntegerField(Ask({{"run", runs}}, fmt::format("{}", Counted(runs, "run"))), "ns", 1);
}

std::vector<Tensor> OnnxRuntimePeer::Outputs() {
  std::vector<Tensor> outputs;
  const Json answer = Ask({{"outputs", folder_}}, "writing its outputs");
  for (const auto& path : TextsField(answer, "outputs")) outputs.push_back(ReadNpy(path));
  return outputs;
}

Json OnnxRuntimePeer::Ask(const Json& request, const std::string& what) {
  const std::string line = DumpJson(request) + "\n";
  for (size_t done = 0; done < line.size();) {
    const ssize_t n = ::send(program_.fd(), line.data() + done, line.size() - done, MSG_NOSIGNAL);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) throw Error(ExitCode::kNoRunner, name_ + " ended before its last turn");
    done += static_cast<size_t>(n);
  }
  Json answer = Answer(what);
  if (answer.contains("error")) {
    throw Error(ExitCode::kBadData, name_ + ": " + TextField(answer, "error"));
  }
  return answer;
}

void OnnxRuntimePeer::AwaitBytes(const std::string& what, int64_t until_ns) const {
  pollfd one{program_.fd(), POLLIN, 0};
  for (int64_t left_ns = answer_ns_; left_ns > 0; left_ns = until_ns - MonotonicNs()) {
    const int came = ::poll(&one, 1, static_cast<int>(std::min<int64_t>(left_ns / 1'000'000 + 1, INT_MAX)));
    if (came > 0) return;
    if (came < 0 && errno != EINTR) throw Error(ExitCode::kIo, "poll fails");
  }
  throw Error(ExitCode::kNoRunner, fmt::format("{} gave no answer to {} within {:.3g} s, and was ended; "
                                               "--against-timeout sets how long it may take",
                                               name_, what, static_cast<double>(answer_ns_) / 1e9));
}

Json OnnxRuntimePeer::Answer(const std::string& what) {
  char piece[4096];
  size_t end = unread_.find('\n');
  const int64_t until_ns = MonotonicNs() + answer_ns_;
  while (end == std::string::npos) {
    AwaitBytes(what, until_ns);
    const ssize_t n = ::read(program_.fd(), piece, sizeof(piece));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) throw Error(ExitCode::kNoRunner, name_ + " ended without an answer");
    unread_.append(piece, static_cast<size_t>(n));
    end = unread_.find('\n');
  }
  const std::string line = unread_.substr(0, end);
  unread_.erase(0, end + 1);
  return ParseJson(line, "the answer of " + name_);
}

double CompareWithPeer(const std::string& package, const ModelOptions& model, int threads, const InputOptions& inputs,
                       OnnxRuntimePeer& peer) {
  const LoadedAnew file(package, inputs);
  const std::map<std::string, Tensor> values = MakeInputs(InputSpecs(*file.first()), inputs);
  peer.Use(model, threads, values);
  peer.LoadAnew();
  peer.RunNs(1);
  const std::vector<Tensor> got = OutputsHere(file.first(), threads, values), expected = peer.Outputs();
  const Plan& plan = file.first()->plan();
  if (got.size() != expected.size()) {
    throw Error(ExitCode::kAnswerIsNo, fmt::format("{} has {}, and {} has {}", model.model,
                                                   Counted(got.size(), "output"), peer.name(), expected.size()));
  }
  std::vector<OutputError> errors;
  for (size_t i = 0; i < got.size(); ++i) {
    const std::string& name = plan.buffers.at(static_cast<size_t>(plan.outputs[i])).name;
    errors.push_back(CompareOutput(name, got[i], expected[i], kVerifyTolerance));
  }
  if (!AllAgree(errors)) AllowRoundingSpread(LoadModel(model).typed, values, errors);
  double worst = 0;
  for (const OutputError& error : errors) {
    worst = std::max(worst, error.worst);
    if (error.agrees) continue;
    throw Error(ExitCode::kAnswerIsNo,
                fmt::format("{}: output {} differs from that of {} by {:.2g} of its largest value, at element {}; "
                            "nothing was timed, hone verify compares it with the reference",
                            model.model, error.name, peer.name(), error.worst, error.index));
  }
  return worst;
}

std::string TextAgainst(const Verdict& v, int64_t hone_ns, int64_t other_ns, double outputs_error) {
  const std::string agree = outputs_error > 0 ? fmt::format("outputs agree within {:.0e}", outputs_error)
                                              : std::string("outputs are the same");
  if (!v.enough) {
    return fmt::format("cannot tell whether hone or {} is faster from {}; at least {} are needed; {}", v.against,
                       Counted(v.rounds, "round"), kLeastPairs, agree);
  }
  const std::string times =
      fmt::format("({} against {}, p {:.2g}), {}", TimeText(hone_ns), TimeText(other_ns), v.p, agree);
  switch (v.finding) {
    case Finding::kFaster:
      return fmt::format("hone is {:.2f} times as fast as {} {}", 1 / v.ratio, v.against, times);
    case Finding::kSlower:
      return fmt::format("hone is slower than {0}, which is {1:.2f} times as fast {2}", v.against, v.ratio, times);
    case Finding::kEquivalent:
      return fmt::format("hone and {} are equivalent within {:.3g} % {}", v.against, 100 * v.smallest_effect, times);
    case Finding::kCannotTell:
      break;
  }
  return fmt::format("cannot tell whether hone or {} is faster {}", v.against, times);
}

OtherResult JudgeAgainstOther(const TimedPackage& package, TimedPackage timed, const std::string& name,
                              double outputs_error, double smallest_effect) {
  const std::vector<int64_t> hone_ns = RoundTimes(package, false), other_ns = RoundTimes(timed, false);
  OtherResult other;
  other.timed = std::move(timed);
  other.timed.path = name;
  other.outputs_error = outputs_error;
  other.verdict = JudgePairs(hone_ns, other_ns, smallest_effect);
  other.verdict.package = package.path;
  other.verdict.against = name;
  other.text =
      TextAgainst(other.verdict, StatisticsOf(hone_ns).median_ns, StatisticsOf(other_ns).median_ns, outputs_error);
  return other;
}

}  // namespace hone
