#include "runtime/session.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <optional>
#include <utility>

#include "core/error.h"
#include "runtime/memory_spans.h"
#include "runtime/output_shapes.h"
#include "runtime/package_impl.h"
#include "runtime/ranged_inputs.h"
#include "runtime/session_calls.h"
#include "runtime/session_inputs.h"
#include "runtime/session_memory.h"
#include "runtime/states/saved_state.h"
#include "runtime/states/session_states.h"
#include "runtime/threads/thread_state.h"

namespace hone {

struct Session::Impl {
  std::shared_ptr<const Package> package;
  std::optional<ThreadPool> own_pool;
  ThreadPool* pool = nullptr;
  SessionMemory arena, shared_workspace, worker_workspaces;
  std::vector<SessionMemory> own;  // one per plan buffer; empty except for inputs, outputs and states
  std::vector<char*> bound;        // one per plan buffer: the memory that kernels use, own or the caller's
  std::optional<SessionInputs> inputs;
  std::optional<SessionStates> states;
  bool holds_states = false;  // runs leave the states as they are
  std::vector<int> ranged;    // one per plan buffer: its number in Plan::inputs if it is a ranged one, or -1
  std::optional<SessionCalls> calls;
  std::optional<OutputShapes> shapes;
  std::optional<ShapeCalls> shape_calls;
  bool are_shapes_new = true;     // whether an input's shape changed after the last Expect
  std::vector<MemorySpan> spans;  // room for all inputs and outputs

  const Plan& plan() const { return package->plan(); }

  void MakePool(const SessionOptions& options) {
    if (options.pool == nullptr) own_pool.emplace(options.threads == 0 ? AllowedCores() : options.threads, options.pin);
    pool = options.pool == nullptr ? &*own_pool : options.pool;
  }

  void MakeMemory(const MemorySource* source) {
    const auto zeros = [source](int64_t bytes) { return SessionMemory(static_cast<size_t>(bytes), source); };
    int64_t shared = 0, worker = 0;
    for (const PlanKernel& kernel : plan().kernels) {
      shared = std::max(shared, kernel.shared_workspace_bytes);
      worker = std::max(worker, WorkspaceBytesOf(kernel));
    }
    arena = zeros(plan().arena_bytes);
    shared_workspace = zeros(shared);
    worker_workspaces = zeros(worker * pool->threads());
    for (const PlanBuffer& buffer : plan().buffers) {
      const bool is_own = IsBindable(buffer) || buffer.kind == BufferKind::kState;
      own.push_back(is_own ? zeros(buffer.size_bytes) : SessionMemory());
      bound.push_back(own.back().data());
    }
    inputs.emplace(plan(), source);
    ranged.assign(plan().buffers.size(), -1);
    for (const RangedAxis& axis : plan().ranged) ranged[plan().inputs[axis.input]] = axis.input;
    states.emplace(plan());
    shapes.emplace(plan());
    shape_calls.emplace(plan());
    spans.reserve(plan().inputs.size() + plan().outputs.size());
  }

  // The present memory of an input or output, as the caller knows it.
  MemorySpan SpanOf(int buffer) const {
    const int input = ranged[buffer];
    const char* const begin = input < 0 ? bound[buffer] : inputs->Source(input, bound[buffer]);
    const PlanBuffer& tensor = plan().buffers[buffer];
    const size_t bytes = input < 0 ? static_cast<size_t>(tensor.size_bytes) : inputs->size_bytes(input);
    return {begin, begin + bytes, buffer, tensor.kind == BufferKind::kOutput};
  }

  void* AddressOf(const PlanView& view) {
    const PlanBuffer& buffer = plan().buffers[view.buffer];
    switch (buffer.kind) {
      case BufferKind::kParam:
        // Kernels read parameters only; the mapping is read-only.
        return const_cast<char*>(package->params().data()) + buffer.offset_bytes + view.offset_bytes;
      case BufferKind::kArena:
        return arena.data() + buffer.offset_bytes + view.offset_bytes;
      default:
        return bound[view.buffer] + view.offset_bytes;
    }
  }

