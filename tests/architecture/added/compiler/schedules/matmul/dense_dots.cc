// for row of rows                                 the work items
//   for column of columns
//     for k of K [unroll_ic]: acc += data[row][k] * weight[column][k]
#include "compiler/codegen/element.h"
#include "compiler/codegen/kernel_builder.h"
#include "compiler/schedules/knob_schedule.h"
#include "compiler/schedules/parts/epilogue_emit.h"
#include "compiler/schedules/schedule_list.h"

namespace hone {
namespace {

struct DotsKnobs : KnobTable {
  using KnobTable::KnobTable;
  int64_t unroll_ic = Row("unroll_ic", 1, {1, 8}, Always<1, 2, 4>);
};

class DotsEmitter {
 public:
  DotsEmitter(KernelBuilder& builder, const Workload& w, const DotsKnobs& knobs, const Epilogue& epilogue)
      : b_(builder), w_(w), k_(knobs), epilogue_(epilogue) {}

  void Emit(const StageArgs& args) {
    const int64_t columns = w_.weight[0];
    b_.For(args.begin, args.end, 1, [&](Value* row) {
      const auto row_of = [&](int operand) {
        return b_.At(b_.Operand(args, operand), b_.Mul(row, b_.BatchStride(args, operand)));
      };
      b_.For(0, columns, 1, [&](Value* column) {
        int next = 2;
        Value* place = b_.Mul(column, Bytes(DType::kFloat32));
        EpilogueOperands operands;
        Value* weights = b_.At(b_.Operand(args, 1), b_.Mul(column, Bytes(w_.types.weight, w_.data[1])));
        Value* sum = Sum(row_of(0), weights);
        if (epilogue_.bias) operands.bias = b_.At(b_.Operand(args, next++), place);
        if (epilogue_.residual) operands.residual = b_.At(row_of(next++), place);
        b_.Store(EmitEpilogue(b_, epilogue_, w_.types, sum, operands), b_.At(row_of(next), place));
      });
    });
  }

 private:
  Value* Sum(Value* x, Value* w) {
    const int64_t K = w_.data[1], main = K - K % k_.unroll_ic;
    const Vals some =
        b_.Loop(0, main, k_.unroll_ic, {llvm::ConstantFP::get(b_.f32(), 0)}, [&](Value* k, const Vals& in) {
          Value* sum = in[0];
          for (int64_t u = 0; u < k_.unroll_ic; ++u) sum = Product(x, w, b_.Add(k, u), sum);
          return Vals{sum};
        });
    return b_.Loop(main, K, 1, some, [&](Value* k, const Vals& in) { return Vals{Product(x, w, k, in[0])}; })[0];
  }

  Value* Product(Value* x, Value* w, Value* k, Value* sum) {
    Value* place = b_.Mul(k, Bytes(DType::kFloat32));
    return b_.Fma(b_.Load(b_.At(x, place), 1), b_.Load(b_.At(w, place), 1), sum);
  }

  KernelBuilder& b_;
  const Workload& w_;
  const DotsKnobs& k_;
  const Epilogue& epilogue_;
};

class Dots : public KnobSchedule<DotsKnobs> {
 public:
  std::string_view name() const override { return "dense_dots"; }
  int version() const override { return 1; }
  bool Applies(const Workload& w, const MachineModel&) const override { return w.op == "nn.dense"; }

 private:
  std::optional<std::string> RejectWith(const Workload& w, const MachineModel&, const DotsKnobs& k) const override {
    if (k.unroll_ic > w.data[1]) return "unroll_ic is more than the reduction";
    return std::nullopt;
  }

  std::vector<KernelOperand> OperandsWith(const Workload& w, const DotsKnobs&,
                                          const Epilogue& epilogue) const override {
    const Layout rows = Layout::Parse("MN");
    std::vector<KernelOperand> operands{{OperandRole::kData, w.types.data, w.data, Layout::Parse("MK")},
                                        {OperandRole::kWeight, w.types.weight, w.weight, Layout::Parse("NK")}};
    if (epilogue.bias) operands.push_back({OperandRole::kBias, DType::kFloat32, {w.weight[0]}, Layout::Parse("N")});
    if (epilogue.residual) operands.push_back({OperandRole::kResidual, w.types.output, w.OutputShape(), rows});
    operands.push_back({OperandRole::kOutput, w.types.output, w.OutputShape(), rows});
    return operands;
  }

  EmittedKernel EmitWith(KernelBuilder& builder, const Workload& w, const MachineModel&, const DotsKnobs& k,
                         const Epilogue& epilogue, const std::string& symbol) const override {
    builder.Stage(symbol, [&](const StageArgs& args) { DotsEmitter(builder, w, k, epilogue).Emit(args); });
    return {{{symbol, w.data[0], 1, 0}}, 0};
  }

  TileShape TileWith(const Workload& w, const MachineModel&, const DotsKnobs& k) const override {
    TileShape tile;
    tile.steps = static_cast<double>(w.data[1]);
    tile.unroll = static_cast<double>(k.unroll_ic);
    tile.groups = static_cast<double>(w.weight[0]);
    tile.line = static_cast<double>(w.data[0]);
    tile.weight_bytes = static_cast<double>(Bytes(w.types.weight, w.data[1]));
    tile.input_bytes = static_cast<double>(Bytes(w.types.data, w.data[0] * w.data[1]));
    return tile;
  }

  double EstimateNsWith(const Workload& w, const MachineModel& machine, const DotsKnobs&) const override {
    return w.Flops() / 2 * machine.multiply_add_latency / machine.clock_ghz;
  }
};

}  // namespace

const Schedule& DenseDots() {
  static const Dots schedule;
  return schedule;
}

}  // namespace hone
