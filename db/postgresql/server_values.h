// Values of rows in the forms that a PostgreSQL server accepts.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "db/database.h"

namespace hone {

// One row as the parameters of a statement, in text form.
class ParameterTexts {
 public:
  explicit ParameterTexts(const SqlRow& row);
  int count() const { return static_cast<int>(pointers_.size()); }
  const char* const* values() const { return pointers_.data(); }

 private:
  std::vector<std::string> texts_;
  std::vector<const char*> pointers_;
};

// "INSERT INTO t(a, b) VALUES(?,?) REST" as "INSERT INTO t(a, b) SELECT * FROM unnest(?::text[],?::bigint[]) REST",
// with the types of `row`. A server plans and answers it once for all rows. nullopt for any other statement.
std::optional<std::string> InsertOfArrays(std::string_view sql, const SqlRow& row);

// Many rows as the parameters of that statement: one array per column, in the binary form of libpq's parameters. (The
// text form would be read character by character.)
class ColumnArrays {
 public:
  // Takes rows[begin, end), at least one. A column has the same type in all of them.
  ColumnArrays(const std::vector<SqlRow>& rows, size_t begin, size_t end);
  ColumnArrays(const ColumnArrays&) = delete;
  ColumnArrays& operator=(const ColumnArrays&) = delete;
  int count() const { return static_cast<int>(arrays_.size()); }
  const char* const* values() const { return values_.data(); }
  const int* lengths() const { return lengths_.data(); }
  const int* formats() const { return formats_.data(); }

 private:
  std::vector<std::string> arrays_;
  std::vector<const char*> values_;
  std::vector<int> lengths_, formats_;
};

}  // namespace hone
