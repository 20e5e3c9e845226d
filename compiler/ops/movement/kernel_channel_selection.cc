// A vector holds several blocks of the result: from neighbouring pixels, from several groups of channels, or both. From
// blocks of 16 channels to blocks of 4, a vector of 16 lanes is four blocks of one pixel:
//
//    source blocks     c0 .. c15 | c16 .. c31 | c32 .. c47       one load each
//    vector            c0 c20 c40 c1 | c21 c41 c2 c22 | ..       a two-register shuffle for each load but the first
//    result            a store into each of four blocks
//
// From blocks of 4 to blocks of 4, a vector is one block of four pixels, and each load is four pixels too.
#include "compiler/ops/movement/kernel_channel_selection.h"

#include <algorithm>
#include <numeric>

#include "compiler/codegen/element.h"
#include "core/ceil_div.h"
#include "core/layout.h"
#include "core/nth.h"

namespace hone {
namespace {

constexpr int64_t kItemVectors = 16;

// The block of channels that ends a layout of images; 0 for other layouts.
int64_t ChannelBlock(const relay::Type& type) {
  if (type.layout.empty() || type.shape.size() < 3) return 0;
  const Layout layout = Layout::Parse(type.layout);
  const bool of_channels = layout.axes().back().name == 'C' && layout.LogicalAxes().starts_with("NC");
  return of_channels && layout.axes().size() == type.shape.size() + 1 ? layout.axes().back().block : 0;
}

// The content of one vector.
struct Share {
  int64_t pixels = 1, blocks = 1;  // pixels and blocks of the result
};
Share ShareOf(const ChannelSelection& s, const MachineModel& machine) {
  const int64_t elements = Bytes(DType::kFloat32, machine.vector_lanes) / DTypeBytes(s.dtype);
  const int64_t pixels = std::max<int64_t>(1, elements / std::max(s.source_block, s.result_block));
  return {pixels, std::max<int64_t>(1, elements / (pixels * s.result_block))};
}

int64_t ResultBlocks(const ChannelSelection& s) {
  return CeilDiv(static_cast<int64_t>(s.channels.size()), s.result_block);
}

// Emits the result blocks [first, end), which share a vector.
class SelectionEmitter {
 public:
  SelectionEmitter(KernelBuilder& b, const ChannelSelection& selection, int64_t first, int64_t end)
      : b_(b), s_(selection), first_(first), end_(end) {}

  // Moves `together` pixels of an image from `pixel` on.
  void Vector(Value* from, Value* to, Value* pixel, int64_t together) {
    const int width = static_cast<int>(together * s_.source_block);
    const std::vector<int64_t> channels = Lanes(together);
    // Lanes past the channels stay zero.
    const auto lanes = static_cast<int>(channels.size());
    Value* result = llvm::Constant::getNullValue(VectorOf(ElementType(b_, s_.dtype), lanes));
    for (const int64_t block : SourceBlocks()) {
      Value* at = b_.Mul(b_.Add(pixel, block * s_.pixels), Bytes(s_.dtype, s_.source_block));
      result = Merged(result, LoadElements(b_, s_.dtype, b_.At(from, at), width), channels, block);
    }
    const int part = static_cast<int>(together * s_.result_block);
    for (int64_t block = first_; block < end_; ++block) {
      Value* at = b_.Mul(b_.Add(pixel, block * s_.pixels), Bytes(s_.dtype, s_.result_block));
      b_.Store(Part(result, static_cast<int>(block - first_) * part, part), b_.At(to, at));
    }
  }

 private:
  // For each lane, the element of the source as Element numbers it; -1 past the channels. Lanes are ordered by block of
  // the result, pixel and channel within the block.
  std::vector<int64_t> Lanes(int64_t together) const {
    std::vector<int64_t> lanes;
    for (int64_t block = first_; block < end_; ++block) {
      for (int64_t pixel = 0; pixel < together; ++pixel) {
        for (int64_t l = 0; l < s_.result_block; ++l) {
          const int64_t channel = Source(block * s_.result_block + l);
          lanes.push_back(channel < 0 ? -1 : Element(channel, pixel));
        }
      }
    }
    return lanes;
  }
  int64_t Source(int64_t channel) const {
    return channel < static_cast<int64_t>(s_.channels.size()) ? Nth(s_.channels, channel) : -1;
  }
  // A unique number of the element, from which its block and its position in a load follow.
  int64_t Element(int64_t channel, int64_t pixel) const {
    return channel / s_.source_block * kBlock + pixel * s_.source_block + channel % s_.source_block;
  }

