#include "db/postgresql/column_arrays.h"

#include <cstdint>
#include <variant>

#include "db/postgresql/server_text.h"

namespace hone {
namespace {

// The server's numbers of its types in binary arrays, from pg_type.
constexpr uint32_t kInt8Oid = 20, kTextOid = 25;
constexpr int kBinary = 1;

bool IsNumber(const SqlValue& value) { return std::holds_alternative<int64_t>(value); }

void AppendBigEndian(std::string& bytes, uint64_t number, int size) {
  for (int shift = 8 * (size - 1); shift >= 0; shift -= 8) bytes += static_cast<char>((number >> shift) & 0xFFU);
}

void AppendHead(std::string& array, uint32_t type, size_t elements) {
  AppendBigEndian(array, 1, 4);  // dimensions
  AppendBigEndian(array, 0, 4);  // without nulls
  AppendBigEndian(array, type, 4);
  AppendBigEndian(array, elements, 4);
  AppendBigEndian(array, 1, 4);  // the first index
}

void AppendElement(std::string& array, const SqlValue& value) {
  if (const auto* number = std::get_if<int64_t>(&value)) {
    AppendBigEndian(array, 8, 4);
    AppendBigEndian(array, static_cast<uint64_t>(*number), 8);
    return;
  }
  const auto* owned = std::get_if<std::string>(&value);
  const std::string text = ServerText(owned != nullptr ? *owned : std::get<std::string_view>(value));
  AppendBigEndian(array, text.size(), 4);
  array += text;
}

}  // namespace

std::optional<std::string> InsertOfArrays(std::string_view sql, const SqlRow& row) {
  constexpr std::string_view kValues = "VALUES(?";
  const size_t begin = sql.find(kValues);
  if (!sql.starts_with("INSERT ") || begin == std::string_view::npos) return std::nullopt;
  const size_t end = sql.find(')', begin);
  std::string arrays;
  for (const SqlValue& value : row) {
    arrays += arrays.empty() ? "?" : ",?";
    arrays += IsNumber(value) ? "::bigint[]" : "::text[]";
  }
  return std::string(sql.substr(0, begin)) + "SELECT * FROM unnest(" + arrays + ")" + std::string(sql.substr(end + 1));
}

ColumnArrays::ColumnArrays(const std::vector<SqlRow>& rows, size_t begin, size_t end)
    : arrays_(rows[begin].size()), formats_(rows[begin].size(), kBinary) {
  for (size_t column = 0; column < arrays_.size(); ++column) {
    std::string& array = arrays_[column];
    AppendHead(array, IsNumber(rows[begin][column]) ? kInt8Oid : kTextOid, end - begin);
    for (size_t i = begin; i < end; ++i) AppendElement(array, rows[i][column]);
    values_.push_back(array.data());
    lengths_.push_back(static_cast<int>(array.size()));
  }
}

}  // namespace hone
