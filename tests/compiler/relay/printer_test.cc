#include "compiler/relay/printer.h"

#include <gtest/gtest.h>

#include "compiler/relay/infer_type.h"
#include "core/error.h"

namespace hone::relay {
namespace {

using Vars = std::vector<std::shared_ptr<const Var>>;
using Ints = std::vector<int64_t>;

std::shared_ptr<const Var> NewVar(const std::string& name, TypePtr type = nullptr) {
  return std::make_shared<const Var>(name, std::move(type));
}

// The first layers of a MobileNet: conv, batch norm, relu, softmax.
IRModule SmallNetwork() {
  const auto data = NewVar("data", TensorType({1, 3, 8, 8}));
  Vars params{data};
  for (const char* name : {"weight", "gamma", "beta", "mean", "var"}) params.push_back(NewVar(name));
  const ExprPtr conv = MakeCall(
      "nn.conv2d", {data, params[1]},
      {{"kernel_size", Ints{3, 3}}, {"channels", int64_t{2}}, {"padding", Ints{1, 1, 1, 1}}, {"strides", Ints{2, 2}}});
  const ExprPtr norm =
      MakeCall("nn.batch_norm", {conv, params[2], params[3], params[4], params[5]}, {{"epsilon", 2e-05}});
  const ExprPtr relu = MakeCall("nn.relu", {MakeTupleGetItem(norm, 0)});
  return {std::make_shared<Function>(params, MakeCall("nn.softmax", {MakeCall("nn.batch_flatten", {relu})})),
          {},
          "small",
          {}};
}

TEST(Printer, PrintsAModuleWithoutTypesWhereNoneAreKnown) {
  EXPECT_EQ(ToText(SmallNetwork()),
            R"(def @main(%data: Tensor[(1, 3, 8, 8), float32], %weight, %gamma, %beta, %mean, %var) {
  %0 = nn.conv2d(%data, %weight, strides=[2, 2], padding=[1, 1, 1, 1], channels=2, kernel_size=[3, 3]);
  %1 = nn.batch_norm(%0, %gamma, %beta, %mean, %var, epsilon=2e-05f);
  %2 = %1.0;
  %3 = nn.relu(%2);
  %4 = nn.batch_flatten(%3);
  nn.softmax(%4)
}
)");
}

TEST(Printer, PrintsTypesOfCallsButNotOfTupleItems) {
  const std::string text = ToText(InferType(SmallNetwork()));
  for (const char* line :
       {"%weight: Tensor[(2, 3, 3, 3), float32], %gamma: Tensor[(2), float32]", ") -> Tensor[(1, 32), float32] {\n",
        "channels=2, kernel_size=[3, 3]) /* ty=Tensor[(1, 2, 4, 4), float32] */;\n",
        "epsilon=2e-05f) /* ty=(Tensor[(1, 2, 4, 4), float32], Tensor[(2), float32], Tensor[(2), float32]) */;\n",
        "  %2 = %1.0;\n", "  nn.softmax(%4) /* ty=Tensor[(1, 32), float32] */\n}\n"}) {
    EXPECT_NE(text.find(line), std::string::npos) << line << "\nin\n" << text;
  }
}

TEST(Printer, LeavesTypesOutWhenAsked) {
  EXPECT_EQ(ToText(InferType(SmallNetwork()), {.types = false, .as = "module"}).find("ty="), std::string::npos);
}

TEST(Printer, PrintsConstantsByIndexAndScalarsInPlace) {
  const auto x = NewVar("x", TensorType({2}));
  const ExprPtr constant = MakeConstant(Tensor(DType::kFloat32, {2}));
  const ExprPtr sum = MakeCall("add", {x, constant});
  const ExprPtr body = MakeCall("add", {MakeCall("multiply", {sum, MakeConstant(Tensor::Scalar(0.5F))}), constant});
  const IRModule module{std::make_shared<Function>(Vars{x}, body), {}, "", {}};
  EXPECT_EQ(ToText(module, {.types = true, .as = "expr"}),
            "free_var %x: Tensor[(2), float32];\n"
            "%0 = add(%x, meta[relay.Constant][0]);\n"
            "%1 = multiply(%0, 0.5f);\n"
            "add(%1, meta[relay.Constant][0])\n");
  EXPECT_EQ(ToText(InferType(module), {.types = true, .as = "expr"}).substr(35, 99),
            "%0 = add(%x, meta[relay.Constant][0] /* ty=Tensor[(2), float32] */) /* ty=Tensor[(2), float32] */;\n");
}

TEST(Printer, PrintsPaddingEvenAtItsDefault) {
  const auto x = NewVar("x");
  const IRModule module{
      std::make_shared<Function>(Vars{x}, MakeCall("nn.max_pool2d", {x}, {{"pool_size", Ints{2, 2}}})), {}, "", {}};
  EXPECT_EQ(ToText(module, {.types = true, .as = "expr"}),
            "free_var %x;\nnn.max_pool2d(%x, pool_size=[2, 2], padding=[0, 0, 0, 0])\n");
}

TEST(Printer, DeclaresAFreeVariableWhereItIsFirstUsed) {
  const auto x = NewVar("x", TensorType({2})), y = NewVar("y");
  const ExprPtr sum = MakeCall("add", {x, MakeCall("tanh", {MakeCall("add", {y, x})})});
  EXPECT_EQ(ToText(IRModule{std::make_shared<Function>(Vars{y, x}, sum), {}, "", {}}, {.types = true, .as = "expr"}),
            "free_var %x: Tensor[(2), float32];\n"
            "free_var %y;\n"
            "%0 = add(%y, %x);\n"
            "%1 = tanh(%0);\n"
            "add(%x, %1)\n");
}

TEST(Printer, QuotesNamesThatWouldReadAsSomethingElse) {
  const Vars vars = {NewVar("input:0"), NewVar("1"), NewVar("a.1"), NewVar("a.b"), NewVar("a \"b\"\n"), NewVar("")};
  EXPECT_EQ(ToText(IRModule{std::make_shared<Function>(vars, vars[0]), {}, "", {}}, {.types = true, .as = "fn"}),
            "fn (%\"input:0\", %\"1\", %\"a.1\", %a.b, %\"a \\\"b\\\"\\x0a\", %\"\") {\n  %\"input:0\"\n}\n");
}

TEST(Printer, GivesTwoVariablesOfOneNameTwoTexts) {
  const Vars vars = {NewVar("x"), NewVar("x1"), NewVar("x"), NewVar("x")};
  EXPECT_EQ(ToText(IRModule{std::make_shared<Function>(vars, vars[0]), {}, "", {}}, {.types = true, .as = "fn"}),
            "fn (%x, %x1, %x2, %x3) {\n  %x\n}\n");
}

struct Remark : Note {
  Attrs Printed() const override { return {{"remark", std::string("here")}}; }
};

TEST(Printer, ShowsANoteBehindTheAttributes) {
  const auto x = NewVar("x");
  const Function marked(Vars{x}, x, {{"Primitive", int64_t{1}}}, std::make_shared<Remark>());
  const auto other = WithFields(marked, {x}, MakeCall("tanh", {x}));
  EXPECT_NE(NoteOf<Remark>(*other), nullptr);
  EXPECT_EQ(ToText(IRModule{other, {}, "", {}}), "def @main(%x, Primitive=1, remark=\"here\") {\n  tanh(%x)\n}\n");
}

TEST(Printer, NumbersTuplesAndFunctions) {
  const auto p = NewVar("x", TensorType({2}));
  const auto inner =
      std::make_shared<Function>(Vars{p}, MakeCall("exp", {MakeCall("tanh", {p})}), Attrs{{"Primitive", int64_t{1}}});
  const auto x = NewVar("x", TensorType({2}));
  const ExprPtr call = std::make_shared<Call>(inner, std::vector<ExprPtr>{x}, Attrs{}, "");
  const ExprPtr body = MakeCall("concatenate", {MakeTuple({call, x})});
  const IRModule module{std::make_shared<Function>(Vars{x}, body), {}, "", {}};
  EXPECT_EQ(ToText(module, {.types = true, .as = "fn"}),
            R"(fn (%x: Tensor[(2), float32]) {
  %1 = fn (%x1: Tensor[(2), float32], Primitive=1) {
    %0 = tanh(%x1);
    exp(%0)
  };
  %2 = %1(%x);
  %3 = (%2, %x);
  concatenate(%3)
}
)");
}

