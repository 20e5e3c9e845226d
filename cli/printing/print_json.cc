#include "cli/printing/print_json.h"

#include "cli/printing/print.h"

namespace hone {

void PrintJson(const Json& json) { Print("{}\n", DumpJson(json)); }

}  // namespace hone
