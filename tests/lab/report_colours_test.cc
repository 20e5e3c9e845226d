// The contrast of a page's colours, light and dark: WCAG 2.2 asks 4.5 of text (1.4.3) and 3 of graphics (1.4.11).
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <regex>
#include <string>

#include "lab/report/charts.h"
#include "lab/report/page.h"

namespace hone {
namespace {

constexpr double kOfText = 4.5, kOfGraphics = 3;
constexpr const char* kDarkBlock = "@media screen and (prefers-color-scheme:dark)";

using Colours = std::map<std::string, std::string>;  // colours of a theme by property, such as "--ink"

std::string Style() {
  const std::string page = HtmlPage("t", "");
  const size_t begin = page.find("<style>") + 7;
  return page.substr(begin, page.find("</style>") - begin);
}

// From 0 to 1; `hex` is "#rgb" or "#rrggbb".
double Luminance(const std::string& hex) {
  const bool is_short = hex.size() == 4;
  double sum = 0;
  const double weights[] = {0.2126, 0.7152, 0.0722};
  for (size_t i = 0; i < 3; ++i) {
    const std::string part = is_short ? std::string(2, hex.at(i + 1)) : hex.substr(1 + 2 * i, 2);
    const double value = std::stoi(part, nullptr, 16) / 255.0;
    sum += weights[i] * (value <= 0.04045 ? value / 12.92 : std::pow((value + 0.055) / 1.055, 2.4));
  }
  return sum;
}

double Contrast(const std::string& a, const std::string& b) {
  const auto [less, more] = std::minmax({Luminance(a), Luminance(b)});
  return (more + 0.05) / (less + 0.05);
}

void AddProperties(const std::string& css, Colours& colours) {
  const std::regex property("(--[a-z0-9]+):(#[0-9a-f]+)");
  for (std::sregex_iterator at(css.begin(), css.end(), property), end; at != end; ++at) {
    colours[(*at)[1]] = (*at)[2];
  }
}

// Light, then dark.
std::vector<Colours> Themes() {
  const std::string style = Style();
  const size_t dark = style.find(kDarkBlock);
  EXPECT_NE(dark, std::string::npos);
  Colours light, other;
  AddProperties(style.substr(0, dark), light);
  other = light;
  AddProperties(style.substr(dark, style.find("}}", dark) - dark), other);
  EXPECT_GE(light.size(), 12U);
  return {light, other};
}

// The theme's value of a property in a class's rule; empty if there is none.
std::string ColourOf(const std::string& of_class, const std::string& property, const Colours& theme) {
  const std::string style = Style();
  const std::regex rule("\\." + of_class + "(?![a-z0-9])[^{}]*\\{(?:[^{}]*;)?" + property + ":([^;}]+)");
  std::smatch found;
  if (!std::regex_search(style, found, rule)) return "";
  const std::string value = found[1];
  return value.starts_with("var(") ? theme.at(value.substr(4, value.size() - 5)) : value;
}

TEST(ReportColours, KnowTheContrastOfBlackAndWhite) {
  EXPECT_NEAR(Contrast("#000", "#ffffff"), 21, 1e-9);
  EXPECT_NEAR(Contrast("#767676", "#fff"), 4.54, 0.01) << "WebAIM's grey";
}

TEST(ReportColours, OfTextAreReadable) {
  for (const Colours& theme : Themes()) {
    for (const char* text : {"--ink", "--soft"}) {
      EXPECT_GE(Contrast(theme.at(text), theme.at("--paper")), kOfText) << text << " " << theme.at(text);
    }
  }
}

TEST(ReportColours, OfMarksAreSeen) {
  for (const Colours& theme : Themes()) {
    const std::string paper = theme.at("--paper");
    for (const std::string mark : {"s0", "s1", "s2", "s3", "s4", "s5", "s6", "s7", "grey"}) {
      EXPECT_GE(Contrast(ColourOf(mark, "fill", theme), paper), kOfGraphics) << mark << " on " << paper;
    }
    for (const std::string line :
         {"ls0", "ls1", "ls2", "ls3", "ls4", "ls5", "ls6", "ls7", "axis", "interval", "cell"}) {
      EXPECT_GE(Contrast(ColourOf(line, "stroke", theme), paper), kOfGraphics) << line << " on " << paper;
    }
  }
}

// Each shade with the text that the map prints on it.
TEST(ReportColours, OfTheHeatMapLetItsTextBeRead) {
  std::vector<HeatCell> row;
  for (int i = 0; i <= 10; ++i) row.push_back({i / 10.0, ""});
  row.push_back({});
  const std::string map =
      HeatMap("map", std::vector<std::string>(row.size(), "m"), std::vector<std::vector<HeatCell>>(row.size(), row));
  const std::regex pair("class=\"cell (\\w+)\">.*?</rect><text[^>]*class=\"(\\w*)\"");
  size_t seen = 0;
  for (const Colours& theme : Themes()) {
    for (std::sregex_iterator at(map.begin(), map.end(), pair), end; at != end; ++at, ++seen) {
      const std::string cell = ColourOf((*at)[1], "fill", theme), text = ColourOf((*at)[2], "fill", theme);
      EXPECT_GE(Contrast(text.empty() ? theme.at("--ink") : text, cell == "none" ? theme.at("--paper") : cell), kOfText)
          << (*at)[1] << ", paper " << theme.at("--paper");
    }
  }
  EXPECT_EQ(seen, 2 * row.size() * row.size());
}

}  // namespace
}  // namespace hone
