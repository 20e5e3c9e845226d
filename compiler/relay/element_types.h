// The element types that an operator's inputs and results may have.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/declared_types.h"
#include "core/tensor.h"

namespace hone::relay {

// A set of element types. Immutable.
class DTypeSet {
 public:
  constexpr DTypeSet() = default;
  // Implicit, because one type is a set.
  constexpr DTypeSet(DType one) : bits_(Bit(one)) {}  // NOLINT(google-explicit-constructor)
  constexpr DTypeSet(std::initializer_list<DType> types) {
    for (const DType type : types) bits_ |= Bit(type);
  }
  static constexpr DTypeSet Of(std::span<const DType> types) {
    DTypeSet set;
    for (const DType type : types) set.bits_ |= Bit(type);
    return set;
  }
  constexpr bool Has(DType type) const { return (bits_ & Bit(type)) != 0; }
  constexpr bool empty() const { return bits_ == 0; }
  // In a fixed order: floats, integers, bool, declared types.
  std::vector<DType> Types() const;
  constexpr DTypeSet operator|(DTypeSet other) const {
    DTypeSet both;
    both.bits_ = bits_ | other.bits_;
    return both;
  }
  constexpr bool operator==(const DTypeSet&) const = default;

 private:
  static constexpr uint32_t Bit(DType type) { return uint32_t{1} << static_cast<uint32_t>(type); }

  uint32_t bits_ = 0;
};

// The type that kernels compute with as real numbers (IsKernelFloat), and the types that products read: they widen
// bfloat16.
inline constexpr DTypeSet kKernelFloat = DType::kFloat32;
inline constexpr DTypeSet kFactors{DType::kFloat32, DType::kBFloat16};
inline constexpr DTypeSet kReals{DType::kFloat32, DType::kFloat64};
inline constexpr DTypeSet kBytes{DType::kInt8, DType::kUInt8};
inline constexpr DTypeSet kWhole{DType::kInt8, DType::kUInt8, DType::kInt32, DType::kInt64};
inline constexpr DTypeSet kIndices{DType::kInt32, DType::kInt64};
// The types of numbers that operators compute with, and the types with an order.
inline constexpr DTypeSet kNumbers = kReals | kWhole;
inline constexpr DTypeSet kOrdered = kNumbers | DType::kBool;
// Every type, for operators that only move bits.
inline constexpr DTypeSet kAnyElement =
    kOrdered | DTypeSet{DType::kFloat16, DType::kBFloat16} | DTypeSet::Of(declared::kAll);

// The rule for an input's or result's element type. It is one of a set, or the type of another input, or one of a set
// that depends on another input's type. Immutable.
class ElementRule {
 public:
  struct Case {
    DTypeSet other, own;
  };

  // Implicit, because most rows name a set.
  ElementRule(DTypeSet types) : types_(types) {}  // NOLINT(google-explicit-constructor)
  ElementRule(DType type) : types_(type) {}       // NOLINT(google-explicit-constructor)
  // The type of the input at position `input`.
  static ElementRule Like(int input) { return ElementRule(DTypeSet(), input, {}); }
  static ElementRule With(int input, std::vector<Case> cases);

  // Every type that the rule can give; empty for Like, which follows the other input's rule.
  DTypeSet types() const { return types_; }
  // The other input's position; negative if there is none.
  int input() const { return input_; }
  // The cases of With; empty otherwise.
  const std::vector<Case>& cases() const { return cases_; }
  // The types that are allowed if the other input has the type `other`.
  DTypeSet Beside(DType other) const;
  // "any", "int32 or int64", "like data", "float16 with data of float16; int8 with data of int8 or uint8". `other` is
  // the other input's name.
  std::string ToText(const std::string& other) const;

 private:
  ElementRule(DTypeSet types, int input, std::vector<Case> cases)
      : types_(types), input_(input), cases_(std::move(cases)) {}

  DTypeSet types_;
  int input_ = -1;
  std::vector<Case> cases_;
};

// "float32", "int32 or int64", "int8, uint8 or bool"; "any" for kAnyElement.
std::string ToText(DTypeSet types);

}  // namespace hone::relay
