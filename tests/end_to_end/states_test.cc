// Decoders that keep their caches from run to run, against the same graph whose caches the caller passes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>

#include "compiler/build.h"
#include "compiler/frontend/onnx/onnx_import.h"
#include "compiler/relay/infer_type.h"
#include "compiler/relay/reference.h"
#include "compiler/relay/state_values.h"
#include "core/error.h"
#include "core/random.h"
#include "runtime/session.h"
#include "tests/compiler/frontend/model_maker.h"
#include "tests/end_to_end/decoder_models.h"
#include "tests/end_to_end/run_model.h"
#include "tests/support/asked_count.h"

namespace hone {
namespace {

constexpr int64_t kMostTokens = 6;  // of a run

relay::IRModule Imported(const DecoderShape& shape, const std::vector<std::string>& states = {"auto"}) {
  OnnxImportOptions options;
  options.states = states;
  options.ranges["seq"] = {1, kMostTokens};
  if (shape.style != DecoderStyle::kScatter) options.ranges["past"] = {0, shape.capacity};
  return relay::InferType(ImportOnnxBytes(DecoderModel(shape), "decoder", options).module);
}

// The graph of a module with states, whose caches are inputs and outputs.
relay::IRModule Stateless(relay::IRModule module) {
  relay::Attrs attrs = module.main->attrs;
  attrs.Set(std::string(relay::kStates), std::vector<int64_t>());
  module.main = std::make_shared<const relay::Function>(module.main->params, module.main->body, std::move(attrs));
  return relay::InferType(module);
}

std::shared_ptr<const Package> Built(const relay::IRModule& module, const std::string& model_sha256 = "") {
  BuildOptions options = HostBuild();
  options.model_sha256 = model_sha256;
  return Package::FromBytes(Build(module, options).package, "decoder");
}

std::vector<uint64_t> Tokens(uint64_t seed, int64_t count) {
  Random random(seed);
  std::vector<uint64_t> tokens;
  for (int64_t i = 0; i < count; ++i) tokens.push_back(random.Below(1000));
  return tokens;
}

Tensor Step(Session& session, const DecoderShape& shape, int64_t first, int64_t count,
            const std::vector<uint64_t>& tokens) {
  for (const auto& [name, tensor] : DecoderInputs(shape, first, count, tokens)) session.SetInput(name, tensor);
  session.Run();
  return session.Output(0);
}

// Runs with the caches of the last run.
class FedSession {
 public:
  explicit FedSession(std::shared_ptr<const Package> package) : session_(std::move(package), {.threads = 2}) {}

  Tensor Step(const DecoderShape& shape, int64_t first, int64_t count, const std::vector<uint64_t>& tokens) {
    const Plan& plan = session_.package().plan();
    for (const int input : plan.inputs) {
      const PlanBuffer& buffer = plan.buffers[static_cast<size_t>(input)];
      if (buffer.name.find("past") == std::string::npos) continue;
      const auto cache = caches_.find(buffer.name);
      Shape empty = buffer.shape;
      if (shape.style != DecoderStyle::kScatter) empty[2] = 0;
      session_.SetInput(buffer.name, cache == caches_.end() ? Tensor(buffer.dtype, empty) : cache->second);
    }
    for (const auto& [name, tensor] : DecoderInputs(shape, first, count, tokens)) session_.SetInput(name, tensor);
    session_.Run();
    for (int i = 1; i < session_.outputs(); ++i) {
      std::string name = plan.buffers[static_cast<size_t>(plan.outputs[static_cast<size_t>(i)])].name;
      caches_.insert_or_assign(name.replace(0, 7, "past_key_values"), session_.Output(i));
    }
    return session_.Output(0);
  }
  const Tensor& cache(const std::string& name) const { return caches_.at(name); }

 private:
  Session session_;
  std::map<std::string, Tensor> caches_;
};

std::string ErrorOf(ExitCode code, const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), code);
    return error.what();
  }
  return "none";
}

bool AllInPlace(const Plan& plan) {
  return std::all_of(plan.states.begin(), plan.states.end(),
                     [](const PlanState& state) { return state.before == state.after; });
}

TEST(States, GiveTheBitsOfCachesThatTheCallerPasses) {
  for (int seed = 0; seed < std::min(AskedCount(10), 100); ++seed) {
    const DecoderShape shape = RandomDecoder(static_cast<uint64_t>(seed));
    SCOPED_TRACE(::testing::Message() << "decoder " << seed);
    const relay::IRModule module = Imported(shape);
    const auto package = Built(module);
    ASSERT_EQ(package->plan().states.size(), static_cast<size_t>(2 * shape.layers));
    EXPECT_TRUE(AllInPlace(package->plan()));
    Session session(package, {.threads = 1});
    FedSession fed(Built(Stateless(module)));
    const std::vector<uint64_t> tokens = Tokens(static_cast<uint64_t>(seed), shape.capacity);
    Random random(static_cast<uint64_t>(seed));
    for (int64_t at = 0; at < shape.capacity;) {
      const int64_t count = std::min<int64_t>(1 + static_cast<int64_t>(random.Below(kMostTokens)), shape.capacity - at);
      ASSERT_EQ(Bits(Step(session, shape, at, count, tokens)), Bits(fed.Step(shape, at, count, tokens))) << at;
      at += count;
    }
    EXPECT_EQ(session.StateLength(), shape.style == DecoderStyle::kScatter ? 0 : shape.capacity);
    for (int i = 0; i < session.states(); ++i) {
      const PlanState& state = package->plan().states[static_cast<size_t>(i)];
      const std::string& name = package->plan().buffers[static_cast<size_t>(state.before)].name;
      EXPECT_EQ(Bits(session.State(i)), Bits(fed.cache(name))) << name;
    }
  }
}

