// Random graphs with one to three ranged dimensions: one package at six lengths, in memory that ends at guard pages,
// against the reference and a package of that length alone.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <random>
#include <vector>

#include "compiler/build.h"
#include "compiler/frontend/onnx/onnx_import.h"
#include "compiler/relay/infer_type.h"
#include "compiler/relay/reference.h"
#include "runtime/session.h"
#include "tests/compiler/frontend/ranged_draw.h"
#include "tests/end_to_end/run_model.h"
#include "tests/support/filled_buffer.h"

namespace hone {
namespace {

using Extents = std::map<std::string, int64_t>;
using Inputs = std::map<std::string, Tensor>;
using Buffers = std::vector<std::unique_ptr<hone::testing::FilledBuffer>>;

// NaN as a float of any width.
constexpr unsigned char kGarbage = 0xFF;

struct Drawn {
  std::string bytes;
  std::map<std::string, DimRange> ranges;
  Extents fixed;  // dimensions that no run chooses
  BuildOptions options;
};

// At the seed's least digits: sequences or pictures, which dimensions are ranges, threads and precision.
Drawn Draw(unsigned seed) {
  std::mt19937 random(seed);
  Drawn drawn;
  const bool pictures = seed % 3 == 0;
  drawn.bytes = pictures ? DrawPictureModel(seed) : DrawSequenceModel(seed);
  std::map<std::string, DimRange> all = {{"batch", {1, 4}}, {"seq", {2, 40}}, {"keys", {1, 33}}};
  if (pictures) all = {{"batch", {1, 3}}, {"height", {2, 19}}, {"width", {2, 35}}};
  const unsigned which = random() % 7 + 1;
  unsigned bit = 1;
  for (const auto& [name, range] : all) {
    if ((which & bit) != 0) {
      drawn.ranges.emplace(name, range);
    } else {
      drawn.fixed[name] = name == "batch" ? 1 : range.most / 2;
    }
    bit *= 2;
  }
  drawn.options = HostBuild();
  // Kernels change wherever there are others.
  if (seed % 2 == 0) drawn.options.variant_gain = -1;
  drawn.options.context.threads = static_cast<int>(random() % 2) + 1;
  const unsigned level = random() % 5;
  drawn.options.context.opt_level = level < 3 ? static_cast<int>(level) : 3;
  if (seed % 8 == 5) drawn.options.context.precision = Precision::kBFloat16;
  return drawn;
}

relay::IRModule ImportAt(const Drawn& drawn, const Extents* extents) {
  OnnxImportOptions options;
  for (const auto& [name, extent] : drawn.fixed) options.dims[name] = extent;
  if (extents == nullptr) {
    options.ranges = drawn.ranges;
  } else {
    for (const auto& [name, extent] : *extents) options.dims[name] = extent;
  }
  return relay::InferType(ImportOnnxBytes(drawn.bytes, "drawn", options).module);
}

// The ends, and four between.
std::vector<Extents> LengthsOf(const Drawn& drawn, std::mt19937& random) {
  std::vector<Extents> lengths(6);
  for (const auto& [name, range] : drawn.ranges) {
    lengths[0][name] = range.most;
    lengths[1][name] = range.least;
    for (size_t i = 2; i < lengths.size(); ++i) {
      lengths[i][name] = range.least + static_cast<int64_t>(random()) % (range.most - range.least + 1);
    }
  }
  return lengths;
}

Inputs RandomInputs(const relay::Function& main, std::mt19937& random) {
  Inputs inputs;
  for (const auto& param : main.params) {
    Tensor tensor(param->type->dtype, param->type->shape);
    for (int64_t i = 0; i < tensor.elements(); ++i) tensor.Set(i, static_cast<double>(random() % 2001) / 1000 - 1);
    inputs.emplace(param->name, std::move(tensor));
  }
  return inputs;
}

// Runs with every input and output in memory of its own.
std::vector<Tensor> RunGuarded(Session& session, const Inputs& inputs) {
  const Plan& plan = session.package().plan();
  Buffers memory;
  const auto add = [&](int64_t bytes) {
    return memory.emplace_back(std::make_unique<hone::testing::FilledBuffer>(bytes, kGarbage))->data();
  };
  for (size_t i = 0; i < plan.inputs.size(); ++i) {
    const Tensor& value = inputs.at(plan.buffers[static_cast<size_t>(plan.inputs[i])].name);
    session.SetInputShape(static_cast<int>(i), value.shape());
    char* const data = add(value.size_bytes());
    std::memcpy(data, value.raw(), static_cast<size_t>(value.size_bytes()));
    memory.back()->Protect();
    session.BindInput(static_cast<int>(i), data, static_cast<size_t>(value.size_bytes()));
  }
  for (int i = 0; i < session.outputs(); ++i) {
    const int64_t bytes = plan.buffers[static_cast<size_t>(plan.outputs[static_cast<size_t>(i)])].size_bytes;
    session.BindOutput(i, add(bytes), static_cast<size_t>(bytes));
  }
  std::vector<Shape> expected;
  for (int i = 0; i < session.outputs(); ++i) expected.push_back(session.ExpectedShape(i));
  session.Run();
  std::vector<Tensor> outputs;
  for (int i = 0; i < session.outputs(); ++i) {
    outputs.push_back(session.Output(i));
    EXPECT_EQ(outputs.back().shape(), expected[static_cast<size_t>(i)]);
    session.BindOutput(i, nullptr, 0);
  }
  for (size_t i = 0; i < plan.inputs.size(); ++i) session.BindInput(static_cast<int>(i), nullptr, 0);
  for (const auto& each : memory) EXPECT_TRUE(each->Whole()) << "a run wrote beside its memory";
  return outputs;
}

double WorstOf(const Tensor& got, const Tensor& want) {
  double worst = 0, largest = 1e-3;
  for (int64_t i = 0; i < want.elements(); ++i) largest = std::max(largest, std::abs(want.At(i)));
  for (int64_t i = 0; i < want.elements(); ++i) {
    const double error = std::abs(got.At(i) - want.At(i));
    worst = std::isfinite(error) ? std::max(worst, error / largest) : INFINITY;
  }
  return worst;
}

// A package for a range may err as one for the length does, whose sums have other orders.
void ExpectAsGood(const std::vector<Tensor>& got, const std::vector<Tensor>& dedicated, const std::vector<Tensor>& want,
                  double tolerance) {
  ASSERT_EQ(got.size(), want.size());
  for (size_t i = 0; i < want.size(); ++i) {
    ASSERT_EQ(got[i].shape(), want[i].shape()) << "output " << i;
    const double allowed = tolerance + 3 * WorstOf(dedicated[i], want[i]);
    EXPECT_LE(WorstOf(got[i], want[i]), allowed) << "output " << i << ", " << DTypeName(want[i].dtype());
  }
}

// Adds the number of the package's variants.
void CheckGraph(unsigned seed, size_t& variants) {
  const Drawn drawn = Draw(seed);
  std::mt19937 random(seed);
  const auto package = Package::FromBytes(Build(ImportAt(drawn, nullptr), drawn.options).package, "ranged");
  Session one(package, {.threads = 1}), two(package, {.threads = 2});
  for (const PlanCall& call : package->plan().calls) variants += call.variants.size();
  for (const Extents& extents : LengthsOf(drawn, random)) {
    std::string at;
    for (const auto& [name, extent] : extents) at += name + "=" + std::to_string(extent) + " ";
    SCOPED_TRACE(at);
    const relay::IRModule fixed = ImportAt(drawn, &extents);
    const Inputs inputs = RandomInputs(*fixed.main, random);
    const std::vector<Tensor> got = RunGuarded(one, inputs), again = RunGuarded(two, inputs);
    Session alone(Package::FromBytes(Build(fixed, drawn.options).package, "alone"), {.threads = 1});
    const bool rounds = drawn.options.context.precision != Precision::kFloat32;
    ExpectAsGood(got, RunGuarded(alone, inputs), RunReference(fixed, inputs), rounds ? 3e-2 : 2e-4);
    for (size_t i = 0; i < got.size(); ++i) EXPECT_EQ(Bits(got[i]), Bits(again[i])) << "2 threads, output " << i;
  }
}

TEST(RangedGraphs, RunAtEveryLength) {
  const char* const first = std::getenv("HONE_RANGED_FIRST");
  const char* const count = std::getenv("HONE_RANGED_COUNT");
  const unsigned begin = first == nullptr ? 1 : static_cast<unsigned>(std::atoi(first));
  const unsigned graphs = count == nullptr ? 100 : static_cast<unsigned>(std::atoi(count));
  size_t variants = 0;
  for (unsigned seed = begin; seed < begin + graphs; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    CheckGraph(seed, variants);
    if (::testing::Test::HasFailure()) return;
  }
  EXPECT_TRUE(graphs <= 10 || variants > graphs / 5) << variants << " variants: too few calls have several kernels";
}

}  // namespace
}  // namespace hone
