#include "tests/random_graphs/judged_outputs.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "compiler/passes/graph/typed_graph.h"
#include "compiler/passes/graph/whole_numbers.h"
#include "compiler/relay/reference.h"
#include "compiler/relay/visitor.h"
#include "core/random.h"

namespace hone {
namespace {

constexpr double kTolerance = 2e-5;
constexpr double kMoved = 1e-5;
constexpr double kSlack = 4;
constexpr int kTimes = 8;  // number of times that the reference is moved

double Largest(const Tensor& tensor) {
  double largest = 0;
  for (int64_t i = 0; i < tensor.elements(); ++i) {
    if (std::isfinite(tensor.At(i))) largest = std::max(largest, std::fabs(tensor.At(i)));
  }
  return largest;
}

struct Difference {
  double worst = 0;  // infinite when a NaN or an infinity is misplaced
  int64_t index = 0;
  int64_t count = 0;  // number of elements that are off by more than the tolerance
};

Difference Between(const Tensor& got, const Tensor& expected) {
  Difference difference;
  const double most = kTolerance * Largest(expected);
  for (int64_t i = 0; i < expected.elements(); ++i) {
    const double a = got.At(i), b = expected.At(i);
    const bool same = a == b || (std::isnan(a) && std::isnan(b));
    const double off = same ? 0 : std::isfinite(a) && std::isfinite(b) ? std::fabs(a - b) : HUGE_VAL;
    if (off > difference.worst) difference.worst = off, difference.index = i;
    if (off > most) ++difference.count;
  }
  return difference;
}

// The result with noise added.
relay::ExprPtr Moved(const relay::ExprPtr& result, double largest, Random& random) {
  Tensor noise(DType::kFloat32, result->type->shape);
  for (int64_t i = 0; i < noise.elements(); ++i) noise.Set(i, (2 * random.Uniform() - 1) * kMoved * largest);
  return TypedCall("add", {result, relay::MakeConstant(noise)});
}

std::vector<Tensor> RunMoved(const relay::IRModule& typed, const std::map<std::string, Tensor>& inputs,
                             Random& random) {
  std::map<const relay::Call*, double> largest;
  RunReference(typed, inputs, [&](const relay::Call& call, const std::vector<Tensor>& results) {
    largest[&call] = Largest(results.at(0));
  });
  const relay::ExprPtr body = relay::RewritePostOrder(
      typed.main->body, [&](const relay::ExprPtr& old, const relay::ExprPtr& rebuilt) -> relay::ExprPtr {
        const auto found = largest.find(relay::AsCall(old));
        if (found == largest.end() || old->type->kind != relay::TypeKind::kTensor) return rebuilt;
        // An integer survives any rounding, and a moved one would be another integer, so it is not moved.
        const bool movable = old->type->dtype == DType::kFloat32 && !WholeRangeOf(old);
        return movable ? Moved(rebuilt, found->second, random) : rebuilt;
      });
  return RunReference(WithBody(typed, body), inputs);
}

}  // namespace

std::optional<std::string> WrongOutput(const relay::IRModule& typed, const std::map<std::string, Tensor>& inputs,
                                       const std::vector<Tensor>& expected, const std::vector<Tensor>& got) {
  if (got.size() != expected.size()) return fmt::format("{} outputs instead of {}", got.size(), expected.size());
  Random random(1);
  std::vector<std::vector<Tensor>> moved;
  for (size_t i = 0; i < got.size(); ++i) {
    if (got[i].shape() != expected[i].shape() || got[i].dtype() != expected[i].dtype()) {
      return fmt::format("output {} is {} instead of {}", i, ShapeText(got[i].shape()), ShapeText(expected[i].shape()));
    }
    const Difference off = Between(got[i], expected[i]);
    if (off.worst <= kTolerance * Largest(expected[i])) continue;
    while (moved.size() < kTimes) moved.push_back(RunMoved(typed, inputs, random));
    Difference spread;
    for (const auto& each : moved) {
      const Difference by = Between(each.at(i), expected[i]);
      spread.worst = std::max(spread.worst, by.worst);
      spread.count = std::max(spread.count, by.count);
    }
    if (off.worst <= kSlack * spread.worst && off.count <= static_cast<int64_t>(kSlack) * spread.count) continue;
    return fmt::format(
        "output {} element {}: {:.9g} instead of {:.9g}; largest {:.3g}, moved by {:.1e}; {} are off, {} when moved", i,
        off.index, got[i].At(off.index), expected[i].At(off.index), Largest(expected[i]), spread.worst, off.count,
        spread.count);
  }
  return std::nullopt;
}

}  // namespace hone
