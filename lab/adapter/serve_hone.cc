#include "lab/adapter/serve_hone.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <fstream>
#include <iostream>
#include <memory>
#include <optional>
#include <set>
#include <sstream>
#include <string>

#include "core/error.h"
#include "core/json/json_fields.h"
#include "core/random.h"
#include "core/version.h"
#include "core/workload.h"
#include "lab/adapter/adapter_tensor.h"
#include "lab/bench/bench_result.h"
#include "lab/bench/built_packages.h"
#include "lab/bench/timed_package.h"
#include "lab/files/read_file.h"
#include "lab/machine/machine.h"
#include "lab/model/build_model.h"
#include "lab/model/model.h"
#include "rpc_runner/adapter/adapter.h"
#include "rpc_runner/process/clock.h"
#include "runtime/session.h"
#include "runtime/small_file.h"

namespace hone {
namespace {

int64_t StatusBytes(const std::string& field) {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    int64_t kib = 0;
    if (line.starts_with(field + ":") && std::istringstream(line.substr(field.size() + 1)) >> kib) return kib << 10;
  }
  return 0;
}

// Sets VmHWM to the resident memory, and returns that.
int64_t ForgetPeak() {
  std::ofstream("/proc/self/clear_refs") << "5";
  return StatusBytes("VmRSS");
}

std::map<std::string, Tensor> ReadTensors(const Json& request) {
  std::map<std::string, Tensor> tensors;
  for (const Json& each : ArrayField(request, "inputs")) tensors.insert(FromAdapterTensor(each));
  return tensors;
}

class HoneServer {
 public:
  explicit HoneServer(const RecordOptions& records) : records_(records) {}

  Json Answer(const Json& request) {
    if (request.contains("hello")) return {{"hello", kAdapterProtocol}, {"name", "hone"}, {"version", HoneVersion()}};
    if (request.contains("load")) return Load(request);
    if (request.contains("run")) return Run(IntegerField(request, "run", 0, kMostRunsOfRequest));
    if (request.contains("outputs")) return Outputs();
    if (request.contains("memory")) return {{"bytes", resident_ > 0 ? StatusBytes("VmHWM") - resident_ : 0}};
    if (request.contains("bye")) return Json::object();
    throw Error(ExitCode::kUsage, "there is no such request");
  }

 private:
  Json Load(const Json& request) {
    session_.reset();
    const std::string path = TextField(request, "load");
    const int threads = IntField(request, "threads", 1);
    const auto inputs = ReadTensors(request);
    InputShapes shapes;
    std::string key = fmt::format("{} {}", path, threads);
    for (const auto& [name, tensor] : inputs) {
      shapes[name] = tensor.shape();
      key += fmt::format(" {}={}", name, fmt::join(tensor.shape(), ","));
    }
    if (key != key_) bytes_ = IsModel(path) ? Build(path, threads, shapes) : ReadFile(path);
    key_ = key;
    if (resident_ == 0) resident_ = ForgetPeak();
    gap_.emplace(TakeGap(random_));
    const auto package = Package::FromBytes(bytes_, path, shapes);
    session_ = std::make_unique<Session>(package, SessionOptions{.threads = threads});
    for (const auto& [name, tensor] : inputs) session_->SetInput(name, tensor);
    session_->HoldState(true);
    plan_ = &package->plan();
    package_ = package;
    const std::string precision = PrecisionOf(*plan_);
    return {{"precision", precision.find("bfloat16") != std::string::npos ? "bfloat16" : "float32"}};
  }

  std::string Build(const std::string& path, int threads, const InputShapes& shapes) const {
    ModelOptions options;
    options.model = path;
    for (const auto& [name, shape] : shapes)
      options.shapes.push_back(fmt::format("{}={}", name, fmt::join(shape, ",")));
    MachineOptions machine;
    machine.threads = threads;
    return BuildModel(LoadModel(options).typed, ResolveMachine(machine), records_).result.package;
  }

  Session& Loaded() {
    if (session_ == nullptr) throw Error(ExitCode::kUsage, "nothing is loaded");
    return *session_;
  }

  Json Run(int64_t runs) {
    Session& session = Loaded();
    std::vector<int64_t> times_ns(static_cast<size_t>(runs));
    for (int64_t& ns : times_ns) {
      const int64_t begin_ns = MonotonicNs();
      session.Run();
      ns = MonotonicNs() - begin_ns;
    }
    return {{"ns", times_ns}};
  }

  Json Outputs() {
    Session& session = Loaded();
    Json outputs = Json::array();
    for (int i = 0; i < session.outputs(); ++i) {
      const int buffer = plan_->outputs.at(static_cast<size_t>(i));
      outputs.push_back(AdapterTensor(plan_->buffers.at(static_cast<size_t>(buffer)).name, session.Output(i)));
    }
    return {{"outputs", outputs}};
  }

  const RecordOptions records_;
  std::string key_, bytes_;
  std::shared_ptr<const Package> package_;
  const Plan* plan_ = nullptr;
  std::unique_ptr<Session> session_;
  std::optional<MappedBytes> gap_;
  Random random_{1};
  int64_t resident_ = 0;
};

}  // namespace

void ServeHone(const RecordOptions& records) {
  const int answers = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
  dup2(STDERR_FILENO, STDOUT_FILENO);
  HoneServer server(records);
  for (std::string line; std::getline(std::cin, line);) {
    Json answer;
    bool bye = false;
    try {
      const Json request = ParseJson(line, "the request");
      bye = request.is_object() && request.contains("bye");
      answer = server.Answer(request);
    } catch (const std::exception& e) {
      answer = {{"error", e.what()}};
    }
    if (!WriteAll(answers, DumpJson(answer) + "\n")) throw Error(ExitCode::kIo, "stdout is closed");
    if (bye) return;
  }
}

}  // namespace hone
