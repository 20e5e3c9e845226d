#include "compiler/schedules/matmul/block_panels.h"

#include <fmt/format.h>

#include "compiler/codegen/element.h"
#include "compiler/schedules/parts/epilogue_emit.h"

namespace hone {
namespace {

constexpr int64_t kFetchedAhead = 4096;  // bytes of words, for a prefetch of 1

}  // namespace

void AddBlockOperands(const Workload& w, const Layout& layout, std::vector<KernelOperand>& operands) {
  const BlockFormat format = BlockFormat::Parse(w.layouts);
  const Shape blocks{w.weight[0], format.Blocks(w.data[1])};
  operands.push_back({OperandRole::kScale, DType::kFloat32, blocks, layout});
  if (format.zeros) operands.push_back({OperandRole::kShift, DType::kInt8, blocks, layout});
}

std::vector<KernelOperand> DenseBlockOperands(const Workload& w, int64_t oc_block, const Epilogue& epilogue) {
  const std::string n = oc_block == 1 ? "" : fmt::format("{}n", oc_block);
  const Layout panels = Layout::Parse("NK" + n), columns = Layout::Parse("N" + n), rows = Layout::Parse("MN");
  std::vector<KernelOperand> operands{{OperandRole::kData, w.types.data, w.data, Layout::Parse("MK")},
                                      {OperandRole::kWeight, w.types.weight, w.weight, panels}};
  AddBlockOperands(w, panels, operands);
  AddChannelOperands(w, epilogue, columns, columns, operands);
  if (epilogue.residual) operands.push_back({OperandRole::kResidual, w.types.output, w.OutputShape(), rows});
  operands.push_back({OperandRole::kOutput, w.types.output, w.OutputShape(), rows});
  return operands;
}

int BlockOperands(const Workload& w) { return BlockFormat::Parse(w.layouts).zeros ? 4 : 3; }

int64_t BlockPanelBytes(const Workload& w, int64_t oc_block) {
  const BlockFormat format = BlockFormat::Parse(w.layouts);
  const int64_t of_block = Bytes(DType::kFloat32) + (format.zeros ? Bytes(DType::kInt8) : 0);
  return oc_block * (w.weight[1] * kWordBytes + format.Blocks(w.data[1]) * of_block);
}

BlockPanels::BlockPanels(KernelBuilder& b, const Workload& workload, const StageArgs& args, int64_t oc_block, int lanes)
    : b_(b),
      format_(BlockFormat::Parse(workload.layouts)),
      depth_(workload.data[1]),
      oc_block_(oc_block),
      lanes_(lanes),
      first_{b.Operand(args, 1), b.Operand(args, 2), format_.zeros ? b.Operand(args, 3) : nullptr} {}

PanelAddresses BlockPanels::Behind(const PanelAddresses& at, Value* index, int64_t words, int64_t blocks) const {
  const auto moved = [&](Value* base, int64_t lines, int64_t bytes) {
    return base == nullptr ? nullptr : b_.At(base, b_.Mul(index, lines * oc_block_ * bytes));
  };
  return {moved(at.words, words, kWordBytes), moved(at.scales, blocks, Bytes(DType::kFloat32)),
          moved(at.zeros, blocks, Bytes(DType::kInt8))};
}

PanelAddresses BlockPanels::Panel(Value* panel) const {
  return Behind(first_, panel, format_.Words(depth_), format_.Blocks(depth_));
}

PanelAddresses BlockPanels::Block(const PanelAddresses& panel, Value* block) const {
  return Behind(panel, block, format_.Words(format_.block), 1);
}

Vals BlockPanels::Scales(const PanelAddresses& at, int vectors, int64_t prefetch) const {
  const int64_t ahead = prefetch * kFetchedAhead / format_.Words(format_.block);
  Vals scales;
  for (int v = 0; v < vectors; ++v) {
    Value* from = b_.At(at.scales, Bytes(DType::kFloat32, int64_t{v} * lanes_));
    if (prefetch > 0) b_.Prefetch(b_.At(from, ahead));
    scales.push_back(b_.Load(from, lanes_));
  }
  return scales;
}

Vals BlockPanels::Zeros(const PanelAddresses& at, int vectors) const {
  Vals zeros;
  for (int v = 0; at.zeros != nullptr && v < vectors; ++v) {
    Value* bytes = LoadElements(b_, DType::kInt8, b_.At(at.zeros, int64_t{v} * lanes_), lanes_);
    zeros.push_back(b_.ir().CreateSExt(bytes, VectorOf(b_.i32(), lanes_)));
  }
  return zeros;
}

Vals BlockPanels::Words(const PanelAddresses& at, Value* word, int vectors, int64_t prefetch) const {
  Value* line = b_.At(at.words, b_.Mul(word, oc_block_ * kWordBytes));
  Vals words;
  for (int v = 0; v < vectors; ++v) {
    Value* from = b_.At(line, int64_t{v} * lanes_ * kWordBytes);
    if (prefetch > 0) b_.Prefetch(b_.At(from, prefetch * kFetchedAhead));
    words.push_back(LoadElements(b_, DType::kInt32, from, lanes_));
  }
  return words;
}

}  // namespace hone
