// The loop nest. The knob that cuts a loop is in brackets.
//
//   for product of the batch, for panel of output columns [tile_oc x 16], for group of row tiles [tile_m]
//     the above are the work items; when a worker begins a panel: weights -> workspace, in groups along K
//     sums = 0, or with bytes the zero points' share of each column
//     for 64 bytes of K
//       sums(p, v) += x(p) * w(v)
//     store, through the workspace where rows are shared, narrowed or cut
//
// The register tile is the one drawn in dense_amx.cc. The difference is that the right matrix is computed, so this
// kernel packs it. The left matrix is read in place; K is its last axis. One packed panel of bfloat16, here of
// tile_oc=2; a box is a tile of 16 pairs of K by 16 columns, and is loaded with the panel's stride. Bytes are packed in
// fours instead of pairs:
//
//                  column 0 .. 15      column 16 .. 31
//                +-------------------+-------------------+
//   k =  0,  1   | n0k0 n0k1 n1k0 .. | n16k0 n16k1 ..    |   each column has a pair of neighbours along K
//   k =  2,  3   | n0k2 n0k3 n1k2 .. | n16k2 n16k3 ..    |
//   ...          |       w(0)        |       w(1)        |
//   k = 30, 31   | n0k30 n0k31 ..    | n16k30 n16k31 ..  |
//                +-------------------+-------------------+
//   k = 32, 33   | the next step of 64 bytes             |
//
// If K does not fill its last step, the panel has zeros there. The rest of each row is copied, with zeros of its own:
// nothing past a matrix is read.
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <vector>

#include "compiler/codegen/element.h"
#include "compiler/codegen/kernel_builder.h"
#include "compiler/codegen/matrix_tiles.h"
#include "compiler/schedules/conv2d/conv_shape.h"
#include "compiler/schedules/knob_schedule.h"
#include "compiler/schedules/matmul/byte_centres.h"
#include "compiler/schedules/matmul/matmul_shape.h"
#include "compiler/schedules/matmul/matmul_tile.h"
#include "compiler/schedules/matmul/matmul_tile_registers.h"
#include "compiler/schedules/matmul/packed_panel.h"
#include "compiler/schedules/parts/epilogue_emit.h"
#include "compiler/schedules/parts/packed_bytes.h"
#include "compiler/schedules/parts/step_cycles.h"
#include "compiler/schedules/parts/thread_share.h"
#include "compiler/schedules/schedule_list.h"
#include "core/ceil_div.h"
#include "core/nth.h"

namespace hone {
namespace {

constexpr int64_t kGroups = 16;  // rows of a tile of the right matrix; a group of neighbours along K is one

struct BatchMatmulAmxKnobs : KnobTable {
  using KnobTable::KnobTable;
  // Tiles of 16 output columns in one register tile.
  int64_t tile_oc = Row("tile_oc", 1, {1, 6}, Always<1, 2, 3, 4>);
  // Rows of one register tile, in tiles of up to 16.
  int64_t tile_m = Row("tile_m", 16, {16, 96, 16}, Always<16, 32, 48>);
};

// The extents that the knobs give a shape.
struct AmxMatmulNest {
  MatmulShape shape;
  int outputs, channels;   // tiles of a register tile, along rows and along columns
  int64_t tiles, width;    // row tiles, and the rows of each; the last one may begin with rows of the one before
  int64_t panels, groups;  // of columns and of row tiles

