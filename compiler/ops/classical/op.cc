// Probabilities of classes from those of pairs of classes: the second method of Wu, Lin and Weng, "Probability
// Estimates for Multi-class Classification by Pairwise Coupling" (2004). It solves Qp = (pQp) 1 by an iteration that
// LIBSVM ends early, so that the number of steps is part of the result. Steps are in float32, as ONNX Runtime takes
// them.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "compiler/ops/classical/op_coupling.h"
#include "compiler/ops/op_families.h"
#include "compiler/relay/arguments.h"
#include "core/nth.h"

namespace hone::relay {
namespace {

using Tensors = std::vector<Tensor>;

TypePtr CouplingType(const std::vector<TypePtr>& args, const Attrs& /*attrs*/) {
  const Shape& pairs = RowMajorArg(args, 0, "data", 2).shape;
  const int64_t classes = ClassesOfPairs(std::min(pairs[1], kMostCoupledClasses * kMostCoupledClasses));
  if (pairs[1] < 1 || classes == 0 || classes > kMostCoupledClasses) {
    Misfit(fmt::format("{} columns are not the pairs of 2 to {} classes", pairs[1], kMostCoupledClasses));
  }
  return TensorType({pairs[0], classes});
}

class Coupling {
 public:
  explicit Coupling(int64_t classes)
      : classes_(classes),
        q_(static_cast<size_t>(classes * classes)),
        qp_(static_cast<size_t>(classes)),
        p_(static_cast<size_t>(classes)) {}

  // `pairs` has the probability that the first of each pair is the class: (0, 1), (0, 2), ..., (1, 2), ...
  const std::vector<float>& Of(const Tensor& pairs, int64_t begin) {
    std::ranges::fill(q_, 0.0F);
    std::ranges::fill(p_, 1 / static_cast<float>(classes_));
    for (int64_t i = 0; i < classes_; ++i) {
      for (int64_t j = i + 1; j < classes_; ++j) {
        const auto first = static_cast<float>(pairs.At(begin++));
        const float second = 1 - first;
        Q(i, i) += second * second;
        Q(j, j) += first * first;
        Q(i, j) = Q(j, i) = -second * first;
      }
    }
    for (int64_t step = 0; step < kMostCouplingSteps && !IsBalanced(); ++step) Step();
    return p_;
  }

 private:
  float& Q(int64_t i, int64_t j) { return Nth(q_, i * classes_ + j); }

  // Computes Qp and pQp anew.
  bool IsBalanced() {
    pqp_ = 0;
    for (int64_t i = 0; i < classes_; ++i) {
      float sum = 0;
      for (int64_t j = 0; j < classes_; ++j) sum += Q(i, j) * Nth(p_, j);
      Nth(qp_, i) = sum;
      pqp_ += Nth(p_, i) * sum;
    }
    float most = 0;
    for (const float each : qp_) most = std::max(most, std::fabs(each - pqp_));
    return most < kCouplingError / static_cast<float>(classes_);
  }

  void Step() {
    for (int64_t i = 0; i < classes_; ++i) {
      const float move = (pqp_ - Nth(qp_, i)) / Q(i, i), whole = 1 + move;
      Nth(p_, i) += move;
      pqp_ = (pqp_ + move * (move * Q(i, i) + 2 * Nth(qp_, i))) / whole / whole;
      for (int64_t j = 0; j < classes_; ++j) {
        Nth(qp_, j) = (Nth(qp_, j) + move * Q(i, j)) / whole;
        Nth(p_, j) /= whole;
      }
    }
  }

  const int64_t classes_;
  std::vector<float> q_, qp_, p_;
  float pqp_ = 0;
};

Tensors Coupled(const Tensors& args, const Attrs& /*attrs*/) {
  const int64_t rows = args[0].shape()[0], pairs = args[0].shape()[1], classes = ClassesOfPairs(pairs);
  Tensor result(DType::kFloat32, {rows, classes});
  Coupling coupling(classes);
  for (int64_t row = 0; row < rows; ++row) {
    const std::vector<float>& p = coupling.Of(args[0], row * pairs);
    for (int64_t i = 0; i < classes; ++i) result.Set(row * classes + i, Nth(p, i));
  }
  return {result};
}

}  // namespace

OpTable ClassicalOps() {
  OpDef def;
  def.name = "couple_pairs";
  def.description = "probabilities of classes from those of pairs of classes";
  def.inputs = {
      {"data", "(rows, pairs): how likely the first class is: (0, 1), (0, 2), ..., (1, 2), ...", kKernelFloat}};
  def.results = {{"probabilities", kKernelFloat}};
  def.support_level = 10;
  def.pattern = OpPattern::kReduction;
  def.layout = LayoutRule::kNative;
  def.type_relation = CouplingType;
  def.reference = Coupled;
  return {def};
}

}  // namespace hone::relay
