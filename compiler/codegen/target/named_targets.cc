#include "compiler/codegen/target/named_targets.h"

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

}  // namespace hone
