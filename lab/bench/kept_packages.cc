#include "lab/bench/kept_packages.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <filesystem>

#include "core/error.h"
#include "core/hash/hash.h"
#include "core/json/json_fields.h"
#include "lab/files/read_file.h"
#include "lab/files/write_file.h"
#include "lab/records/records.h"
#include "lab/text/number_text.h"

namespace hone {
namespace {

namespace fs = std::filesystem;

constexpr const char* kResultEnding = ".json";
constexpr const char* kPackageEnding = ".hone";

struct PackageFile {
  fs::path path;
  fs::file_time_type used;
  int64_t bytes = 0;
};

std::vector<PackageFile> OldestFirst(const std::string& folder) {
  std::vector<PackageFile> files;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(folder, ignored)) {
    if (entry.path().extension() != kPackageEnding) continue;
    files.push_back({entry.path(), entry.last_write_time(ignored), static_cast<int64_t>(entry.file_size(ignored))});
  }
  std::sort(files.begin(), files.end(), [](const PackageFile& a, const PackageFile& b) { return a.used < b.used; });
  return files;
}

}  // namespace

void NameKept(const KeptPackage& kept, BenchResult& result) {
  for (TimedPackage& timed : result.packages) {
    if (timed.path == kept.package) timed.path = "baseline " + kept.name;
  }
}

KeptPackages::KeptPackages(const std::string& db) {
  const std::string store = StorePath(db.find("://") == std::string::npos ? db : "");
  folder_ = (fs::path(store).parent_path() / "kept").string();
}

bool KeptPackages::IsName(const std::string& text) {
  const auto fits = [](unsigned char c) { return std::isalnum(c) != 0 || c == '.' || c == '_' || c == '-'; };
  return !text.empty() && text.size() <= 100 && std::isalnum(static_cast<unsigned char>(text[0])) != 0 &&
         std::all_of(text.begin(), text.end(), fits) && !text.ends_with(kResultEnding);
}

void KeptPackages::RequireName(const std::string& text) {
  if (IsName(text)) return;
  throw Error(
      ExitCode::kUsage,
      fmt::format("--save {}: a name of letters, digits and \"._-\" would be right, as main; it ends in no .json",
                  text));
}

std::optional<KeptPackage> KeptPackages::OfBaseline(const std::string& text) const {
  std::optional<KeptPackage> kept = Find(text);
  if (kept || !IsName(text) || IsThere(text)) return kept;
  const std::vector<std::string> names = Names();
  throw Error(ExitCode::kNoInput,
              fmt::format("--baseline: no package is kept as {0}, and there is no such file; {1}; "
                          "`hone bench P.hone --save {0}` keeps one",
                          text, names.empty() ? "none is kept" : fmt::format("kept are: {}", fmt::join(names, ", "))));
}

std::string KeptPackages::ResultPath(const std::string& name) const { return folder_ + "/" + name + kResultEnding; }

std::string KeptPackages::PackagePath(const std::string& result_path) const {
  const Json result = ParseJson(ReadFile(result_path, InputFile::Use::kOwnOutput), result_path);
  const std::string hash = TextField(result, "kept_sha256");
  if (hash.find_first_not_of("0123456789abcdef") != std::string::npos) {
    throw Error(ExitCode::kBadData, fmt::format("{}: field 'kept_sha256' is no hash", result_path));
  }
  return folder_ + "/" + hash + kPackageEnding;
}

std::optional<KeptPackage> KeptPackages::Find(const std::string& name) const {
  if (!IsName(name) || !IsThere(ResultPath(name))) return std::nullopt;
  KeptPackage kept{name, ResultPath(name), PackagePath(ResultPath(name))};
  std::error_code error;
  fs::last_write_time(kept.package, fs::file_time_type::clock::now(), error);
  if (error) kept.package.clear();
  return kept;
}

std::vector<std::string> KeptPackages::Names() const {
  std::vector<std::string> names;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(folder_, ignored)) {
    if (entry.path().extension() == kResultEnding) names.push_back(entry.path().stem().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

void KeptPackages::Keep(const std::string& name, const std::string& package_bytes, const BenchResult& result) const {
  MakeFolder(folder_);
  const std::string hash = Sha256Hex(package_bytes);
  const std::string package = folder_ + "/" + hash + kPackageEnding;
  if (!IsThere(package)) WriteFileAtomically(package, package_bytes);
  std::error_code ignored;
  fs::last_write_time(package, fs::file_time_type::clock::now(), ignored);
  BenchResult alone = result;
  alone.packages.erase(alone.packages.begin(), alone.packages.end() - 1);
  alone.verdicts.clear();
  Json json = ToJson(alone);
  json["kept_sha256"] = hash;
  WriteFileAtomically(ResultPath(name), DumpJson(json) + "\n");
}

std::vector<std::string> KeptPackages::Prune(const KeptLimits& limits, const std::string& name) const {
  const std::string spared = PackagePath(ResultPath(name));
  const auto eldest = fs::file_time_type::clock::now() - std::chrono::hours(24 * limits.days);
  std::vector<PackageFile> files = OldestFirst(folder_);
  int64_t bytes = 0;
  for (const PackageFile& file : files) bytes += file.bytes;
  std::vector<std::string> lines;
  for (const PackageFile& file : files) {
    const bool old = file.used < eldest;
    if ((!old && bytes <= limits.bytes) || file.path == spared) continue;
    std::error_code error;
    if (!fs::remove(file.path, error)) continue;
    bytes -= file.bytes;
    lines.push_back(fmt::format("pruned a kept package of {}, {}; its times stay", BytesText(file.bytes),
                                old ? "which was not used for too long" : "because all of them were too large"));
  }
  return lines;
}

}  // namespace hone
