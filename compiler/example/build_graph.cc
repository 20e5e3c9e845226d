// A network made in C++, from its operators to a package and its outputs: build_graph OUT.hone. Afterwards `hone run
// OUT.hone` runs the package too.
#include <hone/compiler/graph.h>
#include <hone/hone.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace {

using hone::relay::ExprPtr;
using hone::relay::MakeCall;
using hone::relay::MakeConstant;
using hone::relay::MakeVar;
using hone::relay::Match;
using hone::relay::Pattern;
using Ints = std::vector<int64_t>;

// A convolution, its bias and an activation; the registry knows each operator's inputs and attributes. Types of
// parameters follow from the calls that use them.
hone::relay::FunctionPtr Network() {
  const ExprPtr data = MakeVar("data", hone::relay::TensorType({1, 3, 32, 32}));
  const ExprPtr conv = MakeCall("nn.conv2d", {data, MakeVar("conv_weight")},
                                {{"channels", int64_t{8}}, {"kernel_size", Ints{3, 3}}, {"padding", Ints{1}}});
  const ExprPtr biased = MakeCall("nn.bias_add", {conv, MakeVar("conv_bias")});
  const ExprPtr halved = MakeCall("divide", {biased, MakeConstant(hone::Tensor::Scalar(2))});
  const ExprPtr pooled =
      MakeCall("nn.batch_flatten", {MakeCall("nn.global_avg_pool2d", {MakeCall("nn.relu", {halved})})});
  return hone::relay::MakeFunction(MakeCall("nn.softmax", {pooled}));
}

// A rewriting of the program's own: x / c becomes x * (1 / c).
ExprPtr MultiplyInstead(const ExprPtr& root) {
  const Pattern x = hone::relay::Wildcard(), divisor = hone::relay::IsConstant();
  const auto multiply = [&](const Match& match) {
    const float value = static_cast<float>(hone::relay::AsConstant(match[divisor])->value.At(0));
    return MakeCall("multiply", {match[x], MakeConstant(hone::Tensor::Scalar(1 / value))});
  };
  return hone::relay::RewriteMatches(root, hone::relay::IsCall("divide", {x, divisor}), multiply);
}

std::string BuildPackage(const hone::relay::IRModule& module) {
  hone::BuildOptions options;
  options.context.target = hone::HostTarget();
  options.context.threads = 2;
  options.context.opt_level = 3;
  options.context.disabled_passes = {"merge_groups"};
  const hone::BuildResult result = hone::Build(module, options);
  const auto& passes = result.report.pass_seconds;
  const auto slowest =
      std::max_element(passes.begin(), passes.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  std::printf("%zu passes, most time in %s\n", passes.size(), slowest->first.c_str());
  return result.package;
}

// Throws the C API's error, if there is one.
void Check(hone_status status) {
  if (status != HONE_OK) throw hone::Error(static_cast<hone::ExitCode>(status), hone_error_text());
}

// Runs the package in this program, on a ramp from 0 to 1.
void Run(const std::string& path) {
  hone_package* package = nullptr;
  hone_session* session = nullptr;
  Check(hone_package_load(path.c_str(), &package));
  Check(hone_session_create(package, 2, &session));
  hone::Tensor data(hone::DType::kFloat32, {1, 3, 32, 32});
  hone::FillTensor(data, hone::Fill::kRamp, 0);
  Check(hone_session_set_input(session, 0, data.raw(), static_cast<size_t>(data.size_bytes())));
  Check(hone_session_run(session));
  float probabilities[8];
  Check(hone_session_get_output(session, 0, probabilities, sizeof(probabilities)));
  for (const float p : probabilities) std::printf("%.4f ", static_cast<double>(p));
  std::printf("\n");
  hone_session_free(session);
  hone_package_free(package);
}

void WriteNetwork(const std::string& path) {
  hone::relay::FunctionPtr main = Network();
  for (const auto& var : hone::relay::FreeVars(main->body)) std::printf("%%%s ", var->name.c_str());
  std::printf("are free in the body\n");
  main = std::static_pointer_cast<const hone::relay::Function>(MultiplyInstead(main));
  hone::relay::IRModule module = hone::relay::InitialiseParams(main, hone::relay::Xavier(), /*seed=*/1);
  module.name = "a network made in C++";
  std::fputs(hone::relay::ToText(module).c_str(), stdout);
  const std::string package = BuildPackage(module);
  if (!(std::ofstream(path, std::ios::binary) << package << std::flush)) {
    throw hone::Error(hone::ExitCode::kCannotCreate, path + " cannot be written");
  }
  Run(path);
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
