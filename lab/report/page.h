// The frame of a report: one HTML file that makes no network requests.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace hone {

// A table. The first column, and columns whose header begins with "> ", are aligned as in Table. Cells are escaped.
// Rows marked in `grey` are shown as not comparable. The keyboard can focus and scroll the table, and a screen reader
// reads its name.
std::string HtmlTable(std::string_view name, const std::vector<std::string>& headers,
                      const std::vector<std::vector<std::string>>& rows, const std::vector<bool>& grey = {});
std::string HtmlSection(std::string_view heading, const std::string& body);
// A section that is folded until it is opened; always open on paper.
std::string HtmlDetails(std::string_view summary, const std::string& body);
std::string HtmlParagraph(std::string_view text);

// Additions of a page that changes: rules after the report's style, and a script, which may only contact the page's own
// server.
struct LiveParts {
  std::string style, script;
};
// The policy of such a page, for its server's header Content-Security-Policy.
std::string LivePolicy(const LiveParts& live);
std::string HtmlLivePage(std::string_view title, const std::string& body, const LiveParts& live);

// The whole page, light or dark as the reader's system. Its policy allows only its own style: no script, no request.
std::string HtmlPage(std::string_view title, const std::string& body);

}  // namespace hone
