#include "rpc_runner/executor/job_child.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <exception>
#include <optional>
#include <string_view>
#include <utility>

#include "core/artifact.h"
#include "core/failure.h"
#include "rpc_runner/executor/job_limits.h"
#include "rpc_runner/executor/judge/child_note.h"
#include "rpc_runner/executor/kernel_loop.h"
#include "rpc_runner/executor/memory/shared_region.h"
#include "rpc_runner/executor/sandbox/fault_report.h"
#include "rpc_runner/executor/sandbox/sandbox.h"
#include "rpc_runner/machine/cpus.h"
#include "runtime/host_cpu.h"
#include "runtime/kernel_launch.h"
#include "runtime/threads/allowed_cores.h"

namespace hone {
namespace {

// A fault before the first command carries the nonce of kReady.
uint64_t g_command_nonce = 0;

ChildNote NewNote(NoteKind kind, int32_t code) {
  ChildNote note;
  std::memset(&note, 0, sizeof(note));
  note.nonce = g_command_nonce;
  note.kind = kind;
  note.code = code;
  return note;
}

void Say(int fd, const ChildNote& note) {
  if (!WriteNote(fd, note)) _exit(1);
}

// Exits the process if no command comes.
ChildCommand NextCommand(int fd) {
  ChildCommand command{};
  for (int i = 0; i < kNoteTries; ++i) {
    const ssize_t got = read(fd, &command, sizeof(command));
    if (got == static_cast<ssize_t>(sizeof(command))) return command;
    if (got >= 0) break;
  }
  _exit(0);
}

[[noreturn]] void Fail(int fd, Fate fate, std::string_view why) {
  ChildNote note = NewNote(NoteKind::kFailed, static_cast<int32_t>(fate));
  const size_t length = std::min(why.size(), sizeof(note.text) - 1);
  std::copy_n(why.data(), length, note.text);
  Say(fd, note);
  _exit(0);
}

void BindToFirstCore() {
  if (const std::vector<int> cpus = AffinityCpus(); !cpus.empty()) BindTo({cpus.front()});
}

// Landlock restricts one thread at a time.
void PrepareThread() {
  UseFaultStack();
  ForbidFiles();
}

// The loaded kernel and its memory.
class LoadedKernel {
 public:
  explicit LoadedKernel(const ChildTask& task)
      : task_(task),
        library_(KernelLibrary::FromBytes(task.artifact->elf, "candidate")),
        pool_(task.timing.threads, task.pin, Crowding::kStay) {
    if (task.pin) BindToFirstCore();
    for (const KernelStage& stage : task.artifact->stages) {
      launch_.stages.push_back({library_.Find(stage.symbol), stage.extent, stage.grain});
    }
    for (const auto& inputs : task.inputs) MapInputs(inputs);
    for (size_t i = 0; i < task.outputs.size(); ++i) {
      const GuardedBuffer buffer = GuardedBuffer::Of(*task.outputs[i], true);
      WatchBuffer(buffer, static_cast<int>(task.inputs[0].size() + i));
      outputs_.push_back(buffer.data());
    }
    MapWorkspaces();
    for (const KernelOperand& operand : task.artifact->operands)
      launch_.batch_strides.push_back(BatchStrideBytes(operand));
    UseInputs(0);
    // Starts every helper before the filter comes, so that none needs what the filter forbids.
    pool_.RunOnEach([](int) { PrepareThread(); });
  }

  void UseInputs(size_t seed) {
    launch_.operands = inputs_[seed];
    launch_.operands.insert(launch_.operands.end(), outputs_.begin(), outputs_.end());
  }

  int32_t Run() { return RunKernel(pool_, launch_); }

  std::vector<KernelLoop::Range> WeightRanges() const {
    std::vector<KernelLoop::Range> ranges;
    for (size_t i = 0; i < task_.inputs[0].size(); ++i) {
      const KernelOperand& operand = task_.artifact->operands[i];
      if (operand.role != OperandRole::kWeight && operand.role != OperandRole::kBias) continue;
      ranges.emplace_back(launch_.operands[i], static_cast<size_t>(PhysicalBytes(operand)));
    }
    return ranges;
  }

  std::pair<void*, size_t> output() const { return {outputs_[0], static_cast<size_t>(task_.outputs[0]->size_bytes())}; }

  ThreadPool& pool() { return pool_; }
  const KernelLaunch& launch() const { return launch_; }

 private:
  void MapInputs(const std::vector<std::shared_ptr<const SharedRegion>>& regions) {
    inputs_.emplace_back();
    for (size_t i = 0; i < regions.size(); ++i) {
      const GuardedBuffer buffer = GuardedBuffer::Of(*regions[i], false);
      WatchBuffer(buffer, static_cast<int>(i));
      inputs_.back().push_back(buffer.data());
    }
  }

  void* MapWorkspace(int64_t bytes) {
    if (bytes == 0) return nullptr;
    const GuardedBuffer buffer = GuardedBuffer::Private(bytes);
    WatchBuffer(buffer, -1);
    return buffer.data();
  }

  void MapWorkspaces() {
    launch_.shared_workspace = MapWorkspace(task_.artifact->shared_workspace_bytes);
    launch_.worker_stride_bytes = WorkerStrideBytes(*task_.artifact);
    launch_.worker_workspaces = static_cast<char*>(MapWorkspace(pool_.threads() * launch_.worker_stride_bytes));
  }

