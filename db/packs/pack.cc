#include "db/packs/pack.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <tuple>

#include "core/error.h"
#include "core/fingerprint.h"
#include "core/hash.h"
#include "core/json_fields.h"
#include "core/parse_number.h"
#include "db/packs/deflate.h"
#include "db/record_log.h"

namespace hone {
namespace {

constexpr std::string_view kMagic = "HONEPACK";
constexpr size_t kHeaderBytes = 8 + 4 + 8 + 64;  // magic, version, body bytes, body's SHA-256 in hex
constexpr size_t kMostName = 64;

[[noreturn]] void Refuse(const std::string& why) { throw Error(ExitCode::kBadData, "the pack is refused: " + why); }

std::string LittleEndian(uint64_t number, size_t size) {
  std::string bytes;
  for (size_t i = 0; i < size; ++i) bytes += static_cast<char>(number >> (8 * i) & 0xFFU);
  return bytes;
}

uint64_t FromLittleEndian(std::string_view bytes) {
  uint64_t number = 0;
  for (size_t i = bytes.size(); i-- > 0;) number = number << 8U | static_cast<uint8_t>(bytes[i]);
  return number;
}

bool IsName(std::string_view name) {
  const auto fits = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_' ||
           c == '.';
  };
  return !name.empty() && name.size() <= kMostName && std::all_of(name.begin(), name.end(), fits);
}

void Sort(std::vector<Record>& records) {
  std::map<std::string, std::string> workloads;  // a text is not free
  for (const Record& record : records) workloads[record.id] = record.candidate.workload.ToText();
  std::sort(records.begin(), records.end(), [&](const Record& a, const Record& b) {
    return std::tie(workloads[a.id], a.id) < std::tie(workloads[b.id], b.id);
  });
  records.erase(std::unique(records.begin(), records.end(), [](const auto& a, const auto& b) { return a.id == b.id; }),
                records.end());
}

std::string LogOf(const std::vector<Record>& records) {
  std::ostringstream log;
  WriteLog(records, log);
  return std::move(log).str();
}

std::string MachineOf(const Record& record) {
  const Fingerprint fingerprint = FingerprintOf(record.measurement.environment);
  return fingerprint.known() ? fingerprint.ToText() : record.measurement.environment.cpu_model;
}

// Everything that follows from the records and their log.
PackManifest Describe(const std::vector<Record>& records, const std::string& log) {
  PackManifest manifest;
  std::set<std::string> workloads;
  std::map<std::string, int64_t> machines;
  std::set<std::string> versions;
  for (const Record& record : records) {
    workloads.insert(record.candidate.workload.ToText());
    ++machines[MachineOf(record)];
    versions.insert(record.hone_version);
    manifest.newest_unix_ms = std::max(manifest.newest_unix_ms, record.unix_ms);
  }
  manifest.hone_version = fmt::format("{}", fmt::join(versions, ","));
  manifest.workloads = static_cast<int64_t>(workloads.size());
  manifest.records = static_cast<int64_t>(records.size());
  for (const auto& [fingerprint, count] : machines) manifest.machines.push_back({fingerprint, count});
  manifest.log_sha256 = Sha256Hex(log);
  return manifest;
}

Json ToJson(const PackManifest& m) {
  Json machines = Json::array();
  for (const PackMachine& machine : m.machines) {
    machines.push_back({{"fingerprint", machine.fingerprint}, {"records", machine.records}});
  }
  return {{"format", "hone-pack"},
          {"version", kPackVersion},
          {"name", m.name},
          {"serial", m.serial},
          {"by", m.by},
          {"hone_version", m.hone_version},
          {"newest_unix_ms", m.newest_unix_ms},
          {"workloads", m.workloads},
          {"records", m.records},
          {"machines", machines},
          {"log_sha256", m.log_sha256},
          {"recipe",
           {{"best", m.recipe.best},
            {"models", m.recipe.models},
            {"device", m.recipe.device},
            {"cpu", m.recipe.cpu},
            {"threads", m.recipe.threads},
            {"since_unix_ms", m.recipe.since_unix_ms}}}};
}

PackManifest ManifestFromJson(const Json& json) {
  if (TextField(json, "format") != "hone-pack") Refuse("its manifest is of another format");
  PackManifest m;
  m.name = TextField(json, "name");
  m.serial = IntegerField(json, "serial", 1);
  m.by = TextField(json, "by");
  m.hone_version = TextField(json, "hone_version");
  m.newest_unix_ms = IntegerField(json, "newest_unix_ms", 0);
  m.workloads = IntegerField(json, "workloads", 1);
  m.records = IntegerField(json, "records", 1);
  for (const Json& machine : ArrayField(json, "machines")) {
    m.machines.push_back({TextField(machine, "fingerprint"), IntegerField(machine, "records", 1)});
  }
  m.log_sha256 = TextField(json, "log_sha256");
  const Json& recipe = Field(json, "recipe");
  m.recipe = {BoolField(recipe, "best"), TextsField(recipe, "models"),   TextField(recipe, "device"),
              TextField(recipe, "cpu"),  IntField(recipe, "threads", 0), IntegerField(recipe, "since_unix_ms", 0)};
  if (!IsName(m.name)) Refuse("it has no name that could be");
  return m;
}

// The body behind the header, checked.
std::string BodyOf(std::string_view bytes) {
  if (bytes.size() < kHeaderBytes || !bytes.starts_with(kMagic)) Refuse("it is no hone pack, or cut");
  const uint64_t version = FromLittleEndian(bytes.substr(8, 4));
  if (version != kPackVersion) Refuse(fmt::format("it has version {}; this hone reads {}", version, kPackVersion));
  const uint64_t size = FromLittleEndian(bytes.substr(12, 8));
  if (size > static_cast<uint64_t>(kMostPackBytes)) Refuse(fmt::format("it would become {} bytes", size));
  std::string body = Inflate(bytes.substr(kHeaderBytes), static_cast<size_t>(size));
  if (Sha256Hex(body) != bytes.substr(20, 64)) Refuse("its content is not what its header says");
  return body;
}

// The log's lines; every one must be a record.
std::vector<Record> RecordsOf(std::string_view log) {
  std::vector<Record> records;
  std::vector<std::string_view> lines = Split(log, '\n');
  if (lines.size() < 2 || !lines.back().empty()) Refuse("its log is cut");
  lines.pop_back();
  for (size_t i = 1; i < lines.size(); ++i)
    records.push_back(RecordFromJson(ParseJson(lines[i], "a record of the pack")));
  return records;
}

}  // namespace

