#include "db/database.h"

namespace hone {

int64_t Database::Integer(std::string_view sql) {
  Statement statement(*this, sql);
  return statement.Step() ? statement.Integer(0) : 0;
}

std::string Database::Text(std::string_view sql) {
  Statement statement(*this, sql);
  return statement.Step() ? statement.Text(0) : "";
}

void Statement::Bind(const SqlRow& values) {
  int parameter = 0;
  for (const SqlValue& value : values) {
    std::visit([&](const auto& held) { Bind(++parameter, held); }, value);
  }
}

}  // namespace hone
