// Texts of token ids from small decoders, against the choice of the likeliest token by hand.
#include "runtime/generate/generate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>

#include "compiler/build.h"
#include "compiler/frontend/onnx/onnx_import.h"
#include "compiler/relay/infer_type.h"
#include "core/error.h"
#include "runtime/hone.h"
#include "tests/end_to_end/decoder_models.h"
#include "tests/end_to_end/run_model.h"

namespace hone {
namespace {

using Ids = std::vector<int64_t>;
using testing::HasSubstr;

constexpr int64_t kVocabulary = 50, kCapacity = 24, kMostAtOnce = 6;

std::string PackageBytes(const std::string& states) {
  OnnxImportOptions options;
  options.states = {states};
  options.ranges["seq"] = {1, kMostAtOnce};
  options.ranges["past"] = {0, kCapacity};
  return Build(relay::InferType(ImportOnnxBytes(LanguageModel(kVocabulary), "language", options).module), HostBuild())
      .package;
}

class GenerateTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { package_ = Package::FromBytes(PackageBytes("auto"), "language"); }
  static void TearDownTestSuite() { package_.reset(); }

  Generation Continue(const Ids& prompt, GenerateOptions options = {}) {
    Decoder decoder(session_);
    return Generate(decoder, prompt, options);
  }
  // Computes the whole text anew for each token.
  static Ids ByHand(Ids text, int64_t new_tokens) {
    Ids made;
    for (int64_t i = 0; i < new_tokens; ++i) {
      Session session(package_, {.threads = 1});
      Decoder decoder(session);
      const auto logits = decoder.Feed(text);
      made.push_back(std::max_element(logits.begin(), logits.end()) - logits.begin());
      text.push_back(made.back());
    }
    return made;
  }
  std::string ErrorOf(const Ids& prompt, const GenerateOptions& options = {}) {
    try {
      Continue(prompt, options);
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  }

  static std::shared_ptr<const Package> package_;
  Session session_{package_, {.threads = 1}};
};
std::shared_ptr<const Package> GenerateTest::package_;

TEST_F(GenerateTest, TakesTheLikeliestTokenEachTime) {
  const Ids prompt = {5, 17, 3};
  const Generation made = Continue(prompt, {.new_tokens = 8});
  EXPECT_EQ(made.ids, ByHand(prompt, 8));
  EXPECT_EQ(made.end, GenerationEnd::kNewTokens);
  EXPECT_EQ(session_.StateLength(), 3 + 7);  // the last one begins the next prompt
}

TEST_F(GenerateTest, RunsALongPromptInParts) {
  const Ids prompt = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13};
  EXPECT_EQ(Continue(prompt, {.new_tokens = 3}).ids, ByHand(prompt, 3));
}

TEST_F(GenerateTest, GoesOnWhereTheTextEnded) {
  const Ids prompt = {5, 17, 3};
  const Ids all = Continue(prompt, {.new_tokens = 8}).ids;
  session_.ResetState();
  const Ids first = Continue(prompt, {.new_tokens = 4}).ids;
  const Ids second = Continue({first.back()}, {.new_tokens = 4}).ids;
  EXPECT_EQ(Ids(all.begin(), all.begin() + 4), first);
  EXPECT_EQ(Ids(all.begin() + 4, all.end()), second);
}

TEST_F(GenerateTest, EndsAtAStopIdOrWhenToldToOrWhenFull) {
  const Ids prompt = {5, 17, 3};
  const Ids all = Continue(prompt, {.new_tokens = 8}).ids;
  session_.ResetState();
  const Generation stopped = Continue(prompt, {.new_tokens = 8, .stop_ids = {all[2]}});
  EXPECT_EQ(stopped.end, GenerationEnd::kStopId);
  EXPECT_EQ(stopped.ids.back(), all[2]);
  EXPECT_LE(stopped.ids.size(), 3U);

  session_.ResetState();
  Ids told;
  const auto two = [&](int64_t id) {
    told.push_back(id);
    return told.size() < 2;
  };
  const Generation ended = Continue(prompt, {.new_tokens = 8, .on_token = two});
  EXPECT_EQ(ended.end, GenerationEnd::kCaller);
  EXPECT_EQ(ended.ids, told);

  session_.ResetState();
  const Generation full = Continue(prompt, {.new_tokens = 100});
  EXPECT_EQ(full.end, GenerationEnd::kCapacity);
  EXPECT_EQ(full.ids.size(), static_cast<size_t>(kCapacity - 3 + 1));
  EXPECT_THAT(ErrorOf({1}), HasSubstr("the text has 24 tokens and 1 more; the package holds 24"));
}

TEST_F(GenerateTest, BadInputLeavesTheSessionUsable) {
  EXPECT_THAT(ErrorOf({5, 50}), HasSubstr("the token id 50 was given; the vocabulary has ids 0 to 49"));
  EXPECT_THAT(ErrorOf({-1}), HasSubstr("the token id -1"));
  EXPECT_THAT(ErrorOf({}), HasSubstr("no token ids were given"));
  EXPECT_THAT(ErrorOf(Ids(25, 1)), HasSubstr("the text has 0 tokens and 25 more"));
  EXPECT_THAT(ErrorOf({1}, {.new_tokens = 0}), HasSubstr("0 new tokens were asked for"));
  EXPECT_EQ(Continue({5, 17, 3}, {.new_tokens = 4}).ids, ByHand({5, 17, 3}, 4));
}

TEST(Decoder, SaysWhatAPackageLacks) {
  Session session(Package::FromBytes(PackageBytes("none"), "language"), {.threads = 1});
  try {
    Decoder decoder(session);
    ADD_FAILURE() << "its caches are the caller's";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("the caller keeps its input past_key_values.0.key; `hone build --state auto`"));
  }
}

TEST_F(GenerateTest, TheCApiGivesTheSameTokens) {
  hone_package* package = nullptr;
  hone_session* session = nullptr;
  const std::string bytes = PackageBytes("auto");
  Tensor aligned(DType::kUInt8, {static_cast<int64_t>(bytes.size())});
  std::copy(bytes.begin(), bytes.end(), aligned.data<char>());
  ASSERT_EQ(hone_package_load_memory(aligned.raw(), bytes.size(), &package), HONE_OK) << hone_error_text();
  ASSERT_EQ(hone_session_create(package, 1, &session), HONE_OK) << hone_error_text();
  const Ids prompt = {5, 17, 3};
  Ids ids(8), told;
  hone_generate_options options{};
  options.struct_bytes = sizeof(options);
  options.user = &told;
  options.on_token = [](void* user, int64_t id) -> int32_t {
    static_cast<Ids*>(user)->push_back(id);
    return 1;
  };
  hone_generation made{};
  ASSERT_EQ(hone_session_generate(session, prompt.data(), 3, &options, ids.data(), 8, &made), HONE_OK)
      << hone_error_text();
  EXPECT_EQ(made.new_tokens, 8);
  EXPECT_EQ(made.end, HONE_END_NEW_TOKENS);
  EXPECT_EQ(ids, ByHand(prompt, 8));
  EXPECT_EQ(told, ids);
  EXPECT_EQ(hone_session_generate(session, prompt.data(), 3, nullptr, ids.data(), 0, &made), HONE_USAGE);
  hone_session_free(session);
  hone_package_free(package);
}

}  // namespace
}  // namespace hone
