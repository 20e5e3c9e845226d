#include "lab/report/page.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

#include "core/hash/hash.h"
#include "core/text/printable.h"
#include "lab/report/page_files.h"

namespace hone {
namespace {

int Digit(char hex) { return hex <= '9' ? hex - '0' : hex - 'a' + 10; }

std::string Base64OfHex(std::string_view hex) {
  constexpr std::string_view kLetters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  uint32_t bits = 0;
  int count = 0;
  for (const char digit : hex) {
    bits = bits << 4 | static_cast<uint32_t>(Digit(digit));
    count += 4;
    if (count < 6) continue;
    count -= 6;
    text += kLetters[bits >> count & 63];
  }
  if (count > 0) text += kLetters[bits << (6 - count) & 63];
  while (text.size() % 4 != 0) text += '=';
  return text;
}

std::string HashOf(std::string_view text) { return fmt::format("'sha256-{}'", Base64OfHex(Sha256Hex(text))); }

std::string ScriptElement(std::string_view script) { return fmt::format("<script>{}</script>\n", script); }

// `scripts` are elements, or empty.
std::string WholePage(std::string_view title, const std::string& body, const std::string& policy,
                      std::string_view style, const std::string& scripts) {
  return fmt::format(
      "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"{}\">"
      "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\"><meta name=\"referrer\" "
      "content=\"no-referrer\">"
      "<title>{}</title><style>{}</style></head>\n<body>{}{}</body></html>\n",
      policy, Escaped(title), style, body, scripts);
}

// A column's header without its mark, and the class of its cells.
struct Column {
  std::string_view name;
  const char* css = "";
  bool is_state = false, is_link = false;
};

Column ColumnOf(std::string_view header) {
  if (header.starts_with("> ")) return {header.substr(2), " class=\"r\""};
  if (header.starts_with("= ")) return {header.substr(2), "", true, false};
  if (header.starts_with("@ ")) return {header.substr(2), "", false, true};
  return {header};
}

// The class of a state's colour, by the state's first words.
const char* StateClass(std::string_view state) {
  constexpr std::string_view kGood[] = {"running", "busy", "free", "done", "fastest", "ok"};
  constexpr std::string_view kBad[] = {"lost", "runners lost", "tracker lost", "quarantined", "failing", "slower"};
  constexpr std::string_view kWarn[] = {"silent",       "probation",  "drained",    "interrupted",
                                        "not compared", "incomplete", "cannot tell"};
  const auto is_any = [state](const auto& words) {
    return std::any_of(std::begin(words), std::end(words),
                       [state](std::string_view w) { return state.starts_with(w); });
  };
  return is_any(kBad) ? "bad" : is_any(kWarn) ? "warn" : is_any(kGood) ? "good" : "";
}

// A cell whose longest word would keep a column wide on paper, so that the word may be broken there.
bool IsLong(std::string_view text) {
  constexpr size_t kMostLetters = 24;
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find(' ', begin), text.size());
    if (end - begin > kMostLetters) return true;
    begin = end + 1;
  }
  return false;
}

std::string CellText(const Column& column, const std::string& text) {
  if (const size_t space = text.find(' '); column.is_link && space != std::string::npos) {
    return fmt::format("<a href=\"#{}\">{}</a>", Escaped(text.substr(0, space)), Escaped(text.substr(space + 1)));
  }
  if (!column.is_state || text.empty()) return Escaped(text);
  return fmt::format("<span class=\"state {}\">{}</span>", StateClass(text), Escaped(text));
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

std::string HtmlTable(std::string_view name, const std::vector<std::string>& headers,
                      const std::vector<std::vector<std::string>>& rows, const std::vector<bool>& grey) {
  std::string html = fmt::format(
      "<div class=\"wide\" role=\"group\" tabindex=\"0\" aria-label=\"{}\"><table><thead><tr>", Escaped(name));
  std::vector<Column> columns;
  for (const std::string& header : headers) {
    columns.push_back(ColumnOf(header));
    html += fmt::format("<th scope=\"col\"{}>{}</th>", columns.back().css, Escaped(columns.back().name));
  }
  html += "</tr></thead><tbody>";
  for (size_t row = 0; row < rows.size(); ++row) {
    html += row < grey.size() && grey[row] ? "<tr class=\"grey\">" : "<tr>";
    for (size_t i = 0; i < rows[row].size(); ++i) {
      const Column column = i < columns.size() ? columns[i] : Column();
      const char* element = i == 0 ? "th scope=\"row\"" : "td";
      const char* css = *column.css == 0 && IsLong(rows[row][i]) ? " class=\"long\"" : column.css;
      html += fmt::format("<{}{}>{}</{}>", element, css, CellText(column, rows[row][i]), i == 0 ? "th" : "td");
    }
    html += "</tr>\n";
  }
  return html + "</tbody></table></div>\n";
}

std::string HtmlSection(std::string_view heading, const std::string& body) {
  return fmt::format("<section><h2>{}</h2>\n{}</section>\n", Escaped(heading), body);
}

std::string HtmlCharts(const std::string& charts) {
  return charts.empty() ? "" : fmt::format("<div class=\"charts\">{}</div>\n", charts);
}

std::string HtmlDetails(std::string_view summary, const std::string& body) {
  return fmt::format("<details><summary>{}</summary>\n{}</details>\n", Escaped(summary), body);
}

std::string HtmlParagraph(std::string_view text) { return fmt::format("<p>{}</p>\n", Escaped(text)); }

std::string HtmlPage(std::string_view title, std::string_view about, const std::string& body) {
  const bool has_charts = body.find("data-chart=") != std::string::npos;
  const std::string_view scripts[] = {ChartLibrary(), ChartScript()};
  std::string policy =
      fmt::format("default-src 'none'; style-src {}; base-uri 'none'; form-action 'none'", HashOf(PageStyle()));
  std::string elements;
  if (has_charts) {
    policy += fmt::format("; script-src {} {}", HashOf(scripts[0]), HashOf(scripts[1]));
    elements = "<noscript><p>The charts need scripts. The tables have their numbers.</p></noscript>\n" +
               ScriptElement(scripts[0]) + ScriptElement(scripts[1]);
  }
  return WholePage(
      title,
      fmt::format("<header><h1>{}</h1>\n{}</header>\n<main>{}</main>\n", Escaped(title), HtmlParagraph(about), body),
      policy, PageStyle(), elements);
}

std::string LivePolicy() {
  return fmt::format(
      "default-src 'none'; style-src {}; script-src {} {} {}; connect-src 'self'; base-uri 'none'; form-action 'none'",
      HashOf(PageStyle()), HashOf(ChartLibrary()), HashOf(ChartScript()), HashOf(DashboardScript()));
}

std::string HtmlLivePage(std::string_view title, const std::string& body) {
  return WholePage(title, body, LivePolicy(), PageStyle(),
                   ScriptElement(ChartLibrary()) + ScriptElement(ChartScript()) + ScriptElement(DashboardScript()));
}

}  // namespace hone
