#include "compiler/codegen/target/kernel_image.h"

#include <fmt/format.h>
#include <llvm/Object/ELFObjectFile.h>

#include <algorithm>
#include <utility>

#include "core/error.h"
#include "core/package/package_format.h"

namespace hone {
namespace {

constexpr uint64_t kMostBytes = uint64_t{1} << 30;

[[noreturn]] void Refuse(const std::string& why) {
  throw Error(ExitCode::kBadData, fmt::format("the kernels' object: {}", why));
}

template <typename T>
T Checked(llvm::Expected<T> value) {
  if (!value) Refuse(llvm::toString(value.takeError()));
  return std::move(*value);
}

template <typename Elf>
std::string BytesOf(const llvm::object::ELFFile<Elf>& file) {
  std::string bytes;
  for (const auto& segment : Checked(file.program_headers())) {
    if (segment.p_type != llvm::ELF::PT_LOAD) continue;
    const uint64_t begin = segment.p_vaddr, end = begin + segment.p_memsz, offset = segment.p_offset;
    if (end < begin || end > kMostBytes || segment.p_filesz > segment.p_memsz || offset > file.getBufSize() ||
        segment.p_filesz > file.getBufSize() - offset) {
      Refuse("a segment lies outside of it");
    }
    bytes.resize(std::max<uint64_t>(bytes.size(), end));
    std::copy_n(file.base() + offset, segment.p_filesz, bytes.data() + begin);
  }
  return bytes;
}

template <typename Elf>
void RefuseAddresses(const llvm::object::ELFFile<Elf>& file) {
  for (const auto& section : Checked(file.sections())) {
    const bool relocates = section.sh_type == llvm::ELF::SHT_REL || section.sh_type == llvm::ELF::SHT_RELA;
    if (relocates && section.sh_size > 0) Refuse("it holds addresses, so it cannot lie anywhere");
  }
}

template <typename Elf>
KernelImage Read(const llvm::object::ELFObjectFile<Elf>& object) {
  RefuseAddresses(object.getELFFile());
  KernelImage image;
  image.bytes = BytesOf(object.getELFFile());
  for (const llvm::object::ELFSymbolRef symbol : object.getDynamicSymbolIterators()) {
    const std::string name = Checked(symbol.getName()).str();
    const bool function = symbol.getELFType() == llvm::ELF::STT_FUNC;
    if (!function && name != kKernelTableSymbol) continue;
    const uint64_t at = Checked(symbol.getAddress());
    if (at >= image.bytes.size()) Refuse(fmt::format("{} lies outside of it", name));
    if (function) {
      image.functions.emplace(name, at);
    } else {
      image.table = image.bytes.substr(at, image.bytes.find('\0', at) - at);
    }
  }
  return image;
}

}  // namespace

KernelImage ReadKernelImage(std::string_view lib) {
  const auto object = Checked(llvm::object::ObjectFile::createELFObjectFile(
      llvm::MemoryBufferRef(llvm::StringRef(lib.data(), lib.size()), "lib")));
  if (const auto* of64 = llvm::dyn_cast<llvm::object::ELF64LEObjectFile>(object.get())) return Read(*of64);
  if (const auto* of32 = llvm::dyn_cast<llvm::object::ELF32LEObjectFile>(object.get())) return Read(*of32);
  Refuse("it is of no machine that hone knows");
}

}  // namespace hone
