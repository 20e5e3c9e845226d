// Filters of many taps over few channels: for spectra and other signals, whose samples are the kernel's row.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "compiler/codegen/target/host.h"
#include "compiler/compile_kernel.h"
#include "tests/support/run_kernel.h"

namespace hone {
namespace {

Candidate DefaultOf(const Workload& w, const Target& target) {
  const DefaultConfig chosen = AnalyticDefault(w, MachineModelFor(target));
  EXPECT_EQ(chosen.schedule->name(), "conv2d_direct") << w.ToText();
  return {w, std::string(chosen.schedule->name()), chosen.config, target};
}

// As many taps as fit in one line, one more, a remainder, and whole steps. Windows at a border and without one, with a
// stride and a dilation.
TEST(LongFilter, ComputesWhatTheReferenceDoes) {
  const Target host = HostTarget();
  for (const char* text :
       {"nn.conv2d data=1x1x1x300 weight=7x1x1x16 strides=1x2", "nn.conv2d data=1x1x1x300 weight=7x1x1x17",
        "nn.conv2d data=1x3x2x300 weight=20x3x2x39 padding=0x19x0x19 epilogue=bias_act",
        "nn.conv2d data=1x1x1x900 weight=36x1x1x256 strides=1x4 epilogue=bias_act",
        "nn.conv2d data=2x2x1x300 weight=9x2x1x37 strides=1x3 padding=0x5x0x9 dilation=1x2"}) {
    const Workload w = Workload::Parse(text);
    const auto compiled = CompileKernel(DefaultOf(w, host));
    ASSERT_TRUE(std::holds_alternative<Artifact>(compiled)) << text;
    const Artifact& artifact = std::get<Artifact>(compiled);
    const Artifact reference = CompileReference(w, host);
    std::vector<Tensor> inputs = testing::RandomInputs(artifact.operands, 3);
    const std::vector<Tensor> got = testing::RunArtifact(artifact, inputs);
    const std::vector<Tensor> expected = testing::RunArtifact(reference, inputs);
    for (int64_t i = 0; i < got[0].elements(); ++i) {
      ASSERT_NEAR(got[0].At(i), expected[0].At(i), 2e-6 * expected[1].At(i) + 1e-7) << text << " at " << i;
    }
  }
}

TEST(LongFilter, MakesNoMoreCodeForMoreTaps) {
  const Target target = ResolveTarget("x86-64-v4");
  const auto code = [&](int taps) {
    const Workload w = Workload::Parse(fmt::format("nn.conv2d data=1x1x1x4000 weight=36x1x1x{} strides=1x8", taps));
    return CompileAnchorObject(DefaultOf(w, target), CanonicalEpilogue(w)).object.size();
  };
  EXPECT_LE(code(512), code(64) * 11 / 10);
}

}  // namespace
}  // namespace hone
