// What the functions of the C API have in common: their handles, and how a failure becomes a status and a text.
#pragma once

#include <exception>
#include <memory>
#include <new>
#include <string>
#include <vector>

#include "core/error.h"
#include "core/plan.h"
#include "runtime/hone.h"
#include "runtime/package.h"

struct hone_package {
  std::shared_ptr<const hone::Package> package;
};

namespace hone {

// The calling thread's.
std::string& LastErrorText();

// No exception may leave a C function: each becomes a status and the thread's error text.
template <typename Body>
hone_status Guarded(const Body& body) noexcept {
  try {
    body();
    return HONE_OK;
  } catch (const Error& error) {
    LastErrorText() = error.what();
    return static_cast<hone_status>(error.code());
  } catch (const std::bad_alloc&) {
    LastErrorText() = "there is no memory";
    return HONE_IO;
  } catch (const std::exception& error) {
    LastErrorText() = error.what();
  } catch (...) {
    LastErrorText() = "an unknown failure";
  }
  return HONE_BUG;
}

// Throws Error(kUsage): `what` is null.
[[noreturn]] void RefuseNull(const char* what);

// Throws Error(kUsage) naming `what` when the pointer is null.
template <typename Value>
void RequirePointer(const Value* pointer, const char* what) {
  if (pointer == nullptr) RefuseNull(what);
}

// The buffer of entry `index` of the plan's inputs or outputs. Throws Error(kUsage).
const PlanBuffer& BufferAt(const Plan& plan, const std::vector<int>& list, int32_t index, const char* what);

}  // namespace hone
