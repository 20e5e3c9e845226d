#include "compiler/codegen/code_cost.h"

#include <llvm/Analysis/AssumptionCache.h>
#include <llvm/Analysis/BlockFrequencyInfo.h>
#include <llvm/Analysis/BranchProbabilityInfo.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/Analysis/TargetLibraryInfo.h>
#include <llvm/Analysis/TargetTransformInfo.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/MDBuilder.h>
#include <llvm/Transforms/Utils/Cloning.h>

#include <algorithm>
#include <cstdint>
#include <optional>

#include "compiler/codegen/kernel_builder.h"
#include "compiler/codegen/target/target_machine.h"

namespace hone {

using llvm::SCEV;

namespace {

// Trip counts of the loops that KernelBuilder makes.

constexpr int64_t kMost = int64_t{1} << 30;
constexpr int kDeepest = 8;  // limit of terms within terms

// The greatest value of an expression. LLVM's ranges do not see that a tile from i * n to min(i * n + n, end) has
// length n. So a minimum within a sum is split into the lesser of two sums.
class Bounds {
 public:
  explicit Bounds(llvm::ScalarEvolution& evolution) : evolution_(evolution) {}

  int64_t Most(const SCEV* value, int depth = 0) {
    const llvm::APInt range = evolution_.getSignedRangeMax(value);
    const int64_t most = range.getSignificantBits() <= 64 ? range.getSExtValue() : INT64_MAX;
    return depth == kDeepest ? most : std::min(most, MostOfTerms(value, depth + 1));
  }

 private:
  int64_t MostOfTerms(const SCEV* value, int depth) {
    if (const auto* least = llvm::dyn_cast<llvm::SCEVSMinExpr>(value))
      return LeastOf(least->operands(), nullptr, depth);
    if (const auto* sum = llvm::dyn_cast<llvm::SCEVAddExpr>(value)) return MostOfSum(*sum, depth);
    if (const auto* quotient = llvm::dyn_cast<llvm::SCEVUDivExpr>(value)) {
      const int64_t most = Most(quotient->getLHS(), depth);
      const auto by = evolution_.getUnsignedRangeMin(quotient->getRHS()).getLimitedValue();
      return most < 0 || by == 0 || by > static_cast<uint64_t>(kMost) ? INT64_MAX : most / static_cast<int64_t>(by);
    }
    const auto* product = llvm::dyn_cast<llvm::SCEVMulExpr>(value);
    const auto* factor = product ? llvm::dyn_cast<llvm::SCEVConstant>(product->getOperand(0)) : nullptr;
    if (factor == nullptr || product->getNumOperands() != 2) return INT64_MAX;
    const int64_t times = factor->getAPInt().getSExtValue(), most = Most(product->getOperand(1), depth);
    return times <= 0 || times > kMost || most > kMost ? INT64_MAX : times * most;
  }

  int64_t MostOfSum(const llvm::SCEVAddExpr& sum, int depth) {
    for (const SCEV* term : sum.operands()) {
      const SCEV* rest = evolution_.getMinusSCEV(&sum, term);
      if (const auto* least = llvm::dyn_cast<llvm::SCEVSMinExpr>(term)) return LeastOf(least->operands(), rest, depth);
      if (const int64_t most = MostOfRest(rest, term); most < INT64_MAX) return most;
    }
    int64_t most = 0;
    for (const SCEV* term : sum.operands()) {
      const int64_t more = Most(term, depth);
      if (more >= kMost || more <= -kMost) return INT64_MAX;
      most += more;
    }
    return most;
  }

  // The greatest value of x + k - x / n * n, which is a remainder plus k.
  int64_t MostOfRest(const SCEV* rest, const SCEV* term) {
    const auto* product = llvm::dyn_cast<llvm::SCEVMulExpr>(term);
    const auto* quotient = product ? llvm::dyn_cast<llvm::SCEVUDivExpr>(product->getOperand(1)) : nullptr;
    if (quotient == nullptr || product->getOperand(0) != evolution_.getNegativeSCEV(quotient->getRHS())) {
      return INT64_MAX;
    }
    const auto* by = llvm::dyn_cast<llvm::SCEVConstant>(quotient->getRHS());
    const auto* more = llvm::dyn_cast<llvm::SCEVConstant>(evolution_.getMinusSCEV(rest, quotient->getLHS()));
    if (by == nullptr || more == nullptr) return INT64_MAX;
    return by->getAPInt().getSExtValue() - 1 + more->getAPInt().getSExtValue();
  }

  // The least of the terms' greatest values, each with `more` added.
  int64_t LeastOf(llvm::ArrayRef<const SCEV*> terms, const SCEV* more, int depth) {
    int64_t least = INT64_MAX;
    for (const SCEV* term : terms) {
      least = std::min(least, Most(more == nullptr ? term : evolution_.getAddExpr(more, term), depth));
    }
    return least;
  }

  llvm::ScalarEvolution& evolution_;
};

std::optional<uint32_t> Limited(int64_t trips) {
  if (trips >= kMost) return std::nullopt;
  return static_cast<uint32_t>(std::max<int64_t>(trips, 0));
}

// Handles for (i = begin;; i = next) with the test next < end after the body.
std::optional<uint32_t> ByItsTest(const llvm::Loop& loop, llvm::ScalarEvolution& evolution) {
  const llvm::BasicBlock* exiting = loop.getExitingBlock();
  const auto* branch = exiting ? llvm::dyn_cast<llvm::BranchInst>(exiting->getTerminator()) : nullptr;
  const auto* test =
      branch && branch->isConditional() ? llvm::dyn_cast<llvm::ICmpInst>(branch->getCondition()) : nullptr;
  if (test == nullptr || test->getPredicate() != llvm::ICmpInst::ICMP_SLT) return std::nullopt;
  const auto* next = llvm::dyn_cast<llvm::SCEVAddRecExpr>(evolution.getSCEV(test->getOperand(0)));
  if (next == nullptr || next->getLoop() != &loop) return std::nullopt;
  const auto* step = llvm::dyn_cast<llvm::SCEVConstant>(next->getStepRecurrence(evolution));
  if (step == nullptr || !step->getAPInt().isStrictlyPositive()) return std::nullopt;
  const SCEV* left = evolution.getMinusSCEV(evolution.getSCEV(test->getOperand(1)), next->getStart());
  const int64_t most = Bounds(evolution).Most(left), by = step->getAPInt().getSExtValue();
  return most >= kMost ? std::nullopt : Limited((most + by - 1) / by);
}

std::optional<uint32_t> Known(const SCEV* trips) {
  const auto* constant = llvm::dyn_cast<llvm::SCEVConstant>(trips);
  return constant == nullptr ? std::nullopt
                             : Limited(static_cast<int64_t>(constant->getAPInt().getLimitedValue(kMost)));
}

// The number of iterations after the first one; the greatest number, if it varies. Returns nullopt if no bound below
// 2^30 is known, such as when data decide.
std::optional<uint32_t> TripsAfterTheFirst(const llvm::Loop& loop, llvm::ScalarEvolution& evolution) {
  if (const auto exactly = Known(evolution.getBackedgeTakenCount(&loop))) return exactly;
  const auto at_most = Known(evolution.getConstantMaxBackedgeTakenCount(&loop)), closer = ByItsTest(loop, evolution);
  if (!at_most || !closer) return at_most ? at_most : closer;
  return std::min(*at_most, *closer);
}

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
