#include "compiler/codegen/code_cost.h"

#include <llvm/Analysis/AssumptionCache.h>
#include <llvm/Analysis/BlockFrequencyInfo.h>
#include <llvm/Analysis/BranchProbabilityInfo.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/Analysis/TargetLibraryInfo.h>
#include <llvm/Analysis/TargetTransformInfo.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/MDBuilder.h>
#include <llvm/Transforms/Utils/Cloning.h>

#include <algorithm>
#include <cstdint>
#include <optional>

#include "compiler/codegen/kernel_builder.h"
#include "compiler/codegen/target/target_machine.h"
#include "compiler/codegen/trip_count.h"

namespace hone {
namespace {

// LLVM counts an instruction that one port does every cycle as 1; cores have several ports. Fitted on a Zen 3 core.
constexpr double kCyclesPerCost = 0.3;
// Index arithmetic runs beside the rest, and code generation moves much of it out of loops.
constexpr double kCyclesPerIndexCost = 0.1;
// A value that each iteration makes from the previous one's has at least the latency of a sum.
constexpr double kCarriedCycles = 4;
// Weight of a branch side that is always taken against the other.
constexpr uint32_t kAlways = 1U << 30U;

// While this object lives, the module has a copy of the stage that does all items, so that the bounds are constants.
class WholeStage {
 public:
  WholeStage(llvm::Function& stage, int64_t extent) {
    llvm::ValueToValueMapTy known;
    llvm::Type* index = stage.getArg(1)->getType();
    known[stage.getArg(1)] = llvm::ConstantInt::get(index, 0);
    known[stage.getArg(2)] = llvm::ConstantInt::get(index, static_cast<uint64_t>(extent));
    function_ = llvm::CloneFunction(&stage, known);
  }
  ~WholeStage() { function_->eraseFromParent(); }
  WholeStage(const WholeStage&) = delete;
  WholeStage& operator=(const WholeStage&) = delete;
  llvm::Function& function() { return *function_; }

 private:
  llvm::Function* function_ = nullptr;
};

class FunctionCost {
 public:
  FunctionCost(llvm::Function& function, llvm::TargetMachine& machine)
      : function_(function),
        library_names_(machine.getTargetTriple()),
        library_(library_names_),
        assumptions_(function),
        dominators_(function),
        loops_(dominators_),
        evolution_(function, library_, assumptions_, dominators_, loops_),
        costs_(machine.getTargetTransformInfo(function)) {}

  CodeCost Sum() {
    for (llvm::BasicBlock& block : function_) TellSides(block);
    CodeCost sum;
    for (llvm::Loop* loop : loops_.getLoopsInPreorder()) sum.known = TellTrips(*loop) && sum.known;
    const llvm::BranchProbabilityInfo branches(function_, loops_, &library_);
    const llvm::BlockFrequencyInfo frequencies(function_, branches, loops_);
    const auto once = static_cast<double>(frequencies.getEntryFreq().getFrequency());
    for (llvm::BasicBlock& block : function_) {
      const double times = static_cast<double>(frequencies.getBlockFreq(&block).getFrequency()) / once;
      const CodeCost one = CostOf(block);
      sum.cycles += times * std::max(one.cycles, CarriedCycles(block));
      sum.bytes += times * one.bytes;
    }
    return sum;
  }

 private:
  // LLVM weighs a branch by its metadata, and guesses without it.
  void Weigh(llvm::BranchInst& branch, bool first, uint32_t times) {
    llvm::MDBuilder metadata(function_.getContext());
    branch.setMetadata(llvm::LLVMContext::MD_prof, metadata.createBranchWeights(first ? times : 1, first ? 1 : times));
  }

  void TellSides(llvm::BasicBlock& block) {
    auto* branch = llvm::dyn_cast<llvm::BranchInst>(block.getTerminator());
    if (branch == nullptr || !branch->isConditional()) return;
    const auto* compared = llvm::dyn_cast<llvm::ICmpInst>(branch->getCondition());
    if (compared == nullptr || !evolution_.isSCEVable(compared->getOperand(0)->getType())) return;
    const auto holds =
        evolution_.evaluatePredicate(compared->getPredicate(), evolution_.getSCEV(compared->getOperand(0)),
                                     evolution_.getSCEV(compared->getOperand(1)));
    if (holds) Weigh(*branch, *holds, kAlways);
  }

