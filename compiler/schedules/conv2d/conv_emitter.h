// The frame of the emitters of convolutions: what they know of the convolution, and the kernel rows inside the image.
#pragma once

#include <functional>
#include <utility>
#include <vector>

#include "compiler/codegen/kernel_builder.h"
#include "compiler/schedules/conv2d/conv_shape.h"
#include "compiler/schedules/matmul/row_tiles.h"
#include "compiler/schedules/parts/epilogue_emit.h"
#include "compiler/schedules/schedule.h"

namespace hone {

// Base of an emitter: a nest (shape, element types, knobs) under short names, and the operands that every kernel has. A
// nest, an epilogue and the builder must outlive it.
template <typename Nest>
class ConvEmitter {
 protected:
  ConvEmitter(KernelBuilder& builder, const Nest& nest, const Epilogue& epilogue)
      : b_(builder), nest_(nest), s_(nest.shape), types_(nest.types), k_(nest.knobs), epilogue_(epilogue) {}

  // Reads the operands of a kernel without a prologue: data, weight, and those of the epilogue.
  void ReadOperands(const StageArgs& args) {
    data_ = b_.Operand(args, 0);
    data_stride_ = b_.BatchStride(args, 0);
    weight_ = b_.Operand(args, 1);
    behind_ = ReadEpilogueAddresses(b_, args, epilogue_, 2);
  }

  KernelBuilder& b_;
  const Nest& nest_;
  const ConvShape& s_;
  const ElementTypes& types_;
  decltype(Nest::knobs) k_;
  const Epilogue& epilogue_;
  Value *data_ = nullptr, *data_stride_ = nullptr, *weight_ = nullptr;
  EpilogueAddresses behind_;
};

// A row of outputs, cut into register tiles. The row is one work item, or each tile is one (column_items):
//
//   items of three rows of 8 outputs, tile 3      0 | 1 | 2      3 | 4 | 5      6 | 7 | 8
//   a run of 2 rows and 4 columns                 0 | 1          3 | 4
class RowItems {
 public:
  RowItems(const RowShape& row, int64_t tile, bool column_items) : RowItems(CutRow(row, tile), tile, column_items) {}
  // Tile number i begins at output i * tile or before.
  RowItems(std::vector<RowTile> tiles, int64_t tile, bool column_items)
      : tiles_(std::move(tiles)), tile_(tile), column_items_(column_items) {}

  const std::vector<RowTile>& tiles() const { return tiles_; }
  // Register tiles of a row.
  int64_t count() const;
  // Work items of a row.
  int64_t items() const { return column_items_ ? count() : 1; }
  // The work items' axes along rows and columns, of `rows` rows that each hold `joined` rows of outputs. The columns
  // are the inner axis.
  std::vector<StageAxis> Axes(const ConvShape& shape, int64_t rows, int64_t joined = 1) const;

  // Tiles [first, end) of a row.
  struct Part {
    Value *first = nullptr, *end = nullptr;
  };
  // Calls body(row, part) for each row that the items [begin, end) touch.
  void ForRows(KernelBuilder& b, Value* begin, Value* end, const std::function<void(Value*, const Part&)>& body) const;
  // As ForRows and ForTiles for items whose inner axis are the `rows` rows. `part` has the tiles of the items [begin,
  // end), and ForRowsOf calls body(row) for the rows of one of them.
  //
  //   items of three rows of 8 outputs, tile 3      0 | 3 | 6      1 | 4 | 7      2 | 5 | 8
  //   a run of 2 rows and 4 columns                 0 | 3          1 | 4
  Part TilesOf(KernelBuilder& b, Value* begin, Value* end, int64_t rows) const;
  void ForRowsOf(KernelBuilder& b, Value* tile, Value* begin, Value* end, int64_t rows,
                 const std::function<void(Value*)>& body) const;
  // Calls body(tile, i) for tile number i of each run of equal tiles within the part. `before` is the number of tiles
  // before that run.
  void ForTiles(KernelBuilder& b, const Part& part,
                const std::function<void(const RowTile& tile, Value* i, int64_t before)>& body) const;

 private:
  std::vector<RowTile> tiles_;
  int64_t tile_;
  bool column_items_;
};

// The kernel rows [first, end) that output row `row` reads inside the image; constants if no padding clips any. Empty
// if an output row reads only padding.
//
//             kh=0  . . . .     padding
//             kh=1  . . . .     padding       first = 2, end = 5 for this output row (KH = 5)
//             kh=2  # # # #     image row 0
//             kh=3  # # # #     image row 1
//             kh=4  # # # #     image row 2
struct KernelRows {
  Value *first = nullptr, *end = nullptr;
};
KernelRows KernelRowsInside(KernelBuilder& b, const ConvShape& shape, Value* row);

}  // namespace hone
