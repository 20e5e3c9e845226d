// The costs that the table of CPUs attributes to LLVM's scheduling models equal those in the models.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <llvm/MC/MCInstrInfo.h>
#include <llvm/MC/MCSchedule.h>
#include <llvm/MC/MCSubtargetInfo.h>
#include <llvm/MC/TargetRegistry.h>

#include <memory>

#include "compiler/codegen/target/named_targets.h"
#include "compiler/codegen/target/target_machine.h"
#include "core/machine/machine_rows.h"

namespace hone {
namespace {

// LLVM's model of one CPU's instructions.
class SchedulingModel {
 public:
  explicit SchedulingModel(const Target& target) {
    InitializeTargets();
    std::string error;
    const llvm::Target* found = llvm::TargetRegistry::lookupTarget(target.triple, error);
    subtarget_.reset(found->createMCSubtargetInfo(target.triple, target.cpu, FeatureString(target)));
    instructions_.reset(found->createMCInstrInfo());
  }

  // The number of such instructions that the CPU begins in a cycle; `name` is LLVM's own.
  double PerCycle(llvm::StringRef name) const {
    for (unsigned opcode = 0; opcode < instructions_->getNumOpcodes(); ++opcode) {
      if (instructions_->getName(opcode) != name) continue;
      const auto& model = subtarget_->getSchedModel();
      const auto* kind = model.getSchedClassDesc(instructions_->get(opcode).getSchedClass());
      EXPECT_TRUE(kind->isValid() && !kind->isVariant()) << name.str();
      return 1 / llvm::MCSchedModel::getReciprocalThroughput(*subtarget_, *kind);
    }
    ADD_FAILURE() << "LLVM has no " << name.str();
    return 0;
  }

 private:
  std::unique_ptr<const llvm::MCSubtargetInfo> subtarget_;
  std::unique_ptr<const llvm::MCInstrInfo> instructions_;
};

TEST(Costs, FromLlvmAreTheSchedulingModels) {
  int checked = 0;
  for (const NamedTarget& named : NamedTargets()) {
    const MachineModel m = MachineModelFor(named.target);
    // Costs combined from several documents are in no single model.
    const std::string_view from = CostsFrom(named.target.cpu);
    if (!from.starts_with("LLVM's ") || from.find(':') != std::string_view::npos) continue;
    SCOPED_TRACE(named.name);
    const bool riscv = named.target.triple.starts_with("riscv64");
    const SchedulingModel model(named.target);
    const double in_vector = riscv ? m.vector_lanes : 1;
    EXPECT_NEAR(m.multiply_adds_per_cycle, model.PerCycle(riscv ? "FMADD_S" : "FMLAv4f32") / in_vector, 1e-6);
    EXPECT_NEAR(m.loads_per_cycle, model.PerCycle(riscv ? "FLW" : "LDRQui") / in_vector, 1e-6);
    ++checked;
  }
  EXPECT_GE(checked, 6);
}

}  // namespace
}  // namespace hone
