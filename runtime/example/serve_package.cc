// Runs one package on several threads at once from C++, with a session per thread in the caller's memory and without
// copies. Then prints the number of runs and the slowest call. Usage: serve_package PACKAGE [SESSIONS [RUNS]]
#include <hone/hone.h>

#include <cstdlib>
#include <iostream>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace {

void Check(hone_status status) {
  if (status != HONE_OK) throw std::runtime_error(hone_error_text());
}

struct Free {
  void operator()(hone_package* package) const { hone_package_free(package); }
  void operator()(hone_session* session) const { hone_session_free(session); }
};
using Package = std::unique_ptr<hone_package, Free>;
using Session = std::unique_ptr<hone_session, Free>;

Package Load(const char* path) {
  hone_package* package = nullptr;
  Check(hone_package_load(path, &package));
  return Package(package);
}

// The source of a session's memory, here the program's own operator new.
void* Allocate(void*, size_t size_bytes, size_t alignment) {
  return operator new(size_bytes, std::align_val_t(alignment), std::nothrow);
}
void Release(void*, void* memory, size_t size_bytes) { operator delete(memory, size_bytes, std::align_val_t(64)); }

Session Create(const hone_package* package, int threads) {
  const hone_allocator allocator = {nullptr, Allocate, Release};
  hone_session_options options{};
  options.struct_bytes = sizeof(options);
  options.threads = threads;
  options.allocator = &allocator;
  hone_session* session = nullptr;
  Check(hone_session_create_with(package, &options, &session));
  return Session(session);
}

// The program's buffers, bound to a session: the next run reads whatever the program wrote into `inputs`.
struct Buffers {
  std::vector<std::vector<char>> inputs, outputs;

  Buffers(const hone_package* package, hone_session* session) {
    hone_tensor_info info;
    for (int32_t i = 0; i < hone_package_inputs(package); ++i) {
      Check(hone_package_input_info(package, i, &info));
      inputs.emplace_back(info.size_bytes);
      Check(hone_session_bind_input(session, i, inputs.back().data(), info.size_bytes));
    }
    for (int32_t i = 0; i < hone_package_outputs(package); ++i) {
      Check(hone_package_output_info(package, i, &info));
      outputs.emplace_back(info.size_bytes);
      Check(hone_session_bind_output(session, i, outputs.back().data(), info.size_bytes));
    }
  }
};

std::vector<std::vector<char>> Serve(const hone_package* package, int runs) {
  const Session session = Create(package, 1);
  const Buffers buffers(package, session.get());
  for (int i = 0; i < runs; ++i) Check(hone_session_run(session.get()));
  return buffers.outputs;
}

hone_profiled_call Longest(const hone_package* package) {
  hone_profiled_call longest{};
  const auto keep = [](void* user, const hone_profiled_call* call) {
    auto& most = *static_cast<hone_profiled_call*>(user);
    if (call->time_ns > most.time_ns) most = *call;
  };
  const Session session = Create(package, 1);
  Check(hone_session_set_profile(session.get(), keep, &longest));
  Check(hone_session_run(session.get()));
  return longest;
}

void Main(const char* path, int sessions, int runs) {
  const Package package = Load(path);
  std::vector<std::vector<std::vector<char>>> outputs(static_cast<size_t>(sessions));
  std::vector<std::thread> threads;
  for (auto& mine : outputs) {
    threads.emplace_back([&] {
      try {
        mine = Serve(package.get(), runs);
      } catch (const std::exception& failure) {
        std::cerr << "serve_package: " << failure.what() << '\n';
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  bool same = true;
  for (const auto& mine : outputs) same = same && !mine.empty() && mine == outputs.front();
  const hone_profiled_call longest = Longest(package.get());
  std::cout << sessions << " sessions, " << runs << " runs each: outputs " << (same ? "are" : "are not")
            << " the same\nlongest call: " << longest.op << ", " << longest.time_ns / 1000 << " us\n";
  if (!same) throw std::runtime_error("sessions differ");
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc < 2) {
    std::cerr << "usage: serve_package PACKAGE [SESSIONS [RUNS]]\n";
    return HONE_USAGE;
  }
  Main(argv[1], argc > 2 ? std::atoi(argv[2]) : 2, argc > 3 ? std::atoi(argv[3]) : 10);
  return 0;
} catch (const std::exception& failure) {
  std::cerr << "serve_package: " << failure.what() << '\n';
  return 1;
}
