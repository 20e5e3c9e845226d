// hone's own log: one record per line, as JSON. docs/reference/formats.md describes it.
#pragma once

#include <functional>
#include <istream>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "core/json/serialize.h"
#include "db/record_store.h"

namespace hone {

inline constexpr int kLogVersion = 1;

// The canonical form of a record's content: DumpJson of its ToJson, made without a tree. The record's own id field is
// ignored.
struct RecordText {
  std::string id;    // of the content
  std::string json;  // with that id
};
RecordText TextOfRecord(const Record& record);
// Whether a text begins with an id that the rest hashes to. It is then a record's canonical form as it was written.
bool ProvesItself(std::string_view json);
Json ToJson(const Record& record);
// Throws Error(kBadData) naming the field; also when the id does not match the content.
Record RecordFromJson(const Json& json);

struct RefusedLine {
  std::string file;
  int64_t line = 0;  // from 1
  std::string reason;
};
struct ImportCounts {
  int64_t fresh = 0, known = 0;
  int64_t foreign = 0, foreign_failed = 0;  // of these: other tuners' trials, and the failed ones among them
  std::vector<RefusedLine> refused;
};
// Throws Error(kBadData) if a file's first line shows that the file is of another kind: a store, a pack, a package, a
// compressed or another binary file. The message begins with the file and names the way on.
void RequireLogText(const std::string& file, const std::string& first_line);
// Reads line by line (at most 16 MiB each). A bad line is refused with its number, and the rest is imported. Accepts
// CRLF and a BOM. The first line names format and version, or is one of another tuner's log; lines of such logs become
// foreign trials wherever they stand. Until ImportLog returns, a thread of its own writes the store, and no other may
// use it. Throws as RequireLogText. Rethrows the store's exceptions; everything appended before then stays.
ImportCounts ImportLog(std::istream& in, const std::string& file, RecordStore& store);
// Throws Error(kIo) when the output could not be written completely.
void WriteLog(const std::vector<Record>& records, std::ostream& out);
// Writes the records of a query. Returns their number.
int64_t ExportLog(const RecordStore& store, const RecordQuery& query, std::ostream& out);
// Writes the records with these ids, in this order. Returns their number.
int64_t ExportLog(const RecordStore& store, const std::vector<std::string>& ids, std::ostream& out);

}  // namespace hone
