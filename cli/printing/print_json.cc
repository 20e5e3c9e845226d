#include "cli/printing/print_json.h"

#include <cmath>

#include "cli/printing/print.h"

namespace hone {

void PrintJson(const Json& json) { Print("{}\n", DumpJson(json)); }

Json FiniteOrInf(double error) { return std::isfinite(error) ? Json(error) : Json("inf"); }

}  // namespace hone
