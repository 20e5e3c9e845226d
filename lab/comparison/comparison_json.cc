#include "lab/comparison/comparison_json.h"

#include "lab/comparison/likeness.h"

namespace hone {
namespace {

Json TimeJson(const ComparedTime& time) {
  return {{"ns", time.ns}, {"interval_ns", Json::array({time.low_ns, time.high_ns})}, {"samples", time.samples}};
}

Json RoofsJson(const MachineRoofs& roofs) {
  return {{"gflops", roofs.gflops}, {"read_gbps", roofs.read_gbps}, {"measured", roofs.measured}};
}

Json DeviceJson(const ComparedDevice& device) {
  Json json = {{"device", device.name},
               {"machine", device.machine},
               {"id", device.short_id},
               {"runners", device.runners},
               {"cpu", device.target.cpu},
               {"target", device.target.ToText()},
               {"threads", device.threads},
               {"cache", device.cache},
               {"emulated", device.emulated},
               {"roofs", RoofsJson(device.roofs)},
               {"environment", ToJson(device.environment)}};
  if (device.price_per_hour > 0) json["price_per_hour"] = device.price_per_hour;
  return json;
}

Json LayerJson(const ComparedLayer& layer, const MachineRoofs& roofs) {
  Json json = {{"name", layer.name},       {"op", layer.op},     {"nodes", layer.nodes},
               {"knobs", layer.has_knobs}, {"uses", layer.uses}, {"origin", TimeOriginName(layer.origin)}};
  json.update(TimeJson(layer.time));
  json["gflops"] = GflopsOf(layer.flops, layer.time.ns);
  json["fma_share"] = FmaShare(roofs, layer.flops, layer.time.ns);
  json["bandwidth_share"] = BandwidthShare(roofs, layer.bytes, layer.time.ns);
  json["schedule"] = layer.schedule;
  json["config"] = layer.config;
  json["source"] = layer.source;
  json["trials"] = layer.trials;
  return json;
}

Json StandingJson(const Standing& standing) {
  Json json = {{"reference", standing.is_reference}, {"unlike", standing.unlike}};
  if (standing.ratio > 0) {
    json["ratio"] = standing.ratio;
    json["over_layers"] = standing.over;
    json["of_layers"] = standing.of;
  }
  return json;
}

Json CellJson(const Comparison& c, size_t device, size_t model, const Standing& standing) {
  const ComparedCell& cell = c.At(device, model);
  const MachineRoofs& roofs = c.devices[device].roofs;
  Json json = {{"device", device}, {"model", model}, {"origin", TimeOriginName(cell.origin)}};
  json.update(TimeJson(cell.time));
  json["layers_with_knobs"] = cell.tasks;
  json["covered"] = cell.covered;
  json["estimated_ns"] = cell.estimated_ns;
  json["gflops"] = GflopsOf(cell.flops, cell.time.ns);
  json["fma_share"] = FmaShare(roofs, cell.flops, cell.time.ns);
  json["bandwidth_share"] = BandwidthShare(roofs, cell.bytes, cell.time.ns);
  json["precision"] = cell.precision;
  json["hone_versions"] = cell.versions;
  json["noisy"] = cell.why_noisy;
  if (const double images = ImagesPerMoney(c.devices[device], c.models[model], cell); images > 0)
    json["images_per_money"] = images;
  if (cell.joules_per_image > 0) json["joules_per_image"] = cell.joules_per_image;
  json.update(StandingJson(standing));
  json["layers"] = Json::array();
  for (const ComparedLayer& layer : cell.layers) json["layers"].push_back(LayerJson(layer, roofs));
  return json;
}

Json NumberOrNull(const std::optional<double>& number) { return number ? Json(*number) : Json(nullptr); }

Json PortabilityJson(const Portability& p, size_t model) {
  Json json = {{"model", model}, {"origin", TimeOriginName(p.origin)}, {"configs", Json::array()}};
  for (size_t from = 0; from < p.devices.size(); ++from) {
    Json row = {{"of_device", p.devices[from]}, {"portability", NumberOrNull(PerformancePortability(p, from))}};
    row["on"] = Json::array();
    for (size_t to = 0; to < p.devices.size(); ++to) {
      const PortedTime& time = p.times[from][to];
      row["on"].push_back({{"device", p.devices[to]},
                           {"efficiency", NumberOrNull(time.Efficiency())},
                           {"own_ns", time.own_ns},
                           {"ported_ns", time.ported_ns},
                           {"interval_ns", {time.low_ns, time.high_ns}},
                           {"samples", time.samples},
                           {"why_not", time.why_not},
                           {"layers", time.layers},
                           {"failed", time.failed},
                           {"of_layers", time.of}});
    }
    json["configs"].push_back(std::move(row));
  }
  return json;
}

}  // namespace

Json ToJson(const ComparisonReport& report) {
  const Comparison& c = report.comparison;
  Json json = {{"format", "hone-comparison"}, {"version", kComparisonVersion}};
  json["models"] = json["devices"] = json["cells"] = json["portability"] = Json::array();
  for (const ComparedModel& model : c.models)
    json["models"].push_back({{"model", model.name}, {"images", model.images}});
  for (const ComparedDevice& device : c.devices) json["devices"].push_back(DeviceJson(device));
  for (size_t model = 0; model < c.models.size(); ++model) {
    const std::vector<Standing> standings = StandingsOf(c, model, report.accepted);
    for (size_t device = 0; device < c.devices.size(); ++device) {
      json["cells"].push_back(CellJson(c, device, model, standings[device]));
    }
  }
  for (size_t model = 0; model < report.portability.size(); ++model) {
    json["portability"].push_back(PortabilityJson(report.portability[model], model));
  }
  return json;
}

}  // namespace hone
