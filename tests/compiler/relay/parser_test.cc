#include "compiler/relay/text/parser.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compiler/relay/printer.h"
#include "compiler/relay/reference.h"
#include "core/error.h"

namespace hone::relay {
namespace {

using testing::HasSubstr;
using Values = std::map<std::string, Tensor>;

IRModule Typed(const std::string& text, const Values& values = {}) {
  return InferParsed(ParseModule(text, "net.relay", values));
}

// The text after parsing and printing in the same form.
std::string Again(const std::string& text, const std::string& as, const Values& values = {}) {
  return ToText(ParseModule(text, "net.relay", values).module, {.types = false, .as = as});
}

std::string Refusal(const std::string& text, const Values& values = {}) {
  try {
    Typed(text, values);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::kBadData) << error.what();
    return error.what();
  }
  return "";
}

constexpr const char* kModule =
    R"(def @main(%data: Tensor[(1, 3, 8, 8), float32], %weight, %gamma, %beta, %mean, %var) {
  %0 = nn.conv2d(%data, %weight, strides=[2, 2], padding=[1, 1, 1, 1], channels=2, kernel_size=[3, 3]);
  %1 = nn.batch_norm(%0, %gamma, %beta, %mean, %var, epsilon=2e-05f);
  %2 = %1.0;
  %3 = nn.relu(%2);
  %4 = (%3, %2);
  %5 = concatenate(%4, axis=1);
  add(%5, -0.5f)
}
)";

TEST(ParseModule, ReadsWhatIsPrinted) {
  EXPECT_EQ(Again(kModule, "module"), kModule);
  const std::string typed = ToText(Typed(kModule));
  EXPECT_THAT(typed, HasSubstr("%weight: Tensor[(2, 3, 3, 3), float32]"));
  EXPECT_EQ(ToText(Typed(typed)), typed);
}

TEST(ParseModule, SkipsAVersionAndComments) {
  EXPECT_EQ(Again(std::string("#[version = \"0.0.5\"]\n// a network\n") + kModule, "module"), kModule);
}

TEST(ParseModule, ReadsLinesWithFreeVariables) {
  constexpr const char* kLines =
      "free_var %x: Tensor[(2), float32];\n"
      "free_var %y;\n"
      "%0 = add(%x, %y);\n"
      "nn.relu(%0)\n";
  EXPECT_EQ(Again(kLines, "expr"), kLines);
  EXPECT_EQ(ParseModule(kLines, "", {}).module.main->params.size(), 2U);
}

TEST(ParseModule, ReadsAFunction) {
  constexpr const char* kFunction =
      "fn (%x: Tensor[(2), float32], Primitive=1, note=\"a \\\"b\\\" \\\\ \\x07\", ints=[1, -2], bool=True, real=0.5f) "
      "{\n"
      "  tanh(%x)\n"
      "}\n";
  EXPECT_EQ(Again(kFunction, "fn"), kFunction);
}

TEST(ParseModule, ReadsFunctionsInFunctions) {
  constexpr const char* kNested = R"(fn (%x: Tensor[(2), float32]) {
  %1 = fn (%x1: Tensor[(2), float32], Primitive=1) {
    %0 = tanh(%x1);
    exp(%0)
  };
  %2 = %1(%x);
  %3 = (%2, %x);
  concatenate(%3)
}
)";
  EXPECT_EQ(Again(kNested, "fn"), kNested);
}

TEST(ParseModule, ReadsSeveralFunctionsInAnyOrder) {
  constexpr const char* kText = R"(def @twice(%x) {
  add(%x, %x)
}
def @main(%x1: Tensor[(2), float32]) {
  %0 = @twice(%x1);
  %1 = @twice(%0);
  nn.relu(%1)
}
)";
  EXPECT_EQ(Again(kText, "module"), kText);
  const std::string text = kText;
  const size_t main = text.find("def @main");
  EXPECT_EQ(Again(text.substr(main) + text.substr(0, main), "module"), kText);
  const IRModule typed = Typed(kText);
  EXPECT_THAT(ToText(typed), HasSubstr("def @twice(%x: Tensor[(2), float32]) -> Tensor[(2), float32] {\n"));
  const Tensor x = Tensor::FromVector<float>(DType::kFloat32, {2}, {-1, 3});
  const Tensor result = RunReference(typed, {{"x1", x}}).at(0);
  EXPECT_EQ(result.At(0), 0);
  EXPECT_EQ(result.At(1), 12);
}

