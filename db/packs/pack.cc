#include "db/packs/pack.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <tuple>

#include "core/error.h"
#include "core/hash/hash.h"
#include "core/json/json_fields.h"
#include "core/machine/fingerprint.h"
#include "core/text/parse_number.h"
#include "db/packs/deflate.h"
#include "db/record_log.h"

namespace hone {
namespace {

constexpr std::string_view kMagic = "HONEPACK";
constexpr size_t kPackHeaderBytes = 8 + 4 + 8 + 64;  // magic, version, body bytes, body's SHA-256 in hex
constexpr size_t kMostName = 64;

[[noreturn]] void RefusePack(const std::string& why) { throw Error(ExitCode::kBadData, "the pack is refused: " + why); }

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

void RequireRoom(size_t bytes) {
  if (static_cast<int64_t>(bytes) <= kMostPackBytes) return;
  throw Error(ExitCode::kUsage,
              fmt::format("the pack would hold more than {} bytes, the most there may be", kMostPackBytes));
}

bool IsName(std::string_view name) {
  const auto fits = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_' ||
           c == '.';
  };
  return !name.empty() && name.size() <= kMostName && std::all_of(name.begin(), name.end(), fits);
}

void Sort(std::vector<Record>& records) {
  std::map<std::string, std::string> workloads;  // making the text is expensive
  for (const Record& record : records) workloads[record.id] = record.candidate.workload.ToText();
  std::sort(records.begin(), records.end(), [&](const Record& a, const Record& b) {
    return std::tie(workloads[a.id], a.id) < std::tie(workloads[b.id], b.id);
  });
  records.erase(std::unique(records.begin(), records.end(), [](const auto& a, const auto& b) { return a.id == b.id; }),
                records.end());
}

// The first line of every log.
std::string LogHeader() {
  std::ostringstream log;
  WriteLog({}, log);
  return std::move(log).str();
}

std::string MachineOf(const Record& record) {
  const Fingerprint fingerprint = FingerprintOf(record.measurement.environment);
  return fingerprint.known() ? fingerprint.ToText() : record.measurement.environment.cpu_model;
}

// The manifest's entries that follow from the records, which come in a pack's order.
class Description {
 public:
  // Returns false if the record is out of order.
  bool Add(const Record& record) {
    std::string workload = record.candidate.workload.ToText();
    const bool is_new = workload != workload_;
    if (std::tie(workload_, id_) >= std::tie(workload, record.id)) return false;
    manifest_.workloads += is_new ? 1 : 0;
    workload_ = std::move(workload);
    id_ = record.id;
    ++machines_[MachineOf(record)];
    versions_.insert(record.hone_version);
    manifest_.newest_unix_ms = std::max(manifest_.newest_unix_ms, record.unix_ms);
    ++manifest_.records;
    return true;
  }

  PackManifest Of(std::string log_sha256) const {
    PackManifest manifest = manifest_;
    manifest.hone_version = fmt::format("{}", fmt::join(versions_, ","));
    for (const auto& [fingerprint, count] : machines_) manifest.machines.push_back({fingerprint, count});
    manifest.log_sha256 = std::move(log_sha256);
    return manifest;
  }

 private:
  PackManifest manifest_;
  std::string workload_, id_;  // of the last record
  std::map<std::string, int64_t> machines_;
  std::set<std::string> versions_;
};

// The log of a pack, held compressed: the manifest precedes it but is known only after all records.
class HeldLog {
 public:
  void Add(std::string_view text) {
    size_ += text.size();
    RequireRoom(size_);
    hash_.Add(text.data(), text.size());
    deflater_.Add(text);
  }
  size_t size() const { return size_; }
  std::string Sha256() const { return ToHex(hash_.Digest()); }
  // Called once, when the log is complete.
  void Each(const std::function<void(std::string_view piece)>& take) { InflateInPieces(deflater_.Finish(), take); }