  // Sets the loop's weights; returns whether its trip count is known.
  bool TellTrips(const llvm::Loop& loop) {
    llvm::BasicBlock* exiting = loop.getExitingBlock();
    auto* branch = exiting == nullptr ? nullptr : llvm::dyn_cast<llvm::BranchInst>(exiting->getTerminator());
    const std::optional<uint32_t> again = TripsAfterTheFirst(loop, evolution_);
    if (branch == nullptr || !again) return false;
    Weigh(*branch, loop.contains(branch->getSuccessor(0)), *again);
    TellEntry(loop);
    return true;
  }

  // The branch before a loop asks whether the loop runs at all; mostly it does.
  void TellEntry(const llvm::Loop& loop) {
    llvm::BasicBlock* before = loop.getLoopPredecessor();
    auto* branch = before == nullptr ? nullptr : llvm::dyn_cast<llvm::BranchInst>(before->getTerminator());
    const bool asks = branch != nullptr && branch->isConditional() && !branch->hasMetadata(llvm::LLVMContext::MD_prof);
    if (asks) Weigh(*branch, branch->getSuccessor(0) == loop.getHeader(), kAlways);
  }

  CodeCost CostOf(llvm::BasicBlock& block) const {
    const llvm::DataLayout& layout = function_.getParent()->getDataLayout();
    CodeCost cost;
    for (llvm::Instruction& instruction : block) {
      cost.cycles += CyclesOf(instruction);
      if (!llvm::isa<llvm::LoadInst>(instruction) && !llvm::isa<llvm::StoreInst>(instruction)) continue;
      const llvm::TypeSize moved = layout.getTypeStoreSize(llvm::getLoadStoreType(&instruction));
      cost.bytes += static_cast<double>(moved.getKnownMinValue());
    }
    return cost;
  }

  double CyclesOf(const llvm::Instruction& instruction) const {
    llvm::Type* type = instruction.getType();
    // LLVM's tables lack most masks that are one instruction each, as all masks of the kernels are. A select is part of
    // a maximum, or as fast.
    const bool is_one = llvm::isa<llvm::ShuffleVectorInst>(instruction) || llvm::isa<llvm::SelectInst>(instruction);
    if (is_one && type->isVectorTy()) return kCyclesPerCost * costs_.getNumberOfParts(type);
    // A comparison of vectors already gives a result as wide as they are, so widening it is free.
    const auto* widened = llvm::dyn_cast<llvm::SExtInst>(&instruction);
    if (widened != nullptr && type->isVectorTy() && widened->getSrcTy()->getScalarType()->isIntegerTy(1)) return 0;
    const auto cost = costs_.getInstructionCost(&instruction, llvm::TargetTransformInfo::TCK_RecipThroughput);
    const bool is_index = !instruction.mayReadOrWriteMemory() && (type->isIntegerTy() || type->isPointerTy());
    return (is_index ? kCyclesPerIndexCost : kCyclesPerCost) * static_cast<double>(cost.getValue().value_or(1));
  }

  double CarriedCycles(const llvm::BasicBlock& block) const {
    const llvm::Loop* loop = loops_.getLoopFor(&block);
    if (loop == nullptr || loop->getHeader() != &block || !loop->isInnermost()) return 0;
    const bool carries = std::any_of(block.phis().begin(), block.phis().end(), [](const llvm::PHINode& phi) {
      return phi.getType()->getScalarType()->isFloatingPointTy();
    });
    return carries ? kCarriedCycles : 0;
  }

  llvm::Function& function_;
  llvm::TargetLibraryInfoImpl library_names_;
  llvm::TargetLibraryInfo library_;
  llvm::AssumptionCache assumptions_;
  llvm::DominatorTree dominators_;
  llvm::LoopInfo loops_;
  llvm::ScalarEvolution evolution_;
  llvm::TargetTransformInfo costs_;
};

}  // namespace

std::vector<CodeCost> CostOf(KernelBuilder& builder, const Target& target, const std::vector<KernelStage>& stages) {
  const auto machine = MakeTargetMachine(target);
  std::vector<CodeCost> costs;
  for (const KernelStage& stage : stages) {
    WholeStage whole(*builder.module().getFunction(stage.symbol), stage.extent);
    costs.push_back(FunctionCost(whole.function(), *machine).Sum());
  }
  return costs;
}

}  // namespace hone
