// A comparison and its tuning history, as one page.
#pragma once

#include <string>
#include <vector>

#include "lab/comparison/comparison_json.h"
#include "lab/report/charts.h"
#include "lab/report/runtime_tables.h"

namespace hone {

// `history` may be null. If the comparison has no models, the page shows only the tables of runtimes and the history.
std::string ReportPage(const ComparisonReport& report, const StoreHistory* history,
                       const std::vector<RuntimeTable>& runtimes = {});

}  // namespace hone
