#include "cli/print_json.h"

#include "cli/print.h"

namespace hone {

void PrintJson(const Json& json) { Print("{}\n", DumpJson(json)); }

}  // namespace hone
