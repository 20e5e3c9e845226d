// Any text is refused with a line and a column, or stays the same when it is printed and parsed again.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <string>
#include <string_view>

#include "compiler/relay/infer_type.h"
#include "compiler/relay/printer.h"
#include "compiler/relay/structural_equal.h"
#include "compiler/relay/text/parser.h"
#include "core/error.h"

namespace {

using hone::Tensor;
using Values = std::map<std::string, Tensor>;

void Require(bool holds) {
  if (!holds) std::abort();
}

Values SomeValues() {
  const Tensor four(hone::DType::kFloat32, {2, 2});
  return {{"w", four}, {"meta[relay.Constant][0]", four}, {"meta[relay.Constant][1]", Tensor(hone::DType::kInt8, {0})}};
}

std::string Text(const hone::relay::IRModule& module) { return hone::relay::ToText(module, {.types = false}); }

// Returns whether the step succeeds; a thrown message must be one line with a place.
template <typename Step>
bool Passes(const Step& step) {
  try {
    step();
    return true;
  } catch (const hone::Error& error) {
    const std::string_view message = error.what();
    Require(error.code() == hone::ExitCode::kBadData && message.starts_with("fuzz:"));
    Require(message.find('\n') == std::string_view::npos);
    return false;
  }
}

void Take(std::string_view text) {
  static const Values values = SomeValues();
  hone::relay::ParsedModule parsed;
  if (!Passes([&] { parsed = hone::relay::ParseModule(text, "fuzz", values); })) return;
  const std::string once = Text(parsed.module);
  const auto again = hone::relay::ParseModule(once, "fuzz", hone::relay::NamedValues(parsed.module));
  Require(Text(again.module) == once);
  Require(hone::relay::StructuralEqual(parsed.module, again.module));
  Require(hone::relay::StructuralHash(parsed.module) == hone::relay::StructuralHash(again.module));
  Passes([&] { hone::relay::InferParsed(parsed); });
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  Take({reinterpret_cast<const char*>(data), size});
  return 0;
}
