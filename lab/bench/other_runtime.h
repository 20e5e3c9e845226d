// Another runtime on the same model and inputs, timed in turns with hone's package.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "core/json/serialize.h"
#include "core/tensor.h"
#include "lab/bench/bench_result.h"
#include "lab/bench/time_packages.h"
#include "lab/model/model.h"
#include "rpc_runner/process/spawned_program.h"

namespace hone {

// ONNX Runtime in a Python process, which runs share/hone/onnxruntime_peer.py. docs/reference/protocol.md, "Other
// runtimes".
class OnnxRuntimePeer final : public OtherRuntime {
 public:
  // `python` is searched in PATH. Throws Error(kNoRunner), naming what to install, if it has no onnxruntime. This and
  // each other member throw Error(kNoRunner) if an answer takes longer than answer_ns.
  OnnxRuntimePeer(const std::string& python, int64_t answer_ns);

  // "ONNX Runtime 1.32.0"
  const std::string& name() const { return name_; }
  // Sets what LoadAnew loads, and writes the inputs to files. A model that is no .onnx file is exported first.
  void Use(const ModelOptions& model, int threads, const std::map<std::string, Tensor>& inputs);
  // Throws Error(kBadData) if ONNX Runtime cannot load the model.
  void LoadAnew() override;
  int64_t RunNs(int64_t runs) override;
  // Those of the last run, in the model's order.
  std::vector<Tensor> Outputs();

 private:
  // Throws Error: kBadData with the peer's own words; kNoRunner if it ended.
  Json Ask(const Json& request, const std::string& what);
  Json Answer(const std::string& what);
  void AwaitBytes(const std::string& what, int64_t until_ns) const;

  const int64_t answer_ns_;
  SpawnedProgram program_;
  std::string name_, folder_, unread_;
  Json load_;
};

// Runs the package and the peer once on the peer's inputs. Returns the largest error of an output, as OutputError's
// `worst`. Throws Error(kAnswerIsNo) if the outputs differ by more than `hone verify` allows.
double CompareWithPeer(const std::string& package, const ModelOptions& model, int threads, const InputOptions& inputs,
                       OnnxRuntimePeer& peer);

// "hone is 1.80 times as fast as ONNX Runtime 1.32.0 (2.900 ms against 5.220 ms, p 0.002), outputs agree within 3e-06".
// The times are medians over rounds.
std::string TextAgainst(const Verdict& verdict, int64_t hone_ns, int64_t other_ns, double outputs_error);

// Judges the package against the other runtime, whose times are `timed`.
OtherResult JudgeAgainstOther(const TimedPackage& package, TimedPackage timed, const std::string& name,
                              double outputs_error, double smallest_effect);

}  // namespace hone
