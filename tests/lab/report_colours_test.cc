// The contrast of a page's colours, light and dark: WCAG 2.2 asks 4.5 of text (1.4.3) and 3 of graphics (1.4.11).
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <regex>
#include <string>

#include "lab/report/page_files.h"

namespace hone {
namespace {

constexpr double kOfText = 4.5, kOfGraphics = 3;
constexpr const char* kDarkBlock = "@media screen and (prefers-color-scheme:dark)";

using Colours = std::map<std::string, std::string>;  // colours of a theme by property, such as "--ink"

std::string Style() { return std::string(PageStyle()); }

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

// The value of a property in the rule of a class; empty if there is none.
std::string ColourOf(const std::string& of_class, const std::string& property) {
  const std::string style = Style();
  const std::regex rule("\\." + of_class + "(?![a-z0-9])[^{}]*\\{(?:[^{}]*;)?" + property + ":([^;}]+)");
  std::smatch found;
  return std::regex_search(style, found, rule) ? found[1].str() : "";
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

TEST(ReportColours, OfStatesAndLinksAreReadable) {
  for (const Colours& theme : Themes()) {
    for (const char* text : {"--ink", "--soft", "--link", "--warn", "--bad", "--good"}) {
      for (const char* behind : {"--paper", "--panel"}) {
        EXPECT_GE(Contrast(theme.at(text), theme.at(behind)), kOfText)
            << text << " on " << behind << " " << theme.at(behind);
      }
    }
  }
}

TEST(ReportColours, OfMarksAreSeen) {
  for (const Colours& theme : Themes()) {
    for (const char* mark : {"--s0", "--s1", "--s2", "--s3", "--s4", "--s5", "--s6", "--s7", "--grey", "--soft"}) {
      EXPECT_GE(Contrast(theme.at(mark), theme.at("--paper")), kOfGraphics) << mark << " on " << theme.at("--paper");
    }
  }
}

// Each shade of a heat table with the text on it.
TEST(ReportColours, OfTheHeatTableLetItsTextBeRead) {
  for (int shade = 0; shade <= 10; ++shade) {
    const std::string css = "h" + std::to_string(shade);
    EXPECT_GE(Contrast(ColourOf(css, "color"), ColourOf(css, "background")), kOfText) << css;
  }
}

}  // namespace
}  // namespace hone
