#include "compiler/codegen/target/object.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <lld/Common/Driver.h>
#include <llvm/Config/llvm-config.h>
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Support/CommandLine.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/TargetParser/Triple.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <exception>
#include <future>
#include <mutex>
#include <new>
#include <shared_mutex>
#include <system_error>
#include <utility>
#include <vector>

#include "compiler/codegen/arm_helpers.h"
#include "compiler/codegen/target/memory_file.h"
#include "compiler/codegen/target/target_machine.h"
#include "core/error.h"
#include "core/failure.h"

LLD_HAS_DRIVER(elf)

namespace hone {
namespace {

// LLVM's command-line options: a process has one set of them, and lld resets them all while it links.

// Held shared while code is generated and exclusively while lld runs. Code generation that saw an option in between
// would give different bytes for the same kernel. lld is not re-entrant either.
std::shared_mutex& LlvmOptionsLock() {
  static std::shared_mutex lock;
  return lock;
}

struct LlvmOption {
  const char* name;
  bool value;
  const char* argument;  // the option on a command line
};

// The options of code generation. Loop strength reduction makes code generation of clipped loops several times slower
// and no kernel faster. The machine combiner of x86 reorders sums of integers: it adds them in pairs before it adds
// them to the accumulator. That takes registers that a tile does not have.
constexpr std::array kLlvmOptions = {
    LlvmOption{"disable-lsr", true, "-disable-lsr"},
    LlvmOption{"x86-machine-combiner", false, "-x86-machine-combiner=false"},
};

void SetLlvmOptions() {
  static std::once_flag once;
  std::call_once(once, [] {
    auto& registered = llvm::cl::getRegisteredOptions();
    for (const LlvmOption& option : kLlvmOptions) {
      static_cast<llvm::cl::opt<bool>*>(registered[option.name])->setValue(option.value);
    }
  });
}

std::string Emit(KernelBuilder& builder, const Target& target, llvm::CodeGenFileType type) {
  auto machine = MakeTargetMachine(target);
  SetLlvmOptions();
  std::string problem;
  llvm::raw_string_ostream problem_stream(problem);
  if (llvm::verifyModule(builder.module(), &problem_stream)) {
    throw Error(ExitCode::kBug,
                fmt::format("a kernel's IR does not verify: {}", problem.substr(0, problem.find('\n'))));
  }
  llvm::SmallVector<char, 0> bytes;
  llvm::raw_svector_ostream stream(bytes);
  llvm::legacy::PassManager passes;
  if (machine->addPassesToEmitFile(passes, stream, nullptr, type)) {
    throw Error(ExitCode::kBadData, fmt::format("LLVM cannot write objects for '{}'", target.triple));
  }
  const std::shared_lock<std::shared_mutex> hold(LlvmOptionsLock());
  passes.run(builder.module());
  return std::string(bytes.begin(), bytes.end());
}

}  // namespace

std::string EmitObject(KernelBuilder& builder, const Target& target) {
  return Emit(builder, target, llvm::CodeGenFileType::ObjectFile);
}

std::string EmitText(const std::string& symbol, const std::string& text, const Target& target) {
  KernelBuilder builder(target, MachineModelFor(target));
  llvm::Constant* bytes = llvm::ConstantDataArray::getString(builder.context(), text);
  new llvm::GlobalVariable(builder.module(), bytes->getType(), true, llvm::GlobalValue::ExternalLinkage, bytes, symbol);
  return EmitObject(builder, target);
}

std::string EmitAssembly(KernelBuilder& builder, const Target& target) {
  return Emit(builder, target, llvm::CodeGenFileType::AssemblyFile);
}

std::string LlvmVersion() { return LLVM_VERSION_STRING; }

namespace {

// The file that lld writes to: a pipe that a thread here empties. A regular file would need a folder with room. Regular
// files are written through mmap, and a lack of room then ends the process. Other files are written from memory.
class OutputPipe {
 public:
  OutputPipe() {
    if (pipe2(fds_, O_CLOEXEC) != 0) Refused(errno);
    try {
      reader_ = std::async(std::launch::async, [this] { ReadAll(); });
    } catch (const std::system_error& error) {
      Close();
      Refused(error.code().value());
    }
  }
  ~OutputPipe() { Close(); }
  OutputPipe(const OutputPipe&) = delete;
  OutputPipe& operator=(const OutputPipe&) = delete;
  std::string path() const { return fmt::format("/proc/self/fd/{}", fds_[1]); }

