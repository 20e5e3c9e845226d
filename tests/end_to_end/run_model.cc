#include "tests/end_to_end/run_model.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "compiler/codegen/target/host.h"
#include "compiler/frontend/zoo/zoo.h"
#include "compiler/relay/infer_type.h"
#include "runtime/session.h"

namespace hone {

relay::IRModule ZooModule(const std::string& name, const Shape& image_shape, int64_t batch, int64_t classes) {
  ZooOptions options;
  options.batch = batch;
  options.classes = classes;
  options.image_shape = image_shape;
  return relay::InferType(BuildZoo(name, options));
}

BuildOptions HostBuild() {
  BuildOptions options;
  options.context.target = HostTarget();
  options.context.threads = AllowedCores();
  return options;
}

std::vector<Tensor> RunOnce(std::shared_ptr<const Package> package, int threads, Fill fill, uint64_t seed) {
  SessionOptions options;
  options.threads = threads;
  Session session(package, options);
  for (const int index : package->plan().inputs) {
    const PlanBuffer& buffer = package->plan().buffers[static_cast<size_t>(index)];
    Tensor input(buffer.dtype, buffer.shape);
    FillTensor(input, fill, seed++);
    session.SetInput(buffer.name, input);
  }
  session.Run();
  std::vector<Tensor> outputs;
  for (int i = 0; i < session.outputs(); ++i) outputs.push_back(session.Output(i));
  return outputs;
}

std::string Bits(const Tensor& tensor) {
  return {static_cast<const char*>(tensor.raw()), static_cast<size_t>(tensor.size_bytes())};
}

double WorstError(const Tensor& got, const std::vector<float>& want) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  if (got.elements() != static_cast<int64_t>(want.size())) return kInfinity;
  double worst = 0, largest = 0;
  for (int64_t i = 0; i < got.elements(); ++i) {
    const double value = want[static_cast<size_t>(i)];
    if (!std::isfinite(got.At(i))) return kInfinity;
    worst = std::max(worst, std::fabs(got.At(i) - value));
    largest = std::max(largest, std::fabs(value));
  }
  return worst / largest;
}

}  // namespace hone