  // Extents stay in the session's own memory, which never moves.
  const int64_t* ExtentAt(int buffer) {
    if (buffer < 0) return nullptr;
    const char* const data =
        IsBindable(plan().buffers[buffer]) ? own[buffer].data() : static_cast<char*>(AddressOf({buffer, 0, 0}));
    return reinterpret_cast<const int64_t*>(data);
  }

  void MakeCalls() {
    calls.emplace(
        *package, *pool,
        CallMemory{[this](const PlanView& view) { return AddressOf(view); },
                   [this](int buffer) { return ExtentAt(buffer); }, shared_workspace.data(), worker_workspaces.data()});
  }

  // `data` null: binds the session's own memory.
  void Bind(int buffer, char* data) {
    if (ranged[buffer] >= 0) return inputs->Bind(ranged[buffer], data);
    char* const there = data != nullptr ? data : own[buffer].data();
    if (bound[buffer] == there) return;
    bound[buffer] = there;
    calls->Bind(buffer, there);
  }

  // A run writes an output while it still reads the other bound tensors.
  void RefuseOverlap(int buffer, const char* data) {
    MemorySpan mine = SpanOf(buffer);
    mine.end = data + (mine.end - mine.begin);
    mine.begin = data;
    CollectSpans(mine.written);
    for (const MemorySpan& other : spans) {
      if (other.buffer != buffer && mine.begin < other.end && other.begin < mine.end)
        ThrowOverlap(buffer, other.buffer);
    }
  }

  [[noreturn]] void ThrowOverlap(int mine, int other) const {
    throw Error(ExitCode::kUsage, fmt::format("the memory of '{}' overlaps that of '{}', and a run would write to it",
                                              plan().buffers[mine].name, plan().buffers[other].name));
  }

  void CollectSpans(bool inputs_too) {
    spans.clear();
    for (const int i : plan().outputs) spans.push_back(SpanOf(i));
    if (!inputs_too) return;
    for (const int i : plan().inputs) spans.push_back(SpanOf(i));
  }

  void RefuseOverlaps() {
    CollectSpans(true);
    if (const auto overlap = FindOverlap(spans)) ThrowOverlap(overlap->first, overlap->second);
  }

  // The plan's buffer index of entry i of its inputs or outputs.
  int BufferOf(const std::vector<int>& list, int i, const char* what) const {
    if (i >= 0 && static_cast<size_t>(i) < list.size()) return list[i];
    throw Error(ExitCode::kUsage, fmt::format("no {} {}; there are {}", what, i, list.size()));
  }

  void BindChecked(int buffer, char* data, size_t size_bytes, Overlaps overlaps) {
    const MemorySpan present = SpanOf(buffer);
    const auto right = static_cast<size_t>(present.end - present.begin);
    if (data != nullptr && size_bytes != right) {
      throw Error(ExitCode::kUsage, fmt::format("'{}': {} bytes were given; {} would be right",
                                                plan().buffers[buffer].name, size_bytes, right));
    }
    if (data != nullptr && overlaps == Overlaps::kRefused) RefuseOverlap(buffer, data);
    Bind(buffer, data);
  }

  // Counts the extents that follow from the inputs' shapes, and checks them.
  void Expect() {
    if (!are_shapes_new || (plan().ranged.empty() && states->empty())) return;
    inputs->WriteExtents(bound);
    states->WriteExtents(inputs->shapes(), bound);
    for (const size_t call : shape_calls->calls()) calls->Run(call);
    states->RequireRoom(shape_calls->counts(), bound);
    shapes->Expect(*shape_calls, bound);
    are_shapes_new = false;
  }

  // Makes a run of whose calls `body` makes all.
  template <typename Body>
  void Run(const Body& body) {
    Expect();
    inputs->Write(bound);
    if (states->empty()) {
      body();
      return shapes->Settle(bound);
    }
    try {
      body();
      shapes->Settle(bound);
    } catch (...) {
      states->Forget(bound);
      throw;
    }
    if (!holds_states) ChangeStates([this] { states->Advance(bound); });
  }

  template <typename Change>
  void ChangeStates(const Change& change) {
    change();
    are_shapes_new = true;
  }

  size_t StateIndex(int i) const {
    if (i >= 0 && static_cast<size_t>(i) < plan().states.size()) return static_cast<size_t>(i);
    throw Error(ExitCode::kUsage, fmt::format("no state {}; there are {}", i, plan().states.size()));
  }

