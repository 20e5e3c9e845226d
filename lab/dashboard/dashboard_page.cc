#include "lab/dashboard/dashboard_page.h"

#include <fmt/format.h>
#include <sys/random.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <utility>

#include "core/error.h"
#include "core/hash/hash.h"
#include "lab/report/page.h"
#include "rpc_runner/keys/key_file.h"
#include "rpc_runner/tracker/http_page.h"

namespace hone {
namespace {

constexpr const char* kCookie = "hone_dashboard";
constexpr size_t kLeastToken = 16, kMostToken = 128;
constexpr std::string_view kBearer = "Bearer ";

HttpAnswer Refuse(int status, const std::string& why) {
  HttpAnswer answer;
  answer.status = status;
  answer.body = why + "\n";
  return answer;
}

std::string NewToken() {
  std::array<uint8_t, 16> bytes{};
  if (getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size())) {
    throw Error(ExitCode::kIo, "the system gives no random bytes for a token");
  }
  std::string token;
  for (const uint8_t byte : bytes) token += fmt::format("{:02x}", byte);
  return token;
}

bool IsTokenLetter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
}

}  // namespace

bool ViewerAccess::IsToken(const std::string& text) const {
  // Comparing hashes takes a time that reveals nothing about the token.
  return Sha256Hex(text) == Sha256Hex(token_);
}

std::optional<HttpAnswer> ViewerAccess::Check(const HttpRequest& request) const {
  if (token_.empty()) {
    if (IsLoopbackHost(HttpRequest::Of(request.headers, "host"))) return std::nullopt;
    return Refuse(403, "this page is for this machine alone: http://127.0.0.1 or http://localhost would be right");
  }
  if (const auto given = request.query.find("token"); given != request.query.end() && IsToken(given->second)) {
    HttpAnswer answer = Refuse(303, "the token is right");
    answer.headers = {{"Location", "/"},
                      {"Set-Cookie", fmt::format("{}={}; HttpOnly; SameSite=Strict; Path=/", kCookie, token_)}};
    return answer;
  }
  const std::string said = HttpRequest::Of(request.headers, "authorization");
  if (said.starts_with(kBearer) && IsToken(said.substr(kBearer.size()))) return std::nullopt;
  if (IsToken(HttpRequest::Of(request.cookies, kCookie))) return std::nullopt;
  HttpAnswer answer = Refuse(401, "this page wants its token: /?token=TOKEN would be right");
  answer.headers = {{"WWW-Authenticate", "Bearer"}};
  return answer;
}

std::string ReadOrMakeToken(const std::string& path) {
  std::error_code ignored;
  if (!std::filesystem::exists(std::filesystem::symlink_status(path, ignored))) {
    WriteKeyFile(path, NewToken() + "\n", Secrecy::kSecret);
  }
  std::string token = ReadKeyFile(path, Secrecy::kSecret, "the dashboard's token");
  if (!token.empty() && token.back() == '\n') token.pop_back();
  if (token.size() < kLeastToken || token.size() > kMostToken ||
      !std::all_of(token.begin(), token.end(), IsTokenLetter)) {
    throw Error(ExitCode::kBadConfig,
                fmt::format("{} holds no token: one line of {} to {} letters, digits, - and _ would be right", path,
                            kLeastToken, kMostToken));
  }
  return token;
}

namespace {

std::string Page(const SectionBoard& board) {
  return HtmlLivePage("hone dashboard",
                      "<header class=\"bar\"><h1>hone dashboard</h1>"
                      "<p>Connection: <span id=\"link\" role=\"status\">as of when it was loaded</span></p>"
                      "<p class=\"tools\" hidden><label>Filter tunings <input id=\"filter\" type=\"search\" "
                      "placeholder=\"model, state, run\"></label>"
                      "<button id=\"pause\" type=\"button\" aria-pressed=\"false\">Pause</button></p></header>\n"
                      "<noscript><p>Without scripts this page does not follow: load it again.</p></noscript>\n"
                      "<main id=\"live\">\n" +
                          board.Html() + "</main>\n");
}

HttpAnswer AnswerPath(const std::string& path, const SectionBoard& board) {
  HttpAnswer answer;
  if (path == "/") {
    answer.type = "text/html; charset=utf-8";
    answer.body = Page(board);
  } else if (path == "/events") {
    answer.streams = true;
  } else if (path == "/healthz") {
    answer.body = "ok\n";
  } else {
    answer.status = 404;
    answer.body = "there are /, /events and /healthz\n";
  }
  return answer;
}

}  // namespace

HttpAnswer AnswerViewer(const HttpRequest& request, const ViewerAccess& access, const SectionBoard& board) {
  std::optional<HttpAnswer> refusal = access.Check(request);
  HttpAnswer answer = refusal ? std::move(*refusal) : AnswerPath(request.path, board);
  answer.headers.insert(answer.headers.end(), {{"Cache-Control", "no-store"},
                                               {"Content-Security-Policy", LivePolicy() + "; frame-ancestors 'none'"},
                                               {"Cross-Origin-Resource-Policy", "same-origin"},
                                               {"Referrer-Policy", "no-referrer"},
                                               {"X-Content-Type-Options", "nosniff"}});
  return answer;
}

}  // namespace hone
