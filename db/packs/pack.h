// A pack: records that travel together, and what they are (docs/formats.md).
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "db/record.h"

namespace hone {

// How the records of a pack were chosen from a store, so that whoever has the logs can do it again.
struct PackRecipe {
  bool best = true;                 // one of each workload, machine, target CPU, threads and cache mode
  std::vector<std::string> models;  // only their tasks
  std::string device, cpu;          // as in RecordQuery
  int threads = 0;                  // 0: any
  int64_t since_unix_ms = 0;        // 0: any
  bool operator==(const PackRecipe&) const = default;
};

struct PackMachine {
  std::string fingerprint;  // its text; of machines that have none their CPU model
  int64_t records = 0;
  bool operator==(const PackMachine&) const = default;
};

struct PackManifest {
  std::string name;    // 1 to 64 letters, digits, '-', '_' and '.'
  int64_t serial = 0;  // of packs of one name the greater is the newer
  std::string by;      // who made it, as they say
  std::string hone_version;
  int64_t newest_unix_ms = 0;  // of its records
  int64_t workloads = 0, records = 0;
  std::vector<PackMachine> machines;  // sorted by fingerprint
  std::string log_sha256;             // of the log in it
  PackRecipe recipe;
  bool operator==(const PackManifest&) const = default;
};

struct RecordPack {
  PackManifest manifest;
  std::vector<Record> records;  // sorted by workload, then id
};

// What the pack is asked to say of itself.
struct PackName {
  std::string name;
  int64_t serial = 0;  // 0: its newest record's time in seconds
  std::string by;
};

struct WrittenPack {
  std::string bytes;  // the file's
  PackManifest manifest;
};
// Of the records that `each` gives its argument, sorted by workload, then id, none twice: of these none is held. Throws
// Error(kUsage) for a name that cannot be, no records, or too many bytes.
using EachPackRecord = std::function<void(const std::function<void(const Record& record)>& take)>;
WrittenPack MakePack(const PackName& name, const PackRecipe& recipe, const EachPackRecord& each);
// The file's bytes alone: the same for the same records, whatever their order.
std::string WritePack(const PackName& name, const PackRecipe& recipe, std::vector<Record> records);

// The manifest as it stands in the pack: one line of JSON.
std::string ManifestText(const PackManifest& manifest);

// Whether the file begins as a pack does; false when it is not there.
bool IsPackFile(const std::string& path);

// Reads a pack of at most kMostPackBytes, compressed or not, and believes nothing: hashes, counts, order and every
// record's id. Throws Error(kBadData) when anything is not right: then nothing of it may be used.
RecordPack ReadPack(std::string_view bytes);
// The same, and keeps the manifest alone.
PackManifest ReadPackManifest(std::string_view bytes);
inline constexpr int64_t kMostPackBytes = int64_t{256} << 20;
inline constexpr int kPackVersion = 1;

}  // namespace hone
