// A history as one page, as ReportPage's.
#pragma once

#include <string>

#include "cli/history/history_forms.h"

namespace hone {

// `about`: one line of what was compared.
std::string HistoryPage(const History& history, const std::string& about);

}  // namespace hone
