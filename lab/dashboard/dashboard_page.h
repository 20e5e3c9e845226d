// The page around a dashboard's sections, and its server's answers.
#pragma once

#include <optional>
#include <string>

#include "lab/dashboard/dashboard_sections.h"
#include "lab/dashboard/event_server.h"

namespace hone {

// Access control of a dashboard.
// Without a token, at a loopback address, a request's host must be a name of this machine. So a page of another site
// whose name resolves to this machine is refused. With a token a request must carry it: as `Authorization: Bearer
// TOKEN`, in the cookie that `/?token=TOKEN` sets, or in that query.
class ViewerAccess {
 public:
  explicit ViewerAccess(std::string token) : token_(std::move(token)) {}

  // The answer that replaces the requested one: 401, 403, or 303 to the page once the token is in a cookie. nullopt:
  // the request may be answered.
  std::optional<HttpAnswer> Check(const HttpRequest& request) const;

 private:
  bool IsToken(const std::string& text) const;

  std::string token_;  // empty: none is required
};

// Reads the token from a file, in one line of 16 to 128 letters, digits, '-' and '_'. Creates a missing file with a new
// token of 128 random bits. Throws Error: kBadConfig (other users may read it, or it holds no such line),
// kCannotCreate.
std::string ReadOrMakeToken(const std::string& path);

// Answers `/` with the whole page in its present state, which then follows `/events`, and `/healthz` with "ok". Other
// paths give 404. A viewer without access gets the answer of ViewerAccess. No answered page may be cached, framed, or
// read by other sites.
HttpAnswer AnswerViewer(const HttpRequest& request, const ViewerAccess& access, const SectionBoard& board);

}  // namespace hone
