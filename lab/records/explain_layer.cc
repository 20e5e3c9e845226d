#include "lab/records/explain_layer.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <set>
#include <utility>

#include "compiler/passes/graph/anchor_result.h"
#include "core/error.h"
#include "core/text/parse_number.h"
#include "core/text/printable.h"
#include "core/text/spelling.h"
#include "lab/machine/device_name.h"
#include "lab/text/dispatch_table.h"
#include "lab/text/number_text.h"
#include "lab/text/table.h"

namespace hone {
namespace {

using ReasonCounts = std::vector<std::pair<std::string, int>>;

constexpr size_t kMostReasons = 5;

const ConfigChoice& ChosenOf(const ChosenLayer& layer) { return layer.ways.at(layer.chosen).choice; }

std::string OrRowMajor(const std::string& layout) { return layout.empty() ? "row-major" : layout; }

std::string LayoutsText(const LayerWay& way) {
  return fmt::format("reads {}, writes {}", OrRowMajor(way.data), OrRowMajor(way.output));
}

std::string RoundedNs(double ns) { return TimeText(std::llround(ns)); }

// The reasons why other records are not taken, without their details, the commonest first.
ReasonCounts PassedOver(const LayerExplanation& e) {
  std::map<std::string, int> counts;
  for (const ConsideredRecord& considered : e.why->considered) {
    if (e.record && considered.row.id.view() == e.record->id) continue;
    const bool best = considered.verdict == ConsideredRecord::Verdict::kTaken;
    const std::string reason = best ? "faster by itself, in other layouts" : ReasonText(considered, *e.why);
    ++counts[reason.substr(0, reason.find(": "))];
  }
  ReasonCounts sorted(counts.begin(), counts.end());
  std::stable_sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
  return sorted;
}

std::string PassedOverText(const LayerExplanation& e) {
  const ReasonCounts reasons = PassedOver(e);
  if (reasons.empty()) return "no other record was considered\n";
  int records = 0, others = 0;
  std::vector<std::string> parts;
  for (const auto& [reason, count] : reasons) {
    records += count;
    if (parts.size() < kMostReasons) {
      parts.push_back(fmt::format("{} {}", count, reason));
    } else {
      others += count;
    }
  }
  if (others > 0) parts.push_back(fmt::format("{} for other reasons", others));
  return fmt::format("passed over: {}: {}\n", Counted(records, "record"), fmt::join(parts, "; "));
}

std::string RecordText(const LayerExplanation& e) {
  const ConfigChoice& choice = ChosenOf(e.choice);
  if (!e.record) {
    const bool others = !e.why->considered.empty();
    return fmt::format("no record{}: the analytic default, estimated {}\n", others ? " may be used here" : "",
                       RoundedNs(e.ns()));
  }
  const Record& r = *e.record;
  const std::string loss = LossText(e.loss);
  return fmt::format("record {} ({}): of {}, measured on {}, {}\n", r.id, choice.source, e.origin,
                     e.taken ? RankText(e.taken->row.rank) : "a machine", DeviceName(r)) +
         fmt::format("measured: {}, least of {}, {} cache, {}, hone {}, run {}{}{}\n", TimeText(r.measurement.MinNs()),
                     Counted(r.measurement.samples_ns.size(), "sample"), CacheModeName(r.timing.cache),
                     Counted(r.threads, "thread"), r.hone_version, r.session.empty() ? "-" : r.session,
                     r.finals.held > 0 ? fmt::format(", finals: place {}", r.finals.place) : "",
                     loss.empty() ? "" : "; expected loss here " + loss);
}

std::string OwnBestText(const LayerExplanation& e) {
  const LayerWay &own = e.choice.ways.front(), &chosen = e.choice.ways[e.choice.chosen];
  if (e.choice.chosen == 0) {
    return fmt::format("layouts: {}, as the layer's own best{}\n", LayoutsText(chosen),
                       e.choice.ways.size() == 1 ? "; no kernel has others" : "");
  }
  const double with_ns = e.network_ns_with.front();
  return fmt::format("layouts: {}, for the network's sake\n", LayoutsText(chosen)) +
         fmt::format("the layer's own best {}: {} instead of {} by itself\n", LayoutsText(own), RoundedNs(own.cost_ns),
                     RoundedNs(chosen.cost_ns)) +
         fmt::format("with it the network would take {} instead of {}, {:.2g} % more\n", RoundedNs(with_ns),
                     RoundedNs(e.network_ns), 100 * (with_ns / e.network_ns - 1));
}

std::string WaysText(const LayerExplanation& e) {
  if (e.choice.ways.size() < 2) return "";
  Table table({"reads", "writes", "> by itself", "> network", "source", "schedule", "config", ""});
  for (size_t i = 0; i < e.choice.ways.size(); ++i) {
    const LayerWay& way = e.choice.ways[i];
    table.Add({OrRowMajor(way.data), OrRowMajor(way.output), RoundedNs(way.cost_ns),
               e.network_ns_with.empty() ? "-" : RoundedNs(e.network_ns_with[i]), way.choice.source,
               way.choice.schedule, way.choice.config.ToText(), i == e.choice.chosen ? "<- taken" : ""});
  }
  return "\n" + table.ToText();
}

// The kernels for runs that need only a part of the layer's result.
std::string VariantsText(const LayerExplanation& e) {
  const LayerWay& way = e.choice.ways[e.choice.chosen];
  if (way.variants.empty()) return "";
  Table table({"runs of at most", "source", "schedule", "config", "> expected"});
  const auto add = [&](const std::string& most, const ConfigChoice& choice) {
    table.Add({most, choice.source, choice.schedule, choice.config.ToText(), TimeText(choice.expected_ns)});
  };
  for (const AnchorVariant& variant : way.variants) add(ShapeText(variant.most), variant.choice);
  add(ShapeText(ResultShape(*e.choice.layer.workload)), way.choice);
  return "\n" + table.ToText();
}

// Every name by which a layer may be called, with the layer.
using NamedLayers = std::vector<std::pair<std::string, size_t>>;

NamedLayers NamesOf(const std::vector<ChosenLayer>& layers) {
  NamedLayers names;
  for (size_t i = 0; i < layers.size(); ++i) {
    for (const std::string& node : layers[i].layer.nodes) names.emplace_back(node, i);
    if (layers[i].layer.nodes.empty()) names.emplace_back(layers[i].layer.op, i);
  }
  return names;
}

NamedLayers WorkloadsOf(const std::vector<ChosenLayer>& layers) {
  NamedLayers names;
  for (size_t i = 0; i < layers.size(); ++i) names.emplace_back(layers[i].layer.name, i);
  return names;
}

std::set<size_t> Matching(const NamedLayers& names, const std::function<bool(const std::string& name)>& matches) {
  std::set<size_t> found;
  for (const auto& [name, layer] : names) {
    if (matches(name)) found.insert(layer);
  }
  return found;
}

std::string NearText(const NamedLayers& names, const std::string& what) {
  constexpr size_t kNear = 3;
  std::vector<std::string> near;
  for (const auto& [name, layer] : names) near.push_back(name);
  std::sort(near.begin(), near.end());
  near.erase(std::unique(near.begin(), near.end()), near.end());
  std::stable_sort(near.begin(), near.end(), [&](const std::string& a, const std::string& b) {
    return EditDistance(a, what) < EditDistance(b, what);
  });
  near.resize(std::min(near.size(), kNear));
  return near.empty() ? "" : fmt::format("; near ones: {}", fmt::join(near, ", "));
}

std::string SeveralText(const std::vector<ChosenLayer>& layers, const std::set<size_t>& found) {
  constexpr size_t kMostShown = 10;
  std::vector<std::string> shown;
  for (const size_t layer : found) {
    if (shown.size() < kMostShown) shown.push_back(fmt::format("{} {}", layer, NameOf(layers[layer].layer)));
  }
  return fmt::format("{}{}", fmt::join(shown, ", "), found.size() > shown.size() ? ", ..." : "");
}

}  // namespace

std::string NameOf(const Layer& layer) { return layer.nodes.empty() ? layer.op : layer.nodes.front(); }

size_t FindLayer(const std::vector<ChosenLayer>& layers, const std::string& what, const std::string& model) {
  const NamedLayers names = NamesOf(layers);
  std::set<size_t> found = Matching(names, [&](const std::string& name) { return name == what; });
  if (found.empty()) {
    const std::optional<int64_t> index = ParseInteger(what);
    if (index && *index >= 0 && static_cast<size_t>(*index) < layers.size()) return static_cast<size_t>(*index);
    const auto has_part = [&](const std::string& name) { return name.find(what) != std::string::npos; };
    found = Matching(names, has_part);
    if (found.empty()) found = Matching(WorkloadsOf(layers), has_part);
  }
  if (found.size() == 1) return *found.begin();
  if (found.empty()) {
    throw Error(
        ExitCode::kNoInput,
        fmt::format("no layer of {} has '{}' in a node's name or its workload{}; `hone explain {}` lists its {} "
                    "layers",
                    model, what, NearText(names, what), ShellWord(model), layers.size()));
  }
  throw Error(ExitCode::kUsage,
              fmt::format("'{}' is in the names or workloads of {} layers of {}: {}; a whole name or an index "
                          "would be right",
                          what, found.size(), model, SeveralText(layers, found)));
}

bool LayerExplanation::timed_here() const { return record && taken && taken->row.rank <= 1; }

namespace {

// Says which record the chosen way has, and why none of the others.
void ExplainRecords(LayerExplanation& e, const Machine& machine, const RecordLayers& layers,
                    const RecordConfigSource& source) {
  e.why = AskWhy({*e.choice.layer.workload, 1, e.choice.layer.nodes}, machine, layers, source);
  const std::string& id = ChosenOf(e.choice).record;
  if (id.empty()) return;
  e.record = layers.Get(id);
  for (size_t i = 0; i < e.why->considered.size(); ++i) {
    if (e.why->considered[i].row.id.view() != id) continue;
    e.taken = e.why->considered[i];
    e.origin = layers.OriginOf(e.taken->row);
    e.loss = e.why->losses[i];
  }
}

}  // namespace

LayerExplanation ExplainLayer(const ChosenLayers& choices, size_t layer, const Machine& machine,
                              const RecordLayers& layers, const RecordConfigSource& source, const MachineRoofs& roofs) {
  LayerExplanation e;
  e.index = layer;
  e.layers = choices.layers().size();
  e.choice = choices.layers().at(layer);
  if (e.choice.ways.empty()) return e;
  e.network_ns = choices.network_ns();
  if (e.network_ns > 0) {
    for (size_t way = 0; way < e.choice.ways.size(); ++way) {
      e.network_ns_with.push_back(choices.NetworkNsWith(layer, way));
    }
  }
  ExplainRecords(e, machine, layers, source);
  const ConfigChoice& chosen = ChosenOf(e.choice);
  const BuildContext& context = machine.context;
  e.bounds = BoundsOf({*e.choice.layer.workload, chosen.schedule, chosen.config, context.target}, context.threads,
                      roofs, e.timed_here() ? e.ns() : 0);
  return e;
}

std::string LayerText(const LayerExplanation& e, const Machine& machine) {
  const Layer& layer = e.choice.layer;
  std::string text = fmt::format("layer {} of {}: {} ({})\n", e.index, e.layers, NameOf(layer), layer.op);
  if (layer.nodes.size() > 1) text += fmt::format("computes {}\n", fmt::join(layer.nodes, ", "));
  if (e.choice.ways.empty()) {
    return text + fmt::format("a kernel without knobs: no record applies; it moves {}\n",
                              BytesText(std::llround(layer.bytes)));
  }
  const ConfigChoice& choice = ChosenOf(e.choice);
  text += fmt::format("{}\nfor {}, {}: {} {}\n\n", layer.name, machine.context.target.cpu,
                      Counted(machine.context.threads, "thread"), choice.schedule, choice.config.ToText());
  text += RecordText(e) + PassedOverText(e) + "\n" + OwnBestText(e) + WaysText(e) + VariantsText(e) + "\n";
  return text + BoundsText(*e.bounds);
}

namespace {

Json WayJson(const LayerWay& way) {
  Json json = {{"data_layout", way.data},         {"output_layout", way.output},
               {"schedule", way.choice.schedule}, {"config", way.choice.config.ToText()},
               {"source", way.choice.source},     {"record", way.choice.record},
               {"expected_ns", way.cost_ns}};
  for (const AnchorVariant& variant : way.variants) {
    json["variants"].push_back({{"most", variant.most},
                                {"schedule", variant.choice.schedule},
                                {"config", variant.choice.config.ToText()},
                                {"source", variant.choice.source},
                                {"record", variant.choice.record},
                                {"expected_ns", variant.choice.expected_ns}});
  }
  return json;
}

Json NamesJson(size_t index, const Layer& layer) {
  return {{"index", index},
          {"nodes", layer.nodes},
          {"op", layer.op},
          {"workload", layer.workload ? layer.workload->ToText() : ""}};
}

Json TakenJson(const LayerExplanation& e) {
  const Record& r = *e.record;
  return {{"record", r.id},
          {"origin", e.origin},
          {"device", DeviceName(r)},
          {"threads", r.threads},
          {"min_ns", r.measurement.MinNs()},
          {"samples", r.measurement.samples_ns.size()},
          {"cache", CacheModeName(r.timing.cache)},
          {"finals_place", r.finals.place},
          {"expected_loss", LossJson(e.loss)}};
}

}  // namespace

Json LayerJson(const LayerExplanation& e, const RecordLayers& layers) {
  Json json = NamesJson(e.index, e.choice.layer);
  if (e.choice.ways.empty()) return json;
  Json ways = Json::array();
  for (size_t i = 0; i < e.choice.ways.size(); ++i) {
    Json way = WayJson(e.choice.ways[i]);
    way["taken"] = i == e.choice.chosen;
    if (!e.network_ns_with.empty()) way["network_ns"] = e.network_ns_with[i];
    ways.push_back(std::move(way));
  }
  json["network_ns"] = e.network_ns;
  json["ways"] = ways;
  json["record"] = e.record ? TakenJson(e) : Json();
  json["considered"] = WhyJson(*e.why, layers)["considered"];
  json["bounds"] = BoundsJson(*e.bounds);
  return json;
}

std::string LayerListText(const ChosenLayers& choices) {
  Table table({"> layer", "node", "op", "shape", "layouts", "schedule", "source", "> expected"});
  const std::vector<ChosenLayer>& layers = choices.layers();
  for (size_t i = 0; i < layers.size(); ++i) {
    const auto& [layer, ways, chosen] = layers[i];
    std::vector<std::string> row = {fmt::format("{}", i), NameOf(layer), layer.op};
    if (!ways.empty()) {
      const LayerWay& way = ways[chosen];
      const std::vector<std::string> kernel = {WorkloadShapeText(layer.name),
                                               fmt::format("{} -> {}", OrRowMajor(way.data), OrRowMajor(way.output)),
                                               way.choice.schedule, way.choice.source, RoundedNs(way.cost_ns)};
      row.insert(row.end(), kernel.begin(), kernel.end());
    }
    table.Add(std::move(row));
  }
  return table.ToText();
}

Json LayerListJson(const ChosenLayers& choices) {
  Json list = Json::array();
  const std::vector<ChosenLayer>& layers = choices.layers();
  for (size_t i = 0; i < layers.size(); ++i) {
    Json row = NamesJson(i, layers[i].layer);
    if (!layers[i].ways.empty()) row.update(WayJson(layers[i].ways[layers[i].chosen]));
    list.push_back(std::move(row));
  }
  return {{"network_ns", choices.network_ns()}, {"layers", list}};
}

}  // namespace hone
