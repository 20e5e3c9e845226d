// Why 16 and 32 bits hold everything. B^T d B adds up to four bytes with signs, at most 2 * 2 * 255 = 1020. Four times
// G g G^T adds up to nine weights, at most 9 * 128 = 1152. A step adds two of their products, 2.4 million. Sums over
// channels and A^T M A are taken modulo 2^32, and what comes out of them is four times the convolution's sum, which
// kMostChannels keeps below 2^31; so it is exact, and so is a quarter of it.
#include "compiler/schedules/conv2d_winograd_int16.h"

#include <fmt/format.h>

#include "compiler/schedules/conv2d_winograd.h"
#include "compiler/schedules/knob_schedule.h"
#include "compiler/schedules/step_cycles.h"

namespace hone {
namespace {

constexpr int64_t kLargestSum = int64_t{9} * 255 * 128, kMostChannels = (int64_t{1} << 31) / (4 * kLargestSum);

// Cycles per vector of outputs: scaled, rounded, narrowed, and with another tensor added (as conv2d_direct.cc).
constexpr double kFinish = 6, kResidual = 6;

class WinogradInt16 : public KnobSchedule<WinogradKnobs> {
 public:
  std::string_view name() const override { return "conv2d_winograd_int16"; }
  int version() const override { return 1; }
  bool Takes(const ElementTypes& types) const override {
    return types == ByteTypes(DType::kUInt8) || types == ByteTypes(DType::kFloat32) ||
           types == ByteTypes(DType::kInt32);
  }
  bool Applies(const Workload& w, const MachineModel& machine) const override {
    return machine.byte_dots == ByteDots::kPairs && SuitsWinograd(w) && ConvShape(w).C <= kMostChannels;
  }

 private:
  std::optional<std::string> RejectWith(const Workload& w, const MachineModel& machine,
                                        const WinogradKnobs& k) const override {
    if (k.m != 2) return "tile_m of bytes is 2";
    return RejectWinograd(WinogradNest(w, machine, k), machine);
  }

  std::vector<KernelOperand> OperandsWith(const Workload& w, const WinogradKnobs& k,
                                          const Epilogue& epilogue) const override {
    return WinogradOperands(w, k, epilogue, fmt::format("HWOI{}i{}o2i2w", k.ic_block / 2, k.tile_oc * k.oc_block));
  }

  EmittedKernel EmitWith(KernelBuilder& builder, const Workload& w, const MachineModel& machine, const WinogradKnobs& k,
                         const Epilogue& epilogue, const std::string& symbol) const override {
    return EmitConv2dWinograd(builder, WinogradNest(w, machine, k), epilogue, symbol);
  }

  TileShape TileWith(const Workload& w, const MachineModel& machine, const WinogradKnobs& k) const override {
    return WinogradNest(w, machine, k).Tile();
  }

  double EstimateNsWith(const Workload& w, const MachineModel& machine, const WinogradKnobs& k) const override {
    const WinogradNest nest(w, machine, k);
    // A sum waits for the one before, not for a product.
    const double step =
        StepCycles(machine, static_cast<double>(k.tile_ow), static_cast<double>(k.tile_oc), kSumLatency);
    const double finish = kFinish + (w.epilogue == EpilogueClass::kResidual ? kResidual : 0);
    const ConvShape& s = nest.shape;
    const double vectors = static_cast<double>(nest.out_blocks * s.N * s.OH * s.OW);
    const double cycles = WinogradCycles(nest, machine, step) + finish * vectors / std::max(machine.threads, 1);
    return cycles / machine.clock_ghz;
  }

  static constexpr double kSumLatency = 1.2;
};

}  // namespace

const Schedule& Conv2dWinogradInt16() {
  static const WinogradInt16 schedule;
  return schedule;
}

}  // namespace hone
