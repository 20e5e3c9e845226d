#include "lab/report/page_files.h"

// Puts a file of the source tree between the symbols `name` and `name`_end. Its objects depend on these files by
// lab/CMakeLists.txt.
#define HONE_PAGE_FILE(name, path)                                                                                    \
  asm(".pushsection .rodata\n.globl " #name "\n" #name ":\n.incbin \"" HONE_PAGE_SOURCES "/" path "\"\n.globl " #name \
      "_end\n" #name "_end:\n.byte 0\n.popsection\n");                                                                \
  extern "C" const char name[], name##_end[]

HONE_PAGE_FILE(hone_page_css, "lab/report/page.css");
HONE_PAGE_FILE(hone_chart_library, "third_party/chartjs/chart.umd.min.js");
HONE_PAGE_FILE(hone_charts_js, "lab/report/charts.js");
HONE_PAGE_FILE(hone_dashboard_js, "lab/dashboard/dashboard.js");

namespace hone {

std::string_view PageStyle() { return {hone_page_css, hone_page_css_end}; }
std::string_view ChartLibrary() { return {hone_chart_library, hone_chart_library_end}; }
std::string_view ChartScript() { return {hone_charts_js, hone_charts_js_end}; }
std::string_view DashboardScript() { return {hone_dashboard_js, hone_dashboard_js_end}; }

}  // namespace hone