TEST(ParseModule, LetsANameStandForAnExpression) {
  EXPECT_EQ(Again("fn (%x) { let %y: Tensor[(2), float32] = tanh(%x); add(%y, %y) }", "fn"),
            "fn (%x) {\n  %0 = tanh(%x);\n  add(%0, %0)\n}\n");
  EXPECT_THAT(Refusal("fn (%x: Tensor[(3), float32]) {\n  let %y: Tensor[(2), float32] = tanh(%x);\n  %y\n}"),
              HasSubstr("net.relay:2:34: tanh is declared Tensor[(2), float32], it is Tensor[(3), float32]"));
}

TEST(ParseModule, ReadsCallsWithinCalls) {
  EXPECT_EQ(Again("fn (%x) { add(nn.relu(%x), (%x)) }", "fn"), "fn (%x) {\n  %0 = nn.relu(%x);\n  add(%0, %x)\n}\n");
}

TEST(ParseModule, ReadsScalarsOfEveryType) {
  for (const char* scalar : {"0.5f", "-0f", "inff", "-inff", "nanf", "1e-45f", "3.4028235e+38f", "0.1f64", "7",
                             "-2147483648", "9223372036854775807i64", "True", "False", "3uint8", "-128int8",
                             "1.5float16", "-infbfloat16", "0.25bfloat16"}) {
    const std::string text = fmt::format("fn (%x) {{\n  %0 = (%x, {});\n  %0.1\n}}\n", scalar);
    EXPECT_EQ(Again(text, "fn"), text);
  }
}

TEST(ParseModule, ReadsItemsOfItems) {
  EXPECT_EQ(Again("fn (%x) { ((%x,), %x).0.0 }", "fn"),
            "fn (%x) {\n  %0 = (%x,);\n  %1 = (%0, %x);\n  %2 = %1.0;\n  %2.0\n}\n");
}

TEST(ParseModule, KeepsNamesThatAreNoWords) {
  constexpr const char* kText =
      "fn (%\"input:0\", %layer.weight, %\"1\", %\"a.1\") {\n  (%\"input:0\", %layer.weight, %\"1\", %\"a.1\")\n}\n";
  EXPECT_EQ(Again(kText, "fn"), kText);
  EXPECT_EQ(ParseModule(kText, "", {}).module.main->params[0]->name, "input:0");
  EXPECT_EQ(ParseModule(kText, "", {}).module.main->params[2]->name, "1");
}

TEST(ParseModule, ReadsTypes) {
  constexpr const char* kText =
      "fn (%a: Tensor[(1, ?), int64], %b: (float32, Tensor[(0), bool]), %c: (Tensor[(2), float32],), %d: "
      "Tensor[(1, 16, 2, 2), float32, NCHW16c]) {\n  %b\n}\n";
  EXPECT_EQ(Again(kText, "fn"), kText);
}

TEST(ParseModule, BindsValuesByName) {
  const Tensor w = Tensor::FromVector<float>(DType::kFloat32, {2}, {1, 2});
  const Tensor c = Tensor::FromVector<float>(DType::kFloat32, {2}, {10, 20});
  const IRModule typed = Typed("fn (%x: Tensor[(2), float32], %w) { add(add(%x, %w), meta[relay.Constant][0]) }",
                               {{"w", w}, {"meta[relay.Constant][0]", c}});
  EXPECT_EQ(RunReference(typed, {{"x", w}}).at(0).At(1), 24);
}

