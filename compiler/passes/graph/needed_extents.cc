#include "compiler/passes/graph/needed_extents.h"

#include <algorithm>
#include <string_view>

#include "compiler/ops/attention/kernel.h"
#include "compiler/passes/graph/extent_origin.h"
#include "compiler/passes/graph/extent_values.h"
#include "compiler/passes/graph/needed_before.h"
#include "compiler/passes/graph/typed_graph.h"
#include "compiler/relay/counted_outputs.h"
#include "compiler/relay/op.h"
#include "compiler/relay/ranged_inputs.h"
#include "core/nth.h"

namespace hone {

using relay::Call;
using relay::Expr;
using relay::ExprPtr;
using relay::Function;

namespace {

using Needed = std::map<std::pair<const Expr*, int>, NeededAxes>;
}  // namespace

// Visits every value after all of its users.
class NeededWalk {
 public:
  NeededWalk(const relay::IRModule& module, NeededExtents& result)
      : main_(*module.main), result_(result), values_(main_) {}

  void Run() {
    AddOutputs();
    std::vector<ExprPtr> order = PostOrder(main_.body);
    for (size_t i = order.size(); i-- > 0;) VisitOfMain(order[i]);
  }

 private:
  // Adds a use. All positions are needed of an axis on which two uses differ by an unknown number.
  void Add(Needed& needed, const ExprPtr& value, int field, const NeededAxes& use) {
    const auto [known, is_new] = needed.try_emplace({value.get(), field}, use);
    if (is_new) return;
    for (size_t d = 0; d < known->second.size(); ++d) {
      auto& before = known->second[d];
      if (d >= use.size() || !before || !use[d]) {
        before.reset();
      } else if (*before != *use[d]) {
        before = values_.Cover(*before, *use[d]);
      }
    }
  }

  void AddAll(Needed& needed, const ExprPtr& value) {
    if (const relay::Tuple* tuple = relay::AsTuple(value)) {
      for (const ExprPtr& field : tuple->fields) AddAll(needed, field);
      return;
    }
    if (value->type == nullptr) return;
    if (value->type->kind == relay::TypeKind::kTensor)
      return Add(needed, value, 0, NeededAxes(value->type->shape.size()));
    for (size_t i = 0; i < value->type->fields.size(); ++i) {
      Add(needed, value, static_cast<int>(i), NeededAxes(value->type->fields[i]->shape.size()));
    }
  }

  // The value's field itself: a field of a tuple that is written out, or the item of a call.
  void AddField(Needed& needed, const ExprPtr& value, int field, const NeededAxes& use) {
    if (const relay::Tuple* tuple = relay::AsTuple(value)) return Add(needed, Nth(tuple->fields, field), 0, use);
    Add(needed, value, field, use);
  }

  static NeededAxes Of(const Needed& needed, const ExprPtr& value, int field = 0) {
    const auto known = needed.find({value.get(), field});
    return known == needed.end() ? NeededAxes() : known->second;
  }

  void AddOutputs() {
    const relay::Tuple* tuple = relay::AsTuple(main_.body);
    const std::vector<ExprPtr> results = tuple == nullptr ? std::vector<ExprPtr>{main_.body} : tuple->fields;
    // Results count from 0 with every field of a tuple as one of its own.
    std::vector<std::pair<ExprPtr, int>> fields;
    for (const ExprPtr& result : results) {
      const bool several = result->type->kind == relay::TypeKind::kTuple;
      for (size_t i = 0; i < (several ? result->type->fields.size() : 1); ++i) {
        fields.emplace_back(result, static_cast<int>(i));
      }
    }
    const auto counted = relay::CountedOutputs(main_, fields.size());
    for (size_t i = 0; i < fields.size(); ++i) {
      const auto& [result, field] = fields[i];
      const bool several = result->type->kind == relay::TypeKind::kTuple;
      NeededAxes axes((several ? result->type->fields[static_cast<size_t>(field)] : result->type)->shape.size());
      for (const relay::CountedOutput& each : counted) {
        if (each.output != static_cast<int64_t>(i)) continue;
        const ExprPtr& count = Nth(fields, each.count).first;
        if (count->type->kind == relay::TypeKind::kTensor) {
          Nth(axes, each.axis) = NeededPositions{OriginOf(count, nullptr)};
        }
      }
      AddField(main_needed_, result, field, axes);
      result_.results_.push_back(std::move(axes));
    }
  }

