// The element types in operators' rows, compared with their type relations.
#include "compiler/relay/element_types.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <tuple>
#include <utility>

#include "core/error.h"
#include "core/nth.h"
#include "tests/compiler/relay/op_samples.h"

namespace hone::relay {
namespace {

using testing::HasSubstr;
using Elements = std::vector<DType>;

std::string Text(const OpDef& op, const Elements& elements) {
  std::string text = op.name;
  for (const DType each : elements) text += " " + std::string(DTypeName(each));
  return text;
}

// The type of the call, or null and the reason.
struct Answer {
  TypePtr type;
  std::string refusal;
};

Answer Ask(const OpDef& op, const OpSample& sample, const Elements& elements) {
  try {
    return {CallType(op, TypesOf(op, sample, elements), sample.attrs), ""};
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::kBadData);
    return {nullptr, error.what()};
  }
}

DType OtherType(const ElementRule& rule, const Elements& elements) {
  return rule.input() < 0 ? DType::kFloat32 : Nth(elements, rule.input());
}

// Element types of inputs and results: name, the type that they depend on, and the type itself.
using Seen = std::set<std::tuple<std::string, DType, DType>>;

void NoteInputs(const OpDef& op, const OpSample& sample, const Elements& elements, Seen& seen) {
  for (size_t i = 0; i < elements.size(); ++i) {
    const InputSpec& input = InputOf(op, sample, i);
    seen.emplace(input.name, OtherType(input.types, elements), elements[i]);
  }
}

// Checks the results' element types against the row, too.
void NoteResults(const OpDef& op, const Elements& elements, const TypePtr& type, Seen& seen) {
  const std::vector<TypePtr> fields = type->kind == TypeKind::kTuple ? type->fields : std::vector<TypePtr>{type};
  for (size_t i = 0; i < fields.size(); ++i) {
    const auto& [name, rule] = op.results[std::min(i, op.results.size() - 1)];
    const DType other = OtherType(rule, elements), own = fields[i]->dtype;
    EXPECT_TRUE(rule.Beside(other).Has(own)) << Text(op, elements) << ": " << ToText(type);
    seen.emplace(name, other, own);
  }
}

// An attribute may select among types, so each type must occur in some call and not in all.
void CheckWhatIsAllowed(const OpDef& op) {
  Seen allowed, taken, given;
  std::string refusal;
  for (const OpSample& sample : SamplesOf(op)) {
    for (const Elements& elements : AllowedElements(op, sample)) {
      const Answer answer = Ask(op, sample, elements);
      NoteInputs(op, sample, elements, allowed);
      if (answer.type == nullptr) {
        refusal = answer.refusal;
        continue;
      }
      NoteInputs(op, sample, elements, taken);
      NoteResults(op, elements, answer.type, given);
    }
  }
  EXPECT_FALSE(allowed.empty()) << op.name;
  for (const auto& [name, other, own] : allowed) {
    EXPECT_TRUE(taken.contains({name, other, own}))
        << op.name << ": " << name << " " << DTypeName(own) << ": " << refusal;
  }
  for (const auto& [name, rule] : op.results) {
    for (const DType own : rule.types().Types()) {
      const bool is_given = std::any_of(given.begin(), given.end(), [&, key = std::pair(name, own)](const auto& one) {
        return std::get<0>(one) == key.first && std::get<2>(one) == key.second;
      });
      EXPECT_TRUE(is_given) << op.name << " never gives " << DTypeName(own);
    }
  }
}

TEST(ElementTypes, WhatTheRowAllowsIsTaken) {
  for (const OpDef* op : AllOps()) CheckWhatIsAllowed(*op);
}

TEST(ElementTypes, WhatTheRowDoesNotAllowIsRefusedByTheInputsName) {
  int refused = 0;
  for (const OpDef* op : AllOps()) {
    for (const OpSample& sample : SamplesOf(*op)) {
      const std::vector<Elements> lists = AllowedElements(*op, sample);
      const std::set<Elements> allowed(lists.begin(), lists.end());
      for (const Elements& elements : lists) {
        for (size_t i = 0; i < elements.size(); ++i) {
          for (const DType other : kAnyElement.Types()) {
            Elements changed = elements;
            changed[i] = other;
            if (allowed.contains(changed)) continue;
            ++refused;
            const Answer answer = Ask(*op, sample, changed);
            EXPECT_EQ(answer.type, nullptr) << Text(*op, changed);
            EXPECT_THAT(answer.refusal, HasSubstr(", it must be ")) << Text(*op, changed);
          }
        }
      }
    }
  }
  EXPECT_GT(refused, 1000);
}

TEST(ElementTypes, AreToldInWords) {
  EXPECT_EQ(ToText(kAnyElement), "any");
  EXPECT_EQ(ToText(kKernelFloat), "float32");
  EXPECT_EQ(ToText(kIndices), "int32 or int64");
  EXPECT_EQ(ToText(kNumbers), "float32, float64, int8, uint8, int32 or int64");
  EXPECT_EQ(ElementRule::Like(0).ToText("lhs"), "like lhs");
  EXPECT_EQ(
      FindOp("nn.conv2d")->inputs[1].types.ToText("data"),
      "float32 or bfloat16 with data of float32 or bfloat16; float16 with data of float16; int8 with data of int8 "
      "or uint8");
}

TEST(ElementTypes, ARefusalSaysWhatWasGivenAndWhatWouldBeRight) {
  const auto refusal = [](const char* name, const std::vector<DType>& elements) {
    const OpDef& op = *FindOp(name);
    return Ask(op, SamplesOf(op).front(), elements).refusal;
  };
  EXPECT_EQ(refusal("take", {DType::kFloat32, DType::kFloat32}), "indices is float32, it must be int32 or int64");
  EXPECT_EQ(refusal("add", {DType::kInt8, DType::kInt64}), "rhs is int64, it must be int8 like lhs");
  EXPECT_EQ(refusal("nn.dense", {DType::kUInt8, DType::kFloat32}),
            "weight is float32, it must be int8 with data of uint8");
  EXPECT_EQ(refusal("concatenate", {DType::kInt8}), "");
}

}  // namespace
}  // namespace hone::relay
