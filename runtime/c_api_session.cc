#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "runtime/c_api_guard.h"

namespace hone {
namespace {

void CheckSize(size_t given, const hone_tensor_info& tensor, const char* what) {
  if (given != tensor.size_bytes) {
    throw Error(ExitCode::kUsage, fmt::format("{} '{}': {} bytes were given; {} would be right", what, tensor.name,
                                              given, tensor.size_bytes));
  }
}

hone_tensor_info OutputInfo(const hone_session* session, int32_t index) {
  RequirePointer(session, "session");
  const Session& of = *session->session;
  const Plan& plan = of.package().plan();
  return InfoOf(BufferAt(plan, plan.outputs, index, "output"), of.OutputShape(index));
}

hone_tensor_info InputInfo(const hone_session* session, int32_t index) {
  RequirePointer(session, "session");
  const Session& of = *session->session;
  const Plan& plan = of.package().plan();
  return InfoOf(BufferAt(plan, plan.inputs, index, "input"), of.InputShape(index));
}

hone_session_options Known(const hone_session_options& given) {
  constexpr size_t kLeast = offsetof(hone_session_options, allocator) + sizeof(void*);
  RequireKnown(&given, given.struct_bytes, kLeast, sizeof(given), "hone_session_options");
  return given;
}

SessionOptions OptionsOf(const hone_session_options& given) {
  SessionOptions options;
  options.threads = given.threads;
  options.pin = given.pin != 0;
  if (given.allocator != nullptr) {
    if (given.allocator->allocate == nullptr || given.allocator->release == nullptr) {
      throw Error(ExitCode::kUsage, "the allocator lacks a function; allocate and release are both needed");
    }
    options.memory = MemorySource{given.allocator->allocate, given.allocator->release, given.allocator->user};
  }
  return options;
}

hone_session* Created(const hone_package* package, const hone_session_options& options) {
  auto session = std::make_unique<hone_session>();
  session->session = std::make_unique<Session>(package->package, OptionsOf(options));
  const Plan& plan = package->package->plan();
  for (const int input : plan.inputs) session->shape.reserve(plan.buffers[input].shape.size());
  return session.release();
}

void RunAndTell(hone_session& session) {
  const std::vector<int64_t> times_ns = session.session->RunProfiled();
  const std::vector<PlanCall>& calls = session.session->package().plan().calls;
  // A change that the callback makes applies to later runs.
  const hone_profile_callback callback = session.profile;
  void* const user = session.profile_user;
  for (size_t i = 0; i < calls.size(); ++i) {
    hone_profiled_call call{};
    call.index = static_cast<int32_t>(i);
    call.calls = static_cast<int32_t>(calls.size());
    call.op = calls[i].op.c_str();
    call.node = calls[i].nodes.empty() ? "" : calls[i].nodes.front().c_str();
    call.flops = calls[i].flops;
    call.time_ns = times_ns[i];
    callback(user, &call);
  }
}

void RunAsAsked(hone_session& session) {
  if (session.profile == nullptr) return session.session->Run();
  RunAndTell(session);
}

// Keeps the caller's memory bound to a session until destruction.
class BoundMemory {
 public:
  explicit BoundMemory(Session& session) : session_(session) {}
  BoundMemory(const BoundMemory&) = delete;
  BoundMemory& operator=(const BoundMemory&) = delete;
  // Restoring cannot fail: the session's own memory overlaps nothing.
  ~BoundMemory() {
    while (outputs_ > 0) session_.BindOutput(--outputs_, nullptr, 0);
    while (inputs_ > 0) session_.BindInput(--inputs_, nullptr, 0);
  }

  void BindInputs(const hone_memory* memory, int32_t count) {
    for (; inputs_ < count; ++inputs_) {
      session_.BindInput(inputs_, memory[inputs_].data, memory[inputs_].size_bytes, Session::Overlaps::kUnasked);
    }
  }
  void BindOutputs(const hone_memory* memory, int32_t count) {
    for (; outputs_ < count; ++outputs_) {
      session_.BindOutput(outputs_, memory[outputs_].data, memory[outputs_].size_bytes, Session::Overlaps::kUnasked);
    }
  }
  void RefuseOverlaps() { session_.RefuseOverlaps(); }

 private:
  Session& session_;
  int32_t inputs_ = 0, outputs_ = 0;
};

}  // namespace
}  // namespace hone

using hone::Guarded;
using hone::RequirePointer;

hone_status hone_session_create_with(const hone_package* package, const hone_session_options* options,
                                     hone_session** session) {
  return Guarded([&] {
    RequirePointer(package, "package");
    RequirePointer(session, "session");
    *session = nullptr;
    *session = hone::Created(package, options == nullptr ? hone_session_options{} : hone::Known(*options));
  });
}

hone_status hone_session_create(const hone_package* package, int32_t threads, hone_session** session) {
  hone_session_options options{};
  options.struct_bytes = sizeof(options);
  options.threads = threads;
  return hone_session_create_with(package, &options, session);
}

void hone_session_free(hone_session* session) { delete session; }

int32_t hone_session_threads(const hone_session* session) {
  return session == nullptr ? 0 : session->session->threads();
}

size_t hone_session_memory_bytes(const hone_session* session) {
  return session == nullptr ? 0 : static_cast<size_t>(session->session->memory_bytes());
}

hone_status hone_session_set_input_shape(hone_session* session, int32_t index, const int64_t* shape, int32_t rank) {
  return Guarded([&] {
    const hone_tensor_info input = hone::InputInfo(session, index);
    if (rank != input.rank) {
      throw hone::Error(hone::ExitCode::kUsage, fmt::format("input '{}' is given a shape of rank {}; {} would be right",
                                                            input.name, rank, input.rank));
    }
    if (rank > 0) RequirePointer(shape, "shape");
    session->shape.assign(shape, shape + rank);
    session->session->SetInputShape(index, session->shape);
  });
}

