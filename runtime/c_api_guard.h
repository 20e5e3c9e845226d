// Parts that all functions of the C API share: their handles, and the translation of a failure into a status and a
// text.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/error.h"
#include "core/package/plan.h"
#include "runtime/hone.h"
#include "runtime/package.h"
#include "runtime/session.h"

struct hone_package {
  std::shared_ptr<const hone::Package> package;
};

struct hone_session {
  std::unique_ptr<hone::Session> session;
  hone_profile_callback profile = nullptr;
  void* profile_user = nullptr;
  hone::Shape shape;  // with room for that of each input
};

namespace hone {

// The calling thread's error text.
std::string& LastErrorText();

// The status of the exception that is being handled. Its text becomes the thread's error text.
hone_status StatusOfFailure() noexcept;

// Turns every exception into a status and the thread's error text, because none may leave a C function.
template <typename Body>
hone_status Guarded(const Body& body) noexcept {
  try {
    body();
    return HONE_OK;
  } catch (...) {
    return StatusOfFailure();
  }
}

// Throws Error(kUsage), which says that `what` is null.
[[noreturn]] void RefuseNull(const char* what);

// Throws Error(kUsage) naming `what` when the pointer is null.
template <typename Value>
void RequirePointer(const Value* pointer, const char* what) {
  if (pointer == nullptr) RefuseNull(what);
}

// The buffer of entry `index` of the plan's inputs or outputs. Throws Error(kUsage).
const PlanBuffer& BufferAt(const Plan& plan, const std::vector<int>& list, int32_t index, const char* what);

// Options of a program that was built with this or another version of the header, whose struct may have another size.
// `least` is that of the first version. Members that this library does not know must be 0. Throws Error(kUsage).
void RequireKnown(const void* options, size_t struct_bytes, size_t least, size_t known, const char* type);

// The C API's description of a buffer. `shape` is the buffer's own or a smaller one, and must outlive the result.
hone_tensor_info InfoOf(const PlanBuffer& buffer, const Shape& shape);

}  // namespace hone
