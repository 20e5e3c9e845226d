#include "compiler/ops/kernel_whole.h"

#include <algorithm>
#include <stdexcept>
#include <string_view>

#include "compiler/ops/counted/kernel.h"
#include "compiler/ops/cumulative/kernel.h"
#include "compiler/ops/detection/kernel.h"
#include "compiler/ops/detection/kernel_non_max_suppression.h"
#include "compiler/ops/recurrent/kernel.h"
#include "compiler/ops/resample/kernel.h"
#include "compiler/ops/scatter/kernel.h"
#include "compiler/ops/topk/kernel.h"
#include "compiler/ops/trees/kernel.h"
#include "compiler/relay/op.h"

namespace hone {
namespace {

struct WholeCall {
  std::string_view op;
  EmittedKernel (*emit)(KernelBuilder&, const relay::Function&, const std::string&);
};

constexpr WholeCall kWholeCalls[] = {
    {"nn.recurrent", EmitRecurrent},      {"topk", EmitTopK},
    {"tree_ensemble", EmitTreeEnsemble},  {"scatter_elements", EmitScatter},
    {"scatter_nd", EmitScatter},          {"vision.roi_align", EmitRoiAlign},
    {"argwhere", EmitArgwhere},           {"vision.all_class_non_max_suppression", EmitNonMaxSuppression},
    {"cumsum", EmitCumulative},           {"cumprod", EmitCumulative},
    {"image.grid_sample", EmitGridSample}};

const WholeCall* FindWholeCall(const relay::Function& function) {
  const auto row = std::find_if(std::begin(kWholeCalls), std::end(kWholeCalls), [&](const WholeCall& whole) {
    return relay::AsCallTo(function.body, whole.op) != nullptr;
  });
  return row == std::end(kWholeCalls) ? nullptr : row;
}

// -1 if it is not a parameter.
int FindParameter(const relay::Function& function, const relay::ExprPtr& arg) {
  for (size_t i = 0; i < function.params.size(); ++i) {
    if (function.params[i].get() == arg.get()) return static_cast<int>(i);
  }
  return -1;
}

}  // namespace

const relay::Call* WholeCallOf(const relay::Function& function) {
  if (FindWholeCall(function) == nullptr) return nullptr;
  const relay::Call* call = relay::AsCall(function.body);
  const bool of_parameters = std::all_of(call->args.begin(), call->args.end(),
                                         [&](const auto& arg) { return FindParameter(function, arg) >= 0; });
  return of_parameters ? call : nullptr;
}

int ParameterOf(const relay::Function& function, size_t argument) {
  const int parameter = FindParameter(function, relay::AsCall(function.body)->args.at(argument));
  if (parameter < 0) throw std::out_of_range("an argument that is no parameter");
  return parameter;
}

EmittedKernel EmitWholeCall(KernelBuilder& builder, const relay::Function& function, const std::string& symbol) {
  return FindWholeCall(function)->emit(builder, function, symbol);
}

}  // namespace hone