  AmxMatmulNest(const Workload& w, const BatchMatmulAmxKnobs& k)
      : shape(w),
        outputs(static_cast<int>(k.tile_m / kTileColumns)),
        channels(static_cast<int>(k.tile_oc)),
        tiles(CeilDiv(shape.M, kTileColumns)),
        width(CeilDiv(shape.M, tiles)),
        panels(CeilDiv(shape.N, k.tile_oc * kTileColumns)),
        groups(CeilDiv(tiles, outputs)) {}
  int64_t columns() const { return channels * int64_t{kTileColumns}; }
  // Whole steps of K, and bytes of a row in a last one that K does not fill.
  int64_t row_bytes() const { return Bytes(shape.types.data, shape.K); }
  int64_t depth() const { return row_bytes() / kTileRowBytes; }
  int64_t rest_bytes() const { return row_bytes() % kTileRowBytes; }
  int64_t all_depth() const { return CeilDiv(row_bytes(), kTileRowBytes); }
  // Bytes of a group of K in the packed panel, and of a row of sums.
  int64_t step_bytes() const { return channels * kTileRowBytes; }
  int64_t panel_bytes() const { return all_depth() * kGroups * step_bytes(); }
  int64_t sums_bytes() const { return outputs * channels * kFullTileBytes; }
  int64_t rests_bytes() const { return rest_bytes() > 0 ? outputs * kFullTileBytes : 0; }
  int64_t rows() const { return outputs * width; }
  int64_t centre_bytes() const { return shape.types.whole() ? ByteCentres::WorkspaceBytes(columns(), rows()) : 0; }
  // The workspace: panel, sums, rests of rows, the epilogue's scales, the zero points' share.
  int64_t workspace_bytes() const {
    return panel_bytes() + sums_bytes() + rests_bytes() + Bytes(DType::kFloat32, columns()) + centre_bytes();
  }
};

class Emitter {
 public:
  Emitter(KernelBuilder& builder, const AmxMatmulNest& nest, const Epilogue& epilogue, const StageArgs& args,
          int inputs)
      : b_(builder),
        tiles_(builder),
        nest_(nest),
        epilogue_(epilogue),
        in_{nest.outputs, nest.channels},
        s_(nest.shape),
        args_(args),
        data_(builder, args, 0, s_.types.data, s_.data, 'M'),
        weight_(builder, args, 1, s_.types.weight, s_.weight, 'N'),
        out_(builder, args, inputs, s_.types.output, s_.output, 'M'),
        types_{s_.types.data, HeldAs(s_.types.weight), s_.types.accumulator, s_.types.output},
        tile_{types_, s_.K, 1, kTileColumns, data_.row, data_.column, b_.Index(nest.step_bytes())},
        packed_(builder.WorkerWorkspace(args)),
        scratch_(builder.At(packed_, nest.panel_bytes())),
        rests_(builder.At(scratch_, nest.sums_bytes())),
        panel_scales_(builder.At(rests_, nest.rests_bytes())) {
    if (epilogue.scale) scales_ = builder.Operand(args, inputs - 1);
    if (!s_.types.whole()) return;
    centres_.emplace(b_, s_, tile_, args, b_.At(panel_scales_, Bytes(DType::kFloat32, nest.columns())), nest.rows());
  }

  void Emit() {
    tiles_.Configure(in_.Heights(nest_.width));
    b_.For(args_.begin, args_.end, 1, [&](Value* item) {
      Value* group = b_.Mod(item, nest_.groups);
      Value* panel = b_.Mod(b_.Div(item, nest_.groups), nest_.panels);
      product_ = b_.Div(item, nest_.groups * nest_.panels);
      auto& ir = b_.ir();
      is_new_ = ir.CreateOr(ir.CreateICmpEQ(group, b_.Index(0)), ir.CreateICmpEQ(item, args_.begin));
      const int64_t last = s_.N - (nest_.panels - 1) * nest_.columns();
      if (last == nest_.columns()) return Panel(panel, group, last);
      b_.If(
          ir.CreateICmpEQ(panel, b_.Index(nest_.panels - 1)), [&] { Panel(panel, group, last); },
          [&] { Panel(panel, group, nest_.columns()); });
    });
    tiles_.Release();
  }

 private:
  // Signed weights mostly have a zero point of 0, and unsigned ones 128. Packed as signed ones, both need no sums of
  // rows.
  static DType HeldAs(DType weight) { return weight == DType::kUInt8 ? DType::kInt8 : weight; }

  // Columns past the matrix's are multiplied too, with any values, and not stored.
  void Panel(Value* panel, Value* group, int64_t columns) {
    first_column_ = b_.Mul(panel, nest_.columns());
    b_.If(is_new_, [&] { Pack(columns); });
    Value* first = b_.Mul(group, nest_.outputs);
    const int last = static_cast<int>(nest_.tiles - (nest_.groups - 1) * nest_.outputs);
    if (last == nest_.outputs) return Tiles(first, last, columns);
    b_.If(
        b_.ir().CreateICmpEQ(group, b_.Index(nest_.groups - 1)), [&] { Tiles(first, last, columns); },
        [&] { Tiles(first, nest_.outputs, columns); });
  }

