// Kernels of bytes against sums of integers and ONNX's rounding, written out here: the same bits on every target.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "compiler/codegen/host.h"
#include "compiler/compile_kernel.h"
#include "compiler/schedules/schedule.h"
#include "core/random.h"
#include "tests/support/run_kernel.h"

namespace hone {
namespace {

std::vector<Target> TestTargets() {
  std::vector<Target> targets{HostTarget()};
  for (const char* cpu : {"x86-64-v2", "x86-64-v3", "x86-64-v4"}) {
    Target target = HostTarget();
    target.cpu = cpu;
    target.features.clear();
    if (MissingFeature(target).empty()) targets.push_back(target);
  }
  return targets;
}

std::vector<Tensor> RandomInputs(const std::vector<KernelOperand>& operands, uint64_t seed) {
  std::vector<Tensor> inputs;
  for (const KernelOperand& operand : operands) {
    if (operand.role == OperandRole::kOutput) continue;
    inputs.emplace_back(operand.dtype, operand.shape);
    FillTensor(inputs.back(), Fill::kNormal, seed + inputs.size());
  }
  return inputs;
}

// Of inputs in kernel order: data, weight, [offset], [scale], [bias], [residual].
class Oracle {
 public:
  Oracle(const Workload& w, const Epilogue& epilogue, const std::vector<Tensor>& inputs)
      : w_(w), e_(epilogue), data_(inputs[0]), weight_(inputs[1]) {
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
    if (e_.step == 0) return x;
    const double most = e_.most > 0 ? e_.most : 255;
    return std::clamp(static_cast<double>(std::nearbyint(x / e_.step)) + e_.zero_point, 0.0, most);
  }

