// Who may look at a dashboard.
#pragma once

#include <optional>
#include <string>

#include "cli/dashboard/event_server.h"

namespace hone {

// Without a token, at a loopback address, a request must be for a name of this machine itself: a page of another site
// whose name was made to lead here is refused. With a token a request must bring it: as `Authorization: Bearer TOKEN`,
// in the cookie that `/?token=TOKEN` gives a browser, or there.
class ViewerAccess {
 public:
  explicit ViewerAccess(std::string token) : token_(std::move(token)) {}

  // What to answer in place of what was asked for: 401, 403, or 303 to the page once the token is in a cookie. nullopt:
  // the request may be answered.
  std::optional<HttpAnswer> Check(const HttpRequest& request) const;

 private:
  bool IsToken(const std::string& text) const;

  std::string token_;  // empty: none is asked for
};

// The token that a file holds, in one line of 16 to 128 letters, digits, '-' and '_'. A file that is not there is made,
// with a new token of 128 random bits. Throws Error: kBadConfig (others may read it, or it holds no such line),
// kCannotCreate.
std::string ReadOrMakeToken(const std::string& path);

}  // namespace hone
