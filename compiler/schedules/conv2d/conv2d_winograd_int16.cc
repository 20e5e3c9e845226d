// Why 16 and 32 bits hold everything, although F(4x4) is otherwise only for floats. The greatest magnitudes:
//
//                  F(2x2)                            F(4x4)
//   V = B^T d B    2 * 2 * 255 = 1020                (7 * 7 + 7 * 7) * 255 = 24990: rows of B^T add up to 7 and -7
//   U              4 G g G^T: 9 * 128 = 1152         900 G g G^T: 15 * 15 * 128 = 28800
//   a step's sum   2 V U: 2.4 million                2 V U: 1.44 * 10^9, below 2^31
//   A^T M A        4 times the convolution's sum     900 times
//
// Sums within a transform may overflow 16 bits on the way: only the results must fit. Sums over channels and A^T M A
// are taken modulo 2^32. 900 is 4 * 225, and 225 has an inverse modulo 2^32. So both cases are left with four times the
// convolution's sum, modulo 2^32. The limit kMostChannels keeps that below 2^31; a quarter of it is the sum itself.
//
// The transform's points give F(4x4) this factor of 4. Modulo a power of two only an odd factor can be removed. The
// usual points are 0, 1, -1, 2, -2 and infinity. They multiply outputs by 24 * 24 = 64 * 9, and six bits of the sum are
// lost. Of the points 0, 2, 1, -1, -1/2 and infinity no two are congruent modulo 4, so a dimension loses only one bit.
// (Modulo 2 there are only three points for six.)
#include <fmt/format.h>

#include <algorithm>

#include "compiler/codegen/element.h"
#include "compiler/schedules/conv2d/conv2d_winograd.h"
#include "compiler/schedules/knob_schedule.h"
#include "compiler/schedules/parts/register_tile.h"
#include "compiler/schedules/parts/step_cycles.h"
#include "compiler/schedules/parts/thread_share.h"
#include "compiler/schedules/schedule_list.h"
#include "core/ceil_div.h"

namespace hone {
namespace {

constexpr int64_t kLargestSum = int64_t{9} * 255 * 128, kMostChannels = (int64_t{1} << 31) / (4 * kLargestSum);

// Cycles per vector of outputs: for scaling, rounding and narrowing, and for adding another tensor (as in
// conv2d_direct.cc).
constexpr double kFinishVector = 6, kResidualVector = 6;

// Cycles of one pass of a transform per frequency: for a tile's vector of channels, and for a vector of filters. Fitted
// to ResNet-18's layers on a Zen 4 core, like the share of a cache.
constexpr double kTransform = 2, kFilter = 2, kInt16CacheShare = 0.7, kInt16UnhiddenMemory = 0.5;
constexpr double kInt16SumLatency = 1.2;  // a sum waits for the previous sum, not for a product

double Cycles(const WinogradNest& nest, const Workload& w, const MachineModel& machine) {
  const WinogradKnobs& k = nest.knobs;
  const ConvShape& s = nest.shape;
  const double pixels = static_cast<double>(k.tile_ow), vectors = static_cast<double>(k.tile_oc);
  const double frequencies = static_cast<double>(nest.frequencies), group = static_cast<double>(nest.group);
  const double channels = static_cast<double>(nest.in_blocks * k.ic_block);
  const double outputs = static_cast<double>(nest.out_blocks * k.oc_block);
  const double blocks = static_cast<double>(k.tile_block == 0 ? 1 : CeilDiv(nest.tiles, k.tile_block));
  const double tiles = static_cast<double>(nest.block_tiles) * blocks;
  const double step = StepCycles(machine, pixels, vectors, kInt16SumLatency) + group / static_cast<double>(k.unroll_ic);
  const double product = frequencies * tiles / pixels * static_cast<double>(nest.groups()) *
                         (channels / group * step + 2 * pixels * vectors);
  const auto pass = [&](double bytes) {
    return 2 * bytes / MovedBytesPerCycle(machine, static_cast<double>(nest.workspace_bytes()), kInt16CacheShare);
  };
  const double of_tiles = kTransform * frequencies * tiles * static_cast<double>(nest.in_blocks + nest.out_blocks) +
                          pass(frequencies * tiles *
                               (channels * static_cast<double>(nest.in_bytes) +
                                outputs * static_cast<double>(Bytes(nest.types.accumulator))));
  const double filters = channels * outputs, transformed = frequencies * static_cast<double>(nest.weight_bytes);
  const double of_filters =
      kFilter * frequencies * filters / (group * static_cast<double>(nest.lanes)) + pass(transformed * filters);
  const double share =
      ThreadShare(k.tile_block == 0 ? nest.groups() : CeilDiv(nest.tiles, k.tile_block), machine.threads);
  const double read = filters * (nest.filters_in_run ? static_cast<double>(s.KH * s.KW) : transformed);
  const double memory = read / machine.cold_bytes_per_cycle;
  const double finish = kFinishVector + (w.epilogue == EpilogueClass::kResidual ? kResidualVector : 0);
  const double finished = static_cast<double>(nest.out_blocks * s.N * s.OH * s.OW);
  const double made = nest.filters_in_run ? blocks * of_filters : 0;
  // Fetching ahead hides most of the shorter of the two.
  const double computed = share * (product + of_tiles + made);
  const double weighed = k.prefetch ? std::max(computed, memory) + 0.05 * std::min(computed, memory)
                                    : computed + kInt16UnhiddenMemory * memory;
  return weighed + finish * finished / std::max(machine.threads, 1);
}

struct WinogradInt16Knobs : WinogradKnobs {
  using WinogradKnobs::WinogradKnobs;
  // 0: the package holds the filters' bytes, and the kernel transforms them each time it runs, which pays with many
  // tiles. 1: it holds the transformed filters: 8 bytes per filter byte for F(4x4), 3.6 for F(2x2).
  int64_t filters = Row("filters", 1, {0, 1}, Always<0, 1>);
};

WinogradNest Int16Nest(const Workload& w, const MachineModel& machine, const WinogradInt16Knobs& k) {
  return WinogradNest(w, machine, k, k.filters == 0);
}

class WinogradInt16 : public KnobSchedule<WinogradInt16Knobs> {
 public:
  std::string_view name() const override { return "conv2d_winograd_int16"; }
  int version() const override { return 2; }
  bool Takes(const ElementTypes& types) const override {
    return types == ByteTypes(DType::kUInt8) || types == ByteTypes(DType::kFloat32) ||
           types == ByteTypes(DType::kInt32);
  }
  bool Applies(const Workload& w, const MachineModel& machine) const override {
    return (machine.byte_dots == ByteDots::kPairs || machine.adds_pairs) && SuitsWinograd(w) &&
           ConvShape(w).C <= kMostChannels;
  }