  void Pack(int64_t columns) {
    Value* w = b_.At(weight_.Matrix(b_, product_), b_.Mul(first_column_, weight_.row));
    const PanelPacking packing{s_.types,
                               s_.K,
                               kTileColumns,
                               nest_.step_bytes(),
                               weight_.row,
                               weight_.column,
                               s_.weights_are_neighbours(),
                               nullptr,
                               types_.weight != s_.types.weight};
    packing.Emit(b_, w, packed_, columns);
    Value* zeros = llvm::Constant::getNullValue(VectorOf(b_.i32(), kTileColumns));
    b_.For(s_.steps() * nest_.step_bytes(), nest_.panel_bytes(), kTileRowBytes,
           [&](Value* at) { b_.Store(zeros, b_.At(packed_, at)); });
    if (centres_) centres_->EmitColumns(packed_, columns);
    for (int64_t first = 0; scales_ != nullptr && first < columns; first += kTileColumns) {
      Value* from = b_.At(scales_, b_.Mul(b_.Add(first_column_, first), Bytes(DType::kFloat32)));
      b_.Store(LoadFirst(from, DType::kFloat32, kTileColumns, Lanes(first, columns)),
               b_.At(panel_scales_, Bytes(DType::kFloat32, first)));
    }
  }

  static int64_t Lanes(int64_t first, int64_t columns) { return std::min<int64_t>(kTileColumns, columns - first); }

  // `count` of `lanes` elements, and zeros; nothing past them is read.
  Value* LoadFirst(Value* from, DType type, int lanes, int64_t count) {
    if (count == lanes) return LoadElements(b_, type, from, lanes);
    llvm::Type* vector = VectorOf(ElementType(b_, type), lanes);
    return b_.ir().CreateMaskedLoad(vector, from, llvm::Align(1), Mask(lanes, count),
                                    llvm::Constant::getNullValue(vector));
  }

  void StoreFirst(Value* values, Value* to, int64_t count) {
    if (count == kTileColumns) return b_.Store(values, to);
    b_.ir().CreateMaskedStore(values, to, llvm::Align(1), Mask(kTileColumns, count));
  }

  Value* Mask(int lanes, int64_t count) {
    std::vector<llvm::Constant*> mask;
    for (int lane = 0; lane < lanes; ++lane) mask.push_back(b_.ir().getInt1(lane < count));
    return llvm::ConstantVector::get(mask);
  }

  // `outputs` tiles of rows, the first of them number `first`.
  void Tiles(Value* first, int outputs, int64_t columns) {
    Vals rows, starts, own;  // the first row of each tile: its address and number; and the first row that is its own
    Value* x = data_.Matrix(b_, product_);
    for (int p = 0; p < outputs; ++p) {
      Value* even = b_.Mul(b_.Add(first, p), nest_.width);
      starts.push_back(b_.Min(even, b_.Index(s_.M - nest_.width)));
      own.push_back(b_.Sub(even, starts.back()));
      rows.push_back(b_.At(x, b_.Mul(starts.back(), data_.row)));
      if (centres_) centres_->EmitRows(rows.back(), nest_.width, p * nest_.width);
      for (int v = 0; v < nest_.channels; ++v) Start(in_.Sums(p, v), v);
    }
    b_.For(0, nest_.depth(), 1, [&](Value* k) {
      Multiply(outputs, k,
               [&](int p) { tiles_.LoadRows(in_.Rows(p), b_.At(Nth(rows, p), b_.Mul(k, kTileRowBytes)), data_.row); });
    });
    if (nest_.rest_bytes() > 0) {
      for (int p = 0; p < outputs; ++p) CopyRest(b_.At(Nth(rows, p), nest_.depth() * kTileRowBytes), p);
      Multiply(outputs, b_.Index(nest_.depth()), [&](int p) { tiles_.Load(in_.Rows(p), Rest(p), kTileRowBytes); });
    }
    for (int p = 0; p < outputs; ++p) {
      for (int v = 0; v < nest_.channels; ++v) tiles_.Store(in_.Sums(p, v), Scratch(p, v), nest_.step_bytes());
    }
    for (int p = 0; p < outputs; ++p) StoreRows(Nth(starts, p), Nth(own, p), p, columns);
  }

  void Start(int sums, int channel) {
    if (!centres_) return tiles_.Zero(sums);
    tiles_.Load(sums, b_.At(centres_->columns(), channel * kTileRowBytes), 0);
  }

  // Step `k` of the sum; `load_rows` fills the register Rows(p).
  void Multiply(int outputs, Value* k, const std::function<void(int)>& load_rows) {
    Value* w = b_.At(packed_, b_.Mul(k, kGroups * nest_.step_bytes()));
    for (int v = 0; v < nest_.channels; ++v) {
      tiles_.Load(in_.Weights(v), b_.At(w, v * kTileRowBytes), nest_.step_bytes());
    }
    for (int p = 0; p < outputs; ++p) {
      load_rows(p);
      for (int v = 0; v < nest_.channels; ++v) {
        tiles_.MultiplyAdd(types_.data, types_.weight, in_.Sums(p, v), in_.Rows(p), in_.Weights(v));
      }
    }
  }

