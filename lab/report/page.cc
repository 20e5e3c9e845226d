#include "lab/report/page.h"

#include <fmt/format.h>

#include <cstdint>

#include "core/hash/hash.h"
#include "lab/report/svg.h"

namespace hone {
namespace {

// The series have the colours of Okabe and Ito ("Color Universal Design", 2008), which most eyes can distinguish. A
// colour is darker on white, or lighter on black, if its contrast with the page would be below 3 (WCAG 2.2, 1.4.11).
// Paper is always white.
constexpr std::string_view kStyle =
    R"(:root{color-scheme:light dark;--ink:#1b1b1b;--paper:#fff;--soft:#5c5c5c;--rule:#dcdcdc;--grey:#8c8c8c;--s0:#0072b2;--s1:#b87800;--s2:#008f68;--s3:#c2649a;--s4:#3197d3;--s5:#d55e00;--s6:#85852b;--s7:#882255}
@media screen and (prefers-color-scheme:dark){:root{--ink:#e8e8e8;--paper:#161616;--soft:#a6a6a6;--rule:#3a3a3a;--grey:#757575;--s0:#2b86c5;--s1:#e69f00;--s2:#00a87b;--s3:#dd98bd;--s4:#7cc8f2;--s5:#e5701a;--s6:#a8a83f;--s7:#b8457e}}
body{font:15px/1.45 system-ui,sans-serif;color:var(--ink);background:var(--paper);max-width:60rem;margin:0 auto;padding:1rem}
h1{font-size:1.5rem}h2{font-size:1.15rem;margin:2rem 0 .4rem}p{color:var(--soft);margin:.3rem 0}:focus-visible{outline:2px solid var(--s0);outline-offset:2px}
.wide,.picture{overflow-x:auto}table{border-collapse:collapse;font-size:.82rem}th,td{text-align:left;padding:.2rem .6rem .2rem 0;border-bottom:1px solid var(--rule);vertical-align:top}
td:first-child{min-width:11rem}.r{text-align:right;white-space:nowrap}tr.grey td{color:var(--soft);font-style:italic}summary{cursor:pointer;margin:.4rem 0}
svg{display:block;width:100%;min-width:44rem;height:auto;max-width:60rem}svg text{font-size:11px;fill:var(--ink)}svg .tick,svg .name{fill:var(--soft)}
.axis{stroke:var(--soft)}.grid{stroke:var(--rule);stroke-width:.5}.interval{stroke:var(--ink);stroke-width:1.5}.halo{stroke:var(--paper);stroke-width:4.5}
.s0{fill:var(--s0)}.s1{fill:var(--s1)}.s2{fill:var(--s2)}.s3{fill:var(--s3)}.s4{fill:var(--s4)}.s5{fill:var(--s5)}.s6{fill:var(--s6)}.s7{fill:var(--s7)}.grey{fill:var(--grey)}
.ls0{stroke:var(--s0)}.ls1{stroke:var(--s1)}.ls2{stroke:var(--s2)}.ls3{stroke:var(--s3)}.ls4{stroke:var(--s4)}.ls5{stroke:var(--s5)}.ls6{stroke:var(--s6)}.ls7{stroke:var(--s7)}
.line,.roof{fill:none;stroke-width:1.5}.roof{stroke-dasharray:4 3}.unknown{fill:none}.cell{stroke:var(--soft)}svg .onlight{fill:#1b1b1b}svg .ondark{fill:#fff}
.h0,.h1,.h2{fill:#f7d9c4}.h3,.h4{fill:#f2e3b3}.h5{fill:#cfe3c0}.h6{fill:#5b9a7d}.h7{fill:#35806a}.h8{fill:#2a7866}.h9{fill:#176558}.h10{fill:#05524a}
@media print{:root{color-scheme:light}body{max-width:none}.wide,.picture{overflow:visible}svg{min-width:0}h2{break-after:avoid}svg,tr{break-inside:avoid}}
@media print{details::details-content{content-visibility:visible}})";

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

// `script` is an element, or empty.
std::string WholePage(std::string_view title, const std::string& body, const std::string& policy,
                      std::string_view style, const std::string& script) {
  return fmt::format(
      "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"{}\">"
      "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\"><meta name=\"referrer\" "
      "content=\"no-referrer\">"
      "<title>{}</title><style>{}</style></head>\n<body><h1>{}</h1>\n{}{}</body></html>\n",
      policy, Escaped(title), style, Escaped(title), body, script);
}

}  // namespace

std::string HtmlTable(std::string_view name, const std::vector<std::string>& headers,
                      const std::vector<std::vector<std::string>>& rows, const std::vector<bool>& grey) {
  std::string html = fmt::format(
      "<div class=\"wide\" role=\"group\" tabindex=\"0\" aria-label=\"{}\"><table><thead><tr>", Escaped(name));
  std::vector<bool> right;
  for (const std::string& header : headers) {
    right.push_back(header.starts_with("> "));
    html += fmt::format("<th scope=\"col\"{}>{}</th>", right.back() ? " class=\"r\"" : "",
                        Escaped(std::string_view(header).substr(right.back() ? 2 : 0)));
  }
  html += "</tr></thead><tbody>";
  for (size_t row = 0; row < rows.size(); ++row) {
    html += row < grey.size() && grey[row] ? "<tr class=\"grey\">" : "<tr>";
    for (size_t i = 0; i < rows[row].size(); ++i) {
      html += fmt::format("<td{}>{}</td>", i < right.size() && right[i] ? " class=\"r\"" : "", Escaped(rows[row][i]));
    }
    html += "</tr>\n";
  }
  return html + "</tbody></table></div>\n";
}

std::string HtmlSection(std::string_view heading, const std::string& body) {
  return fmt::format("<section><h2>{}</h2>\n{}</section>\n", Escaped(heading), body);
}

std::string HtmlDetails(std::string_view summary, const std::string& body) {
  return fmt::format("<details><summary>{}</summary>\n{}</details>\n", Escaped(summary), body);
}

std::string HtmlParagraph(std::string_view text) { return fmt::format("<p>{}</p>\n", Escaped(text)); }

std::string HtmlPage(std::string_view title, const std::string& body) {
  return WholePage(title, body,
                   fmt::format("default-src 'none'; style-src {}; base-uri 'none'; form-action 'none'", HashOf(kStyle)),
                   kStyle, "");
}

std::string LivePolicy(const LiveParts& live) {
  return fmt::format(
      "default-src 'none'; style-src {}; script-src {}; connect-src 'self'; base-uri 'none'; form-action 'none'",
      HashOf(std::string(kStyle) + live.style), HashOf(live.script));
}

std::string HtmlLivePage(std::string_view title, const std::string& body, const LiveParts& live) {
  return WholePage(title, body, LivePolicy(live), std::string(kStyle) + live.style,
                   fmt::format("<script>{}</script>", live.script));
}

}  // namespace hone
