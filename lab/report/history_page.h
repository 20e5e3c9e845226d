// A history as one page, in the frame that ReportPage has.
#pragma once

#include <string>

#include "lab/history/history_forms.h"

namespace hone {

// `about` is one line about what was compared.
std::string HistoryPage(const History& history, const std::string& about);

}  // namespace hone
