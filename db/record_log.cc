#include "db/record_log.h"

#include <fmt/format.h>

#include <algorithm>
#include <future>
#include <utility>

#include "core/error.h"
#include "core/files/file_kind.h"
#include "core/json/json_fields.h"
#include "core/machine/available_threads.h"
#include "db/foreign/foreign_lines.h"
#include "db/line_reader.h"

namespace hone {
namespace {

constexpr const char* kLogFormat = "hone-log";
constexpr size_t kMaxReasonBytes = 300;
constexpr size_t kForeignBatch = 65536;

bool IsHeader(const Json& json) { return json.is_object() && json.contains("format") && !json.contains("id"); }

void CheckHeader(const Json& json) {
  if (!IsHeader(json) || TextField(json, "format") != kLogFormat) {
    throw Error(ExitCode::kBadData, R"(a log begins with {"format":"hone-log","version":1})");
  }
  const int version = IntField(json, "version");
  if (version != kLogVersion) {
    throw Error(ExitCode::kBadData,
                "the log has version " + std::to_string(version) + "; this hone reads " + std::to_string(kLogVersion));
  }
}

class Import {
 public:
  Import(const std::string& file, RecordStore& store) : file_(file), store_(store), foreign_lines_(file) {}

  void Take(const LineReader& reader) {
    const bool first = !begun_;
    begun_ = true;
    // Otherwise a file of another kind would be refused line by line.
    if (first) RequireLogText(file_, reader.line());
    try {
      if (reader.too_long()) throw Error(ExitCode::kBadData, "the line is longer than 16 MiB");
      if (LooksForeign(reader.line(), !readable_)) {
        TakeForeign(reader.line());
      } else {
        TakeJson(ParseJson(reader.line(), "the line"), first);
      }
    } catch (const Error& error) {
      counts_.refused.push_back({file_, reader.number(), std::string(error.what()).substr(0, kMaxReasonBytes)});
    }
    if (batch_.size() == RecordStore::kAppendBatch || foreign_.size() == kForeignBatch) Flush();
  }

  ImportCounts Done() {
    Flush();
    TakeWritten();
    return std::move(counts_);
  }

 private:
  struct Written {
    int64_t fresh = 0, known = 0;
  };

  // Throws for a line that must be refused.
  void TakeForeign(const std::string& line) {
    if (line.starts_with('#')) return;
    foreign_.push_back(foreign_lines_.Read(line));
    ++counts_.foreign;
    if (foreign_.back().fate != Fate::kOk) ++counts_.foreign_failed;
  }

  // Throws for a line that must be refused.
  void TakeJson(const Json& json, bool first) {
    if (first || IsHeader(json)) {
      readable_ = false;
      CheckHeader(json);
      readable_ = true;
    } else if (readable_) {
      batch_.push_back(RecordFromJson(json));
    }
  }

  // The next batch is read while the store takes this one. Still only one thread uses the store at a time.
  void Flush() {
    TakeWritten();
    if (batch_.empty() && foreign_.empty()) return;
    writing_ = AsideOrLater([this, batch = std::exchange(batch_, {}), foreign = std::exchange(foreign_, {})] {
      Written written;
      written.fresh = store_.Append(batch) + store_.AppendForeign(foreign);
      written.known = static_cast<int64_t>(batch.size() + foreign.size()) - written.fresh;
      return written;
    });
  }

  // Rethrows an exception of the store.
  void TakeWritten() {
    if (!writing_.valid()) return;
    const Written written = writing_.get();
    counts_.fresh += written.fresh;
    counts_.known += written.known;
  }

  const std::string& file_;
  RecordStore& store_;
  ImportCounts counts_;
  std::vector<Record> batch_;
  ForeignLines foreign_lines_;
  std::vector<ForeignTrial> foreign_;
  bool begun_ = false;     // the first line was read
  bool readable_ = false;  // the last header was valid
  std::future<Written> writing_;
};

void Begin(std::ostream& out) { out << DumpJson({{"format", kLogFormat}, {"version", kLogVersion}}) << '\n'; }

void End(std::ostream& out) {
  out.flush();
  if (!out) throw Error(ExitCode::kIo, "the log could not be written in full");
}

}  // namespace

void RequireLogText(const std::string& file, const std::string& first_line) {
  std::string kind = KindThatIsNeverRead(first_line);
  if (first_line.starts_with("SQLite format 3")) {
    kind = "is a store or another database; `hone log sync` joins two stores";
  }
  if (first_line.starts_with("HONEPACK")) kind = "is a pack; `hone log pull` takes it";
  if (first_line.starts_with("HONEPKG")) kind = "is a package; a log of `hone log export` would be right";
  const auto is_control = [](char c) { return static_cast<unsigned char>(c) < ' ' && c != '\t' && c != '\r'; };
  if (kind.empty() && std::any_of(first_line.begin(), first_line.end(), is_control)) {
    kind = "is no text; a log of `hone log export`, AutoTVM or TopHub would be right";
  }
  if (!kind.empty()) throw Error(ExitCode::kBadData, fmt::format("{} {}", file, kind));
}

ImportCounts ImportLog(std::istream& in, const std::string& file, RecordStore& store) {
  LineReader reader(in);
  Import import(file, store);
  while (reader.Next()) import.Take(reader);
  return import.Done();
}

void WriteLog(const std::vector<Record>& records, std::ostream& out) {
  Begin(out);
  for (const Record& record : records) out << TextOfRecord(record).json << '\n';
  End(out);
}

int64_t ExportLog(const RecordStore& store, const RecordQuery& query, std::ostream& out) {
  int64_t records = 0;
  Begin(out);
  store.EachText(query, [&](const std::string& json) {
    out << json << '\n';
    ++records;
  });
  End(out);
  return records;
}

int64_t ExportLog(const RecordStore& store, const std::vector<std::string>& ids, std::ostream& out) {
  int64_t records = 0;
  Begin(out);
  for (const std::string& id : ids) {
    const std::optional<Record> record = store.Get(id);
    if (!record) continue;
    out << TextOfRecord(*record).json << '\n';
    ++records;
  }
  End(out);
  return records;
}

}  // namespace hone
