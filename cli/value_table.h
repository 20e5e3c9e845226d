// What the calls of a package left, as a table and as files.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "cli/printing/table.h"
#include "core/plan.h"
#include "core/serialize.h"
#include "runtime/observed_run.h"

namespace hone {

// A name of the model as that of a .npy file: only what is harmless stays.
std::string NpyFileName(const std::string& name);
// JSON has no NaN and no infinity: they are text.
Json NumberJson(double value);

// Every node of the model that a call computes, in order.
std::vector<std::string> NodesOf(const Plan& plan);
// Whether the call computes the node.
bool Computes(const Plan& plan, int call, const std::string& node);

// Rows in the order of Add: call, operator, name, shape, least, greatest, and how many are NaN or infinite.
class ValueTable {
 public:
  // `folder` gets a file per value; may be empty. `plan` outlives the table.
  ValueTable(const Plan& plan, std::string folder);

  // Throws Error as WriteNpy does.
  void Add(const ObservedValue& value);
  // The table, and the first value that is not finite.
  void Print(bool json) const;

 private:
  const Plan& plan_;
  const std::string folder_;
  Table table_;
  Json rows_ = Json::array();
  std::set<std::string> files_;
  std::string first_not_finite_;
};

}  // namespace hone