hone_status hone_session_input_info(const hone_session* session, int32_t index, hone_tensor_info* info) {
  return Guarded([&] {
    const hone_tensor_info input = hone::InputInfo(session, index);
    RequirePointer(info, "info");
    *info = input;
  });
}

hone_status hone_session_set_input(hone_session* session, int32_t index, const void* data, size_t size_bytes) {
  return Guarded([&] {
    RequirePointer(session, "session");
    const hone_tensor_info input = hone::InputInfo(session, index);
    if (size_bytes > 0) RequirePointer(data, "data");
    hone::CheckSize(size_bytes, input, "input");
    void* const memory = session->session->InputData(index);
    if (size_bytes > 0) std::memcpy(memory, data, size_bytes);
  });
}

hone_status hone_session_bind_input(hone_session* session, int32_t index, const void* data, size_t size_bytes) {
  return Guarded([&] {
    RequirePointer(session, "session");
    session->session->BindInput(index, data, size_bytes);
  });
}

hone_status hone_session_bind_output(hone_session* session, int32_t index, void* data, size_t size_bytes) {
  return Guarded([&] {
    RequirePointer(session, "session");
    session->session->BindOutput(index, data, size_bytes);
  });
}

hone_status hone_session_run(hone_session* session) {
  return Guarded([&] {
    RequirePointer(session, "session");
    hone::RunAsAsked(*session);
  });
}

hone_status hone_session_run_with(hone_session* session, const hone_memory* inputs, int32_t input_count,
                                  const hone_memory* outputs, int32_t output_count) {
  return Guarded([&] {
    RequirePointer(session, "session");
    if (input_count > 0) RequirePointer(inputs, "inputs");
    if (output_count > 0) RequirePointer(outputs, "outputs");
    hone::BoundMemory bound(*session->session);
    bound.BindInputs(inputs, input_count);
    bound.BindOutputs(outputs, output_count);
    bound.RefuseOverlaps();
    hone::RunAsAsked(*session);
  });
}

hone_status hone_session_output_info(const hone_session* session, int32_t index, hone_tensor_info* info) {
  return Guarded([&] {
    const hone_tensor_info output = hone::OutputInfo(session, index);
    RequirePointer(info, "info");
    *info = output;
  });
}

hone_status hone_session_expected_output_info(hone_session* session, int32_t index, hone_tensor_info* info) {
  return Guarded([&] {
    RequirePointer(session, "session");
    RequirePointer(info, "info");
    hone::Session& of = *session->session;
    const hone::Plan& plan = of.package().plan();
    const hone::PlanBuffer& output = hone::BufferAt(plan, plan.outputs, index, "output");
    *info = hone::InfoOf(output, of.ExpectedShape(index));
  });
}

hone_status hone_session_get_output(const hone_session* session, int32_t index, void* data, size_t size_bytes) {
  return Guarded([&] {
    const hone_tensor_info output = hone::OutputInfo(session, index);
    if (size_bytes > 0) RequirePointer(data, "data");
    hone::CheckSize(size_bytes, output, "output");
    if (size_bytes > 0) std::memcpy(data, session->session->OutputData(index), size_bytes);
  });
}

hone_status hone_session_set_profile(hone_session* session, hone_profile_callback callback, void* user) {
  return Guarded([&] {
    RequirePointer(session, "session");
    session->profile = callback;
    session->profile_user = user;
  });
}

int64_t hone_session_state_length(const hone_session* session) {
  return session == nullptr ? 0 : session->session->StateLength();
}

int64_t hone_session_state_capacity(const hone_session* session) {
  return session == nullptr ? 0 : session->session->StateCapacity();
}

hone_status hone_session_reset_state(hone_session* session) {
  return Guarded([&] {
    RequirePointer(session, "session");
    session->session->ResetState();
  });
}

hone_status hone_session_truncate_state(hone_session* session, int64_t length) {
  return Guarded([&] {
    RequirePointer(session, "session");
    session->session->TruncateState(length);
  });
}

size_t hone_session_state_bytes(const hone_session* session) {
  return session == nullptr ? 0 : session->session->SavedStateBytes();
}

hone_status hone_session_save_state(const hone_session* session, void* data, size_t size_bytes) {
  return Guarded([&] {
    RequirePointer(session, "session");
    RequirePointer(data, "data");
    const size_t right = session->session->SavedStateBytes();
    if (size_bytes != right) {
      throw hone::Error(hone::ExitCode::kUsage,
                        fmt::format("the state: {} bytes were given; {} would be right", size_bytes, right));
    }
    const std::string saved = session->session->SaveState();
    std::memcpy(data, saved.data(), saved.size());
  });
}

hone_status hone_session_load_state(hone_session* session, const void* data, size_t size_bytes) {
  return Guarded([&] {
    RequirePointer(session, "session");
    RequirePointer(data, "data");
    session->session->LoadState({static_cast<const char*>(data), size_bytes});
  });
}

hone_status hone_session_fork(const hone_session* session, const hone_session_options* options, hone_session** fork) {
  return Guarded([&] {
    RequirePointer(session, "session");
    RequirePointer(fork, "fork");
    *fork = nullptr;
    const hone_session_options known = options == nullptr ? hone_session_options{} : hone::Known(*options);
    const hone_package package{session->session->shared_package()};
    std::unique_ptr<hone_session> made(hone::Created(&package, known));
    made->session->CopyState(*session->session);
    *fork = made.release();
  });
}
