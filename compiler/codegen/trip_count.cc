#include "compiler/codegen/trip_count.h"

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/IR/Instructions.h>

#include <algorithm>

namespace hone {
namespace {

using llvm::SCEV;

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

}  // namespace

std::optional<uint32_t> TripsAfterTheFirst(const llvm::Loop& loop, llvm::ScalarEvolution& evolution) {
  if (const auto exactly = Known(evolution.getBackedgeTakenCount(&loop))) return exactly;
  const auto at_most = Known(evolution.getConstantMaxBackedgeTakenCount(&loop)), closer = ByItsTest(loop, evolution);
  if (!at_most || !closer) return at_most ? at_most : closer;
  return std::min(*at_most, *closer);
}

}  // namespace hone
