// A pack: records that travel together, with their description (docs/reference/formats.md).
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "db/record.h"

namespace hone {

// The selection of a pack's records from a store, so that an owner of the logs can repeat it.
struct PackRecipe {
  bool best = true;                 // one of each workload, machine, target CPU, threads and cache mode
  std::vector<std::string> models;  // only their tasks
  std::string device, cpu;          // as in RecordQuery
  int threads = 0;                  // 0: any
  int64_t since_unix_ms = 0;        // 0: any
  bool operator==(const PackRecipe&) const = default;
};

struct PackMachine {
  std::string fingerprint;  // its text, or the CPU model of machines without one
  int64_t records = 0;
  bool operator==(const PackMachine&) const = default;
};

struct PackManifest {
  std::string name;    // 1 to 64 letters, digits, '-', '_' and '.'
  int64_t serial = 0;  // among packs of one name the greater is the newer
  std::string by;      // the maker, in their own words
  std::string hone_version;
  int64_t newest_unix_ms = 0;  // time of its newest record
  int64_t workloads = 0, records = 0;
  std::vector<PackMachine> machines;  // sorted by fingerprint
  std::string log_sha256;             // of the log in the pack
  PackRecipe recipe;
  bool operator==(const PackManifest&) const = default;
};

struct RecordPack {
  PackManifest manifest;
  std::vector<Record> records;  // sorted by workload, then id
};

// The pack's requested description.
struct PackName {
  std::string name;
  int64_t serial = 0;  // 0: its newest record's time in seconds
  std::string by;
};

struct WrittenPack {
  std::string bytes;  // the file's
  PackManifest manifest;
};
// Makes a pack of the records that `each` passes to its argument, sorted by workload, then id, none twice. It keeps no
// record in memory. Throws Error(kUsage) for an impossible name, no records, or too many bytes.
using EachPackRecord = std::function<void(const std::function<void(const Record& record)>& take)>;
WrittenPack MakePack(const PackName& name, const PackRecipe& recipe, const EachPackRecord& each);
// Returns only the file's bytes. They are the same for the same records in any order.
std::string WritePack(const PackName& name, const PackRecipe& recipe, std::vector<Record> records);

// The manifest as stored in the pack: one line of JSON.
std::string ManifestText(const PackManifest& manifest);

// Whether the file begins as a pack does; false if there is no file.
bool IsPackFile(const std::string& path);

// Reads a pack of at most kMostPackBytes, compressed or not. Checks everything: hashes, counts, order and every
// record's id. Throws Error(kBadData) when anything is wrong; nothing of the pack may then be used.
RecordPack ReadPack(std::string_view bytes);
// Checks the pack as ReadPack does, but keeps only the manifest.
PackManifest ReadPackManifest(std::string_view bytes);
inline constexpr int64_t kMostPackBytes = int64_t{256} << 20;
inline constexpr int kPackVersion = 1;

}  // namespace hone