// An import without states has other bounds, and the reference adds in another order.
// Without it a step scores all positions that the cache has room for.
TEST(States, AreReadByOneAttentionOfEachLayer) {
  for (const DecoderStyle style : {DecoderStyle::kAttention, DecoderStyle::kGrouped}) {
    DecoderShape shape;
    shape.style = style;
    const auto package = Built(Imported(shape));
    const std::vector<PlanCall>& calls = package->plan().calls;
    const auto attentions =
        std::count_if(calls.begin(), calls.end(), [](const PlanCall& c) { return c.op == "attention"; });
    EXPECT_EQ(attentions, shape.layers) << "style " << static_cast<int>(style);
    EXPECT_TRUE(AllInPlace(package->plan()));
  }
}

TEST(States, AgreeWithTheModelWithoutThem) {
  for (const DecoderStyle style : kDecoderStyles) {
    DecoderShape shape;
    shape.style = style;
    SCOPED_TRACE(::testing::Message() << "style " << static_cast<int>(style));
    Session session(Built(Imported(shape)), {.threads = 1});
    FedSession fed(Built(Imported(shape, {"none"})));
    const std::vector<uint64_t> tokens = Tokens(3, shape.capacity);
    for (int64_t at = 0; at + 3 <= shape.capacity; at += 3) {
      const Tensor got = Step(session, shape, at, 3, tokens), want = fed.Step(shape, at, 3, tokens);
      ASSERT_EQ(got.shape(), want.shape());
      for (int64_t i = 0; i < want.elements(); ++i) ASSERT_NEAR(got.At(i), want.At(i), 2e-5) << at << " " << i;
    }
  }
}

TEST(States, GoBackAndOnAsAFreshSession) {
  const int rounds = AskedCount(120);
  for (const DecoderStyle style : {DecoderStyle::kConcat, DecoderStyle::kAttention, DecoderStyle::kGrouped}) {
    DecoderShape shape;
    shape.style = style;
    const auto package = Built(Imported(shape));
    Session session(package, {.threads = 1}), fresh(package, {.threads = 1});
    Random random(7);
    std::vector<uint64_t> tokens;
    for (int round = 0; round < rounds / 3; ++round) {
      const auto length = static_cast<int64_t>(tokens.size());
      if (length > 0 && (random.Below(3) == 0 || length + kMostTokens > shape.capacity)) {
        tokens.resize(random.Below(static_cast<uint64_t>(length) + 1));
        session.TruncateState(static_cast<int64_t>(tokens.size()));
      }
      const auto at = static_cast<int64_t>(tokens.size());
      const int64_t count = 1 + static_cast<int64_t>(random.Below(kMostTokens));
      for (int64_t i = 0; i < count; ++i) tokens.push_back(random.Below(1000));
      const Tensor got = Step(session, shape, at, count, tokens);
      fresh.ResetState();
      Tensor want;
      for (int64_t from = 0; from < at; from += kMostTokens) {
        Step(fresh, shape, from, std::min(kMostTokens, at - from), tokens);
      }
      want = Step(fresh, shape, at, count, tokens);
      ASSERT_EQ(Bits(got), Bits(want)) << "round " << round << ", " << at << " and " << count;
    }
  }
}

constexpr const char* kModel = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";

TEST(States, AreSavedLoadedAndForked) {
  const DecoderShape shape;
  const auto package = Built(Imported(shape), kModel);
  const std::vector<uint64_t> tokens = Tokens(1, shape.capacity);
  Session session(package, {.threads = 1});
  Step(session, shape, 0, 5, tokens);
  const std::string saved = session.SaveState();
  EXPECT_EQ(saved.size(), session.SavedStateBytes());
  Session forked(package, {.threads = 2});
  forked.CopyState(session);
  const Tensor next = Step(session, shape, 5, 2, tokens);
  EXPECT_EQ(forked.StateLength(), 5);
  EXPECT_EQ(Bits(Step(forked, shape, 5, 2, tokens)), Bits(next));
  session.LoadState(saved);
  EXPECT_EQ(session.StateLength(), 5);
  EXPECT_EQ(Bits(Step(session, shape, 5, 2, tokens)), Bits(next));

  DecoderShape roomier = shape;
  roomier.capacity = 40;
  Session other(Built(Imported(roomier), kModel), {.threads = 1});
  other.LoadState(saved);
  const Tensor near = Step(other, roomier, 5, 2, tokens);
  for (int64_t i = 0; i < near.elements(); ++i) ASSERT_NEAR(near.At(i), next.At(i), 1e-5);
}

