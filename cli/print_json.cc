#include "cli/print_json.h"

#include <fmt/format.h>

namespace hone {

void PrintJson(const Json& json) { fmt::print("{}\n", DumpJson(json)); }

}  // namespace hone
