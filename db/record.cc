#include "db/record.h"

#include <fmt/format.h>

#include <string_view>
#include <utility>

#include "core/error.h"
#include "core/hash/hash.h"
#include "core/json/json_fields.h"
#include "core/json/value_fields.h"
#include "db/record_log.h"

namespace hone {

void Fields(ReadOrWritten<FinalsPart> auto& finals, auto& field) {
  field("held", finals.held, 1);
  field("round", finals.round, 1);
  field("place", finals.place, 1);
  field("incumbent", finals.incumbent);
  field.Late("network_ns", finals.network_ns, 1);
}

// All fields except the id.
void Fields(ReadOrWritten<Record> auto& record, auto& field) {
  Fields(record.candidate, field);
  field("schedule_version", record.schedule_version, 1);
  field("threads", record.threads, 1);
  field.LayoutText("input_layout", record.input_layout);
  field.LayoutText("output_layout", record.output_layout);
  field.Object("measurement", record.measurement);
  field.Object("timing", record.timing);
  field("hone_version", record.hone_version);
  field("llvm_version", record.llvm_version);
  field("artifact_sha256", record.artifact_sha256);
  field("packing_sha256", record.packing_sha256);
  field("unix_ms", record.unix_ms, 0);
  field("session", record.session);
  field.LateObject("finals", record.finals, record.finals.held > 0);
}

RecordText TextOfRecord(const Record& record) {
  const std::string content = TextOf(record);
  RecordText text;
  text.id = Sha256Hex(content).substr(0, 16);
  text.json = fmt::format(R"({{"id":"{}",{})", text.id, std::string_view(content).substr(1));
  return text;
}

Record Finish(Record record) {
  record.id = TextOfRecord(record).id;
  return record;
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
  FieldWriter field(tree);
  Fields(record, field);
  return tree.Take();
}

Record RecordFromJson(const Json& json) {
  const std::string id = TextField(json, "id");
  auto record = ValueOf<Record>(json);
  record.id = TextOfRecord(record).id;
  if (record.id != id) {
    throw Error(ExitCode::kBadData, fmt::format("field 'id' is '{}', but the content's id is {}", id, record.id));
  }
  return record;
}

}  // namespace hone
