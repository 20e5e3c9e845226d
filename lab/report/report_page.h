// A comparison and its tuning history, as one page.
#pragma once

#include <string>

#include "lab/comparison/comparison_json.h"
#include "lab/report/charts.h"

namespace hone {

// `history` may be null. If the comparison has no models, the page shows only the history.
std::string ReportPage(const ComparisonReport& report, const StoreHistory* history);

}  // namespace hone
