// byte_table: a function of one byte, as a table lookup.
#include <fmt/format.h>

#include "compiler/ops/op_families.h"
#include "compiler/relay/arguments.h"

namespace hone::relay {
namespace {

constexpr size_t kByteValues = 256;

std::vector<int64_t> TableOf(const Attrs& attrs) {
  std::vector<int64_t> table = CheckedInts(attrs, "table", kByteValues, 0);
  for (const int64_t value : table) {
    if (value >= static_cast<int64_t>(kByteValues))
      Misfit(fmt::format("table has {}, at most {}", value, kByteValues - 1));
  }
  return table;
}

}  // namespace

OpTable ByteTableOps() {
  OpDef def;
  def.name = "byte_table";
  def.description = "the element of the table that each byte of data counts to";
  def.inputs = {{"data", "any shape", DType::kUInt8}};
  def.attrs = {{"table", AttrKind::kInts, std::vector<int64_t>{}, "256 bytes"}};
  def.pattern = OpPattern::kElementwise;
  def.layout = LayoutRule::kAny;
  def.type_relation = [](const std::vector<TypePtr>& args, const Attrs& attrs) {
    TensorArg(args, 0, "data");
    TableOf(attrs);
    return args[0];
  };
  def.reference = [](const std::vector<Tensor>& args, const Attrs& attrs) {
    const std::vector<int64_t> table = TableOf(attrs);
    Tensor result(DType::kUInt8, args[0].shape());
    for (int64_t i = 0; i < result.elements(); ++i) {
      result.data<uint8_t>()[i] = static_cast<uint8_t>(table[args[0].data<uint8_t>()[i]]);
    }
    return std::vector<Tensor>{result};
  };
  return {def};
}

}  // namespace hone::relay
