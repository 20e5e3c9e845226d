// The SVG elements that charts consist of: pure functions to SVG text. Coordinates are pixels of the chart's view box,
// y downwards; all given text is escaped here.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace hone {

// Escapes text for content and attribute values in HTML and SVG: & < > " ' as entities, control characters made
// visible.
std::string Escaped(std::string_view text);

// The width of a chart that fills the page.
inline constexpr double kChartWidth = 720;

// Maps values to pixels. A logarithmic scale takes only positive values. If least and most are equal, all values map to
// `from`.
struct Scale {
  double least = 0, most = 1;
  double from = 0, to = 100;  // pixels of least and most
  bool logarithmic = false;
  double At(double value) const;  // clamped to the pixels
};
// Round values within the scale, ascending: 1, 2 or 5 times a power of ten, at most about `most`. A logarithmic scale
// has powers of ten, or such round values if there are fewer than two powers.
std::vector<double> Ticks(const Scale& scale, int most);
// "0.5", "20", "1e+06".
std::string TickText(double value);

// The number with at most two decimals.
std::string Pixels(double value);

// `css` names classes of the style. A title is shown when the pointer rests on the element; empty: none.
std::string SvgBar(double x, double y, double width, double height, std::string_view css, std::string_view title);
std::string SvgLine(double x1, double y1, double x2, double y2, std::string_view css);
std::string SvgPath(const std::vector<std::pair<double, double>>& points, std::string_view css, std::string_view title);
enum class Anchoring { kStart, kMiddle, kEnd };
std::string SvgText(double x, double y, std::string_view text, Anchoring anchoring = Anchoring::kStart,
                    std::string_view css = "");
// A mark of one of four shapes, so that series differ even without colour.
std::string SvgPoint(double x, double y, int shape, std::string_view css, std::string_view title);
// Ticks, grid lines and the axis' name. The bottom axis lies at `y` with lines up to `other`; the left
// axis lies at `x` with lines across to `other`.
std::string SvgBottomAxis(const Scale& scale, double y, double other, std::string_view name);
std::string SvgLeftAxis(const Scale& scale, double x, double other, std::string_view name);

// A whole chart, which scrolls sideways if the page is too narrow for its text. `name` is its text alternative.
std::string SvgPicture(double width, double height, std::string_view name, const std::string& parts);

}  // namespace hone
