#include "compiler/codegen/target/named_targets.h"

#include <algorithm>
#include <cctype>

#include "core/machine/llvm_cpu_name.h"

namespace hone {
namespace {

struct InstructionSet {
  std::string_view row;  // row name in MachineRows
  int lanes;             // at most; more have not been tried
  Tried tried;
};

// Based on these tests: tests/compiler/schedules/cross_target_test.cc and cross_schedules_test.cc under
// qemu-user.
constexpr InstructionSet kTried[] = {
    {"sse4", 4, Tried::kSilicon},     {"avx2", 8, Tried::kSilicon},          {"avx512", 16, Tried::kSilicon},
    {"neon", 4, Tried::kEmulated},    {"neon32_nofma", 4, Tried::kEmulated}, {"neon32", 4, Tried::kEmulated},
    {"riscv64", 4, Tried::kEmulated}, {"rvv", 16, Tried::kEmulated},
};

struct RiscvBoard {
  const char* name;
  std::vector<std::string> more;  // features beyond those of every board with Linux
};

std::vector<NamedTarget> RiscvBoards() {
  const RiscvBoard boards[] = {{"rv64gc", {}},
                               {"rv64gcv", {"+v"}},
                               {"rv64gcv_zvl256b", {"+v", "+zvl256b"}},
                               {"rv64gcv_zvl512b", {"+v", "+zvl512b"}}};
  std::vector<NamedTarget> targets;
  for (const RiscvBoard& board : boards) {
    Target target{"riscv64-unknown-linux-gnu", "generic-rv64", {"+a", "+c", "+d", "+f", "+m"}, 0};
    target.features.insert(target.features.end(), board.more.begin(), board.more.end());
    targets.push_back({board.name, target, TriedOn(target)});
  }
  return targets;
}

}  // namespace

std::string_view TriedName(Tried tried) {
  switch (tried) {
    case Tried::kSilicon:
      return "silicon";
    case Tried::kEmulated:
      return "emulated";
    case Tried::kCompiled:
      break;
  }
  return "compiled only";
}

Tried TriedOn(const Target& target) {
  const MachineModel machine = MachineModelFor(target);
  for (const InstructionSet& each : kTried) {
    if (each.row == machine.name && machine.vector_lanes <= each.lanes) return each.tried;
  }
  return Tried::kCompiled;
}

const std::vector<NamedTarget>& NamedTargets() {
  static const std::vector<NamedTarget> targets = [] {
    std::vector<NamedTarget> list;
    for (const Target& target : KnownTargets()) {
      if (IsGenericCpu(target.cpu) && !target.cpu.starts_with("x86-64")) continue;
      // A name that a host may give itself; as a target, LLVM lists it only as apple-a14.
      if (target.cpu == "apple-m1") continue;
      list.push_back({target.cpu, target, TriedOn(target)});
    }
    const std::vector<NamedTarget> boards = RiscvBoards();
    list.insert(list.end(), boards.begin(), boards.end());
    return list;
  }();
  return targets;
}

namespace {

// The word in lower case without dashes and underscores, up to the dot before the size of a cloud's machine.
std::string PlainWord(std::string_view word) {
  std::string plain;
  for (const char c : word.substr(0, word.find('.'))) {
    if (c != '-' && c != '_') plain.push_back(static_cast<char>(std::tolower(static_cast<unsigned char>(c))));
  }
  return plain;
}

}  // namespace

const std::vector<Nickname>& Nicknames() {
  static const std::vector<Nickname> nicknames = {
      {"cpu", "host"},
      {"local", "host"},
      {"localhost", "host"},
      {"x8664", "x86-64"},
      {"x64", "x86-64"},
      {"amd64", "x86-64"},
      {"avx2", "x86-64-v3"},
      {"avx512", "x86-64-v4"},
      {"aarch64", "aarch64-linux-gnu"},
      {"arm64", "aarch64-linux-gnu"},
      {"armv8", "aarch64-linux-gnu"},
      {"armv7", "armv7-linux-gnueabihf"},
      {"armv7l", "armv7-linux-gnueabihf"},
      {"armhf", "armv7-linux-gnueabihf"},
      {"riscv", "rv64gc"},
      {"riscv64", "rv64gc"},
      {"rvv", "rv64gcv"},
      {"zen", "znver1"},
      {"zen1", "znver1"},
      {"zen2", "znver2"},
      {"zen3", "znver3"},
      {"zen4", "znver4"},
      {"zen5", "znver5"},
      {"icelake", "icelake-server"},
      {"skylakex", "skylake-avx512"},
      {"skylakeserver", "skylake-avx512"},
      {"spr", "sapphirerapids"},
      {"applem1", "apple-a14"},
      {"m1", "apple-a14"},
      {"applem2", "apple-a15"},
      {"m2", "apple-a15"},
      {"applem3", "apple-a16"},
      {"m3", "apple-a16"},
      {"raspberrypi2", "cortex-a7"},
      {"rpi2", "cortex-a7"},
      {"raspberrypi3", "cortex-a53"},
      {"rpi3", "cortex-a53"},
      {"rasp3b", "cortex-a53"},
      {"raspberrypizero2", "cortex-a53"},
      {"raspberrypi4", "cortex-a72"},
      {"raspberrypi4b", "cortex-a72"},
      {"rpi4", "cortex-a72"},
      {"pi4", "cortex-a72"},
      {"rasp4b", "cortex-a72"},
      {"raspberrypi5", "cortex-a76"},
      {"rpi5", "cortex-a76"},
      {"pi5", "cortex-a76"},
      {"rk3399", "cortex-a72"},
      {"rockpro64", "cortex-a72"},
      {"rk3588", "cortex-a76"},
      {"rock5b", "cortex-a76"},
      {"orangepi5", "cortex-a76"},
      {"jetsonnano", "cortex-a57"},
      {"jetsontx2", "cortex-a57"},
      {"jetsonxavier", "carmel"},
      {"jetsonorin", "cortex-a78"},
      {"jetson", "cortex-a78"},
      {"visionfive2", "sifive-u74"},
      {"bananapif3", "rv64gcv_zvl256b"},
      {"graviton", "cortex-a72"},
      {"graviton2", "neoverse-n1"},
      {"graviton3", "neoverse-v1"},
      {"graviton4", "neoverse-v2"},
      {"c6g", "neoverse-n1"},
      {"m6g", "neoverse-n1"},
      {"r6g", "neoverse-n1"},
      {"t4g", "neoverse-n1"},
      {"c7g", "neoverse-v1"},
      {"m7g", "neoverse-v1"},
      {"r7g", "neoverse-v1"},
      {"c8g", "neoverse-v2"},
      {"m8g", "neoverse-v2"},
      {"r8g", "neoverse-v2"},
      {"altra", "neoverse-n1"},
      {"ampere", "neoverse-n1"},
      {"ampereone", "ampere1"},
      {"amperealtra", "neoverse-n1"},
      {"t2a", "neoverse-n1"},
      {"axion", "neoverse-v2"},
      {"c4a", "neoverse-v2"},
      {"grace", "neoverse-v2"},
      {"cobalt100", "neoverse-n2"},
      {"c6a", "znver3"},
      {"c7a", "znver4"},
      {"c6i", "icelake-server"},
      {"c7i", "sapphirerapids"},
  };
  return nicknames;
}

std::string_view MeantByNickname(std::string_view word) {
  const std::string plain = PlainWord(word);
  const std::vector<Nickname>& all = Nicknames();
  const auto found = std::find_if(all.begin(), all.end(), [&](const Nickname& each) { return each.word == plain; });
  return found == all.end() ? std::string_view() : found->means;
}

}  // namespace hone
