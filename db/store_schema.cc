#include "db/store_schema.h"

#include <fmt/format.h>

namespace hone {

std::string SqlOfNewColumns(int64_t version, std::string_view text_type, std::string_view integer_type) {
  std::string sql;
  const TrialRow row;
  EachColumn(row, [&]<typename Member>(const char* name, int first, const Member& /*member*/) {
    if (first != version) return;
    sql += fmt::format("ALTER TABLE records ADD COLUMN {} {} NOT NULL DEFAULT {};", name,
                       kIsText<Member> ? text_type : integer_type, kIsText<Member> ? "''" : "0");
  });
  return sql;
}

}  // namespace hone
