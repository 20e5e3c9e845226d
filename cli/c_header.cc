#include "cli/c_header.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "core/printable.h"

namespace hone {
namespace {

bool IsCLetter(char c) { return c == '_' || (static_cast<signed char>(c) > 0 && std::isalnum(c) != 0); }

// A model's names are anybody's text: what would end a remark, or what a terminal would obey, must not stand in one.
std::string Remark(std::string text) {
  std::replace(text.begin(), text.end(), '*', '_');
  std::replace(text.begin(), text.end(), '\\', '_');
  return Printable(text);
}

std::string Tensors(const Plan& plan, const std::vector<int>& list, const std::string& prefix) {
  std::string text;
  for (size_t i = 0; i < list.size(); ++i) {
    const PlanBuffer& buffer = plan.buffers.at(static_cast<size_t>(list[i]));
    text += fmt::format("/* {}: {} {} */\n#define {}_{}_BYTES {}\n", Remark(buffer.name), DTypeName(buffer.dtype),
                        ShapeText(buffer.shape), prefix, i, buffer.size_bytes);
  }
  return text;
}

}  // namespace

bool IsCName(const std::string& text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), IsCLetter) && (text[0] < '0' || text[0] > '9');
}

std::string CHeader(const Plan& plan, const std::string& name, size_t size_bytes) {
  std::string upper = name;
  std::transform(upper.begin(), upper.end(), upper.begin(), [](unsigned char c) { return std::toupper(c); });
  return fmt::format(
      "/* {} for {}. Link it with {}.o and libhone. */\n#pragma once\n\n#include <hone/hone.h>\n\n"
      "#ifdef __cplusplus\nextern \"C\" {{\n#endif\n\n{}{}\nextern const unsigned char {}_package[{}];\n\n"
      "/* As hone_package_load of the file that this was. */\n"
      "static inline hone_status {}_load(hone_package** package) {{\n"
      "  return hone_package_load_memory({}_package, sizeof({}_package), package);\n}}\n\n"
      "#ifdef __cplusplus\n}}\n#endif\n",
      Remark(plan.model), Remark(plan.target.ToText()), name, Tensors(plan, plan.inputs, upper + "_INPUT"),
      Tensors(plan, plan.outputs, upper + "_OUTPUT"), name, size_bytes, name, name, name);
}

}  // namespace hone