  Value* Rest(int p) { return b_.At(rests_, p * kFullTileBytes); }

  void CopyRest(Value* x, int p) {
    b_.For(0, nest_.width, 1, [&](Value* r) {
      Value* bytes =
          LoadFirst(b_.At(x, b_.Mul(r, data_.row)), DType::kUInt8, static_cast<int>(kTileRowBytes), nest_.rest_bytes());
      b_.Store(bytes, b_.At(Rest(p), b_.Mul(r, kTileRowBytes)));
    });
  }

  // The columns of a row are neighbours in the scratch memory.
  Value* Scratch(int output, int channel) {
    return b_.At(scratch_, output * nest_.channels * kFullTileBytes + channel * kTileRowBytes);
  }

  void StoreRows(Value* start, Value* own, int p, int64_t columns) {
    Value* y = b_.At(out_.Matrix(b_, product_), b_.Mul(first_column_, Bytes(s_.types.output)));
    b_.For(own, b_.Index(nest_.width), 1, [&](Value* r) {
      Value* sums = b_.At(Scratch(p, 0), b_.Mul(r, nest_.step_bytes()));
      StoreRow(sums, b_.Add(r, p * nest_.width), b_.At(y, b_.Mul(b_.Add(start, r), out_.row)), columns);
    });
  }

  // `row`: its number among the rows of the register tile.
  void StoreRow(Value* sums, Value* row, Value* y, int64_t columns) {
    const ElementTypes& types = s_.types;
    Value* of_row =
        centres_ ? b_.Splat(LoadElements(b_, types.accumulator, centres_->Row(row), 1), kTileColumns) : nullptr;
    const bool packs = types.whole() && columns == nest_.columns() && PacksBytes(epilogue_, types, nest_.channels);
    Vals unstored;
    for (int64_t first = 0; first < columns; first += kTileColumns) {
      EpilogueOperands operands;
      if (scales_ != nullptr) operands.scale = b_.At(panel_scales_, Bytes(DType::kFloat32, first));
      Value* sum = LoadElements(b_, types.accumulator, b_.At(sums, Bytes(types.accumulator, first)), kTileColumns);
      if (centres_) sum = b_.ir().CreateAdd(sum, of_row);
      if (packs) {
        unstored.push_back(EmitUnstored(b_, epilogue_, types, sum, operands));
        continue;
      }
      Value* done = types.whole() ? EmitEpilogue(b_, epilogue_, types, sum, operands)
                                  : Converted(b_, sum, types.accumulator, types.output);
      StoreFirst(done, b_.At(y, Bytes(types.output, first)), Lanes(first, columns));
    }
    if (packs) b_.Store(EmitPackedBytes(b_, epilogue_, unstored), y);
  }

  KernelBuilder& b_;
  MatrixTiles tiles_;
  const AmxMatmulNest& nest_;
  const Epilogue& epilogue_;
  const MatmulTileRegisters in_;
  const MatmulShape& s_;
  const StageArgs& args_;
  MatmulOperand data_, weight_, out_;
  const ElementTypes types_;  // with the weights as they are packed
  const MatmulTile tile_;     // of the packed panel, for its zero points
  Value *packed_, *scratch_, *rests_, *panel_scales_;
  Value* scales_ = nullptr;
  std::optional<ByteCentres> centres_;
  Value *product_ = nullptr, *is_new_ = nullptr, *first_column_ = nullptr;
};

// Cycles to copy the rest of a row.
constexpr double kRestRowCycles = 2;

class BatchMatmulAmxSchedule : public KnobSchedule<BatchMatmulAmxKnobs> {
 public:
  std::string_view name() const override { return "batch_matmul_amx"; }
  int version() const override { return 1; }
  bool Takes(const ElementTypes& types) const override {
    return (AreFloats(types) && types.bfloat()) || AreBytePairs(types);
  }
  bool Applies(const Workload& w, const MachineModel& machine) const override {
    const bool multiplied = w.types.whole() ? machine.byte_tiles : machine.bfloat16_tiles;
    if (!w.is_batch_matmul() || !multiplied || machine.vector_lanes != kTileColumns) return false;
    const MatmulShape shape(w);
    const bool steps = w.types.whole() || shape.K % kBFloatGroup == 0;
    return steps && shape.data.column == 1 && shape.M >= kLeastTileRows;
  }

