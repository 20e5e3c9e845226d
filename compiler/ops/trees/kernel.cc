// Decision trees as a kernel of their own: a row's values decide where it goes next. An item is some rows. Weights are
// added in the trees' order, so that no bit depends on the item of a row. Positions in the tables may be anything: they
// are clamped, and no path is longer than the number of nodes.
//
// A path down a tree is a chain of dependent loads: a node, its feature, the comparison, the next node. Several paths
// run side by side ("lanes"), so that their chains overlap: eight rows in one tree, or few rows in several trees.
//
//             rows of an item                       lanes, 8 at most
//             0 ... 7  8 ... 15  16 17              rows 0 ... 7 of tree t
//    tree 0   [--------][--------][--]              rows 16, 17 of tree t
//    tree 1   [--------][--------][--]              one row alone: trees t ... t + 7
//    ...      a tree's nodes stay in the cache for all rows of the item
#include <algorithm>
#include <limits>

#include "compiler/codegen/kernel_builder.h"
#include "compiler/generic/evaluator.h"
#include "compiler/ops/kernel_families.h"
#include "compiler/ops/kernel_whole.h"
#include "compiler/ops/trees/op_tree_node.h"
#include "compiler/relay/op.h"
#include "compiler/schedules/schedule.h"
#include "core/nth.h"

namespace hone {
namespace {

constexpr int64_t kTreeWordBytes = 4;  // of a float too
constexpr int64_t kNodeBytes = relay::kTreeNodeWords * kTreeWordBytes;
constexpr int64_t kLanes = 8;
constexpr int64_t kRowsOfItem = 4 * kLanes;

struct TreeShape {
  explicit TreeShape(const relay::Call& call)
      : rows(TensorTypeOf(call.args[0]).shape[0]),
        features(TensorTypeOf(call.args[0]).shape[1]),
        nodes(TensorTypeOf(call.args[1]).shape[0]),
        trees(TensorTypeOf(call.args[2]).shape[0]),
        leaves(TensorTypeOf(call.args[3]).shape[0]),
        width(TensorTypeOf(call.args[3]).shape[1]),
        targets(call.attrs.GetInt("targets")),
        named(call.args.size() > 4),
        aggregate(call.attrs.GetString("aggregate")),
        always(call.attrs.GetInt("always")),
        varies(call.attrs.GetInt("varies")) {}

  // Whether testing an item's numbers for NaN costs little beside the trees, and saves work in them.
  bool looks_for_nan() const { return varies == relay::kUnordered && features <= 16 * trees; }
  int64_t items() const { return (rows + kRowsOfItem - 1) / kRowsOfItem; }

  int64_t rows, features, nodes, trees, leaves, width, targets;
  bool named;  // whether each weight names its target
  std::string aggregate;
  int64_t always, varies;
};

struct TreeOperands {
  Value *data, *nodes, *roots, *weights, *leaf_targets, *result;
};

// Rows side by side, each in some trees: lane (row, tree) has number row * trees + tree.
struct TreeLanes {
  Value* row;
  Value* tree;
  int64_t rows, trees;
  int64_t count() const { return rows * trees; }
};

class TreeKernel {
 public:
  TreeKernel(KernelBuilder& b, const TreeShape& shape, const TreeOperands& operands)
      : b_(b), shape_(shape), operands_(operands), varies_(shape.varies) {}

  // Whole items, and one item for the remaining rows.
  void Emit(const StageArgs& args) {
    const int64_t whole = shape_.rows / kRowsOfItem, rest = shape_.rows % kRowsOfItem;
    Value* end = b_.Min(args.end, b_.Index(whole));
    if (whole > 0) {
      b_.For(args.begin, end, 1, [&](Value* item) { EmitItem(b_.Mul(item, kRowsOfItem), kRowsOfItem); });
    }
    if (rest == 0) return;
    b_.If(b_.ir().CreateICmpSGT(args.end, b_.Index(whole)), [&] { EmitItem(b_.Index(whole * kRowsOfItem), rest); });
  }

