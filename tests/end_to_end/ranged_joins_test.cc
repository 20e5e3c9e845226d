// Decoders whose caches grow by a join: the rows of a run behind those of its caches, neither of which fill their
// bounds.
#include <gtest/gtest.h>

#include <limits>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "compiler/build.h"
#include "compiler/frontend/onnx/onnx_import.h"
#include "compiler/relay/infer_type.h"
#include "compiler/relay/reference.h"
#include "core/random.h"
#include "runtime/session.h"
#include "tests/end_to_end/decoder_models.h"
#include "tests/end_to_end/run_model.h"

namespace hone {
namespace {

constexpr int64_t kMostSeq = 40, kMostPast = 60;

relay::IRModule GrowingDecoder(const DecoderShape& shape) {
  OnnxImportOptions options;
  options.states = {"none"};
  options.ranges["seq"] = {1, kMostSeq};
  options.ranges["past"] = {0, kMostPast};
  return relay::InferType(ImportOnnxBytes(DecoderModel(shape), "decoder", options).module);
}

std::map<std::string, Tensor> GrownInputs(const DecoderShape& shape, const relay::IRModule& module, int64_t past,
                                          int64_t count) {
  const std::vector<uint64_t> tokens(static_cast<size_t>(past + count), static_cast<uint64_t>(past + 3 * count));
  std::map<std::string, Tensor> inputs;
  for (auto& [name, tensor] : DecoderInputs(shape, past, count, tokens)) inputs.emplace(name, std::move(tensor));
  for (const auto& param : module.main->params) {
    if (!param->name.starts_with("past_key_values")) continue;
    Shape filled = param->type->shape;
    filled[2] = past;
    Tensor cache(DType::kFloat32, filled);
    Random random(inputs.size());
    for (int64_t i = 0; i < cache.elements(); ++i) cache.Set(i, random.Uniform() - 0.5);
    inputs.emplace(param->name, std::move(cache));
  }
  return inputs;
}

void RunGrown(Session& session, const std::map<std::string, Tensor>& inputs) {
  for (const auto& [name, tensor] : inputs) session.SetInput(name, tensor);
  session.Run();
}

class RangedJoins : public ::testing::TestWithParam<DecoderStyle> {};

TEST_P(RangedJoins, EndTheCallsInFrontOfThem) {
  DecoderShape shape;
  shape.style = GetParam();
  const auto package = Package::FromBytes(Build(GrowingDecoder(shape), HostBuild()).package, "decoder");
  int joins = 0;
  for (const PlanCall& call : package->plan().calls) {
    joins += call.op == "append_rows" ? 1 : 0;
    const bool of_rows = call.op == "nn.dense" || call.op == "attention" || call.op == "append_rows";
    const bool is_one = package->plan().buffers[static_cast<size_t>(call.operands.back().buffer)].shape.empty();
    EXPECT_FALSE(of_rows && call.boxes.empty()) << call.op;
    // Grown caches are read where they are returned, as they lie there, and extents alone are copied.
    const bool moves = call.op == "transpose" || call.op == "broadcast_to" || call.op == "copy" || call.op == "take";
    const int64_t elements =
        ElementCount(package->plan().buffers[static_cast<size_t>(call.operands.back().buffer)].shape);
    EXPECT_FALSE(moves && !is_one && elements > kMostSeq * shape.width()) << call.op;
  }
  EXPECT_EQ(joins, 2 * shape.layers);
}

// Full runs of infinities leave nothing finite in the session's memory, which a shorter run must not read.
void ExpectTheResultsOfEachLength(const DecoderShape& shape) {
  const relay::IRModule module = GrowingDecoder(shape);
  const auto package = Package::FromBytes(Build(module, HostBuild()).package, "decoder");
  std::map<std::string, Tensor> infinite = GrownInputs(shape, module, kMostPast, kMostSeq);
  for (auto& [name, tensor] : infinite) {
    for (int64_t i = 0; tensor.dtype() == DType::kFloat32 && i < tensor.elements(); ++i) {
      tensor.Set(i, std::numeric_limits<double>::infinity());
    }
  }
  for (const int threads : {1, 3}) {
    Session session(package, {.threads = threads});
    for (const auto& [past, count] :
         std::vector<std::pair<int64_t, int64_t>>{{0, 1}, {7, 1}, {60, 40}, {13, 5}, {60, 1}, {0, 40}, {1, 17}}) {
      SCOPED_TRACE(::testing::Message() << past << " and " << count << " on " << threads << " threads");
      RunGrown(session, infinite);
      const std::map<std::string, Tensor> inputs = GrownInputs(shape, module, past, count);
      RunGrown(session, inputs);
      const std::vector<Tensor> want = RunReference(module, {inputs.begin(), inputs.end()});
      for (int i = 0; i < session.outputs(); ++i) {
        const Tensor got = session.Output(i);
        ASSERT_EQ(got.shape(), want[static_cast<size_t>(i)].shape());
        for (int64_t e = 0; e < got.elements(); ++e) {
          ASSERT_NEAR(got.At(e), want[static_cast<size_t>(i)].At(e), 2e-5) << "output " << i << ", element " << e;
        }
      }
    }
  }
}

TEST_P(RangedJoins, GiveTheResultsOfEachLength) {
  // Values of whole vectors are read where they lie.
  for (const int64_t size : {8, 16}) {
    DecoderShape shape;
    shape.style = GetParam();
    shape.size = size;
    ExpectTheResultsOfEachLength(shape);
  }
}

INSTANTIATE_TEST_SUITE_P(Decoders, RangedJoins,
                         ::testing::Values(DecoderStyle::kConcat, DecoderStyle::kAttention, DecoderStyle::kMultiHead,
                                           DecoderStyle::kGrouped),
                         [](const auto& test) { return std::to_string(static_cast<int>(test.param)); });

}  // namespace
}  // namespace hone
