// A network made in C++, from its operators to a package: build_graph OUT.hone, then `hone run OUT.hone`.
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "compiler/build.h"
#include "compiler/codegen/host.h"
#include "compiler/relay/expr.h"
#include "compiler/relay/infer_type.h"
#include "compiler/relay/printer.h"
#include "core/error.h"

namespace {

using hone::relay::ExprPtr;
using hone::relay::MakeCall;
using hone::relay::Var;
using Ints = std::vector<int64_t>;

std::shared_ptr<const Var> NewVar(const std::string& name, hone::relay::TypePtr type = nullptr) {
  return std::make_shared<const Var>(name, std::move(type));
}

hone::Tensor RandomTensor(const hone::Shape& shape, uint64_t seed) {
  hone::Tensor tensor(hone::DType::kFloat32, shape);
  hone::FillTensor(tensor, hone::Fill::kUniform, seed);
  return tensor;
}

// A convolution, its bias and an activation; the registry knows each operator's inputs and attributes. Types of
// parameters follow from the calls that use them.
hone::relay::IRModule Network() {
  const auto data = NewVar("data", hone::relay::TensorType({1, 3, 32, 32}));
  const auto weight = NewVar("weight"), bias = NewVar("bias");
  const ExprPtr conv = MakeCall("nn.conv2d", {data, weight},
                                {{"channels", int64_t{8}}, {"kernel_size", Ints{3, 3}}, {"padding", Ints{1}}});
  const ExprPtr relu = MakeCall("nn.relu", {MakeCall("nn.bias_add", {conv, bias})});
  const ExprPtr pooled = MakeCall("nn.batch_flatten", {MakeCall("nn.global_avg_pool2d", {relu})});
  hone::relay::IRModule module;
  module.main = std::make_shared<hone::relay::Function>(std::vector<std::shared_ptr<const Var>>{data, weight, bias},
                                                        MakeCall("nn.softmax", {pooled}));
  module.params = {{"weight", RandomTensor({8, 3, 3, 3}, 1)}, {"bias", RandomTensor({8}, 2)}};
  module.name = "a network made in C++";
  return module;
}

void WriteNetwork(const std::string& path) {
  const hone::relay::IRModule typed = hone::relay::InferType(Network());
  std::fputs(hone::relay::ToText(typed).c_str(), stdout);
  hone::BuildOptions options;
  options.context.target = hone::HostTarget();
  const std::string package = hone::Build(typed, options).package;
  if (!(std::ofstream(path, std::ios::binary) << package << std::flush)) {
    throw hone::Error(hone::ExitCode::kCannotCreate, path + " cannot be written");
  }
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 2) {
    std::fputs("build_graph OUT.hone\n", stderr);
    return static_cast<int>(hone::ExitCode::kUsage);
  }
  try {
    WriteNetwork(arguments[1]);
    return EXIT_SUCCESS;
  } catch (const hone::Error& error) {
    std::fprintf(stderr, "build_graph: %s\n", error.what());
    return static_cast<int>(error.code());
  }
}