 private:
  void EmitItem(Value* first, int64_t rows) {
    b_.For(0, rows * shape_.targets, 1,
           [&](Value* i) { b_.Store(b_.Float(Start()), b_.At(ResultOf(first), b_.Mul(i, kTreeWordBytes))); });
    if (!shape_.looks_for_nan()) return EmitWalks(first, rows);
    b_.If(
        MayHoldNan(first, rows), [&] { EmitWalks(first, rows); },
        [&] {
          varies_ = 0;
          EmitWalks(first, rows);
          varies_ = shape_.varies;
        });
  }

  // A number minus itself is 0, unless it is NaN or infinite.
  Value* MayHoldNan(Value* first, int64_t rows) {
    Value* row = b_.At(operands_.data, b_.Mul(first, shape_.features * kTreeWordBytes));
    const int64_t count = rows * shape_.features, whole = count / b_.lanes() * b_.lanes();
    const auto sum = [&](int64_t begin, int64_t end, int lanes) {
      return b_.Loop(begin, end, lanes, {b_.FloatVec(0, lanes)}, [&](Value* i, const Vals& differences) {
        Value* x = b_.Load(b_.At(row, b_.Mul(i, kTreeWordBytes)), lanes);
        return Vals{b_.FAdd(differences[0], b_.FSub(x, x))};
      })[0];
    };
    Value *vector = sum(0, whole, b_.lanes()), *scalar = sum(whole, count, 1);
    Value* in_vector = b_.ir().CreateFCmpUNO(vector, vector);
    if (b_.lanes() > 1) in_vector = b_.ir().CreateOrReduce(in_vector);
    return b_.ir().CreateOr(in_vector, b_.ir().CreateFCmpUNO(scalar, scalar));
  }

  void EmitWalks(Value* first, int64_t rows) {
    const int64_t together = std::min(shape_.trees, std::max<int64_t>(1, kLanes / rows));
    const int64_t whole = shape_.trees / together * together;
    b_.For(0, whole, together, [&](Value* tree) { EmitTrees(first, rows, tree, together); });
    if (whole < shape_.trees) EmitTrees(first, rows, b_.Index(whole), shape_.trees - whole);
  }

  void EmitTrees(Value* first, int64_t rows, Value* tree, int64_t trees) {
    const int64_t whole = rows / kLanes * kLanes;
    b_.For(0, whole, kLanes, [&](Value* row) { EmitLanes({b_.Add(first, row), tree, kLanes, trees}); });
    if (whole < rows) EmitLanes({b_.Add(first, whole), tree, rows - whole, trees});
  }

  void EmitLanes(const TreeLanes& lanes) {
    Vals at;
    for (int64_t row = 0; row < lanes.rows; ++row) {
      for (int64_t tree = 0; tree < lanes.trees; ++tree) {
        at.push_back(b_.LoadAs(b_.i32(), b_.At(operands_.roots, b_.Mul(b_.Add(lanes.tree, tree), kTreeWordBytes))));
      }
    }
    Vals leaves;
    for (Value* end : Descend(lanes, at)) leaves.push_back(Within(b_.ir().CreateNot(end), shape_.leaves));
    if (shape_.named) return JoinNamed(lanes, leaves);
    for (int64_t row = 0; row < lanes.rows; ++row) JoinRow(lanes, row, leaves);
  }

