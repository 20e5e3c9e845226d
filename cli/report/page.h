// The frame of a report: one HTML file that asks nothing of any network.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace hone {

// A table; the first column and every column whose header begins with "> " are aligned as Table's. Cells are escaped.
// Rows of `grey` are shown as not to be compared. It is reached and scrolled with the keyboard, and a screen reader
// calls it by its name.
std::string HtmlTable(std::string_view name, const std::vector<std::string>& headers,
                      const std::vector<std::vector<std::string>>& rows, const std::vector<bool>& grey = {});
std::string HtmlSection(std::string_view heading, const std::string& body);
// Folded until it is asked for; always open on paper.
std::string HtmlDetails(std::string_view summary, const std::string& body);
std::string HtmlParagraph(std::string_view text);

// What a page that changes has besides: rules behind the report's style, and a script, which may ask the page's own
// server and nobody else.
struct LiveParts {
  std::string style, script;
};
// The policy of such a page, for its server's header Content-Security-Policy.
std::string LivePolicy(const LiveParts& live);
std::string HtmlLivePage(std::string_view title, const std::string& body, const LiveParts& live);

// The whole page, light or dark as the reader's system is, with a policy that allows its own style and nothing else: no
// script, no request.
std::string HtmlPage(std::string_view title, const std::string& body);

}  // namespace hone
