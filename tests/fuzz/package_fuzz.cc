// Any bytes as a package, and packages with correct hashes from a fuzzed graph, library and manifest. Each is refused
// in one line, or gives a plan whose buffers all lie in their memory. No kernel is mapped.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <string>
#include <string_view>

#include "core/error.h"
#include "core/hash/hash.h"
#include "core/package/package_format.h"
#include "runtime/package.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

namespace {

void Require(bool holds) {
  if (!holds) std::abort();
}

void RequireInside(const hone::Plan& plan, size_t params_bytes) {
  for (const hone::PlanBuffer& buffer : plan.buffers) {
    if (buffer.kind == hone::BufferKind::kParam) {
      Require(buffer.offset_bytes >= 0 &&
              buffer.offset_bytes + buffer.size_bytes <= static_cast<int64_t>(params_bytes));
    }
  }
}

void Inspect(const std::string& bytes) {
  try {
    const auto package = hone::Package::InspectBytes(bytes, "fuzz");
    RequireInside(package->plan(), package->params().size());
    package->VerifyParams();
  } catch (const hone::Error& error) {
    const std::string_view message = error.what();
    const bool one_line = message.find('\n') == std::string_view::npos;
    if (error.code() == hone::ExitCode::kBadData && message.starts_with("fuzz") && one_line) return;
    std::cerr << "refused with: " << message << "\n";
    std::abort();
  }
}

void Append(std::string& bytes, hone::PackageSectionEntry& entry, std::string_view section) {
  bytes.resize((bytes.size() + hone::kPackageAlign - 1) / hone::kPackageAlign * hone::kPackageAlign);
  entry = {bytes.size(), section.size()};
  bytes += section;
}

void PutDigest(std::string_view section, uint8_t (&digest)[32]) {
  const std::string hex = hone::Sha256Hex(section);
  for (size_t i = 0; i < sizeof(digest); ++i) {
    digest[i] = static_cast<uint8_t>(std::strtoul(hex.substr(2 * i, 2).c_str(), nullptr, 16));
  }
}

// As many bytes as the graph requests, if these are few.
std::string Params(std::string_view graph) {
  const hone::Json plan = hone::ParseJson(graph, "fuzz: graph");
  const auto bytes = plan.is_object() ? plan.find("params_bytes") : plan.end();
  const bool few = bytes != plan.end() && bytes->is_number_unsigned() && *bytes <= 65536;
  return std::string(few ? bytes->get<size_t>() : 0, '\0');
}

std::string WithHashes(std::string_view manifest, std::string_view graph, std::string_view lib,
                       std::string_view params) {
  hone::Json fields = hone::ParseJson(manifest, "fuzz: manifest");
  if (!fields.is_object()) fields = hone::Json::object();
  fields["sections"] = {{"graph", {{"sha256", hone::Sha256Hex(graph)}}},
                        {"lib", {{"sha256", hone::Sha256Hex(lib)}}},
                        {"params", {{"sha256", hone::Sha256Hex(params)}}}};
  return fields.dump(-1, ' ', false, hone::Json::error_handler_t::replace);
}

// A package from a manifest without hashes, a graph, and a library's bytes.
std::string Packed(std::string_view manifest, std::string_view graph, std::string_view lib) {
  const std::string params = Params(graph);
  const std::string text = WithHashes(manifest, graph, lib, params);
  hone::PackageHeader header{};
  std::memcpy(header.magic, hone::kPackageMagic, sizeof(header.magic));
  header.version = hone::kPackageVersion;
  header.section_count = hone::kSectionCount;
  std::string bytes(sizeof(header), '\0');
  Append(bytes, header.sections[hone::kSectionManifest], text);
  Append(bytes, header.sections[hone::kSectionGraph], graph);
  Append(bytes, header.sections[hone::kSectionLib], lib);
  Append(bytes, header.sections[hone::kSectionParams], params);
  PutDigest(text, header.manifest_sha256);
  std::memcpy(bytes.data(), &header, sizeof(header));
  return bytes;
}

std::string_view TakeLine(std::string_view& rest) {
  const std::string_view line = rest.substr(0, rest.find('\n'));
  rest.remove_prefix(std::min(line.size() + 1, rest.size()));
  return line;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::string_view rest(reinterpret_cast<const char*>(data), size);
  Inspect(std::string(rest));
  const std::string_view manifest = TakeLine(rest), graph = TakeLine(rest);
  try {
    Inspect(Packed(manifest, graph, rest));
  } catch (const hone::Error& error) {
    Require(error.code() == hone::ExitCode::kBadData);
  }
  return 0;
}