  // Steps until every lane is at a leaf; a lane that is there stays.
  Vals Descend(const TreeLanes& lanes, const Vals& roots) {
    auto& ir = b_.ir();
    auto* before = ir.GetInsertBlock();
    auto* loop = llvm::BasicBlock::Create(b_.context(), "descend", before->getParent());
    auto* done = llvm::BasicBlock::Create(b_.context(), "leaves", before->getParent());
    ir.CreateCondBr(AnyAtNode(roots), loop, done);
    ir.SetInsertPoint(loop);
    auto* step = ir.CreatePHI(b_.i64(), 2);
    step->addIncoming(b_.Index(1), before);
    Vals now, next;
    for (Value* root : roots) {
      auto* phi = ir.CreatePHI(b_.i32(), 2);
      phi->addIncoming(root, before);
      now.push_back(phi);
    }
    for (int64_t lane = 0; lane < lanes.count(); ++lane) next.push_back(Step(Nth(now, lane), lanes, lane));
    Value* bounded = ir.CreateICmpSLT(step, b_.Index(shape_.nodes));
    Value* again = ir.CreateAnd(AnyAtNode(next), bounded);
    auto* latch = ir.GetInsertBlock();
    step->addIncoming(b_.Add(step, 1), latch);
    for (size_t i = 0; i < now.size(); ++i) llvm::cast<llvm::PHINode>(now[i])->addIncoming(next[i], latch);
    ir.CreateCondBr(again, loop, done);
    ir.SetInsertPoint(done);
    Vals ends;
    for (size_t i = 0; i < roots.size(); ++i) {
      auto* phi = ir.CreatePHI(b_.i32(), 2);
      phi->addIncoming(roots[i], before);
      phi->addIncoming(next[i], latch);
      ends.push_back(phi);
    }
    return ends;
  }

  Value* AnyAtNode(const Vals& at) {
    Value* all = at[0];
    for (size_t i = 1; i < at.size(); ++i) all = b_.ir().CreateAnd(all, at[i]);
    return b_.ir().CreateICmpSGE(all, b_.ir().getInt32(0));
  }

  // One load reads both children; from two loads the compiler would make a later load of the chosen one. A lane at a
  // leaf reads any node, and so would a bad position.
  Value* Step(Value* at, const TreeLanes& lanes, int64_t lane) {
    auto& ir = b_.ir();
    Value* place = ir.CreateZExt(ir.CreateAnd(at, ir.getInt32(static_cast<uint32_t>(shape_.nodes - 1))), b_.i64());
    Value* node = b_.At(operands_.nodes, b_.Mul(place, kNodeBytes));
    Value* word = b_.LoadAs(b_.i32(), node);
    Value* feature = Within(ir.CreateLShr(word, relay::kTreeOutcomeBits), shape_.features);
    Value* row = b_.At(operands_.data, b_.Mul(b_.Add(lanes.row, lane / lanes.trees), shape_.features * kTreeWordBytes));
    Value* x = b_.Load(b_.At(row, b_.Mul(feature, kTreeWordBytes)));
    Value* taken = Taken(word, x, b_.Load(b_.At(node, kTreeWordBytes)));
    Value* children = b_.LoadAs(b_.i64(), b_.At(node, 2 * kTreeWordBytes));
    Value *yes = ir.CreateTrunc(children, b_.i32()), *no = ir.CreateTrunc(ir.CreateLShr(children, 32), b_.i32());
    return Either(ir.CreateICmpSLT(at, ir.getInt32(0)), at, Either(taken, yes, no));
  }

  // Selects without a branch, which could not be predicted.
  Value* Either(Value* condition, Value* yes, Value* no) {
    Value* either = b_.ir().CreateSelect(condition, yes, no);
    if (auto* select = llvm::dyn_cast<llvm::SelectInst>(either)) {
      select->setMetadata(llvm::LLVMContext::MD_unpredictable, llvm::MDNode::get(b_.context(), {}));
    }
    return either;
  }

  Value* Taken(Value* word, Value* x, Value* threshold) {
    auto& ir = b_.ir();
    const auto is = [&](int64_t outcomes) {
      return ir.CreateFCmp(static_cast<llvm::CmpInst::Predicate>(outcomes), x, threshold);
    };
    Value* taken = is(shape_.always);
    for (int64_t outcome = 1; outcome <= relay::kAllTreeOutcomes; outcome *= 2) {
      if ((varies_ & outcome) == 0) continue;
      Value* own = ir.CreateICmpNE(ir.CreateAnd(word, static_cast<uint64_t>(outcome)), ir.getInt32(0));
      taken = ir.CreateOr(taken, ir.CreateAnd(is(outcome), own));
    }
    return taken;
  }

