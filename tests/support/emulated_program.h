// A program of another architecture that calls compiled kernels. It is emitted and run under qemu-user, without a cross
// toolchain.
#pragma once

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "core/artifact.h"
#include "core/machine/target.h"

namespace hone::testing {

// The emulator ended, not the program: some RISC-V vector instructions fail assertions of QEMU 7.2 itself.
struct EmulatorGaveUp : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// The name of the emulator, such as "qemu-aarch64-static", if it is on the PATH; else empty.
std::string EmulatorFor(const Target& target);

// Calls describe the program step by step, then Run runs it. For AArch64, ARMv7 and RISC-V.
class EmulatedProgram {
 public:
  explicit EmulatedProgram(const Target& target);
  ~EmulatedProgram();
  EmulatedProgram(const EmulatedProgram&) = delete;
  EmulatedProgram& operator=(const EmulatedProgram&) = delete;

  // A buffer of NaNs, 64-byte aligned, between inaccessible pages. Returns its number.
  int AddBuffer(int64_t bytes);
  // Read fills the whole buffer from the program's input and makes it read-only; Write sends the whole buffer to its
  // output.
  void Read(int buffer);
  void Write(int buffer);

  struct Operand {
    int buffer = 0;
    int64_t offset_bytes = 0;
    int64_t batch_stride_bytes = 0;
  };
  // One worker runs every stage; on AArch64 in two parts, the second one first.
  void Call(const std::vector<Operand>& operands, const std::vector<KernelStage>& stages,
            int64_t shared_workspace_bytes);

  // Links the program with the objects that hold the kernels, runs it on `input` and returns its output. Call it once.
  // Throws Error(kBug) when it does not link or exit with 0, or when a kernel writes outside its buffers;
  // EmulatorGaveUp when the emulator ends.
  std::string Run(const std::vector<std::string>& objects, const std::string& input);

 private:
  struct Emitter;
  std::unique_ptr<Emitter> emitter_;
};

}  // namespace hone::testing