  void VisitOfMain(const ExprPtr& expr) {
    const Function* function = FunctionOf(expr);
    if (function == nullptr) return VisitPlain(expr, main_needed_, nullptr);
    const Call& call = *relay::AsCall(expr);
    const Arguments arguments = ArgumentsOf(call, *function);
    Needed& inner = result_.within_[&call];
    const bool several = expr->type->kind == relay::TypeKind::kTuple;
    for (size_t i = 0; i < (several ? expr->type->fields.size() : 1); ++i) {
      const NeededAxes use = Of(main_needed_, expr, static_cast<int>(i));
      if (!use.empty() || main_needed_.contains({expr.get(), static_cast<int>(i)})) {
        AddField(inner, function->body, static_cast<int>(i), use);
      }
    }
    key_limit_ = KeyLimitOf(*function, arguments);
    std::vector<ExprPtr> order = PostOrder(function->body);
    for (size_t i = order.size(); i-- > 0;) VisitPlain(order[i], inner, &arguments);
    for (size_t i = 0; i < function->params.size(); ++i) {
      const ExprPtr param = function->params[i];
      if (inner.contains({param.get(), 0})) {
        Add(main_needed_, call.args[i], 0, Of(inner, param));
      } else {
        AddAll(main_needed_, call.args[i]);
      }
    }
  }

  // The keys of an attention beyond which its kernel reads no values, and the product with these; none for any other
  // function.
  struct KeyLimit {
    const Call* product = nullptr;
    NeededPositions keys;
  };
  static KeyLimit KeyLimitOf(const Function& function, const Arguments& arguments) {
    const Attention* attention = AttentionOf(function);
    if (attention == nullptr || !attention->counts_keys) return {};
    const Call& masked = *relay::AsCall(AttentionSoftmax(function).args[0]);
    NeededAxes mask = MaskOf(masked.args[0], &arguments);
    return mask.empty() || !mask.back() ? KeyLimit() : KeyLimit{ValuesProduct(function), *mask.back()};
  }
  // The last product of an attention.
  static const Call* ValuesProduct(const Function& function) {
    ExprPtr expr = function.body;
    while (relay::AsCallTo(expr, "nn.batch_matmul") == nullptr) expr = relay::AsCall(expr)->args[0];
    return relay::AsCall(expr);
  }

  // Anything but a call of a function.
  void VisitPlain(const ExprPtr& expr, Needed& needed, const Arguments* arguments) {
    if (const relay::TupleGetItem* item = relay::AsTupleGetItem(expr)) {
      return AddField(needed, item->tuple, item->index, Of(needed, expr));
    }
    const Call* call = relay::AsCall(expr);
    if (call == nullptr || relay::AsOp(call->op) == nullptr) return;
    if (OpName(*call) == "nn.recurrent") return VisitRecurrent(*call, needed, arguments);
    if (call->type->kind != relay::TypeKind::kTensor) {
      for (const ExprPtr& arg : call->args) AddAll(needed, arg);
      return;
    }
    VisitCall(*call, Of(needed, expr), needed, arguments);
  }