  // A 32-bit position clamped below `extent`: a bad one reads the last element.
  Value* Within(Value* position, int64_t extent) {
    auto& ir = b_.ir();
    Value* last = ir.getInt32(static_cast<uint32_t>(extent - 1));
    return ir.CreateZExt(ir.CreateBinaryIntrinsic(llvm::Intrinsic::umin, position, last), b_.i64());
  }

  float Start() const {
    constexpr float kInfinity = std::numeric_limits<float>::infinity();
    return shape_.aggregate == "sum" ? 0 : shape_.aggregate == "min" ? kInfinity : -kInfinity;
  }

  Value* Joined(Value* sum, Value* weight) {
    if (shape_.aggregate == "sum") return b_.FAdd(sum, weight);
    auto& ir = b_.ir();
    Value* better = shape_.aggregate == "min" ? ir.CreateFCmpOLT(weight, sum) : ir.CreateFCmpOGT(weight, sum);
    return ir.CreateSelect(better, weight, sum);
  }

  Value* ResultOf(Value* row) { return b_.At(operands_.result, b_.Mul(row, shape_.targets * kTreeWordBytes)); }
  Value* EntryOf(Value* leaf, Value* i) { return b_.Mul(b_.Add(b_.Mul(leaf, shape_.width), i), kTreeWordBytes); }

  // Weight i belongs to target i.
  void JoinRow(const TreeLanes& lanes, int64_t row, const Vals& leaves) {
    b_.For(0, shape_.targets, 1, [&](Value* i) {
      Value* to = b_.At(ResultOf(b_.Add(lanes.row, row)), b_.Mul(i, kTreeWordBytes));
      Value* sum = b_.Load(to);
      for (int64_t tree = 0; tree < lanes.trees; ++tree) {
        Value* leaf = Nth(leaves, row * lanes.trees + tree);
        sum = Joined(sum, b_.Load(b_.At(operands_.weights, EntryOf(leaf, i))));
      }
      b_.Store(sum, to);
    });
  }

  void JoinNamed(const TreeLanes& lanes, const Vals& leaves) {
    for (int64_t lane = 0; lane < lanes.count(); ++lane) {
      Value* row = ResultOf(b_.Add(lanes.row, lane / lanes.trees));
      b_.For(0, shape_.width, 1, [&](Value* i) {
        Value* entry = EntryOf(Nth(leaves, lane), i);
        Value* target = Within(b_.LoadAs(b_.i32(), b_.At(operands_.leaf_targets, entry)), shape_.targets);
        Value* to = b_.At(row, b_.Mul(target, kTreeWordBytes));
        b_.Store(Joined(b_.Load(to), b_.Load(b_.At(operands_.weights, entry))), to);
      });
    }
  }

  KernelBuilder& b_;
  const TreeShape& shape_;
  const TreeOperands& operands_;
  int64_t varies_;  // outcomes that are looked up in each node
};

EmittedKernel EmitTreeEnsemble(KernelBuilder& builder, const relay::Function& function, const std::string& symbol) {
  const TreeShape shape(*WholeCallOf(function));
  builder.Stage(symbol, [&](const StageArgs& args) {
    const auto argument = [&](size_t i) { return builder.Operand(args, ParameterOf(function, i)); };
    const TreeOperands operands{argument(0),
                                argument(1),
                                argument(2),
                                argument(3),
                                shape.named ? argument(4) : nullptr,
                                builder.Operand(args, static_cast<int>(function.params.size()))};
    TreeKernel(builder, shape, operands).Emit(args);
  });
  return {{{symbol, shape.items(), 1, 0}}, 0};
}

}  // namespace

EmitterTable TreeEnsembleEmitters() { return {{"tree_ensemble", EmitTreeEnsemble}}; }

}  // namespace hone
