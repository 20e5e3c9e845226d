#include "lab/text/print.h"

#include <cmath>

namespace hone {

void PrintJson(const Json& json) { Print("{}\n", DumpJson(json)); }

Json FiniteOrInf(double error) { return std::isfinite(error) ? Json(error) : Json("inf"); }

}  // namespace hone