TEST(ParseModule, SaysTheLineInACallsName) {
  const IRModule module = ParseModule(kModule, "", {}).module;
  const Call* last = AsCall(module.main->body);
  EXPECT_EQ(AsCall(last->args[0])->name, "%5");
}

TEST(ParseModule, WritesShortListsInFull) {
  const std::string text =
      Again("fn (%x, %w) { nn.conv2d(%x, %w, strides=2, padding=[1, 2], kernel_size=[3, 3]) }", "fn");
  EXPECT_THAT(text, HasSubstr("strides=[2, 2], padding=[1, 2, 1, 2]"));
  EXPECT_THAT(Again("fn (%x) { nn.max_pool2d(%x, pool_size=[2, 2], padding=1) }", "fn"),
              HasSubstr("padding=[1, 1, 1, 1]"));
}

struct BadText {
  const char* text;
  const char* message;
};

TEST(ParseModule, NamesLineAndColumnOfWhatIsWrong) {
  const BadText kBad[] = {
      {"", "net.relay:1:1: \"the end\" stands where an expression"},
      {"fn (%x) {\n  nn.rellu(%x)\n}", "net.relay:2:3: there is no operator nn.rellu; did you mean nn.relu?"},
      {"fn (%x) { nn.relu(%y) }", "1:19: there is no %y before this place"},
      {"fn (%x) { nn.relu(%3) }", "1:19: there is no %3 before this place"},
      {"fn (%x) { nn.relu(%x, slope=2) }", "1:23: nn.relu has no attribute slope; it has none"},
      {"fn (%x) { nn.softmax(%x, axis=1, axis=1) }", "1:34: axis is given twice"},
      {"fn (%x) { nn.softmax(%x, axis=\"C\") }", "1:11: nn.softmax: attribute axis = \"C\" has another kind"},
      {"fn (%x) { nn.relu(%x, %x) }", "1:11: nn.relu takes 1 input, not 2"},
      {"fn (%x) { nn.relu(%x }", "1:22: \"}\" stands where the arguments' ) would be right"},
      {"fn (%x) { %x } %y", "1:16: \"%y\" stands behind the end"},
      {"fn (%x, %x) { %x }", "1:9: %x is declared twice"},
      {"fn (%x: Tensor[(2, -5), float32]) { %x }", "1:20: -5 is no dim"},
      {"fn (%x: Tensor[(4611686018427387904, 4), float32]) { %x }", "1:15: "},
      {"fn (%x: Tensor[(2), float31]) { %x }", "1:21: "},
      {"fn (%x) { add(%x, 300uint8) }", "1:19: 300uint8 is no number that uint8 holds"},
      {"fn (%x) { add(%x, 1e39f) }", "1:19: 1e39f is no number that float32 holds"},
      {"fn (%x) { add(%x, 3apples) }", "1:19: 3apples: "},
      {"fn (%x) { add(%x, meta[relay.Constant][7]) }", "1:23: meta[relay.Constant][7] has no value; --params"},
      {"fn (%x) { %x(%x) }", "1:11: what is called is no operator and no function"},
      {"fn (%x) { %0 = fn (%y) { add(%x, %y) }; %0(%x) }", "1:30: %x is of the function around this one"},
      {"fn (%x) { if (%x) { %x } else { %x } }", "1:11: a graph has no if; where("},
      {"fn (%x) { \"abc }", "1:11: a string does not end in its line"},
      {"fn (%x) { /* abc }", "1:11: a comment does not end"},
      {"fn (%x) { ! }", "1:11: '!' begins no word"},
      {"fn (%x) { %x", "1:13: \"the end\" stands where a function's } would be right"},
      {"def @main(%x) { @f(%x) }", "1:17: there is no function @f"},
      {"def @f(%x) { %x }", "there is no function @main"},
      {"def @main(%x) { @main(%x) }", "1:17: @main calls itself"},
      {"def @f(%x) { @g(%x) }\ndef @g(%x) { @f(%x) }\ndef @main(%x) { @f(%x) }", "calls itself"},
      {"def @main(%x) { %x }\ndef @main(%x) { %x }", "2:5: @main is defined twice"},
      {"def @main(%x) { %x } 7", "1:22: \"7\" stands where before a function's name def would be right"},
      {"def @f(%x) { %x }\ndef @main(%x: float32) { @f(%x, %x) }", "2:26: the function takes 1 argument, not 2"},
      {"fn (%x) { 0 .1 }", "1:14: a constant is no tuple and has no items"},
      {"fn (%x: float32) { %x.0 }", "1:20: TupleGetItem: there is no item 0 in float32"},
      {"fn (%x) { %x }", "net.relay:1:5: Var: "},
      {"fn (%x: Tensor[(2), float32], %y: Tensor[(3), float32]) {\n  %0 = add(%x, %y);\n  nn.relu(%0)\n}",
       "net.relay:2:8: add: "},
      {"fn (%x: float32) -> Tensor[(2), float32] { tanh(%x) }", "is declared Tensor[(2), float32], it is float32"},
  };
  for (const BadText& bad : kBad) EXPECT_THAT(Refusal(bad.text), HasSubstr(bad.message)) << bad.text;
}

