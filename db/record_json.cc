#include <fmt/format.h>

#include "core/error.h"
#include "core/json_fields.h"
#include "core/layout.h"
#include "db/record_log.h"

namespace hone {
namespace {

Json ToJson(const FinalsPart& finals) {
  Json json = {
      {"held", finals.held}, {"round", finals.round}, {"place", finals.place}, {"incumbent", finals.incumbent}};
  if (finals.network_ns > 0) json["network_ns"] = finals.network_ns;
  return json;
}

FinalsPart FinalsPartFromJson(const Json& json) {
  return {IntField(json, "held", 1), IntField(json, "round", 1), IntField(json, "place", 1),
          BoolField(json, "incumbent"), json.contains("network_ns") ? IntegerField(json, "network_ns", 1) : 0};
}

std::string LayoutField(const Json& json, const char* name) { return Layout::Parse(TextField(json, name)).ToText(); }

}  // namespace

Json ToJson(const Record& record) {
  Json json = {{"id", record.id}};
  json.update(ToJson(record.candidate));
  json.update({{"schedule_version", record.schedule_version},
               {"threads", record.threads},
               {"input_layout", record.input_layout},
               {"output_layout", record.output_layout},
               {"measurement", ToJson(record.measurement)},
               {"timing", ToJson(record.timing)},
               {"hone_version", record.hone_version},
               {"llvm_version", record.llvm_version},
               {"artifact_sha256", record.artifact_sha256},
               {"packing_sha256", record.packing_sha256},
               {"unix_ms", record.unix_ms},
               {"session", record.session}});
  // Later than version 0.1's fields: left out where it says nothing, so that the ids of older records stand.
  if (record.finals.held > 0) json["finals"] = ToJson(record.finals);
  return json;
}

Record RecordFromJson(const Json& json) {
  Record record;
  record.id = TextField(json, "id");
  record.candidate = CandidateFromJson(json);
  record.schedule_version = IntField(json, "schedule_version", 1);
  record.threads = IntField(json, "threads", 1);
  record.input_layout = LayoutField(json, "input_layout");
  record.output_layout = LayoutField(json, "output_layout");
  record.measurement = MeasurementFromJson(Field(json, "measurement"));
  record.timing = TimingPolicyFromJson(Field(json, "timing"));
  record.hone_version = TextField(json, "hone_version");
  record.llvm_version = TextField(json, "llvm_version");
  record.artifact_sha256 = TextField(json, "artifact_sha256");
  record.packing_sha256 = TextField(json, "packing_sha256");
  record.unix_ms = IntegerField(json, "unix_ms", 0);
  record.session = TextField(json, "session");
  if (json.contains("finals")) record.finals = FinalsPartFromJson(json["finals"]);
  const std::string right = Finish(record).id;
  if (record.id != right) {
    throw Error(ExitCode::kBadData, fmt::format("field 'id' is '{}', but the content's id is {}", record.id, right));
  }
  return record;
}

}  // namespace hone
