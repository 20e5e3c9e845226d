// Small parts that pictures are drawn with: pure functions to SVG text. Coordinates are pixels of the picture's view
// box, y downwards; whatever text is given is escaped here.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace hone {

// As text or as an attribute's value in HTML and SVG: & < > " ' as entities, control characters made visible.
std::string Escaped(std::string_view text);

// Maps values onto pixels. A logarithmic one takes positive values alone; where least and most are equal all values lie
// at the beginning.
struct Scale {
  double least = 0, most = 1;
  double from = 0, to = 100;  // pixels of least and most
  bool logarithmic = false;
  double At(double value) const;  // held within the pixels
};
// Round values within the scale, ascending: 1, 2 or 5 times a power of ten, at most about `most`; of a logarithmic one
// powers of ten, and where these are fewer than two the round values too.
std::vector<double> Ticks(const Scale& scale, int most);
// "0.5", "20", "1e+06".
std::string TickText(double value);

// The number with at most two decimals.
std::string Pixels(double value);

// `css` names the style's classes. A title is shown when the pointer rests on the part; empty: none.
std::string SvgBar(double x, double y, double width, double height, std::string_view css, std::string_view title);
std::string SvgLine(double x1, double y1, double x2, double y2, std::string_view css);
std::string SvgPath(const std::vector<std::pair<double, double>>& points, std::string_view css, std::string_view title);
enum class Anchoring { kStart, kMiddle, kEnd };
std::string SvgText(double x, double y, std::string_view text, Anchoring anchoring = Anchoring::kStart,
                    std::string_view css = "");
// A mark of one of four shapes, so that series differ without colour.
std::string SvgPoint(double x, double y, int shape, std::string_view css, std::string_view title);
// Ticks with grid lines and the axis' name: along the bottom at `y` with lines up to `other`, and at the left likewise.
std::string SvgBottomAxis(const Scale& scale, double y, double other, std::string_view name);
std::string SvgLeftAxis(const Scale& scale, double x, double other, std::string_view name);

// A whole picture, which scrolls sideways where the page is too narrow for its text. `name` is its text alternative for
// who does not see it.
std::string SvgPicture(double width, double height, std::string_view name, const std::string& parts);

}  // namespace hone
