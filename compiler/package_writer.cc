#include "compiler/package_writer.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include "compiler/build.h"
#include "compiler/codegen/object.h"
#include "core/error.h"
#include "core/hash.h"
#include "core/package_format.h"
#include "core/serialize.h"
#include "core/version.h"

namespace hone {
namespace {

Json SectionJson(const std::string& bytes) { return {{"sha256", Sha256Hex(bytes)}, {"size_bytes", bytes.size()}}; }

Json DispatchTable(const Plan& plan) {
  Json table = Json::array();
  for (const PlanKernel& kernel : plan.kernels) table.push_back(ToJson(kernel.dispatch));
  return table;
}

std::string Manifest(const Plan& plan, const std::string& graph, const std::string& lib, const std::string& params) {
  Json manifest;
  manifest["format"] = kPackageVersion;
  manifest["hone"] = HoneVersion();
  manifest["llvm"] = LlvmVersion();
  manifest["target"] = plan.target.ToText();
  manifest["required_features"] = MachineModelFor(plan.target).required_features;
  manifest["model"] = plan.model;
  manifest["sections"] = {{"graph", SectionJson(graph)}, {"lib", SectionJson(lib)}, {"params", SectionJson(params)}};
  manifest["dispatch"] = DispatchTable(plan);
  return DumpJson(manifest);
}

void SetDigest(PackageHeader& header, const std::string& manifest) {
  const std::string hex = Sha256Hex(manifest);
  for (size_t i = 0; i < sizeof(header.manifest_sha256); ++i) {
    header.manifest_sha256[i] = static_cast<uint8_t>(std::stoi(hex.substr(2 * i, 2), nullptr, 16));
  }
}

uint64_t PageAligned(uint64_t offset) { return (offset + kPackageAlign - 1) / kPackageAlign * kPackageAlign; }

[[noreturn]] void CannotCreate(const std::string& path) {
  throw Error(ExitCode::kCannotCreate, fmt::format("cannot write {}: {}", path, std::strerror(errno)));
}

bool WriteAll(int fd, const std::string& bytes) {
  for (size_t done = 0; done < bytes.size();) {
    const ssize_t n = ::write(fd, bytes.data() + done, bytes.size() - done);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    done += static_cast<size_t>(n);
  }
  return true;
}

}  // namespace

std::string WritePackage(const Plan& plan, const std::string& lib, const std::string& params) {
  const std::string graph = DumpJson(ToJson(plan));
  const std::string manifest = Manifest(plan, graph, lib, params);
  const std::array<const std::string*, kSectionCount> sections{&manifest, &graph, &lib, &params};
  PackageHeader header{};
  std::memcpy(header.magic, kPackageMagic, sizeof(header.magic));
  header.version = kPackageVersion;
  header.section_count = kSectionCount;
  uint64_t end = sizeof(header);
  for (size_t i = 0; i < sections.size(); ++i) {
    header.sections[i] = {PageAligned(end), sections[i]->size()};
    end = header.sections[i].offset_bytes + header.sections[i].size_bytes;
  }
  SetDigest(header, manifest);
  std::string bytes(reinterpret_cast<const char*>(&header), sizeof(header));
  bytes.reserve(end);
  for (size_t i = 0; i < sections.size(); ++i) {
    bytes.resize(header.sections[i].offset_bytes);
    bytes += *sections[i];
  }
  return bytes;
}

void WriteFileAtomically(const std::string& path, const std::string& bytes) {
  std::string temporary = path + ".XXXXXX";
  const int fd = ::mkostemp(temporary.data(), O_CLOEXEC);
  if (fd < 0) CannotCreate(path);
  // mkostemp's 0600 would keep colleagues from reading what the umask lets them.
  const mode_t mask = ::umask(0);
  ::umask(mask);
  const bool written = WriteAll(fd, bytes) && ::fchmod(fd, 0666 & ~mask) == 0 && ::fsync(fd) == 0;
  const int error = errno;
  ::close(fd);
  if (written && std::rename(temporary.c_str(), path.c_str()) == 0) return;
  if (!written) errno = error;
  const int reason = errno;
  ::unlink(temporary.c_str());
  errno = reason;
  CannotCreate(path);
}

}  // namespace hone