TEST(Printer, PrintsABodyThatIsAParameter) {
  const auto x = NewVar("x");
  EXPECT_EQ(ToText(IRModule{std::make_shared<Function>(Vars{x}, x), {}, "", {}}), "def @main(%x) {\n  %x\n}\n");
}

TEST(Printer, RefusesAnUnknownForm) { EXPECT_THROW(ToText(SmallNetwork(), {.types = true, .as = "dot"}), Error); }

TEST(TypeText, IsRelays) {
  EXPECT_EQ(ToText(TensorType({})), "float32");
  EXPECT_EQ(ToText(TensorType({1, kAnyDim}, DType::kInt64)), "Tensor[(1, ?), int64]");
  EXPECT_EQ(ToText(TupleType({TensorType({2})})), "(Tensor[(2), float32],)");
  EXPECT_EQ(ToText(FuncType({TensorType({})}, TensorType({1}))), "fn (float32) -> Tensor[(1), float32]");
}

TEST(AttrText, IsRelays) {
  EXPECT_EQ(ToText(AttrValue(true)), "True");
  EXPECT_EQ(ToText(AttrValue(1e-5)), "1e-05f");
  EXPECT_EQ(ToText(AttrValue("NCHW")), "\"NCHW\"");
  EXPECT_EQ(ToText(AttrValue(Ints{2, 2})), "[2, 2]");
  EXPECT_EQ(ToText(AttrValue(int64_t{-3})), "-3");
}

}  // namespace
}  // namespace hone::relay
