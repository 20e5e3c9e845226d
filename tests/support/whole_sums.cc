#include "tests/support/whole_sums.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "compiler/compile_kernel.h"
#include "tests/support/run_kernel.h"

namespace hone::testing {
namespace {

// A dense layer's rows become images of one pixel.
Workload AsConv(Workload w) {
  if (w.is_conv()) return w;
  w.op = "nn.conv2d";
  w.data = {w.data[0], w.data[1], 1, 1};
  w.weight = {w.weight[0], w.weight[1], 1, 1};
  return w;
}

// The value as stored: rounded with halves to even where the output is quantised.
double Stored(const Epilogue& e, float x) {
  if (e.step == 0) return x;
  const double most = e.most > 0 ? e.most : 255;
  return std::clamp(static_cast<double>(std::nearbyint(x / e.step)) + e.zero_point, 0.0, most);
}

// Computes outputs from inputs in kernel order: data, weight, [offset], [scale], [bias], [residual].
class Oracle {
 public:
  Oracle(const Workload& w, const Epilogue& epilogue, const std::vector<Tensor>& inputs)
      : w_(AsConv(w)), e_(epilogue), data_(inputs[0]), weight_(inputs[1]) {
    size_t next = 2;
    if (e_.offset) offset_ = inputs[next++];
    if (e_.scale) scale_ = inputs[next++];
    if (e_.bias) bias_ = inputs[next++];
    if (e_.residual) residual_ = inputs[next];
  }

  std::vector<double> Values() const {
    std::vector<double> values;
    const Shape out = w_.OutputShape();
    for (int64_t n = 0; n < out[0]; ++n) {
      for (int64_t o = 0; o < out[1]; ++o) {
        for (int64_t y = 0; y < out[2]; ++y) {
          for (int64_t x = 0; x < out[3]; ++x) {
            values.push_back(Finished(Sum(n, o, y, x), o, static_cast<int64_t>(values.size())));
          }
        }
      }
    }
    return values;
  }

 private:
  int64_t Sum(int64_t n, int64_t o, int64_t y, int64_t x) const {
    const int64_t C = w_.data[1], H = w_.data[2], W = w_.data[3];
    const int64_t I = w_.weight[1], KH = w_.weight[2], KW = w_.weight[3], first = o / (w_.weight[0] / w_.groups) * I;
    int64_t sum = e_.offset ? static_cast<int64_t>(offset_.At(o)) : 0;
    for (int64_t i = 0; i < I; ++i) {
      for (int64_t kh = 0; kh < KH; ++kh) {
        for (int64_t kw = 0; kw < KW; ++kw) {
          const int64_t h = y * w_.strides[0] + kh * w_.dilation[0] - w_.padding[0];
          const int64_t c = x * w_.strides[1] + kw * w_.dilation[1] - w_.padding[1];
          if (h < 0 || h >= H || c < 0 || c >= W) continue;
          sum += static_cast<int64_t>(data_.At(((n * C + first + i) * H + h) * W + c)) *
                 static_cast<int64_t>(weight_.At(((o * I + i) * KH + kh) * KW + kw));
        }
      }
    }
    return sum;
  }

  // std::nearbyint rounds halves to even.
  double Finished(int64_t sum, int64_t o, int64_t at) const {
    if (w_.types.output == DType::kInt32) return static_cast<double>(sum);
    auto x = static_cast<float>(sum);
    if (e_.scale) x *= static_cast<float>(scale_.At(o));
    if (e_.hold.scale > 0) x = std::clamp(std::nearbyint(x), e_.hold.lo, e_.hold.hi) * e_.hold.scale;
    if (e_.bias) x += static_cast<float>(bias_.At(o));
    if (e_.residual) {
      const float scaled = (static_cast<float>(residual_.At(at)) - static_cast<float>(e_.residual_zero)) *
                           (e_.residual_scale > 0 ? e_.residual_scale : 1);
      x += scaled;
    }
    if (e_.activation != nullptr) x = std::max(x, 0.0F);
    return Stored(e_, x);
  }