std::string ManifestText(const PackManifest& manifest) { return DumpJson(ToJson(manifest)); }

bool IsPackFile(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::string magic(kMagic.size(), '\0');
  in.read(magic.data(), static_cast<std::streamsize>(magic.size()));
  return in && magic == kMagic;
}

std::string WritePack(const PackName& name, const PackRecipe& recipe, std::vector<Record> records) {
  if (!IsName(name.name)) {
    throw Error(ExitCode::kUsage,
                fmt::format("a pack cannot be named '{}': 1 to {} letters, digits, -, _ and . are right", name.name,
                            kMostName));
  }
  if (records.empty()) throw Error(ExitCode::kUsage, "no record fits, and a pack of none is no pack");
  Sort(records);
  const std::string log = LogOf(records);
  PackManifest manifest = Describe(records, log);
  manifest.name = name.name;
  manifest.serial = name.serial > 0 ? name.serial : std::max<int64_t>(1, manifest.newest_unix_ms / 1000);
  manifest.by = name.by;
  manifest.recipe = recipe;
  const std::string body = ManifestText(manifest) + "\n" + log;
  if (static_cast<int64_t>(body.size()) > kMostPackBytes) {
    throw Error(ExitCode::kUsage,
                fmt::format("the pack would hold {} bytes, of at most {}", body.size(), kMostPackBytes));
  }
  return std::string(kMagic) + LittleEndian(kPackVersion, 4) + LittleEndian(body.size(), 8) + Sha256Hex(body) +
         Deflate(body);
}

RecordPack ReadPack(std::string_view bytes) {
  const std::string body = BodyOf(bytes);
  const size_t end = body.find('\n');
  if (end == std::string::npos) Refuse("it has no log");
  RecordPack pack;
  pack.manifest = ManifestFromJson(ParseJson(std::string_view(body).substr(0, end), "the pack's manifest"));
  const std::string log = body.substr(end + 1);
  pack.records = RecordsOf(log);
  std::vector<Record> sorted = pack.records;
  Sort(sorted);
  if (LogOf(sorted) != log) Refuse("its records are not in their canonical form and order");
  PackManifest described = Describe(pack.records, log);
  described.name = pack.manifest.name;
  described.serial = pack.manifest.serial;
  described.by = pack.manifest.by;
  described.recipe = pack.manifest.recipe;
  if (described != pack.manifest) Refuse("its manifest says other things than its records");
  return pack;
}

}  // namespace hone