  size_t InputIndex(std::string_view name) const {
    std::string names;
    for (size_t i = 0; i < plan().inputs.size(); ++i) {
      const std::string& known = plan().buffers[plan().inputs[i]].name;
      if (known == name) return i;
      names += (names.empty() ? "" : ", ") + known;
    }
    throw Error(ExitCode::kUsage, fmt::format("no input '{}'; the inputs are: {}", name, names));
  }
};

Session::Session(std::shared_ptr<const Package> package, const SessionOptions& options)
    : impl_(std::make_unique<Impl>()) {
  if (!package->impl().library) {
    throw Error(ExitCode::kBug, "a package that was only inspected cannot be run; load it");
  }
  impl_->package = std::move(package);
  impl_->MakePool(options);
  impl_->MakeMemory(options.memory ? &*options.memory : nullptr);
  impl_->MakeCalls();
}

Session::~Session() = default;

void Session::SetInput(std::string_view name, const Tensor& value) {
  const Plan& plan = impl_->plan();
  if (const int state = impl_->states->Find(name); state >= 0) return SetState(state, value);
  const size_t i = impl_->InputIndex(name);
  const DType dtype = plan.buffers[plan.inputs[i]].dtype;
  if (value.dtype() != dtype || !HasFixedExtents(plan, i, value.shape())) {
    throw Error(ExitCode::kUsage,
                fmt::format("input '{}' is {} {}; {} {} would be right", name, DTypeName(value.dtype()),
                            ShapeText(value.shape()), DTypeName(dtype), InputShapeText(plan, i)));
  }
  SetInputShape(static_cast<int>(i), value.shape());
  if (value.size_bytes() > 0) std::memcpy(InputData(static_cast<int>(i)), value.raw(), value.size_bytes());
}

void Session::SetInputShape(int i, const Shape& shape) {
  const int buffer = impl_->BufferOf(impl_->plan().inputs, i, "input");
  impl_->inputs->SetShape(i, shape, impl_->own[buffer].data());
  impl_->are_shapes_new = true;
}

const Shape& Session::InputShape(int i) const {
  impl_->BufferOf(impl_->plan().inputs, i, "input");
  return impl_->inputs->shape(i);
}

void* Session::InputData(int i) {
  const int buffer = impl_->BufferOf(impl_->plan().inputs, i, "input");
  impl_->Bind(buffer, nullptr);
  return impl_->inputs->ranged(i) ? impl_->inputs->OwnMemory(i, impl_->bound[buffer]) : impl_->bound[buffer];
}

void Session::BindInput(int i, const void* data, size_t size_bytes, Overlaps overlaps) {
  // Kernels only read inputs.
  char* const memory = const_cast<char*>(static_cast<const char*>(data));
  impl_->BindChecked(impl_->BufferOf(impl_->plan().inputs, i, "input"), memory, size_bytes, overlaps);
}

void Session::BindOutput(int i, void* data, size_t size_bytes, Overlaps overlaps) {
  char* const memory = static_cast<char*>(data);
  impl_->BindChecked(impl_->BufferOf(impl_->plan().outputs, i, "output"), memory, size_bytes, overlaps);
}

void Session::RefuseOverlaps() { impl_->RefuseOverlaps(); }

// Each kernel keeps denormals off, but setting the control register costs 10 ns each time. Here it is set once.
void Session::Run() {
  const DenormalsOff off;
  impl_->Run([this] {
    for (size_t i = 0; i < impl_->calls->size(); ++i) impl_->calls->Run(i);
  });
}

std::vector<int64_t> Session::RunProfiled() {
  using Clock = std::chrono::steady_clock;
  const DenormalsOff off;
  std::vector<int64_t> spent_ns(impl_->calls->size());
  impl_->Run([&] {
    for (size_t i = 0; i < spent_ns.size(); ++i) {
      const Clock::time_point begin = Clock::now();
      impl_->calls->Run(i);
      spent_ns[i] = std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - begin).count();
    }
  });
  return spent_ns;
}

