#include "compiler/schedules/matmul/reference_batch_matmul.h"

#include "compiler/codegen/element.h"
#include "compiler/codegen/kernel_builder.h"
#include "compiler/schedules/matmul/matmul_operand.h"
#include "compiler/schedules/matmul/matmul_shape.h"
#include "compiler/schedules/parts/epilogue_emit.h"
#include "core/nth.h"

namespace hone {

EmittedKernel EmitReferenceBatchMatmul(KernelBuilder& b, const Workload& workload, const std::string& symbol) {
  const MatmulShape s(workload);
  const auto& types = workload.types;
  const auto x_bytes = [&](int64_t elements) { return Bytes(types.data, elements); };
  const auto w_bytes = [&](int64_t elements) { return Bytes(types.weight, elements); };
  const auto load = [&](DType type, Value* ptr) { return LoadConverted(b, type, ptr, 1, DType::kFloat64); };
  const bool centred = types.pairs();
  const Epilogue epilogue = CanonicalEpilogue(workload);
  const int output = static_cast<int>(ComputedOperands(workload, epilogue).size());
  b.Stage(symbol, [&](const StageArgs& args) {
    Value *data = b.Operand(args, 0), *weight = b.Operand(args, 1);
    Vals zeros;
    for (int i = 0; centred && i < 2; ++i) {
      zeros.push_back(load(DType::kInt32, b.At(b.Operand(args, 2), Bytes(DType::kInt32, i))));
    }
    const auto factor = [&](int i, DType type, Value* ptr) {
      return centred ? b.ir().CreateFSub(load(type, ptr), Nth(zeros, i)) : load(type, ptr);
    };
    b.For(args.begin, args.end, 1, [&](Value* item) {
      // Work items are output rows in memory order: [B, M] or [M, B].
      const bool batch_first = s.output.first == 'B';
      Value* outer = b.Div(item, batch_first ? s.M : s.B);
      Value* inner = b.Mod(item, batch_first ? s.M : s.B);
      Value *product = batch_first ? outer : inner, *m = batch_first ? inner : outer;
      Value* x = b.At(data, b.Add(b.Mul(product, x_bytes(s.data.batch)), b.Mul(m, x_bytes(s.data.row))));
      b.For(0, s.N, 1, [&](Value* n) {
        Value* w = b.At(weight, b.Add(b.Mul(product, w_bytes(s.weight.batch)), b.Mul(n, w_bytes(s.weight.row))));
        Value* zero = llvm::ConstantFP::get(b.f64(), 0);
        const Vals sums = b.Loop(0, s.K, 1, {zero, zero}, [&](Value* k, const Vals& sum) {
          Value* product_of = b.FMul(factor(0, types.data, b.At(x, b.Mul(k, x_bytes(s.data.column)))),
                                     factor(1, types.weight, b.At(w, b.Mul(k, w_bytes(s.weight.column)))));
          Value* size = b.ir().CreateUnaryIntrinsic(llvm::Intrinsic::fabs, product_of);
          // Sums of bytes are exact: there is no error to allow.
          return Vals{b.FAdd(sum[0], product_of), centred ? sum[1] : b.FAdd(sum[1], size)};
        });
        Value* at = b.Mul(b.Add(b.Mul(item, s.N), n), Bytes(DType::kFloat64));
        Value* value = sums[0];
        if (centred) {
          EpilogueOperands operands;
          if (epilogue.scale) operands.scale = b.At(b.Operand(args, output - 1), b.Mul(n, Bytes(DType::kFloat32)));
          value = EmitEpilogue(b, epilogue, types, b.ir().CreateFPToSI(value, b.i32()), operands);
          value = Converted(b, value, types.output, DType::kFloat64);
        }
        b.Store(value, b.At(b.Operand(args, output), at));
        b.Store(sums[1], b.At(b.Operand(args, output + 1), at));
      });
    });
  });
  EmittedKernel kernel;
  kernel.stages.push_back({symbol, s.B * s.M, 1, 0});
  return kernel;
}

}  // namespace hone