  // All bytes that lld wrote, once it has closed the pipe.
  std::string Take() {
    close(std::exchange(fds_[1], -1));
    reader_.get();
    return std::move(bytes_);
  }

 private:
  [[noreturn]] static void Refused(int error) {
    throw Error(ExitCode::kIo, fmt::format("no pipe for the linker's output: {}", std::strerror(error)));
  }

  // Reads to the end, whatever happens: lld would wait forever for a reader that has left.
  void ReadAll() {
    std::exception_ptr trouble;
    for (ssize_t n = 1; n != 0;) {
      n = read(fds_[0], piece_.data(), piece_.size());
      if (n <= 0) continue;
      try {
        bytes_.append(piece_.data(), static_cast<size_t>(n));
      } catch (const std::bad_alloc&) {
        trouble = std::current_exception();
      }
    }
    if (trouble) std::rethrow_exception(trouble);
  }

  // The reader ends when the last writable descriptor is closed.
  void Close() {
    if (fds_[1] >= 0) close(fds_[1]);
    if (reader_.valid()) reader_.wait();
    close(fds_[0]);
  }

  int fds_[2] = {-1, -1};
  std::string bytes_;
  std::vector<char> piece_ = std::vector<char>(size_t{64} << 10);
  std::future<void> reader_;
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

std::string LinkShared(const std::vector<std::string>& objects, const Target& target) {
  std::vector<std::unique_ptr<MemoryFile>> inputs;
  std::vector<std::string> paths;
  for (const std::string& object : objects) {
    inputs.push_back(std::make_unique<MemoryFile>("object"));
    inputs.back()->Write(object);
    paths.push_back(inputs.back()->path());
  }
  OutputPipe output;
  const std::string output_path = output.path();
  std::vector<const char*> args{
      "ld.lld", "-shared", "-nostdlib", "-m", Emulation(target),  "--threads=1",      "-z",
      "now",    "-z",      "defs",      "-z", "noexecstack",      "--hash-style=gnu", "--build-id=none",
      "-s",     "-soname", "k.so",      "-o", output_path.c_str()};
  // lld resets every LLVM option to its default, so the options are passed along; code generation after it stays the
  // same.
  for (const LlvmOption& option : kLlvmOptions) args.insert(args.end(), {"-mllvm", option.argument});
  for (const std::string& path : paths) args.push_back(path.c_str());
  MemoryFile helpers("helpers");
  const std::string helpers_path = helpers.path();
  if (llvm::Triple(target.triple).isARM()) {
    helpers.Write(ArmHelpers(target));
    // Addends are stored beside relocations, as on other targets; ARM's default keeps them in the relocated words.
    args.insert(args.end(), {"-z", "rela", "--start-lib", helpers_path.c_str(), "--end-lib"});
  }
  std::string messages;
  llvm::raw_string_ostream stream(messages);
  lld::Result result;
  {
    const std::lock_guard<std::shared_mutex> hold(LlvmOptionsLock());
    result = lld::lldMain(args, stream, stream, {{lld::Gnu, &lld::elf::link}});
  }
  if (result.retCode != 0) {
    throw Error(NamesRefusal(messages) ? ExitCode::kIo : ExitCode::kBug, fmt::format("lld failed: {}", messages));
  }
  return output.Take();
}

}  // namespace hone