Session::Trace Session::RunTraced() {
  using Clock = std::chrono::steady_clock;
  const DenormalsOff off;
  const auto now_ns = [] {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now().time_since_epoch()).count();
  };
  const auto workers = static_cast<size_t>(impl_->pool->threads());
  Trace trace;
  trace.begin_ns = now_ns();
  impl_->Run([&] {
    std::vector<WorkerTime> times;
    for (size_t call = 0; call < impl_->calls->size(); ++call) {
      SessionCalls::Launch& chosen = impl_->calls->At(call);
      times.assign(chosen.launch.stages.size() * workers, {});
      trace.call_begin_ns.push_back(now_ns());
      impl_->calls->Run(call, chosen, times.data());
      trace.call_ns.push_back(now_ns() - trace.call_begin_ns.back());
      for (size_t i = 0; i < times.size(); ++i) {
        if (times[i].begin_ns == 0) continue;
        trace.work.push_back(
            {call, static_cast<int>(i / workers), static_cast<int>(i % workers), times[i].begin_ns, times[i].end_ns});
      }
    }
  });
  return trace;
}

int Session::KernelOf(size_t call) const { return impl_->calls->At(call).kernel; }

int Session::states() const { return static_cast<int>(impl_->plan().states.size()); }

int64_t Session::StateLength() const { return impl_->states->length(); }

int64_t Session::StateCapacity() const { return impl_->states->capacity(); }

void Session::ResetState() {
  impl_->ChangeStates([this] { impl_->states->Reset(impl_->bound); });
}

void Session::TruncateState(int64_t length) {
  impl_->ChangeStates([=, this] { impl_->states->Truncate(length, impl_->bound); });
}

Tensor Session::State(int i) const { return impl_->states->Get(impl_->StateIndex(i), impl_->bound); }

void Session::SetState(int i, const Tensor& value) {
  impl_->ChangeStates([&] { impl_->states->Set(impl_->StateIndex(i), value, impl_->bound); });
}

void Session::CopyState(const Session& from) {
  if (from.impl_->package != impl_->package) {
    throw Error(ExitCode::kUsage, "the sessions run different packages; SaveState and LoadState would be right");
  }
  impl_->ChangeStates([&] { impl_->states->CopyFrom(*from.impl_->states, from.impl_->bound, impl_->bound); });
}

std::string Session::SaveState() const { return WriteStates(*impl_->package, *impl_->states, impl_->bound); }

size_t Session::SavedStateBytes() const { return SavedBytes(impl_->plan(), *impl_->states); }

void Session::LoadState(std::string_view bytes) {
  impl_->ChangeStates([&] { ReadStates(bytes, *impl_->package, *impl_->states, impl_->bound); });
}

void Session::HoldState(bool hold) { impl_->holds_states = hold; }

int Session::outputs() const { return static_cast<int>(impl_->plan().outputs.size()); }

const void* Session::OutputData(int i) const {
  return impl_->bound[impl_->BufferOf(impl_->plan().outputs, i, "output")];
}

const Shape& Session::OutputShape(int i) const {
  impl_->BufferOf(impl_->plan().outputs, i, "output");
  return impl_->shapes->shape(i);
}

const Shape& Session::ExpectedShape(int i) {
  impl_->BufferOf(impl_->plan().outputs, i, "output");
  impl_->Expect();
  return impl_->shapes->expected(i);
}

Tensor Session::Output(int i) const {
  const void* data = OutputData(i);
  const PlanBuffer& buffer = impl_->plan().buffers[impl_->plan().outputs[i]];
  Tensor copy(buffer.dtype, impl_->shapes->shape(i));
  if (copy.size_bytes() > 0) std::memcpy(copy.raw(), data, copy.size_bytes());
  return copy;
}

int64_t Session::memory_bytes() const {
  size_t total = impl_->arena.size() + impl_->shared_workspace.size() + impl_->worker_workspaces.size();
  for (const SessionMemory& buffer : impl_->own) total += buffer.size();
  total += impl_->inputs->memory_bytes();
  return static_cast<int64_t>(total);
}

int Session::threads() const { return impl_->pool->threads(); }

const Package& Session::package() const { return *impl_->package; }

std::shared_ptr<const Package> Session::shared_package() const { return impl_->package; }

}  // namespace hone
