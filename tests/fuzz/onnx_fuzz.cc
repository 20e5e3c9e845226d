// Any bytes as a model: refused in one line, or a graph whose types can be inferred.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "compiler/frontend/onnx/onnx_import.h"
#include "compiler/relay/infer_type.h"
#include "core/error.h"

namespace {

void Require(bool holds) {
  if (!holds) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  try {
    hone::OnnxImportOptions options;
    options.max_dim = 16;
    hone::relay::InferType(hone::ImportOnnxBytes({reinterpret_cast<const char*>(data), size}, "fuzz", options).module);
  } catch (const hone::Error& error) {
    Require(error.code() == hone::ExitCode::kBadData || error.code() == hone::ExitCode::kUsage);
    Require(std::string_view(error.what()).find('\n') == std::string_view::npos);
  }
  return 0;
}