  const Workload& w_;
  const Epilogue& e_;
  Tensor data_, weight_, offset_, scale_, bias_, residual_;
};

void CheckBits(const Candidate& candidate, const Epilogue& epilogue, uint64_t seed) {
  SCOPED_TRACE(candidate.workload.ToText() + " | " + candidate.schedule + " " + candidate.config.ToText() + " | " +
               candidate.target.cpu + " | " + epilogue.ToText());
  auto compiled = CompileKernel(candidate, epilogue);
  ASSERT_TRUE(std::holds_alternative<Artifact>(compiled)) << std::get<Rejection>(compiled).reason;
  const Artifact& artifact = std::get<Artifact>(compiled);
  const std::vector<Tensor> inputs = RandomInputs(artifact.operands, seed);
  const std::vector<double> expected = Oracle(candidate.workload, epilogue, inputs).Values();
  const Tensor got = testing::RunArtifact(artifact, inputs)[0];
  ASSERT_EQ(static_cast<size_t>(got.elements()), expected.size());
  for (int64_t i = 0; i < got.elements(); ++i) ASSERT_EQ(got.At(i), expected[static_cast<size_t>(i)]) << i;
}

void CheckReference(const Workload& w, const Target& target, uint64_t seed) {
  SCOPED_TRACE(w.ToText() + " | " + target.cpu);
  const Artifact reference = CompileReference(w, target);
  const std::vector<Tensor> inputs = RandomInputs(reference.operands, seed);
  const Epilogue epilogue = CanonicalEpilogue(w);
  const std::vector<double> expected = Oracle(w, epilogue, inputs).Values();
  const std::vector<Tensor> got = testing::RunArtifact(reference, inputs);
  for (int64_t i = 0; i < got[0].elements(); ++i) {
    ASSERT_EQ(got[0].At(i), expected[static_cast<size_t>(i)]) << i;
    ASSERT_EQ(got[1].At(i), 0) << "an output that must be exact has no error to allow";
  }
}

Config ValidConfig(const Schedule& schedule, const Workload& w, const MachineModel& machine, Random& random) {
  const ConfigSpace space = schedule.Space(w, machine);
  for (int tries = 0; tries < 4000; ++tries) {
    Config config = space.Sample(random);
    if (!schedule.Reject(w, machine, config)) return config;
  }
  ADD_FAILURE() << "no valid config for " << w.ToText();
  return {};
}

const std::vector<const char*> kConvolutions{
    "nn.conv2d data=2x37x9x11 weight=35x37x3x3 padding=1x1x1x1",
    "nn.conv2d data=1x3x15x15 weight=21x3x5x5 strides=2x2 padding=2x2x2x2",
    "nn.conv2d data=1x40x7x9 weight=35x40x1x1",
    "nn.conv2d data=1x64x6x6 weight=48x64x1x1 strides=2x2",
    "nn.conv2d data=1x24x8x8 weight=32x12x3x3 padding=1x1x1x1 groups=2",
    "nn.conv2d data=1x8x5x4 weight=2x4x1x1 groups=2",
    "nn.conv2d data=1x16x7x7 weight=1x16x3x3 padding=1x1x1x1",
    "nn.conv2d data=1x1x12x5 weight=17x1x3x2 dilation=2x1",
    "nn.conv2d data=2x37x9x11 weight=37x1x3x3 padding=1x1x1x1 groups=37",
    "nn.conv2d data=1x20x9x9 weight=20x1x5x5 strides=2x2 padding=2x2x2x2 groups=20"};

void CheckEverywhere(EpilogueClass epilogue_class, DType output) {
  uint64_t seed = 1;
  for (const char* text : kConvolutions) {
    Workload w = Workload::Parse(text);
    w.types = ByteTypes(output);
    w.epilogue = epilogue_class;
    for (const Target& target : TestTargets()) {
      if (::testing::Test::HasFailure()) return;
      CheckReference(w, target, seed);
      const MachineModel machine = MachineModelFor(target);
      const std::vector<const Schedule*> schedules = SchedulesFor(w, machine);
      ASSERT_EQ(schedules.size(), 1U) << text;
      Random random(seed++);
      const Config config = ValidConfig(*schedules[0], w, machine, random);
      CheckBits({w, std::string(schedules[0]->name()), config, target}, CanonicalEpilogue(w), seed);
    }
  }
}

TEST(WholeNumbers, SumsAreExactOnEveryTarget) { CheckEverywhere(EpilogueClass::kNone, DType::kFloat32); }
TEST(WholeNumbers, QuantisesAlike) { CheckEverywhere(EpilogueClass::kNone, DType::kUInt8); }
TEST(WholeNumbers, AddsOffsetsAndScales) { CheckEverywhere(EpilogueClass::kBiasAct, DType::kUInt8); }
TEST(WholeNumbers, AddsResidualsWithBothScales) { CheckEverywhere(EpilogueClass::kResidual, DType::kUInt8); }

TEST(WholeNumbers, TakesEveryPartOfAnEpilogue) {
  Workload w = Workload::Parse("nn.conv2d data=1x20x7x9 weight=35x20x3x3 padding=1x1x1x1 epilogue=residual");
  w.types = ByteTypes(DType::kUInt8);
  for (const char* text :
       {"offset,scale,hold(-127,100,0.37),add(0.21,5),relu,quantise(0.5,3,200)", "scale,bias,quantise(700,17)",
        "offset,scale,bias,add(12.5,0),relu,quantise(300,0,127)", "scale,hold(-128,127,1),quantise(1,128)"}) {
    for (const Target& target : TestTargets()) {
      const MachineModel machine = MachineModelFor(target);
      CheckBits({w, "conv2d_direct", AnalyticDefault(w, machine).config, target}, Epilogue::Parse(text), 5);
    }
  }
}

// The largest products there are, whose neighbours' sum no 16 bits hold.
TEST(WholeNumbers, NothingSaturates) {
  Workload w = Workload::Parse("nn.conv2d data=1x64x3x3 weight=32x64x1x1");
  w.types = ByteTypes(DType::kFloat32);
  for (const Target& target : TestTargets()) {
    SCOPED_TRACE(target.cpu);
    const Config config = AnalyticDefault(w, MachineModelFor(target)).config;
    const auto compiled = CompileKernel({w, "conv2d_direct", config, target}, Epilogue());
    const Artifact& artifact = std::get<Artifact>(compiled);
    Tensor data(DType::kUInt8, w.data), weight(DType::kInt8, w.weight);
    for (int64_t i = 0; i < data.elements(); ++i) data.Set(i, 255);
    for (int64_t i = 0; i < weight.elements(); ++i) weight.Set(i, i / 64 % 2 == 0 ? 127 : -128);
    const Tensor got = testing::RunArtifact(artifact, {data, weight})[0];
    for (int64_t i = 0; i < got.elements(); ++i) ASSERT_EQ(got.At(i), 64 * 255 * (i / 9 % 2 == 0 ? 127 : -128)) << i;
  }
}

}  // namespace
}  // namespace hone