 private:
  std::optional<std::string> RejectWith(const Workload& w, const MachineModel& machine,
                                        const WinogradInt16Knobs& k) const override {
    if (k.loop_order == 1) return "loop_order=1 is not of bytes, which take a group at a time";
    if (k.filters == 0 && k.prefetch == 1) return "prefetch=1 is of filters that the package holds transformed";
    // With VNNI direct kernels are closer, and the gain is not worth a package several times as large.
    if (k.filters == 1 && machine.adds_pairs) return "filters=1 is of machines without VNNI";
    return RejectWinograd(Int16Nest(w, machine, k), machine);
  }

  std::vector<KernelOperand> OperandsWith(const Workload& w, const WinogradInt16Knobs& k,
                                          const Epilogue& epilogue) const override {
    const int64_t pairs = k.ic_block / 2, channels = k.tile_oc * k.oc_block;
    return WinogradOperands(w, k, epilogue,
                            k.filters == 0 ? fmt::format("OI{}iHW{}o2i", pairs, channels)
                                           : fmt::format("HWOI{}i{}o2i2w@winograd{}", pairs, channels, k.m));
  }

  EmittedKernel EmitWith(KernelBuilder& builder, const Workload& w, const MachineModel& machine,
                         const WinogradInt16Knobs& k, const Epilogue& epilogue,
                         const std::string& symbol) const override {
    return EmitConv2dWinograd(builder, Int16Nest(w, machine, k), epilogue, symbol);
  }

  TileShape TileWith(const Workload& w, const MachineModel& machine, const WinogradInt16Knobs& k) const override {
    return Int16Nest(w, machine, k).Tile();
  }

  double EstimateNsWith(const Workload& w, const MachineModel& machine, const WinogradInt16Knobs& k) const override {
    return Cycles(Int16Nest(w, machine, k), w, machine) / machine.clock_ghz;
  }
};

}  // namespace

const Schedule& Conv2dWinogradInt16() {
  static const WinogradInt16 schedule;
  return schedule;
}

}  // namespace hone
