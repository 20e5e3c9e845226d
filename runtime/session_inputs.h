// The shapes that a caller chose for a session's inputs, and the inputs' memory where the caller may choose.
#pragma once

#include <cstddef>
#include <vector>

#include "core/package/plan.h"
#include "runtime/session_memory.h"

namespace hone {

// An input with ranged axes is dense for the caller. Kernels read a buffer of the largest shape, where its elements are
// the first ones along each axis. The buffer's other elements are zeros or left by earlier runs of larger shapes. Each
// run copies the dense tensor to the buffer, unless the caller filled the buffer itself. The plan must outlive the
// object.
class SessionInputs {
 public:
  // Every input has its largest shape.
  SessionInputs(const Plan& plan, const MemorySource* source);

  bool ranged(size_t input) const { return inputs_[input].ranged; }
  const Shape& shape(size_t input) const { return shapes_[input]; }
  const std::vector<Shape>& shapes() const { return shapes_; }
  size_t size_bytes(size_t input) const;
  // `buffer` is the kernels' memory of the input. Throws Error: kUsage for a shape without the rank or the fixed
  // extents, kBadData for an extent out of its range. Allocates nothing.
  void SetShape(size_t input, const Shape& shape, char* buffer);

  // For ranged inputs only.

  // The session's own memory for the caller to fill densely: the buffer itself, if dense tensors of all shapes are a
  // prefix of it.
  char* OwnMemory(size_t input, char* buffer);
  // Later runs read this memory, which is dense in the present shape and stays the caller's. Null means the session's
  // own.
  void Bind(size_t input, const char* data);
  // The memory that later runs read.
  const char* Source(size_t input, const char* buffer) const;

  // Writes the extents of the present shapes. Throws Error(kBadData) if inputs disagree on a dimension. Allocates
  // nothing.
  void WriteExtents(const std::vector<char*>& memory) const;
  // Writes all ranged inputs and the extents for a run. `memory` has the address of each plan buffer. Throws Error,
  // before anything is written: kBadData if inputs disagree on a dimension; kUsage if bound memory has another size
  // than the shape. Allocates nothing.
  void Write(const std::vector<char*>& memory) const;
  // Bytes of memory beside the plan's buffers.
  size_t memory_bytes() const;

 private:
  struct Input {
    bool ranged = false;
    SessionMemory dense;          // empty if dense tensors are a prefix of the buffer
    char* dense_data = nullptr;   // of `dense`
    const char* bound = nullptr;  // the caller's
    size_t bound_bytes = 0;
  };
  const PlanBuffer& BufferOf(size_t input) const;
  void RequireSize(size_t input) const;

  const Plan* plan_;
  std::vector<Input> inputs_;
  std::vector<Shape> shapes_;
};

}  // namespace hone