 private:
  size_t size_ = 0;
  Sha256Stream hash_;
  Deflater deflater_{Deflater::Effort::kFast};
};

// The bytes of a pack's file.
std::string Packed(const std::string& manifest, HeldLog& log) {
  const size_t size = manifest.size() + log.size();
  RequireRoom(size);
  Sha256Stream hash;
  Deflater body(Deflater::Effort::kSmallest);
  const auto take = [&](std::string_view piece) {
    hash.Add(piece.data(), piece.size());
    body.Add(piece);
  };
  take(manifest);
  log.Each(take);
  return std::string(kMagic) + LittleEndian(kPackVersion, 4) + LittleEndian(size, 8) + ToHex(hash.Digest()) +
         body.Finish();
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
  if (TextField(json, "format") != "hone-pack") RefusePack("its manifest is of another format");
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
  if (!IsName(m.name)) RefusePack("it has no name that could be");
  return m;
}

// The body behind the header, checked against it.
std::string BodyOf(std::string_view bytes) {
  if (bytes.size() < kPackHeaderBytes || !bytes.starts_with(kMagic)) RefusePack("it is no hone pack, or cut");
  const uint64_t version = FromLittleEndian(bytes.substr(8, 4));
  if (version != kPackVersion) RefusePack(fmt::format("it has version {}; this hone reads {}", version, kPackVersion));
  const uint64_t size = FromLittleEndian(bytes.substr(12, 8));
  if (size > static_cast<uint64_t>(kMostPackBytes)) RefusePack(fmt::format("it would become {} bytes", size));
  std::string body = Inflate(bytes.substr(kPackHeaderBytes), static_cast<size_t>(size));
  if (Sha256Hex(body) != bytes.substr(20, 64)) RefusePack("its content is not what its header says");
  return body;
}

// Visits the log's records. Every line must be a record in its canonical form.
void VisitRecords(std::string_view log, const std::function<void(Record record)>& visit) {
  if (!log.ends_with('\n')) RefusePack("its log is cut");
  const std::string header = LogHeader();
  if (!log.starts_with(header)) RefusePack("its log begins otherwise than a log does");
  log.remove_prefix(header.size());
  if (log.empty()) RefusePack("its log is cut");
  for (size_t end = log.find('\n'); end != log.npos; end = log.find('\n')) {
    Record record = RecordFromJson(ParseJson(log.substr(0, end), "a record of the pack"));
    if (TextOfRecord(record).json != log.substr(0, end))
      RefusePack("its records are not in their canonical form and order");
    visit(std::move(record));
    log.remove_prefix(end + 1);
  }
}

// Calls `visit` with every record before the whole pack was checked.
PackManifest Read(std::string_view bytes, const std::function<void(Record record)>& visit) {
  const std::string body = BodyOf(bytes);
  const size_t end = body.find('\n');
  if (end == std::string::npos) RefusePack("it has no log");
  PackManifest manifest = ManifestFromJson(ParseJson(std::string_view(body).substr(0, end), "the pack's manifest"));
  const std::string_view log = std::string_view(body).substr(end + 1);
  Description description;
  VisitRecords(log, [&](Record record) {
    if (!description.Add(record)) RefusePack("its records are not in their canonical form and order");
    visit(std::move(record));
  });
  PackManifest described = description.Of(Sha256Hex(log));
  described.name = manifest.name;
  described.serial = manifest.serial;
  described.by = manifest.by;
  described.recipe = manifest.recipe;
  if (described != manifest) RefusePack("its manifest says other things than its records");
  return manifest;
}

}  // namespace

std::string ManifestText(const PackManifest& manifest) { return DumpJson(ToJson(manifest)); }

bool IsPackFile(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::string magic(kMagic.size(), '\0');
  in.read(magic.data(), static_cast<std::streamsize>(magic.size()));
  return in && magic == kMagic;
}

WrittenPack MakePack(const PackName& name, const PackRecipe& recipe, const EachPackRecord& each) {
  if (!IsName(name.name)) {
    throw Error(ExitCode::kUsage,
                fmt::format("a pack cannot be named '{}': 1 to {} letters, digits, -, _ and . are right", name.name,
                            kMostName));
  }
  HeldLog log;
  log.Add(LogHeader());
  Description description;
  each([&](const Record& record) {
    if (!description.Add(record)) throw Error(ExitCode::kBug, "a pack's records are not in its order");
    log.Add(TextOfRecord(record).json);
    log.Add("\n");
  });
  WrittenPack pack;
  PackManifest& manifest = pack.manifest = description.Of(log.Sha256());
  if (manifest.records == 0) throw Error(ExitCode::kUsage, "no record fits, and a pack of none is no pack");
  manifest.name = name.name;
  manifest.serial = name.serial > 0 ? name.serial : std::max<int64_t>(1, manifest.newest_unix_ms / 1000);
  manifest.by = name.by;
  manifest.recipe = recipe;
  pack.bytes = Packed(ManifestText(manifest) + "\n", log);
  return pack;
}

std::string WritePack(const PackName& name, const PackRecipe& recipe, std::vector<Record> records) {
  Sort(records);
  return MakePack(name, recipe, [&records](const auto& take) { std::for_each(records.begin(), records.end(), take); })
      .bytes;
}

RecordPack ReadPack(std::string_view bytes) {
  RecordPack pack;
  pack.manifest = Read(bytes, [&pack](Record record) { pack.records.push_back(std::move(record)); });
  return pack;
}

PackManifest ReadPackManifest(std::string_view bytes) {
  return Read(bytes, [](const Record&) {});
}

}  // namespace hone
