#include <fcntl.h>
#include <fmt/format.h>
#include <lld/Common/Driver.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/TargetParser/Triple.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <mutex>

#include "compiler/codegen/arm_helpers.h"
#include "compiler/codegen/llvm_options.h"
#include "compiler/codegen/memory_file.h"
#include "compiler/codegen/object.h"
#include "core/error.h"

LLD_HAS_DRIVER(elf)

namespace hone {
namespace {

// lld replaces its output file, so the output needs a name in a real folder.
class TemporaryOutput {
 public:
  TemporaryOutput() {
    const char* folder = std::getenv("TMPDIR");
    folder_ = fmt::format("{}/hone-link-XXXXXX", folder && *folder ? folder : "/tmp");
    if (!mkdtemp(folder_.data())) {
      throw Error(ExitCode::kCannotCreate,
                  fmt::format("cannot create a folder like {}: {}", folder_, std::strerror(errno)));
    }
    path_ = folder_ + "/k.so";
  }
  ~TemporaryOutput() {
    unlink(path_.c_str());
    rmdir(folder_.c_str());
  }
  TemporaryOutput(const TemporaryOutput&) = delete;
  TemporaryOutput& operator=(const TemporaryOutput&) = delete;
  const std::string& path() const { return path_; }

  std::string Read() const {
    const int fd = open(path_.c_str(), O_RDONLY | O_CLOEXEC);
    if (fd < 0) throw Error(ExitCode::kBug, "lld wrote no output");
    std::string bytes(static_cast<size_t>(lseek(fd, 0, SEEK_END)), '\0');
    const ssize_t n = pread(fd, bytes.data(), bytes.size(), 0);
    close(fd);
    if (n != static_cast<ssize_t>(bytes.size())) throw Error(ExitCode::kIo, "cannot read lld's output");
    return bytes;
  }

 private:
  std::string folder_, path_;
};

const char* Emulation(const Target& target) {
  const llvm::Triple triple(target.triple);
  switch (triple.getArch()) {
    case llvm::Triple::x86_64:
      return "elf_x86_64";
    case llvm::Triple::aarch64:
      return "aarch64linux";
    case llvm::Triple::riscv64:
      return "elf64lriscv";
    case llvm::Triple::arm:
      return "armelf_linux_eabi";
    default:
      throw Error(ExitCode::kBadData,
                  fmt::format("target triple '{}': hone links for x86_64, aarch64, armv7 and riscv64", target.triple));
  }
}

}  // namespace

std::shared_mutex& LlvmOptionsLock() {
  static std::shared_mutex lock;
  return lock;
}

std::string LinkShared(const std::vector<std::string>& objects, const Target& target) {
  std::vector<std::unique_ptr<MemoryFile>> inputs;
  std::vector<std::string> paths;
  for (const std::string& object : objects) {
    inputs.push_back(std::make_unique<MemoryFile>("object"));
    inputs.back()->Write(object);
    paths.push_back(inputs.back()->path());
  }
  TemporaryOutput output;
  std::vector<const char*> args{
      "ld.lld", "-shared", "-nostdlib", "-m", Emulation(target),    "--threads=1",      "-z",
      "now",    "-z",      "defs",      "-z", "noexecstack",        "--hash-style=gnu", "--build-id=none",
      "-s",     "-soname", "k.so",      "-o", output.path().c_str()};
  // lld resets every LLVM option to its default; passing them along keeps code generation after it as before it.
  for (const LlvmOption& option : kLlvmOptions) args.insert(args.end(), {"-mllvm", option.argument});
  for (const std::string& path : paths) args.push_back(path.c_str());
  MemoryFile helpers("helpers");
  const std::string helpers_path = helpers.path();
  if (llvm::Triple(target.triple).isARM()) {
    helpers.Write(ArmHelpers(target));
    // Addends beside relocations, as elsewhere: ARM's own way is to keep them in the words that are relocated.
    args.insert(args.end(), {"-z", "rela", "--start-lib", helpers_path.c_str(), "--end-lib"});
  }
  std::string messages;
  llvm::raw_string_ostream stream(messages);
  lld::Result result;
  {
    const std::lock_guard<std::shared_mutex> hold(LlvmOptionsLock());
    result = lld::lldMain(args, stream, stream, {{lld::Gnu, &lld::elf::link}});
  }
  if (result.retCode != 0) throw Error(ExitCode::kBug, fmt::format("lld failed: {}", messages));
  return output.Read();
}

}  // namespace hone
