// A runtime behind an adapter: loads a model, runs it and tells its times, which are held against the time outside.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "rpc_runner/adapter/adapter_program.h"

namespace hone {

inline constexpr int kAdapterProtocol = 1;
inline constexpr int64_t kMostRunsOfRequest = 10'000;

// The CPUs that an adapter gets for so many threads: one of each core first. Empty if there are no more, or fewer.
std::vector<int> CpusForThreads(int threads);

// The words that start an adapter, and the settings that it gets.
struct AdapterCommand {
  std::string name;                // as the user named it, with its settings
  std::vector<std::string> words;  // the program and its arguments
  std::map<std::string, std::string> settings = {};
  bool is_hone = false;  // whether it is this program, which also loads packages
};

// Each member throws Error as AdapterProgram::Ask does, and kBadData with the adapter's own words if it refuses the
// request. Not thread-safe.
class Adapter {
 public:
  // Starts the program on `cpus`, and asks for its name. Throws Error: kNoRunner, with what to install, if it has no
  // runtime; kUsage for a setting that it does not have.
  Adapter(const AdapterCommand& command, int64_t answer_ns, const std::vector<int>& cpus,
          const std::atomic<bool>* stop = nullptr);

  // "ONNX Runtime 1.32.0", with the settings that were chosen in brackets.
  const std::string& title() const { return title_; }
  // The name and the version that it gave.
  const std::string& name() const { return name_; }
  const std::string& version() const { return version_; }
  // By name, the values with the default first.
  const std::map<std::string, std::vector<std::string>>& settings() const { return settings_; }
  // As the last load told it: "float32", "bfloat16" or "float16".
  const std::string& precision() const { return precision_; }

  // Sets what LoadAnew loads. `model` is a path. `inputs` is a list of the protocol's tensors.
  void Use(const std::string& model, int threads, Json inputs);
  void LoadAnew();
  // The last request, timed from outside.
  int64_t outside_ns() const { return outside_ns_; }
  // The time of each of so many runs, at most kMostRunsOfRequest. Throws Error(kAnswerIsNo) if they are longer
  // together than the request took.
  std::vector<int64_t> Run(int64_t runs);
  // The outputs of the last run in the model's order, a list of the protocol's tensors that may be wrong in themselves.
  // Their elements have at most `most_bytes` together.
  Json Outputs(int64_t most_bytes);
  int64_t MemoryBytes();
  // Asks for something that no adapter knows. Returns whether it answered by an error.
  bool RefusesNonsense();
  // Returns whether it ended by itself and left no process behind.
  bool Bye();
  // Ends it and throws Error, as AdapterProgram::Fail does.
  [[noreturn]] void Fail(ExitCode code, const std::string& what);
  // Whether a fault or bye has ended it.
  bool ended() const { return program_.ended(); }

  // Both throw Error(kAnswerIsNo) if the told times leave out what passed outside.

  // Runs it for about 0.1 s in one request, three times unless the told times fill the first.
  void RequireFilledTimes();
  // Judges the requests since the last load, by medians.
  void RequireFilledTurns();

 private:
  Json Ask(const Json& request, const std::string& what, size_t most_bytes = AdapterProgram::kUsualBytes);
  [[noreturn]] void Lies(const std::string& how);

  AdapterProgram program_;
  std::map<std::string, std::string> chosen_;
  std::string name_, version_, title_, precision_;
  std::map<std::string, std::vector<std::string>> settings_;
  Json load_;
  int64_t outside_ns_ = 0, waited_ns_ = 0;     // of the last request
  std::vector<int64_t> told_ns_, missing_ns_;  // by request: the sum of its times, and what passed beyond it
};

}  // namespace hone