 private:
  std::optional<std::string> RejectWith(const Workload& w, const MachineModel&,
                                        const BatchMatmulAmxKnobs& k) const override {
    const AmxMatmulNest nest(w, k);
    const int registers = nest.outputs * nest.channels + 1 + nest.channels;
    if (registers > MatrixTiles::kRegisters) {
      return fmt::format("the register tile needs {} of {} tiles", registers, MatrixTiles::kRegisters);
    }
    if (nest.outputs > nest.tiles) return "tile_m is more than the rows";
    if (nest.columns() - kTileColumns >= nest.shape.N) return "tile_oc has a tile of no columns";
    return std::nullopt;
  }

  std::vector<KernelOperand> OperandsWith(const Workload& w, const BatchMatmulAmxKnobs&,
                                          const Epilogue& epilogue) const override {
    std::vector<KernelOperand> operands = ComputedOperands(w, epilogue);
    operands.push_back({OperandRole::kOutput, w.types.output, w.OutputShape(), Layout::Parse(w.OperandAxes(2))});
    return operands;
  }

  EmittedKernel EmitWith(KernelBuilder& builder, const Workload& w, const MachineModel&, const BatchMatmulAmxKnobs& k,
                         const Epilogue& epilogue, const std::string& symbol) const override {
    const AmxMatmulNest nest(w, k);
    const int inputs = static_cast<int>(ComputedOperands(w, epilogue).size());
    builder.Stage(symbol, [&](const StageArgs& args) { Emitter(builder, nest, epilogue, args, inputs).Emit(); });
    EmittedKernel kernel;
    kernel.stages.push_back({symbol, nest.shape.B * nest.panels * nest.groups, 1, nest.workspace_bytes()});
    kernel.boxes = {{0, 0, {{nest.shape.B, 0}, {nest.panels, 2, 1, nest.columns()}, {nest.groups, 1, 1, nest.rows()}}}};
    return kernel;
  }

  TileShape TileWith(const Workload& w, const MachineModel&, const BatchMatmulAmxKnobs& k) const override {
    const AmxMatmulNest nest(w, k);
    TileShape tile;
    tile.rows = static_cast<double>(nest.rows());
    tile.vectors = nest.channels;
    tile.line = static_cast<double>(nest.shape.M);
    tile.groups = static_cast<double>(nest.panels);
    tile.steps = static_cast<double>(nest.shape.steps());
    tile.unroll = kTileColumns;
    tile.weight_bytes = static_cast<double>(nest.panel_bytes());
    tile.input_bytes = static_cast<double>(Bytes(w.types.data, nest.shape.M * nest.shape.K));
    tile.workspace_bytes = static_cast<double>(nest.panel_bytes());
    return tile;
  }

  double EstimateNsWith(const Workload& w, const MachineModel& machine, const BatchMatmulAmxKnobs& k) const override {
    const AmxMatmulNest nest(w, k);
    const double width = static_cast<double>(nest.width), outputs = nest.outputs, channels = nest.channels;
    const double panel = static_cast<double>(nest.panel_bytes());
    const double together = static_cast<double>(Bytes(w.types.data, nest.shape.K)) * width * outputs;
    TileStep step{outputs, channels, width, 0, panel + together};
    if (nest.panels > 1) step.rows_walk = panel + static_cast<double>(Bytes(w.types.data, nest.shape.M * nest.shape.K));
    const double vector = w.types.output == DType::kUInt8 ? kFinishBytesCycles : kFinishFloatCycles;
    const double rest = nest.rest_bytes() > 0 ? outputs * width * kRestRowCycles : 0;
    const double tile = static_cast<double>(nest.all_depth()) * TileStepCycles(machine, step) + kTileStartCycles +
                        outputs * (channels * kTileStoreCycles + width * (kFinishRowCycles + channels * vector)) + rest;
    const double pack = PackingCycles(nest.shape.weights_are_neighbours(), w.types.whole()) *
                        static_cast<double>(nest.shape.steps() * nest.columns());
    const int64_t panels = nest.shape.B * nest.panels;
    const double cycles = static_cast<double>(panels) * (static_cast<double>(nest.groups) * tile + pack);
    return (cycles * ThreadShare(panels * nest.groups, machine.threads) + kStageStartCycles) / machine.clock_ghz;
  }
};

}  // namespace

const Schedule& BatchMatmulAmx() {
  static const BatchMatmulAmxSchedule schedule;
  return schedule;
}

}  // namespace hone
