#include "lab/verify/output_errors.h"

#include <fmt/format.h>

#include <algorithm>

#include "lab/text/print_json.h"
#include "lab/text/table.h"

namespace hone {
namespace {

std::string RoundingText(const OutputError& e) {
  if (e.quantum == 0) return fmt::format("{:.2e}", e.rounding);
  return fmt::format("{:.3g} of {:.3g} steps of {:.3g}", e.Quanta(), e.AllowedQuanta(), e.quantum);
}

}  // namespace

Json ErrorsJson(const std::vector<OutputError>& errors) {
  Json outputs = Json::array();
  for (const OutputError& e : errors) {
    Json json = {{"name", e.name},
                 {"worst", FiniteOrInf(e.worst)},
                 {"index", e.index},
                 {"rounding", FiniteOrInf(e.rounding)},
                 {"agrees", e.agrees}};
    if (e.element > 0) {
      json["element"] = FiniteOrInf(e.element);
      json["element_index"] = e.element_index;
    }
    if (e.quantum > 0) {
      json["quantum"] = e.quantum;
      json["quanta"] = FiniteOrInf(e.Quanta());
      json["allowed_quanta"] = FiniteOrInf(e.AllowedQuanta());
    }
    outputs.push_back(std::move(json));
  }
  return outputs;
}

std::string ErrorsText(const std::vector<OutputError>& errors) {
  const bool rounding =
      std::any_of(errors.begin(), errors.end(), [](const OutputError& e) { return e.rounding > 0 || e.quantum > 0; });
  std::vector<std::string> head = {"output", "> max|y-r|/max|r|", "> at element"};
  if (rounding) head.emplace_back("> rounding allows");
  const bool elements = std::any_of(errors.begin(), errors.end(), [](const OutputError& e) { return e.element > 0; });
  if (elements) head.insert(head.end(), {"> element's error/allowed", "> at element"});
  head.emplace_back("verdict");
  Table table(std::move(head));
  for (const OutputError& e : errors) {
    std::vector<std::string> row = {e.name, fmt::format("{:.2e}", e.worst), fmt::format("{}", e.index)};
    if (rounding) row.push_back(RoundingText(e));
    if (elements) row.insert(row.end(), {fmt::format("{:.2e}", e.element), fmt::format("{}", e.element_index)});
    row.emplace_back(e.agrees ? "agrees" : "DIFFERS");
    table.Add(std::move(row));
  }
  return table.ToText();
}

}  // namespace hone
