// A program of another architecture that calls compiled kernels, emitted and run under qemu-user: no cross toolchain.
#pragma once

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "core/artifact.h"
#include "core/target.h"

namespace hone::testing {

// The emulator ended, not the program: QEMU 7.2 has assertions of its own that some instructions of RISC-V's vectors
// fail.
struct EmulatorGaveUp : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// "qemu-aarch64-static" and the like, when it is on the PATH; else empty.
std::string EmulatorFor(const Target& target);

// What the program does is said step by step, then Run does it. AArch64, ARMv7 and RISC-V.
class EmulatedProgram {
 public:
  explicit EmulatedProgram(const Target& target);
  ~EmulatedProgram();
  EmulatedProgram(const EmulatedProgram&) = delete;
  EmulatedProgram& operator=(const EmulatedProgram&) = delete;

  // NaNs, 64-byte aligned, between pages that nobody may touch. Returns their number.
  int AddBuffer(int64_t bytes);
  // The whole buffer comes from the program's input and cannot be written from here on, or goes to its output.
  void Read(int buffer);
  void Write(int buffer);

  struct Operand {
    int buffer = 0;
    int64_t offset_bytes = 0;
    int64_t batch_stride_bytes = 0;
  };
  // Every stage by one worker; on AArch64 in two parts, the second one first.
  void Call(const std::vector<Operand>& operands, const std::vector<KernelStage>& stages,
            int64_t shared_workspace_bytes);

  // Links it with the objects that hold the kernels, runs it on `input` and returns its output. Once. Throws
  // Error(kBug) when it does not link, when a kernel leaves its buffers, and when it does not exit with 0;
  // EmulatorGaveUp.
  std::string Run(const std::vector<std::string>& objects, const std::string& input);

 private:
  struct Emitter;
  std::unique_ptr<Emitter> emitter_;
};

}  // namespace hone::testing