  const ChildTask& task_;
  KernelLibrary library_;
  ThreadPool pool_;
  KernelLaunch launch_;
  std::vector<std::vector<void*>> inputs_;
  std::vector<void*> outputs_;
};

void TimeIt(const ChildTask& task, LoadedKernel& kernel, int fd) {
  KernelLoop loop(kernel.pool(), kernel.launch(), task.timing.cache, kernel.WeightRanges(), kernel.output());
  const Samples samples = TakeSamples(task.timing, kMaxNoteSamples, loop);
  ChildNote note = NewNote(NoteKind::kSamples, loop.code());
  note.samples = static_cast<int32_t>(samples.per_run_ns.size());
  note.noisy = samples.noisy ? 1 : 0;
  std::copy(samples.per_run_ns.begin(), samples.per_run_ns.end(), note.samples_ns);
  std::copy(samples.batch.begin(), samples.batch.end(), note.batch);
  Say(fd, note);
}

[[noreturn]] void ObeyCommands(const ChildTask& task, LoadedKernel& kernel, int fd) {
  for (;;) {
    const ChildCommand command = NextCommand(fd);
    g_command_nonce = command.nonce;
    if (command.kind == CommandKind::kQuit) _exit(0);
    kernel.UseInputs(static_cast<size_t>(command.seed));
    if (command.kind == CommandKind::kTime) {
      TimeIt(task, kernel, fd);
    } else {
      Say(fd, NewNote(NoteKind::kRan, kernel.Run()));
    }
  }
}

[[noreturn]] void ServePackage(const ChildTask& task, int fd) {
  auto* package = new LoadedPackage(*task.package, task.data, task.pin);
  if (task.pin) BindToFirstCore();
  std::vector<GuardedBuffer> buffers;
  for (const auto& region : task.outputs) buffers.push_back(GuardedBuffer::Of(*region, true));
  package->pool().RunOnEach([](int) { PrepareThread(); });
  LockDown(fd);
  Say(fd, NewNote(NoteKind::kReady, 0));
  g_command_nonce = NextCommand(fd).nonce;
  try {
    package->Time(static_cast<int64_t*>(buffers[0].data()));
    if (buffers.size() > 1) package->CopyOutputs(static_cast<char*>(buffers[1].data()));
  } catch (const std::exception& error) {
    Fail(fd, Fate::kCrashed, error.what());
  }
  Say(fd, NewNote(NoteKind::kSamples, 0));
  _exit(0);
}

// Memory that the loaded task takes. If so much is allowed but not given, the system is to blame.
int64_t BytesOnceLoaded(const ChildTask& task, const ElfImage& image) {
  constexpr uint64_t kMost = uint64_t{1} << 48;  // an ELF may say anything
  int64_t sum = 0;
  for (const ElfImage::Segment& segment : image.segments) {
    sum = std::min<int64_t>(kMost, sum + static_cast<int64_t>(std::min(segment.memory_bytes, kMost)));
  }
  if (!task.package) return sum + NeededBytes(*task.artifact, task.timing.threads);
  const Plan& plan = task.package->plan;
  return sum + plan.params_bytes + plan.arena_bytes;
}

void CheckMemory(const ChildTask& task, const ElfImage& image, int fd) {
  const int64_t bytes = BytesOnceLoaded(task, image);
  if (bytes <= task.timing.memory_bytes) return;
  Fail(fd, Fate::kOutOfMemory, fmt::format("it needs {} bytes, {} are allowed", bytes, task.timing.memory_bytes));
}

// The executor has checked the features too. Some are granted to a process on request, and to its later children.
void CheckFeatures(const ChildTask& task, int fd) {
  if (task.package) return;
  const std::string missing = FirstMissingFeature(task.artifact->required_features);
  if (!missing.empty()) Fail(fd, Fate::kUnsupported, fmt::format("it needs {}, which is not lent to it", missing));
}

// Returns only if the artifact may be loaded.
void CheckArtifact(const ChildTask& task, int fd) {
  CheckFeatures(task, fd);
  ElfImage image;
  const std::string rule = ReadElf(task.package ? task.package->lib : task.artifact->elf, &image);
  if (rule.empty()) return CheckMemory(task, image, fd);
  // Code for another machine is not malicious.
  const bool foreign = rule.starts_with("is for ELF machine");
  Fail(fd, foreign ? Fate::kUnsupported : Fate::kPolicyViolation, "the artifact " + rule);
}

}  // namespace

void RunJobChild(const TaskSource& source, int note_fd, int parent) {
  LeaveParent(parent);
  ReportFaults(note_fd, &g_command_nonce);
  try {
    const ChildTask& task = source();
    LimitResources(task.timing.deadline_ns, task.timing.memory_bytes + task.message_bytes, task.timing.threads);
    CheckArtifact(task, note_fd);
    // Never destroyed: threads and mappings end with the process.
    if (task.package) ServePackage(task, note_fd);
    auto* kernel = new LoadedKernel(task);
    LockDown(note_fd);
    Say(note_fd, NewNote(NoteKind::kReady, 0));
    ObeyCommands(task, *kernel, note_fd);
  } catch (const std::exception& error) {
    const Failure failure = FailureOf(error, Fate::kUnsupported);
    Fail(note_fd, failure.fate, failure.reason);
  }
}

}  // namespace hone