  void VisitCall(const Call& call, const NeededAxes& use, Needed& needed, const Arguments* arguments) {
    const relay::OpDef& def = *relay::AsOp(call.op)->def;
    const std::string_view op = def.name;
    if (use.size() != call.type->shape.size()) {
      for (const ExprPtr& arg : call.args) AddAll(needed, arg);
      return;
    }
    if (op == "where") return VisitWhere(call, use, needed, arguments);
    if (op == "concatenate") return VisitConcat(call, use, needed);
    if (op == "append_rows") return VisitAppend(call, use, needed, arguments);
    if (op == "choose") return VisitChoose(call, use, needed);
    if (op == "nn.interleave") return VisitInterleave(call, use, needed);
    if (op == "first_positions") return VisitFirst(call, use, needed, arguments);
    // These two take a vector along an axis of their own, not by numpy's rules.
    const bool per_channel = op == "nn.bias_add" || op == "nn.prelu";
    const bool elementwise =
        !per_channel && (def.pattern == relay::OpPattern::kElementwise || def.pattern == relay::OpPattern::kBroadcast);
    for (size_t i = 0; i < call.args.size(); ++i) {
      const ExprPtr& arg = call.args[i];
      if (arg->type == nullptr || arg->type->kind != relay::TypeKind::kTensor) {
        AddAll(needed, arg);
        continue;
      }
      const Shape& from = arg->type->shape;
      if (elementwise || op == "broadcast_to") {
        Add(needed, arg, 0, BeforeBroadcast(from, call.type->shape, use));
      } else if (op == "nn.batch_matmul" && i < 2) {
        NeededAxes rows = BeforeMatmul(call, i, use);
        if (i == 1 && key_limit_.product == &call) rows[DepthAxis(call, i)] = key_limit_.keys;
        Add(needed, arg, 0, rows);
      } else if ((op == "nn.dense" || op == "nn.dense_blocks") && i > 0) {
        Add(needed, arg, 0, FirstOnly(from.size(), {use[1]}));
      } else if (i == 1 && (op == "take" || op == "gather" || op == "gather_nd")) {
        Add(needed, arg, 0, BeforeIndices(call, use));
      } else if (i == 0) {
        Add(needed, arg, 0, BeforeFirst(call, def, from, use));
      } else {
        AddAll(needed, arg);
      }
    }
  }

  static NeededAxes BeforeFirst(const Call& call, const relay::OpDef& def, const Shape& from, const NeededAxes& use) {
    const std::string_view op = def.name;
    if (KeepsElements(op)) return BeforeReshape(from, call.type->shape, use);
    if (op == "transpose") return BeforeTranspose(call, use);
    if (op == "strided_slice") return BeforeSlice(call, use);
    if (op == "nn.pad") return BeforePad(call, use);
    if (op == "take") return BeforeTake(call, use);
    if (op == "gather") return BeforeGather(call, use);
    if (op == "layout_transform" || op == "nn.bias_add" || op == "nn.prelu") return use;
    const bool along_axis = op == "nn.softmax" || op == "nn.log_softmax";
    if (along_axis || def.traits.folds == relay::Folds::kAxis) return BeforeFold(call, use);
    const relay::AttrValue* axis = call.attrs.Find("axis");
    const int64_t* one = axis == nullptr ? nullptr : std::get_if<int64_t>(axis);
    const bool along_images = axis != nullptr && (one == nullptr || *one != 1);
    if (ReadsWindows(call)) return BeforeWindows(call, use);
    if (op == "nn.depth_to_space") return BeforeSpread(std::vector<int64_t>(2, call.attrs.GetInt("block_size")), use);
    if (op == "nn.dense" || op == "nn.dense_blocks" || (def.traits.per_image && !along_images))
      return FirstOnly(from.size(), use);
    return NeededAxes(from.size());
  }

  void VisitWhere(const Call& call, const NeededAxes& use, Needed& needed, const Arguments* arguments) {
    const Shape& to = call.type->shape;
    const NeededAxes mask = MaskOf(call.args[0], arguments);
    for (size_t i = 0; i < call.args.size(); ++i) {
      NeededAxes wanted = use;
      const size_t lead = to.size() - mask.size();
      for (size_t d = 0; i == 1 && d < mask.size(); ++d) {
        if (!mask[d] || call.args[0]->type->shape[d] != to[lead + d]) continue;
        auto& positions = wanted[lead + d];
        positions = positions ? values_.Lesser(*positions, *mask[d]) : mask[d];
      }
      Add(needed, call.args[i], 0, BeforeBroadcast(call.args[i]->type->shape, to, wanted));
    }
  }