  const Workload w_;
  const Epilogue& e_;
  Tensor data_, weight_, offset_, scale_, bias_, residual_;
};

// Outputs of nn.batch_matmul in the order of its axes; inputs are data, weight, their zero points, [scale].
std::vector<double> ProductsOfPairs(const Workload& w, const Epilogue& epilogue, const std::vector<Tensor>& inputs) {
  const std::string letters = "BMNK";
  // The element of an operand at these positions along B, M, N and K.
  const auto at = [&](int operand, const Shape& shape, const std::array<int64_t, 4>& position) {
    int64_t index = 0;
    for (size_t i = 0; i < shape.size(); ++i) {
      const int64_t along = position.at(letters.find(w.OperandAxes(operand)[i]));
      index = index * shape[i] + (shape[i] == 1 ? 0 : along);
    }
    return index;
  };
  const Shape out = w.OutputShape();
  std::vector<double> values(static_cast<size_t>(ElementCount(out)));
  for (int64_t b = 0; b < w.Extent('B'); ++b) {
    for (int64_t m = 0; m < w.Extent('M'); ++m) {
      for (int64_t n = 0; n < w.Extent('N'); ++n) {
        int64_t sum = 0;
        for (int64_t k = 0; k < w.Extent('K'); ++k) {
          const double x = inputs[0].At(at(0, w.data, {b, m, n, k})) - inputs[2].At(0);
          sum += static_cast<int64_t>(x * (inputs[1].At(at(1, w.weight, {b, m, n, k})) - inputs[2].At(1)));
        }
        double& value = values[static_cast<size_t>(at(2, out, {b, m, n, 0}))];
        value = static_cast<double>(sum);
        if (w.types.output == DType::kInt32) continue;
        const float scale = epilogue.scale ? static_cast<float>(inputs[3].At(n)) : 1;
        value = Stored(epilogue, static_cast<float>(sum) * scale);
      }
    }
  }
  return values;
}

}  // namespace

Candidate BestOf(const Schedule& schedule, const Workload& w, const Target& target) {
  const MachineModel machine = MachineModelFor(target);
  const ConfigSpace space = schedule.Space(w, machine);
  Candidate best{w, std::string(schedule.name()), {}, target};
  double least_ns = 0;
  for (int64_t i = 0; i < space.size(); ++i) {
    Config config = space.At(i);
    if (schedule.Reject(w, machine, config)) continue;
    const double estimate_ns = schedule.EstimateNs(w, machine, config);
    if (!best.config.values().empty() && estimate_ns >= least_ns) continue;
    least_ns = estimate_ns;
    best.config = std::move(config);
  }
  EXPECT_FALSE(best.config.values().empty()) << "no valid config for " << w.ToText();
  return best;
}

std::vector<double> WholeValues(const Workload& w, const Epilogue& epilogue, const std::vector<Tensor>& inputs) {
  return w.is_batch_matmul() ? ProductsOfPairs(w, epilogue, inputs) : Oracle(w, epilogue, inputs).Values();
}

void CheckBits(const Candidate& candidate, const Epilogue& epilogue, uint64_t seed) {
  SCOPED_TRACE(candidate.workload.ToText() + " | " + candidate.schedule + " " + candidate.config.ToText() + " | " +
               candidate.target.cpu + " | " + epilogue.ToText());
  auto compiled = CompileKernel(candidate, epilogue);
  ASSERT_TRUE(std::holds_alternative<Artifact>(compiled)) << std::get<Rejection>(compiled).reason;
  const Artifact& artifact = std::get<Artifact>(compiled);
  const std::vector<Tensor> inputs = RandomInputs(artifact.operands, seed);
  const std::vector<double> expected = WholeValues(candidate.workload, epilogue, inputs);
  for (const int64_t piece : {0, 3}) {
    const Tensor got = RunArtifact(artifact, inputs, piece)[0];
    ASSERT_EQ(static_cast<size_t>(got.elements()), expected.size());
    for (int64_t i = 0; i < got.elements(); ++i) {
      ASSERT_EQ(got.At(i), expected[static_cast<size_t>(i)]) << i << " in pieces of " << piece;
    }
  }
}

}  // namespace hone::testing
