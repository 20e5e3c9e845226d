#include "lab/model/c_header.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "core/machine/required_features.h"
#include "core/text/printable.h"
#include "runtime/ranged_inputs.h"

namespace hone {
namespace {

bool IsCLetter(char c) { return c == '_' || (static_cast<signed char>(c) > 0 && std::isalnum(c) != 0); }

// Makes a text safe for a C comment. Names in a model are untrusted: they must not end the comment or control a
// terminal.
std::string Remark(std::string text) {
  std::replace(text.begin(), text.end(), '*', '_');
  std::replace(text.begin(), text.end(), '\\', '_');
  return Printable(text);
}

// `shapes`: the text of each tensor's shape.
std::string TensorMacros(const Plan& plan, const std::vector<int>& list, const std::vector<std::string>& shapes,
                         const std::string& prefix) {
  std::string text;
  for (size_t i = 0; i < list.size(); ++i) {
    const PlanBuffer& buffer = plan.buffers.at(static_cast<size_t>(list[i]));
    text += fmt::format("/* {}: {} {} */\n#define {}_{}_BYTES {}\n", Remark(buffer.name), DTypeName(buffer.dtype),
                        Remark(shapes[i]), prefix, i, buffer.size_bytes);
  }
  return text;
}

std::string Upper(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::toupper(c); });
  return text;
}

// The frame of a header for C and C++ around its own lines.
std::string HeaderOf(const std::string& first, const std::string& include, const std::string& lines) {
  return fmt::format(
      "/* {} */\n#pragma once\n\n#include <{}>\n\n#ifdef __cplusplus\nextern \"C\" {{\n#endif\n\n{}\n"
      "#ifdef __cplusplus\n}}\n#endif\n",
      first, include, lines);
}

std::string TensorsOf(const Plan& plan, const std::string& upper) {
  std::vector<std::string> inputs, outputs;
  for (size_t i = 0; i < plan.inputs.size(); ++i) inputs.push_back(InputShapeText(plan, i));
  for (const int index : plan.outputs) outputs.push_back(ShapeText(plan.buffers.at(static_cast<size_t>(index)).shape));
  return TensorMacros(plan, plan.inputs, inputs, upper + "_INPUT") +
         TensorMacros(plan, plan.outputs, outputs, upper + "_OUTPUT");
}

std::string Parameters(size_t count, const char* each) {
  std::string text;
  for (size_t i = 0; i < count; ++i) text += fmt::format("{}_{}, ", each, i);
  return text;
}

}  // namespace

bool IsCName(const std::string& text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), IsCLetter) && (text[0] < '0' || text[0] > '9');
}

std::string CHeader(const Plan& plan, const std::string& name, size_t size_bytes) {
  const std::string lines = fmt::format(
      "{}\nextern const unsigned char {}_package[{}];\n\n"
      "/* As hone_package_load of the file that this was. */\n"
      "static inline hone_status {}_load(hone_package** package) {{\n"
      "  return hone_package_load_memory({}_package, sizeof({}_package), package);\n}}\n",
      TensorsOf(plan, Upper(name)), name, size_bytes, name, name, name);
  return HeaderOf(
      fmt::format("{} for {}. Link it with {}.o and libhone.", Remark(plan.model), Remark(plan.target.ToText()), name),
      "hone/hone.h", lines);
}

std::string AotHeader(const Plan& plan, const std::string& name, int64_t memory_bytes) {
  const std::string upper = Upper(name);
  const std::string lines = fmt::format(
      "{}\n/* What a CPU must have to run the code, in LLVM's names. */\n#define {}_NEEDS \"{}\"\n\n"
      "/* What a run works in. */\n#define {}_MEMORY_BYTES {}\n\n"
      "/* One run, on the calling thread. Tensors are dense and row-major, at any address; an output overlaps no "
      "other\n"
      " * tensor. `memory`: null for memory of the program's own, in which one run is at a time; or {}_MEMORY_BYTES\n"
      " * bytes at a multiple of 64, zero before their first run and used by one run at a time. Returns 0, or the "
      "code\n"
      " * of the kernel that failed. */\n"
      "int32_t {}_run({}{}void* memory);\n",
      TensorsOf(plan, upper), upper, fmt::join(RequiredFeatures(plan), " "), upper, memory_bytes, upper, name,
      Parameters(plan.inputs.size(), "const void* input"), Parameters(plan.outputs.size(), "void* output"));
  return HeaderOf(fmt::format("{} for {}. Link it with {}.o; it needs nothing else.", Remark(plan.model),
                              Remark(plan.target.ToText()), name),
                  "stdint.h", lines);
}

}  // namespace hone
