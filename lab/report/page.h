// The frame of a report: one HTML file that makes no network requests.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace hone {

// Escapes text for content and attribute values in HTML: & < > " ' as entities, control characters made visible.
std::string Escaped(std::string_view text);

// A table whose cells are escaped, and whose first column names the rows. A header may begin with a mark for its
// column: "> " numbers, aligned to the right; "= " states, whose first
// words set a colour; "@ " links: the id of an element, a space, and the text. Rows marked in `grey` are shown as not
// comparable. A table wider than the window scrolls, with the keyboard too, and a screen reader reads its name.
std::string HtmlTable(std::string_view name, const std::vector<std::string>& headers,
                      const std::vector<std::vector<std::string>>& rows, const std::vector<bool>& grey = {});
std::string HtmlSection(std::string_view heading, const std::string& body);
// Charts (HtmlChart) beside each other where the window has room.
std::string HtmlCharts(const std::string& charts);
// A section that is folded until it is opened. On paper only its summary stands while it is folded.
std::string HtmlDetails(std::string_view summary, const std::string& body);
std::string HtmlParagraph(std::string_view text);

// The whole page, light or dark as the reader's system; `about` is a line below the title. Its policy allows only the
// style and the scripts that are in it, and no request.
std::string HtmlPage(std::string_view title, std::string_view about, const std::string& body);

// The whole page of a dashboard, which follows its own server. `body` has its headings.
std::string HtmlLivePage(std::string_view title, const std::string& body);
// The policy of such a page, for its server's header Content-Security-Policy.
std::string LivePolicy();

}  // namespace hone