  std::vector<int64_t> SourceBlocks() const {
    std::vector<int64_t> blocks;
    for (const int64_t element : Lanes(1)) {
      if (element >= 0) blocks.push_back(element / kBlock);
    }
    std::sort(blocks.begin(), blocks.end());
    blocks.erase(std::unique(blocks.begin(), blocks.end()), blocks.end());
    return blocks;
  }

  // `result` with the lanes that come from source block `block` filled in from `read`.
  Value* Merged(Value* result, Value* read, const std::vector<int64_t>& elements, int64_t block) {
    const auto lanes = static_cast<int>(elements.size());
    std::vector<int> pick(elements.size(), llvm::PoisonMaskElem), merge;
    for (int l = 0; l < lanes; ++l) {
      const bool here = Nth(elements, l) >= 0 && Nth(elements, l) / kBlock == block;
      if (here) Nth(pick, l) = static_cast<int>(Nth(elements, l) % kBlock);
      merge.push_back(here ? lanes + l : l);
    }
    return b_.ir().CreateShuffleVector(result, b_.ir().CreateShuffleVector(read, pick), merge);
  }

  Value* Part(Value* vector, int from, int lanes) {
    std::vector<int> mask(static_cast<size_t>(lanes));
    std::iota(mask.begin(), mask.end(), from);
    return b_.ir().CreateShuffleVector(vector, mask);
  }

  static constexpr int64_t kBlock = 1 << 20;  // more than the number of elements in a load
  KernelBuilder& b_;
  const ChannelSelection& s_;
  int64_t first_, end_;
};

}  // namespace

std::optional<ChannelSelection> ChannelSelectionOf(const relay::Function& function) {
  const relay::Call* take = relay::AsCallTo(function.body, "take");
  if (take == nullptr || function.params.size() != 1 || take->args[0].get() != function.params[0].get()) {
    return std::nullopt;
  }
  const relay::Constant* indices = relay::AsConstant(take->args[1]);
  if (indices == nullptr || indices->value.shape().size() != 1 || indices->value.dtype() != DType::kInt64 ||
      take->attrs.GetInt("axis") != 1) {
    return std::nullopt;
  }
  const relay::Type &source = *take->args[0]->type, &result = *function.body->type;
  ChannelSelection selection{source.dtype, source.shape[0], 1, ChannelBlock(source), ChannelBlock(result), {}};
  if (selection.source_block == 0 || selection.result_block == 0) return std::nullopt;
  for (size_t d = 2; d < source.shape.size(); ++d) selection.pixels *= source.shape[d];
  for (int64_t i = 0; i < indices->value.elements(); ++i) {
    const int64_t channel = indices->value.data<int64_t>()[i];
    if (channel < 0 || channel >= source.shape[1]) return std::nullopt;
    selection.channels.push_back(channel);
  }
  return selection;
}

bool SharesVectors(const ChannelSelection& selection, const MachineModel& machine) {
  constexpr int64_t kMostLoops = 256;  // one for each vector of blocks
  const Share share = ShareOf(selection, machine);
  return share.pixels * share.blocks > 1 && CeilDiv(ResultBlocks(selection), share.blocks) <= kMostLoops;
}

int64_t EmitChannelSelection(KernelBuilder& b, const StageArgs& args, const ChannelSelection& selection) {
  const Share share = ShareOf(selection, b.machine());
  const int64_t chunk = share.pixels * kItemVectors, chunks = CeilDiv(selection.pixels, chunk);
  const int64_t items = selection.images * chunks, blocks = ResultBlocks(selection);
  int64_t before = 0;
  for (int64_t block = 0; block < blocks; block += share.blocks, before += items) {
    SelectionEmitter emitter(b, selection, block, std::min(block + share.blocks, blocks));
    Value* begin = b.Max(b.Add(args.begin, -before), b.Index(0));
    Value* end = b.Min(b.Add(args.end, -before), b.Index(items));
    b.For(begin, end, 1, [&](Value* item) {
      Value* n = b.Div(item, chunks);
      Value* first = b.Mul(b.Mod(item, chunks), chunk);
      Value* last = b.Min(b.Add(first, chunk), b.Index(selection.pixels));
      Value* whole = b.Add(first, b.Mul(b.Div(b.Sub(last, first), share.pixels), share.pixels));
      Value* from = b.At(b.Operand(args, 0), b.Mul(n, b.BatchStride(args, 0)));
      Value* to = b.At(b.Operand(args, 1), b.Mul(n, b.BatchStride(args, 1)));
      b.For(first, whole, share.pixels, [&](Value* pixel) { emitter.Vector(from, to, pixel, share.pixels); });
      b.For(whole, last, 1, [&](Value* pixel) { emitter.Vector(from, to, pixel, 1); });
    });
  }
  return before;
}

}  // namespace hone