TEST(ParseModule, RefusesAValueOfAnotherType) {
  const Tensor w(DType::kFloat32, {3});
  EXPECT_THAT(Refusal("fn (%x: float32, %w: Tensor[(2), float32]) { add(%x, %w) }", {{"w", w}}),
              HasSubstr("net.relay:1:18: Var w is declared Tensor[(2), float32], and the value that is given for it is "
                        "Tensor[(3), float32]"));
}

// Without a limit each of these would use up the stack or take unbounded time.
TEST(ParseModule, RefusesWhatNestsOrMultipliesWithoutEnd) {
  const std::string deep = "fn (%x) { " + std::string(100'000, '(') + "%x }";
  EXPECT_THAT(Refusal(deep), HasSubstr("nests more than 128 deep"));
  std::string type = "float32";
  for (int i = 0; i < 100'000; ++i) type = "(" + type;
  EXPECT_THAT(Refusal("fn (%x: " + type), HasSubstr("nests more than 128 deep"));
  std::string calls = "def @f0(%x) { add(%x, %x) }\n", tuples = "fn (%x: float32) {\n%0 = (%x, %x);\n";
  for (int i = 1; i < 60; ++i) {
    calls += fmt::format("def @f{0}(%x) {{ @f{1}(@f{1}(%x)) }}\n", i, i - 1);
    tuples += fmt::format("%{0} = (%{1}, %{1});\n", i, i - 1);
  }
  EXPECT_THAT(Refusal(calls + "def @main(%x: float32) { @f59(%x) }"), HasSubstr("more than 1000000 expressions"));
  EXPECT_THAT(Refusal(tuples + "%59\n}"), HasSubstr("a tuple holds tuples of more than 65536 fields"));
}

TEST(ParseModule, RefusesEveryTruncationInOneLine) {
  const std::string text = kModule;
  for (size_t size = 0; size + 3 < text.size(); ++size) {
    const std::string message = Refusal(text.substr(0, size));
    EXPECT_THAT(message, HasSubstr("net.relay:")) << size;
    EXPECT_EQ(message.find('\n'), std::string::npos) << message;
  }
}

TEST(ParseModule, ReadsManyLinesInTimeThatGrowsAsTheyDo) {
  std::string text = "fn (%x: Tensor[(2), float32]) {\n";
  constexpr int kLines = 100'000;
  for (int i = 0; i < kLines; ++i) {
    text += fmt::format("  %{} = nn.relu({});\n", i, i == 0 ? "%x" : fmt::format("%{}", i - 1));
  }
  text += fmt::format("  nn.relu(%{})\n}}\n", kLines - 1);
  EXPECT_EQ(Again(text, "fn"), text);
}

}  // namespace
}  // namespace hone::relay
