#include "lab/verify/node_errors.h"

#include <fmt/format.h>

#include "lab/text/print_json.h"
#include "lab/text/print_verdicts.h"
#include "lab/text/table.h"

namespace hone {
namespace {

Json NodesJson(const std::vector<NodeError>& nodes) {
  Json list = Json::array();
  for (const NodeError& node : nodes) {
    list.push_back({{"call", node.call},
                    {"op", node.op},
                    {"node", node.error.name},
                    {"worst", FiniteOrInf(node.error.worst)},
                    {"index", node.error.index},
                    {"not_finite", node.not_finite},
                    {"agrees", node.error.agrees}});
  }
  return list;
}

Json NameJson(const std::vector<NodeError>& nodes, const std::optional<size_t>& which) {
  return which ? Json(nodes[*which].error.name) : Json();
}

std::string NotFiniteText(const NodeError& node) {
  return fmt::format("not finite first: {} (call {}, {}), {} of its elements; {}\n", node.error.name, node.call,
                     node.op, node.not_finite,
                     node.expected_not_finite == 0
                         ? std::string("those that it is compared with are finite")
                         : fmt::format("{} of those that it is compared with", node.expected_not_finite));
}

}  // namespace

bool ReportNodes(const std::vector<NodeError>& nodes, double tolerance, bool json) {
  const std::optional<size_t> first = FirstDifference(nodes), not_finite = FirstNotFinite(nodes);
  if (json) {
    PrintJson({{"agrees", !first},
               {"tolerance", tolerance},
               {"nodes", NodesJson(nodes)},
               {"first", NameJson(nodes, first)},
               {"first_not_finite", NameJson(nodes, not_finite)}});
    return !first;
  }
  Table table({"> call", "operator", "node", "> max|y-r|/max|r|", "> at element", "verdict"});
  for (const NodeError& node : nodes) {
    table.Add({fmt::format("{}", node.call), node.op, node.error.name, fmt::format("{:.2e}", node.error.worst),
               fmt::format("{}", node.error.index), node.error.agrees ? "agrees" : "DIFFERS"});
  }
  PrintVerdicts(fmt::format("{}{}tolerance {:.0e}: {}\n", table.ToText(),
                            not_finite ? NotFiniteText(nodes[*not_finite]) : "", tolerance,
                            first ? fmt::format("from node {} on (call {}, {}) nothing agrees",
                                                nodes[*first].error.name, nodes[*first].call, nodes[*first].op)
                                  : "the last value agrees"));
  return !first;
}

}  // namespace hone
