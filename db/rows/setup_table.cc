#include "db/rows/setup_table.h"

#include <fmt/format.h>

#include <utility>

#include "core/text/parse_number.h"

namespace hone {
namespace {

constexpr const char* kSetupColumns = "triple, cpu, features, threads, fingerprint, cache, llvm_cpu";

SqlRow RowOf(const SetupColumns& columns) {
  return {columns.triple,           columns.cpu,         columns.features,
          int64_t{columns.threads}, columns.fingerprint, static_cast<int64_t>(columns.cache),
          columns.llvm_cpu};
}

}  // namespace

SetupColumns SetupColumnsOf(const TrialRow& row) {
  return {row.triple, row.cpu, row.features, row.threads, row.fingerprint, row.cache, row.llvm_cpu};
}

std::optional<int64_t> SetupTable::Look(const SetupColumns& columns) {
  Statement statement(database_,
                      "SELECT id FROM setups WHERE triple = ? AND cpu = ? AND features = ? AND threads = ? AND "
                      "fingerprint = ? AND cache = ? AND llvm_cpu = ?");
  statement.Bind(RowOf(columns));
  return statement.Step() ? std::optional(statement.Integer(0)) : std::nullopt;
}

int64_t SetupTable::NumberOf(const SetupColumns& columns) {
  if (const auto known = numbers_.find(columns); known != numbers_.end()) return known->second;
  std::optional<int64_t> number = Look(columns);
  if (!number) {
    database_.ExecuteAll(fmt::format("INSERT INTO setups({}) VALUES(?,?,?,?,?,?,?)", kSetupColumns), {RowOf(columns)});
    number = Look(columns);
  }
  return numbers_.emplace(columns, number.value()).first->second;
}

const SetupTable::Known* SetupTable::Find(int64_t number) {
  if (const auto known = known_.find(number); known != known_.end()) return &known->second;
  Statement statement(database_, fmt::format("SELECT {} FROM setups WHERE id = ?", kSetupColumns));
  statement.Bind(1, number);
  if (!statement.Step()) return nullptr;
  Setup setup;
  setup.target.triple = statement.Text(0);
  setup.target.cpu = statement.Text(1);
  const std::string features = statement.Text(2);
  for (std::string_view feature : Split(features, ',')) {
    if (!feature.empty()) setup.target.features.emplace_back(feature);
  }
  setup.threads = static_cast<int>(statement.Integer(3));
  setup.machine = Fingerprint::Parse(statement.Text(4));
  setup.cache = static_cast<CacheMode>(statement.Integer(5));
  return &known_.emplace(number, Known{SharedSetup(std::move(setup)), statement.Text(6)}).first->second;
}

}  // namespace hone
