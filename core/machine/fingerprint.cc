#include "core/machine/fingerprint.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "core/error.h"
#include "core/hash/hash.h"
#include "core/text/parse_number.h"

namespace hone {
namespace {

std::string WithoutBlanks(std::string text) {
  std::replace_if(text.begin(), text.end(), [](unsigned char c) { return c <= ' '; }, '_');
  return text;
}

std::string SortedFeatures(std::string_view text) {
  std::vector<std::string> names;
  for (std::string_view name : Split(text, ' ')) {
    if (!name.empty()) names.push_back(WithoutBlanks(std::string(name)));
  }
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return fmt::format("{}", fmt::join(names, ","));
}

// "VENDOR-FAMILY-MODEL-STEPPING" is read from the end because a vendor may contain '-'.
void SetCpu(std::string_view id, Fingerprint& fingerprint) {
  for (std::string* part : {&fingerprint.stepping, &fingerprint.model, &fingerprint.family}) {
    const size_t dash = id.rfind('-');
    if (dash == std::string_view::npos) break;
    *part = id.substr(dash + 1);
    id = id.substr(0, dash);
  }
  fingerprint.vendor = id;
}

void SetFingerprintField(std::string_view name, std::string_view value, Fingerprint& fingerprint) {
  if (name == "cpu") SetCpu(value, fingerprint);
  if (name == "host") fingerprint.host = value;
  if (name == "caches") fingerprint.caches = value;
  if (name == "features") fingerprint.features = value;
  if (name == "core") fingerprint.core_kind = value;
  if (name == "emulated") fingerprint.emulated = value == "yes";
}

}  // namespace

bool Fingerprint::Has(std::string_view feature) const {
  const std::vector<std::string_view> names = Split(features, ',');
  return std::find(names.begin(), names.end(), feature) != names.end();
}

std::string Fingerprint::ToText() const {
  std::string text;
  const auto add = [&text](std::string_view name, std::string_view value) {
    if (!value.empty()) text += fmt::format("{}{}={}", text.empty() ? "" : " ", name, value);
  };
  if (!vendor.empty()) add("cpu", fmt::format("{}-{}-{}-{}", vendor, family, model, stepping));
  add("host", host);
  add("caches", caches);
  add("features", features);
  add("core", core_kind);
  add("emulated", emulated ? "yes" : "");
  return text;
}

Fingerprint Fingerprint::Parse(std::string_view text) {
  Fingerprint fingerprint;
  for (std::string_view word : Split(text, ' ')) {
    const size_t equals = word.find('=');
    if (equals != std::string_view::npos)
      SetFingerprintField(word.substr(0, equals), word.substr(equals + 1), fingerprint);
  }
  if (fingerprint.ToText() != text) {
    throw Error(ExitCode::kBadData,
                fmt::format("'{}' is not a fingerprint, as in cpu=AuthenticAMD-25-1-2 caches=32K,512K", text));
  }
  return fingerprint;
}

std::string Fingerprint::ShortId() const { return known() ? Sha256Hex(ToText()).substr(0, 8) : ""; }

Fingerprint FingerprintOf(const Environment& environment) {
  Fingerprint fingerprint;
  SetCpu(WithoutBlanks(environment.cpu_id), fingerprint);
  if (fingerprint.vendor.empty()) {
    fingerprint = Fingerprint();
    fingerprint.host = WithoutBlanks(environment.host);
  }
  fingerprint.features = SortedFeatures(environment.features);
  fingerprint.caches = WithoutBlanks(environment.caches);
  fingerprint.core_kind = WithoutBlanks(environment.core_kind);
  fingerprint.emulated = environment.emulated;
  return fingerprint;
}

bool SameExactly(const Fingerprint& a, const Fingerprint& b) { return a.known() && a == b; }

namespace {

// Reduces "cortex-a53*1,cortex-a72*4,smt" to "cortex-a53,cortex-a72": the number of cores and their arrangement are
// left out.
std::string KindsAlone(std::string_view core_kind) {
  std::string kinds;
  for (const std::string_view word : Split(core_kind, ',')) {
    if (word == "smt" || word.starts_with("nodes")) continue;
    kinds += fmt::format("{}{}", kinds.empty() ? "" : ",", word.substr(0, word.find('*')));
  }
  return kinds;
}

}  // namespace

bool SameModel(const Fingerprint& a, const Fingerprint& b) {
  return a.known() && a.vendor == b.vendor && a.host == b.host && a.family == b.family && a.model == b.model &&
         KindsAlone(a.core_kind) == KindsAlone(b.core_kind) && a.emulated == b.emulated;
}

}  // namespace hone