  // The first positions of a concatenation hold at most as many of each part.
  void VisitConcat(const Call& call, const NeededAxes& use, Needed& needed) {
    const relay::Tuple* tuple = relay::AsTuple(call.args[0]);
    if (tuple == nullptr) return AddAll(needed, call.args[0]);
    for (const ExprPtr& field : tuple->fields) Add(needed, field, 0, use);
  }

  void VisitInterleave(const Call& call, const NeededAxes& use, Needed& needed) {
    const relay::Tuple* tuple = relay::AsTuple(call.args[0]);
    if (tuple == nullptr) return AddAll(needed, call.args[0]);
    const NeededAxes positions = BeforeSpread(call.attrs.GetInts("strides"), use);
    for (const ExprPtr& field : tuple->fields) {
      const Shape& shape = field->type->shape;
      Add(needed, field, 0, shape[2] == 1 && shape[3] == 1 ? NeededAxes(shape.size()) : positions);
    }
  }

  // The loop over the steps ends at the rows' lengths, if these are one extent.
  void VisitRecurrent(const Call& call, Needed& needed, const Arguments* arguments) {
    const bool has_lengths = call.attrs.GetBool("lengths");
    const ExprPtr steps = has_lengths ? RepeatedOrigin(call.args.back(), arguments) : nullptr;
    for (size_t i = steps == nullptr ? 0 : 1; i < call.args.size(); ++i) AddAll(needed, call.args[i]);
    if (steps == nullptr) return;
    NeededAxes data(call.args[0]->type->shape.size());
    data[0] = NeededPositions{steps};
    Add(needed, call.args[0], 0, data);
  }

  void VisitChoose(const Call& call, const NeededAxes& use, Needed& needed) {
    for (const size_t condition : {0, 2}) AddAll(needed, call.args[condition]);
    for (const size_t value : {1, 3}) Add(needed, call.args[value], 0, use);
  }

  void VisitFirst(const Call& call, NeededAxes use, Needed& needed, const Arguments* arguments) {
    if (ExprPtr extent = OriginOf(call.args[1], arguments)) {
      auto& positions = Nth(use, call.attrs.GetInt("axis"));
      const NeededPositions first{std::move(extent)};
      positions = positions ? values_.Lesser(*positions, first) : first;
    }
    Add(needed, call.args[0], 0, use);
    AddAll(needed, call.args[1]);
  }

  // Only the rows that are counted are read. If the result ends behind them, the same holds for the data before them.
  void VisitAppend(const Call& call, const NeededAxes& use, Needed& needed, const Arguments* arguments) {
    const int64_t axis = call.attrs.GetInt("axis");
    NeededAxes data = use, rows = use;
    Nth(data, axis).reset();
    Nth(rows, axis).reset();
    const bool ends = call.attrs.GetBool("ends") && ElementCount(call.args[2]->type->shape) == 1;
    ExprPtr first = ends ? OriginOf(call.args[2], arguments) : nullptr;
    if (first != nullptr) Nth(data, axis) = NeededPositions{std::move(first)};
    if (ExprPtr count = OriginOf(call.args[3], arguments)) Nth(rows, axis) = NeededPositions{std::move(count)};
    Add(needed, call.args[0], 0, data);
    Add(needed, call.args[1], 0, rows);
    AddAll(needed, call.args[2]);
    AddAll(needed, call.args[3]);
  }

  const Function& main_;
  NeededExtents& result_;
  Needed main_needed_;
  ExtentValues values_;
  KeyLimit key_limit_;  // of the function that is visited
};

NeededExtents::NeededExtents(const relay::IRModule& optimized) {
  const Function& main = *optimized.main;
  if (main.attrs.Find(relay::kCounted) == nullptr && main.attrs.Find(relay::kRanged) == nullptr) return;
  NeededWalk(optimized, *this).Run();
}

NeededAxes NeededExtents::Within(const Call& call, const Expr& value, int field) const {
  const auto function = within_.find(&call);
  if (function == within_.end()) return {};
  const auto known = function->second.find({&value, field});
  return known == function->second.end() ? NeededAxes() : known->second;
}

}  // namespace hone
