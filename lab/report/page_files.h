// Files that pages are made of. They are part of the program, so a page needs no other file and no network.
#pragma once

#include <string_view>

namespace hone {

std::string_view PageStyle();        // page.css
std::string_view ChartLibrary();     // third_party/chartjs
std::string_view ChartScript();      // charts.js: draws the charts of HtmlChart with the library
std::string_view DashboardScript();  // lab/dashboard/dashboard.js: follows the server's events

}  // namespace hone
