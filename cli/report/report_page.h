// A comparison and how its tuning went, as one page.
#pragma once

#include <string>

#include "cli/comparison/comparison_json.h"
#include "cli/report/tuning_history.h"

namespace hone {

// `history` may be null. A page of a comparison without models tells the history alone.
std::string ReportPage(const ComparisonReport& report, const StoreHistory* history);

}  // namespace hone
