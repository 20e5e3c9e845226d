#include "db/postgresql/server_values.h"

#include <algorithm>
#include <cstdint>
#include <variant>

#include "core/text/printable.h"

namespace hone {

namespace {

// The number of bytes that follow the first byte of a UTF-8 sequence; -1 if the byte begins none.
int Following(unsigned char first) {
  if (first < 0x80) return 0;
  if (first >= 0xC2 && first <= 0xDF) return 1;
  if (first >= 0xE0 && first <= 0xEF) return 2;
  return first >= 0xF0 && first <= 0xF4 ? 3 : -1;
}

bool IsUtf8(std::string_view text) {
  for (size_t i = 0; i < text.size();) {
    const auto first = static_cast<unsigned char>(text[i++]);
    const int following = Following(first);
    if (first == 0 || following < 0) return false;
    for (int n = 0; n < following; ++n, ++i) {
      if (i == text.size() || (static_cast<unsigned char>(text[i]) & 0xC0U) != 0x80U) return false;
      const auto second = static_cast<unsigned char>(text[i]);
      // Refuses overlong forms, surrogates, and code points beyond U+10FFFF.
      if (n == 0 && ((first == 0xE0 && second < 0xA0) || (first == 0xED && second > 0x9F) ||
                     (first == 0xF0 && second < 0x90) || (first == 0xF4 && second > 0x8F))) {
        return false;
      }
    }
  }
  return true;
}

// The text itself if it is UTF-8 without zeros, the only form that a server accepts; else the result of Printable.
std::string ServerText(std::string_view text) {
  // Nearly all texts are ASCII; only other texts need the slower check.
  const bool plain =
      std::all_of(text.begin(), text.end(), [](char c) { return c != '\0' && static_cast<unsigned char>(c) < 0x80; });
  return plain || IsUtf8(text) ? std::string(text) : Printable(text);
}

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

// A value that is no number.
std::string ServerTextOf(const SqlValue& value) {
  const auto* owned = std::get_if<std::string>(&value);
  return ServerText(owned != nullptr ? *owned : std::get<std::string_view>(value));
}

void AppendElement(std::string& array, const SqlValue& value) {
  if (const auto* number = std::get_if<int64_t>(&value)) {
    AppendBigEndian(array, 8, 4);
    AppendBigEndian(array, static_cast<uint64_t>(*number), 8);
    return;
  }
  const std::string text = ServerTextOf(value);
  AppendBigEndian(array, text.size(), 4);
  array += text;
}

}  // namespace

ParameterTexts::ParameterTexts(const SqlRow& row) {
  texts_.reserve(row.size());
  for (const SqlValue& value : row) {
    const auto* number = std::get_if<int64_t>(&value);
    texts_.push_back(number != nullptr ? std::to_string(*number) : ServerTextOf(value));
  }
  for (const std::string& text : texts_) pointers_.push_back(text.c_str());
}

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
