#include <fmt/format.h>

#include <utility>

#include "core/error.h"
#include "core/hash/hash.h"
#include "core/json/json_fields.h"
#include "core/json/value_fields.h"
#include "core/layout.h"
#include "db/record_log.h"

namespace hone {

template <typename Sink>
void PutFields(const FinalsPart& finals, Sink& sink) {
  sink.Put("held", finals.held);
  sink.Put("round", finals.round);
  sink.Put("place", finals.place);
  sink.Put("incumbent", finals.incumbent);
  if (finals.network_ns > 0) sink.Put("network_ns", finals.network_ns);
}

// Puts all fields except the id.
template <typename Sink>
void PutFields(const Record& record, Sink& sink) {
  PutFields(record.candidate, sink);
  sink.Put("schedule_version", record.schedule_version);
  sink.Put("threads", record.threads);
  sink.Put("input_layout", record.input_layout);
  sink.Put("output_layout", record.output_layout);
  PutNested("measurement", record.measurement, sink);
  PutNested("timing", record.timing, sink);
  sink.Put("hone_version", record.hone_version);
  sink.Put("llvm_version", record.llvm_version);
  sink.Put("artifact_sha256", record.artifact_sha256);
  sink.Put("packing_sha256", record.packing_sha256);
  sink.Put("unix_ms", record.unix_ms);
  sink.Put("session", record.session);
  // A field added after version 0.1. It is left out if empty, so that the ids of older records stay the same.
  if (record.finals.held > 0) PutNested("finals", record.finals, sink);
}

namespace {

FinalsPart FinalsPartFromJson(const Json& json) {
  return {IntField(json, "held", 1), IntField(json, "round", 1), IntField(json, "place", 1),
          BoolField(json, "incumbent"), json.contains("network_ns") ? IntegerField(json, "network_ns", 1) : 0};
}

std::string LayoutField(const Json& json, const char* name) { return Layout::Parse(TextField(json, name)).ToText(); }

}  // namespace

RecordText TextOfRecord(const Record& record) {
  const std::string content = TextOf(record);
  RecordText text;
  text.id = Sha256Hex(content).substr(0, 16);
  text.json = fmt::format(R"({{"id":"{}",{})", text.id, std::string_view(content).substr(1));
  return text;
}

bool ProvesItself(std::string_view json) {
  constexpr std::string_view kBefore = R"({"id":")", kAfter = "\",";
  constexpr size_t kDigits = 16, kBegin = kBefore.size() + kDigits + kAfter.size();
  if (json.size() < kBegin || !json.starts_with(kBefore)) return false;
  if (json.substr(kBefore.size() + kDigits, kAfter.size()) != kAfter) return false;
  std::string content = "{";
  content += json.substr(kBegin);
  return Sha256Hex(content).compare(0, kDigits, json.substr(kBefore.size(), kDigits)) == 0;
}

Json ToJson(const Record& record) {
  JsonObjectTree tree;
  tree.Put("id", record.id);
  PutFields(record, tree);
  return tree.Take();
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
  const std::string right = TextOfRecord(record).id;
  if (record.id != right) {
    throw Error(ExitCode::kBadData, fmt::format("field 'id' is '{}', but the content's id is {}", record.id, right));
  }
  return record;
}

}  // namespace hone