TEST(States, RefuseSavedStatesThatAreDamagedOrOfAnotherModel) {
  const DecoderShape shape;
  const auto package = Built(Imported(shape), kModel);
  const std::vector<uint64_t> tokens = Tokens(1, shape.capacity);
  Session session(package, {.threads = 1});
  Step(session, shape, 0, 5, tokens);
  const std::string saved = session.SaveState();
  const Tensor next = Step(session, shape, 5, 1, tokens);
  session.TruncateState(5);
  Random random(2);
  for (int i = 0; i < 200; ++i) {
    std::string damaged = saved;
    const size_t at = random.Below(saved.size());
    if (i % 2 == 0) damaged[at] = static_cast<char>(damaged[at] ^ (1 << random.Below(8)));
    if (i % 2 == 1) damaged.resize(at);
    EXPECT_THAT(ErrorOf(ExitCode::kBadData, [&] { session.LoadState(damaged); }),
                ::testing::StartsWith("the saved state "));
  }
  DecoderShape others = shape;
  others.seed = 9;
  Session other(Built(Imported(others)), {.threads = 1});
  EXPECT_EQ(ErrorOf(ExitCode::kBadData, [&] { other.LoadState(saved); }),
            "the saved state is of another model than decoder");
  DecoderShape less = shape;
  less.capacity = 4;
  Session small(Built(Imported(less), kModel), {.threads = 1});
  EXPECT_EQ(ErrorOf(ExitCode::kBadData, [&] { small.LoadState(saved); }),
            "the saved state has 5 positions of 'past_key_values.0.key'; there is room for 4");
  EXPECT_EQ(Bits(Step(session, shape, 5, 1, tokens)), Bits(next));
}

TEST(States, TellThatTheyAreFullAndStayUsable) {
  for (const DecoderStyle style : {DecoderStyle::kConcat, DecoderStyle::kGrouped, DecoderStyle::kMultiHead}) {
    DecoderShape shape;
    shape.style = style;
    shape.capacity = 8;
    const std::vector<uint64_t> tokens = Tokens(5, 20);
    Session session(Built(Imported(shape)), {.threads = 1});
    EXPECT_EQ(session.StateCapacity(), 8);
    Step(session, shape, 0, 6, tokens);
    const Tensor want = Step(session, shape, 6, 2, tokens);
    EXPECT_EQ(ErrorOf(ExitCode::kBadData, [&] { Step(session, shape, 8, 1, tokens); }),
              "the state 'past_key_values.0.key' holds 8 positions, and the run adds 1: it has room for 8; truncate or "
              "reset it, or build with --dim past=0..16");
    EXPECT_EQ(session.StateLength(), 8);
    session.TruncateState(6);
    EXPECT_EQ(Bits(Step(session, shape, 6, 2, tokens)), Bits(want));
    EXPECT_EQ(ErrorOf(ExitCode::kUsage, [&] { session.TruncateState(9); }),
              "a state of 8 positions cannot be truncated to 9");
  }
}

TEST(States, KeepHiddenValuesOfRecurrentLayers) {
  ModelMaker model(14);
  model.Input("x", {3, 1, 4}).Input("h0", {1, 1, 5});
  model.Filled("w", {1, 15, 4}, 0.1F).Filled("r", {1, 15, 5}, 0.2F);
  model.Node("GRU", {"x", "w", "r", "", "", "h0"}, {"y", "hn"}, {{"hidden_size", int64_t{5}}}).Output("y").Output("hn");
  OnnxImportOptions options;
  options.states = {"auto"};
  const auto module = relay::InferType(ImportOnnxBytes(model.Bytes(), "gru", options).module);
  Session session(Built(module), {.threads = 1});
  ASSERT_EQ(session.states(), 1);
  EXPECT_EQ(session.outputs(), 1);
  Tensor x(DType::kFloat32, {3, 1, 4}), h(DType::kFloat32, {1, 1, 5});
  for (int64_t i = 0; i < x.elements(); ++i) x.Set(i, 0.1 * static_cast<double>(i));
  session.SetInput("x", x);
  for (int run = 0; run < 3; ++run) {
    session.Run();
    const std::vector<Tensor> want = RunReference(module, {{"x", x}, {"h0", h}});
    h = want[1];
    for (int64_t i = 0; i < h.elements(); ++i) ASSERT_NEAR(session.State(0).At(i), h.At(i), 1e-5);
  }
  EXPECT_EQ(session.StateLength(), 0);
  session.ResetState();
  EXPECT_EQ(session.State(0).At(0), 0);
}

}  // namespace
}  // namespace hone
