#include "compiler/schedules/reference_batch_matmul.h"

#include "compiler/codegen/kernel_builder.h"
#include "compiler/schedules/matmul_shape.h"

namespace hone {

EmittedKernel EmitReferenceBatchMatmul(KernelBuilder& b, const Workload& workload, const std::string& symbol) {
  const MatmulShape s(workload);
  const auto extend = [&](Value* v) { return b.ir().CreateFPExt(v, b.f64()); };
  b.Stage(symbol, [&](const StageArgs& args) {
    Value *data = b.Operand(args, 0), *weight = b.Operand(args, 1);
    b.For(args.begin, args.end, 1, [&](Value* item) {
      // Rows as they lie: [B, M] or [M, B].
      const bool batch_first = s.output.first == 'B';
      Value* outer = b.Div(item, batch_first ? s.M : s.B);
      Value* inner = b.Mod(item, batch_first ? s.M : s.B);
      Value *product = batch_first ? outer : inner, *m = batch_first ? inner : outer;
      Value* x = b.At(data, b.Add(b.Mul(product, s.data.batch * 4), b.Mul(m, s.data.row * 4)));
      b.For(0, s.N, 1, [&](Value* n) {
        Value* w = b.At(weight, b.Add(b.Mul(product, s.weight.batch * 4), b.Mul(n, s.weight.row * 4)));
        Value* zero = llvm::ConstantFP::get(b.f64(), 0);
        const Vals sums = b.Loop(0, s.K, 1, {zero, zero}, [&](Value* k, const Vals& sum) {
          Value* product_of = b.FMul(extend(b.Load(b.At(x, b.Mul(k, s.data.column * 4)))),
                                     extend(b.Load(b.At(w, b.Mul(k, s.weight.column * 4)))));
          Value* size = b.ir().CreateUnaryIntrinsic(llvm::Intrinsic::fabs, product_of);
          return Vals{b.FAdd(sum[0], product_of), b.FAdd(sum[1], size)};
        });
        Value* at = b.Mul(b.Add(b.Mul(item, s.N), n), 8);
        b.Store(sums[0], b.At(b.Operand(args, 2), at));
        b.Store(sums[1], b.At(b.Operand(args, 3), at));
      });
    });
  });
  EmittedKernel kernel;
  kernel.stages.push_back({symbol, s.B * s.M, 1, 0});
  return kernel;
}

}  // namespace hone
