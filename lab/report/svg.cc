#include "lab/report/svg.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "core/text/printable.h"

namespace hone {
namespace {

constexpr double kHalfPoint = 4;  // half of a point's width

std::string Titled(std::string_view element, const std::string& attributes, std::string_view title) {
  if (title.empty()) return fmt::format("<{} {}/>", element, attributes);
  return fmt::format("<{} {}><title>{}</title></{}>", element, attributes, Escaped(title), element);
}

std::string AnchorName(Anchoring anchoring) {
  if (anchoring == Anchoring::kMiddle) return "middle";
  return anchoring == Anchoring::kEnd ? "end" : "start";
}

std::vector<double> RoundTicks(const Scale& scale, int most) {
  const double span = scale.most - scale.least;
  if (!(span > 0)) return {scale.least};
  const double rough = span / std::max(most, 1);
  const double power = std::pow(10, std::floor(std::log10(rough)));
  double step = 10 * power;
  for (const double factor : {5.0, 2.0, 1.0}) {
    if (factor * power >= rough) step = factor * power;
  }
  std::vector<double> ticks;
  const double first = std::ceil(scale.least / step - 1e-9);
  for (int i = 0; (first + i) * step <= scale.most + 1e-9 * span; ++i) ticks.push_back((first + i) * step);
  return ticks;
}

}  // namespace

std::string Escaped(std::string_view text) {
  std::string escaped;
  for (const char letter : Printable(text)) {
    switch (letter) {
      case '&':
        escaped += "&amp;";
        break;
      case '<':
        escaped += "&lt;";
        break;
      case '>':
        escaped += "&gt;";
        break;
      case '"':
        escaped += "&quot;";
        break;
      case '\'':
        escaped += "&#39;";
        break;
      default:
        escaped += letter;
    }
  }
  return escaped;
}

double Scale::At(double value) const {
  const auto place = [&](double v) { return logarithmic ? std::log10(std::max(v, 1e-300)) : v; };
  const double span = place(most) - place(least);
  if (!(span > 0)) return from;
  const double part = std::clamp((place(value) - place(least)) / span, 0.0, 1.0);
  return from + part * (to - from);
}

std::vector<double> Ticks(const Scale& scale, int most) {
  if (!scale.logarithmic) return RoundTicks(scale, most);
  std::vector<double> ticks;
  const int first = static_cast<int>(std::ceil(std::log10(scale.least) - 1e-9));
  const int last = static_cast<int>(std::floor(std::log10(scale.most) + 1e-9));
  const int step = std::max(1, (last - first) / std::max(most, 1) + 1);
  for (int power = first; power <= last; power += last - first < most ? 1 : step) ticks.push_back(std::pow(10, power));
  return ticks.size() >= 2 ? ticks : RoundTicks(scale, most);
}

std::string TickText(double value) { return fmt::format("{:.4g}", value); }

std::string Pixels(double value) {
  std::string text = fmt::format("{:.2f}", value);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text == "-0" ? "0" : text;
}

std::string SvgBar(double x, double y, double width, double height, std::string_view css, std::string_view title) {
  return Titled("rect",
                fmt::format(R"(x="{}" y="{}" width="{}" height="{}" class="{}")", Pixels(x), Pixels(y),
                            Pixels(std::max(width, 0.0)), Pixels(std::max(height, 0.0)), css),
                title);
}

std::string SvgLine(double x1, double y1, double x2, double y2, std::string_view css) {
  return fmt::format(R"(<line x1="{}" y1="{}" x2="{}" y2="{}" class="{}"/>)", Pixels(x1), Pixels(y1), Pixels(x2),
                     Pixels(y2), css);
}

std::string SvgPath(const std::vector<std::pair<double, double>>& points, std::string_view css,
                    std::string_view title) {
  std::string d;
  for (const auto& [x, y] : points) d += fmt::format("{}{} {}", d.empty() ? "M" : "L", Pixels(x), Pixels(y));
  return Titled("path", fmt::format(R"(d="{}" class="{}")", d, css), title);
}

std::string SvgText(double x, double y, std::string_view text, Anchoring anchoring, std::string_view css) {
  return fmt::format(R"(<text x="{}" y="{}" text-anchor="{}" class="{}">{}</text>)", Pixels(x), Pixels(y),
                     AnchorName(anchoring), css, Escaped(text));
}

std::string SvgPoint(double x, double y, int shape, std::string_view css, std::string_view title) {
  const auto closed = [&](const std::vector<std::pair<double, double>>& corners) {
    std::string d;
    for (const auto& [dx, dy] : corners) {
      d += fmt::format("{}{} {}", d.empty() ? "M" : "L", Pixels(x + dx * kHalfPoint), Pixels(y + dy * kHalfPoint));
    }
    return Titled("path", fmt::format(R"(d="{}Z" class="{}")", d, css), title);
  };
  switch (shape % 4) {
    case 0:
      return Titled("circle",
                    fmt::format(R"(cx="{}" cy="{}" r="{}" class="{}")", Pixels(x), Pixels(y), Pixels(kHalfPoint), css),
                    title);
    case 1:
      return closed({{-1, -1}, {1, -1}, {1, 1}, {-1, 1}});
    case 2:
      return closed({{0, -1.2}, {1.2, 1}, {-1.2, 1}});
    default:
      return closed({{0, -1.4}, {1.4, 0}, {0, 1.4}, {-1.4, 0}});
  }
}

std::string SvgBottomAxis(const Scale& scale, double y, double other, std::string_view name) {
  std::string parts = SvgLine(scale.from, y, scale.to, y, "axis");
  for (const double tick : Ticks(scale, 8)) {
    const double x = scale.At(tick);
    parts += SvgLine(x, y, x, other, "grid") + SvgText(x, y + 15, TickText(tick), Anchoring::kMiddle, "tick");
  }
  return parts + SvgText((scale.from + scale.to) / 2, y + 32, name, Anchoring::kMiddle, "name");
}

std::string SvgLeftAxis(const Scale& scale, double x, double other, std::string_view name) {
  std::string parts = SvgLine(x, scale.from, x, scale.to, "axis");
  for (const double tick : Ticks(scale, 6)) {
    const double y = scale.At(tick);
    parts += SvgLine(x, y, other, y, "grid") + SvgText(x - 5, y + 4, TickText(tick), Anchoring::kEnd, "tick");
  }
  return parts + SvgText(x, std::min(scale.from, scale.to) - 8, name, Anchoring::kStart, "name");
}

std::string SvgPicture(double width, double height, std::string_view name, const std::string& parts) {
  return fmt::format(R"(<div class="picture"><svg viewBox="0 0 {} {}" role="img" aria-label="{}">{}</svg></div>)",
                     Pixels(width), Pixels(height), Escaped(name), parts);
}

}  // namespace hone
