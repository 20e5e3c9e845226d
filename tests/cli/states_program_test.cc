// Packages that keep states from run to run, as docs/howto/decoders.md shows them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/json/json_fields.h"
#include "tests/cli/run_program.h"
#include "tests/end_to_end/decoder_models.h"
#include "tests/support/page_session.h"

namespace hone {
namespace {

using testing::AllOf;
using testing::HasSubstr;

class StatesProgram : public ProgramTest {
 protected:
  void SetUp() override {
    ProgramTest::SetUp();
    DecoderShape shape;
    shape.style = DecoderStyle::kAttention;
    Write("work/decoder.onnx", DecoderModel(shape));
    Write("work/language.onnx", LanguageModel(50));
  }
  ProgramResult Build(const std::string& options) const {
    return Shell("hone build decoder.onnx --no-records --dim seq=1..4 --dim past=0..16 -o d.hone " + options);
  }
};

TEST_F(StatesProgram, DoWhatTheirPageShows) {
  ExpectSaysWhatItShows(HONE_SOURCE_DIR "/docs/howto/decoders.md", 5,
                        [this](const std::string& line) { return Shell(line); });
}

TEST_F(StatesProgram, AreLeftToTheCallerUnlessAskedFor) {
  const ProgramResult plain = Build("");
  ASSERT_EQ(plain.code, 0) << plain.err;
  EXPECT_THAT(plain.err, HasSubstr("note: input \"past_key_values.0.key\" and 3 others can be kept from run to run: "
                                   "--state auto does, and --state none leaves them to the caller\n"));
  EXPECT_THAT(Shell("hone package info d.hone").out,
              AllOf(HasSubstr("input    past_key_values.1.value "), HasSubstr("output   present.1.value ")));
  const ProgramResult none = Build("--state none");
  ASSERT_EQ(none.code, 0) << none.err;
  EXPECT_THAT(none.err, testing::Not(HasSubstr("can be kept")));
}

TEST_F(StatesProgram, MayBeNamedOneByOne) {
  const ProgramResult built =
      Build("--state past_key_values.0.key=present.0.key --state past_key_values.0.value=present.0.value");
  ASSERT_EQ(built.code, 0) << built.err;
  EXPECT_THAT(Shell("hone package info d.hone").out,
              AllOf(HasSubstr("state    past_key_values.0.key 1x2x(past: 0..16)x8 float32, written in place\n"),
                    HasSubstr("input    past_key_values.1.key ")));
}

TEST_F(StatesProgram, RefuseWhatCannotBeOne) {
  EXPECT_EQ(Build("--state past_key_values.0.kay=present.0.key").code, 2);
  EXPECT_THAT(Build("--state past_key_values.0.key=presents").err,
              HasSubstr("--state past_key_values.0.key=presents: the model has no output \"presents\""));
  EXPECT_THAT(Build("--state auto --state none").err, HasSubstr("--state none is given beside others"));
  EXPECT_THAT(Build("--state x=present.0.key").err, HasSubstr("\"x\" cannot be a state"));
  EXPECT_THAT(Shell("hone build decoder.onnx --no-records --dim seq=1..4 --dim past=16 --state auto -o d.hone").err,
              HasSubstr("cannot be a state: its result is "));
}

TEST_F(StatesProgram, AreFullWithOneLine) {
  ASSERT_EQ(Build("--state auto").code, 0);
  const ProgramResult full = Shell("hone run d.hone --dim seq=2 --dim past=15");
  EXPECT_EQ(full.code, 65);
  EXPECT_EQ(full.err,
            "hone: the state 'past_key_values.0.key' holds 15 positions, and the run adds 2: it has room for 16; "
            "truncate or reset it, or build with --dim past=0..32\n");
  EXPECT_EQ(Shell("hone run d.hone --dim seq=2 --dim past=14").code, 0);
}

TEST_F(StatesProgram, GenerateText) {
  const std::string build = "hone build language.onnx --no-records --dim seq=1..4 --dim past=0..16 -o l.hone --state ";
  ASSERT_EQ(Shell(build + "auto").code, 0);
  const ProgramResult whole = Shell("hone generate l.hone --ids 5,17,3 --new 4 --json");
  ASSERT_EQ(whole.code, 0) << whole.err;
  const Json ids = ParseJson(whole.out, "a text").at("ids");
  ASSERT_EQ(ids.size(), 7U);
  EXPECT_EQ(ids[1], 17);
  const std::string stop = ids[4].dump();
  const ProgramResult stopped = Shell("hone generate l.hone --ids 5,17,3 --new 4 --stop " + stop);
  EXPECT_THAT(stopped.out, AllOf(HasSubstr(stop + "\n3 tokens of prompt"), HasSubstr("ended by a stop id\n")));

  const auto refused = [this](const std::string& options, int code, const std::string& why) {
    const ProgramResult result = Shell("hone generate " + options);
    EXPECT_EQ(result.code, code) << options;
    EXPECT_THAT(result.err, HasSubstr(why)) << options;
  };
  refused("l.hone --ids 5,x", 2, "--ids is given \"5,x\"; right is 5,17,3");
  refused("l.hone --ids 5,50", 65, "the token id 50 was given; the vocabulary has ids 0 to 49");
  refused("l.hone --ids 5 --top-p 2", 2, "top_p is 2; it is above 0 and at most 1");
  refused("l.hone --ids 1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1", 65, "the package holds 16");
  ASSERT_EQ(Shell(build + "none").code, 0);
  refused("l.hone --ids 5", 2, "the caller keeps its input past_key_values.0.key");
}

TEST_F(StatesProgram, TimePromptAndNewTokensApart) {
  ASSERT_EQ(Shell("hone build language.onnx --no-records --dim seq=1..4 --dim past=0..16 -o l.hone --state auto").code,
            0);
  ASSERT_EQ(Shell("cp l.hone m.hone").code, 0);
  const ProgramResult timed = Shell("hone bench l.hone m.hone --prompt 10 --generate 6 --rounds 2 --threads 1 --json");
  ASSERT_EQ(timed.code, 0) << timed.err;
  const Json d = ParseJson(timed.out, "times of texts");
  EXPECT_EQ(d["prompt_tokens"], 10);
  EXPECT_EQ(d["new_tokens"], 6);
  ASSERT_EQ(d["packages"].size(), 2U);
  const Json& first = d["packages"][0];
  EXPECT_EQ(first["first_token_ns"].size(), 2U);
  EXPECT_EQ(first["token_ns"].size(), 2U);
  EXPECT_EQ(d["token_verdicts"][0]["against"], "l.hone");
  // Nothing picks the last token's row, so each token of the prompt does the products of a new one.
  EXPECT_DOUBLE_EQ(first["prompt_flops"].get<double>(), 10 * first["token_flops"].get<double>());
  // Each parameter of float32 is read for one multiply-add, and the caches for none.
  EXPECT_GT(first["token_bytes"].get<double>(), 2 * first["token_flops"].get<double>());
  EXPECT_THAT(Shell("hone bench l.hone --prompt 10 --rounds 1 --generate 2").out,
              AllOf(HasSubstr("prompt, to the first token"), HasSubstr("each next token")));
}

TEST_F(StatesProgram, RefuseTextsThatDoNotFit) {
  ASSERT_EQ(Shell("hone build language.onnx --no-records --dim seq=1..4 --dim past=0..16 -o l.hone --state auto").code,
            0);
  const auto refused = [this](const std::string& options, const std::string& why) {
    const ProgramResult result = Shell("hone bench " + options);
    EXPECT_EQ(result.code, 2) << options;
    EXPECT_THAT(result.err, HasSubstr(why)) << options;
  };
  refused("l.hone --prompt 10 --generate 8", "l.hone holds 16 tokens; --prompt 10 and --generate 8 need 17");
  refused("l.hone --prompt 10", "--prompt 10 and --generate 128 need 137");
  refused("l.hone --prompt 4 --generate 4 --energy", "--prompt and --generate time texts on this machine");
  refused("language.onnx --prompt 4", "--prompt and --generate are for packages");
  ASSERT_EQ(Build("--state auto").code, 0);
  refused("d.hone --prompt 4 --generate 4", "the package generates no text");
}

}  // namespace
}  // namespace hone
