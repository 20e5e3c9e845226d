#include "db/packs/url_transfer.h"

#include <curl/curl.h>
#include <fmt/format.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <thread>

#include "core/error.h"

namespace hone {

namespace {

struct CurlCloser {
  void operator()(CURL* curl) const { curl_easy_cleanup(curl); }
};
struct CurlListCloser {
  void operator()(curl_slist* list) const { curl_slist_free_all(list); }
};
using CurlHandle = std::unique_ptr<CURL, CurlCloser>;
using CurlList = std::unique_ptr<curl_slist, CurlListCloser>;

constexpr long kLeastBytesPerSecond = 100;

// A handle for one transfer. It speaks only http and https, and counts as stalled after `stall_seconds` with almost no
// data. Throws Error(kIo) when libcurl cannot start. Thread-safe.
CurlHandle NewCurlHandle(int64_t stall_seconds) {
  static const CURLcode begun = curl_global_init(CURL_GLOBAL_DEFAULT);
  CurlHandle curl(begun == CURLE_OK ? curl_easy_init() : nullptr);
  if (!curl) throw Error(ExitCode::kIo, "libcurl cannot begin");
  curl_easy_setopt(curl.get(), CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(curl.get(), CURLOPT_PROTOCOLS_STR, "http,https");
  curl_easy_setopt(curl.get(), CURLOPT_CONNECTTIMEOUT, static_cast<long>(stall_seconds));
  curl_easy_setopt(curl.get(), CURLOPT_LOW_SPEED_LIMIT, kLeastBytesPerSecond);
  curl_easy_setopt(curl.get(), CURLOPT_LOW_SPEED_TIME, static_cast<long>(stall_seconds));
  return curl;
}

// One download that may take several attempts.
class Download {
 public:
  Download(const std::string& url, const FetchLimits& limits)
      : url_(url), limits_(limits), curl_(NewCurlHandle(limits.stall_seconds)) {
    Set(CURLOPT_URL, url.c_str());
    Set(CURLOPT_REDIR_PROTOCOLS_STR, "http,https");
    Set(CURLOPT_FOLLOWLOCATION, 1L);
    Set(CURLOPT_MAXREDIRS, 5L);
    Set(CURLOPT_ERRORBUFFER, reason_);
    Set(CURLOPT_WRITEFUNCTION, &Download::TakeBody);
    Set(CURLOPT_WRITEDATA, this);
    Set(CURLOPT_HEADERFUNCTION, &Download::TakeHeader);
    Set(CURLOPT_HEADERDATA, this);
  }

  std::string Run() {
    int64_t pause_ms = limits_.pause_ms;
    for (int attempt = 1;; ++attempt, pause_ms *= 2) {
      const CURLcode code = Attempt();
      if (too_long_) {
        throw Error(ExitCode::kBadData, fmt::format("'{}' is longer than {} bytes", url_, limits_.most_bytes));
      }
      const long status = Status();
      if (code == CURLE_OK && (status == 200 || status == 206)) return std::move(body_);
      const bool asked_wrong = code == CURLE_OK && status >= 400 && status < 500 && status != 416;
      if (asked_wrong) throw Error(ExitCode::kNoInput, fmt::format("'{}': the server answers {}", url_, status));
      if (status == 416) Forget();
      if (attempt >= limits_.attempts) {
        throw Error(ExitCode::kNoRunner, fmt::format("'{}' cannot be fetched: {}", url_, Why(code, status)));
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(pause_ms));
    }
  }

 private:
  template <typename Value>
  void Set(CURLoption option, Value value) {
    curl_easy_setopt(curl_.get(), option, value);
  }

  // A resumed transfer is appended only if the server's validator says that the content is still the same.
  CURLcode Attempt() {
    if (validator_.empty()) Forget();
    CurlList headers;
    if (!body_.empty()) {
      headers.reset(curl_slist_append(nullptr, ("If-Range: " + validator_).c_str()));
      Set(CURLOPT_RANGE, fmt::format("{}-", body_.size()).c_str());
    } else {
      Set(CURLOPT_RANGE, static_cast<const char*>(nullptr));
    }
    Set(CURLOPT_HTTPHEADER, headers.get());
    reason_[0] = '\0';
    const CURLcode code = curl_easy_perform(curl_.get());
    Set(CURLOPT_HTTPHEADER, static_cast<curl_slist*>(nullptr));
    return code;
  }

  void Forget() {
    body_.clear();
    validator_.clear();
  }

  long Status() const {
    long status = 0;
    curl_easy_getinfo(curl_.get(), CURLINFO_RESPONSE_CODE, &status);
    return status;
  }

  std::string Why(CURLcode code, long status) const {
    if (code == CURLE_OK) return fmt::format("the server answers {}", status);
    return reason_[0] != '\0' ? reason_ : curl_easy_strerror(code);
  }

  static size_t TakeHeader(const char* data, size_t size, size_t count, void* self) {
    static_cast<Download*>(self)->Header({data, size * count});
    return size * count;
  }

  void Header(std::string_view line) {
    const size_t colon = line.find(':');
    if (line.starts_with("HTTP/")) fresh_ = true;
    if (colon == std::string_view::npos) return;
    const std::string name(line.substr(0, colon));
    std::string_view value = line.substr(colon + 1);
    while (!value.empty() && (value.front() == ' ')) value.remove_prefix(1);
    while (!value.empty() && (value.back() == '\r' || value.back() == '\n')) value.remove_suffix(1);
    const bool tag = curl_strequal(name.c_str(), "etag") != 0 && !value.starts_with("W/");
    const bool date = curl_strequal(name.c_str(), "last-modified") != 0;
    if (tag || (date && validator_.empty())) validator_ = value;
  }

  static size_t TakeBody(const char* data, size_t size, size_t count, void* self) {
    return static_cast<Download*>(self)->Body({data, size * count});
  }

  // A 200 as answer to a range request is the whole content again. Bodies of error answers are dropped.
  size_t Body(std::string_view bytes) {
    const long status = Status();
    if (status != 200 && status != 206) return bytes.size();
    if (fresh_ && status == 200) body_.clear();
    fresh_ = false;
    if (static_cast<int64_t>(body_.size() + bytes.size()) > limits_.most_bytes) {
      too_long_ = true;
      return 0;
    }
    body_ += bytes;
    return bytes.size();
  }

  const std::string url_;
  const FetchLimits limits_;
  const CurlHandle curl_;
  char reason_[CURL_ERROR_SIZE] = {};
  std::string body_, validator_;
  bool fresh_ = false;  // no byte of this answer was taken yet
  bool too_long_ = false;
};

size_t DropBody(const char* /*data*/, size_t size, size_t count, void* /*self*/) { return size * count; }

struct Answer {
  long status = 0;     // 0: no answer
  std::string reason;  // why the transfer broke off
};

class Upload {
 public:
  Upload(const std::string& url, std::string_view bytes, const PutLimits& limits)
      : body_(bytes), curl_(NewCurlHandle(limits.stall_seconds)) {
    // Does not wait for "100 Continue", which small servers do not send.
    headers_.reset(curl_slist_append(nullptr, "Expect:"));
    curl_slist_append(headers_.get(), "Content-Type: application/octet-stream");
    Set(CURLOPT_URL, url.c_str());
    Set(CURLOPT_CUSTOMREQUEST, "PUT");
    Set(CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(body_.size()));
    Set(CURLOPT_POSTFIELDS, body_.c_str());
    Set(CURLOPT_HTTPHEADER, headers_.get());
    Set(CURLOPT_NETRC, static_cast<long>(CURL_NETRC_OPTIONAL));
    Set(CURLOPT_ERRORBUFFER, reason_);
    Set(CURLOPT_WRITEFUNCTION, &DropBody);
  }

  Answer Send() {
    reason_[0] = '\0';
    const CURLcode code = curl_easy_perform(curl_.get());
    if (code != CURLE_OK) return {0, reason_[0] != '\0' ? reason_ : curl_easy_strerror(code)};
    Answer answer;
    curl_easy_getinfo(curl_.get(), CURLINFO_RESPONSE_CODE, &answer.status);
    answer.reason = fmt::format("the server answers {}", answer.status);
    return answer;
  }

 private:
  template <typename Value>
  void Set(CURLoption option, Value value) {
    curl_easy_setopt(curl_.get(), option, value);
  }

  const std::string body_;
  const CurlHandle curl_;
  CurlList headers_;
  char reason_[CURL_ERROR_SIZE] = {};
};

// The address without its credentials, which must not be printed.
std::string Shown(const std::string& url) {
  const size_t host = url.find("://") + 3;
  const size_t at = url.find('@', host);
  return at < url.find('/', host) ? url.substr(0, host) + url.substr(at + 1) : url;
}

bool MayPass(const Answer& answer) { return answer.status == 0 || answer.status == 429 || answer.status >= 500; }

}  // namespace

bool IsUrl(const std::string& text) { return text.starts_with("http://") || text.starts_with("https://"); }

std::string FetchUrl(const std::string& url, const FetchLimits& limits) { return Download(url, limits).Run(); }

void PutUrl(const std::string& url, std::string_view bytes, const PutLimits& limits) {
  Upload upload(url, bytes, limits);
  int64_t pause_ms = limits.pause_ms;
  for (int attempt = 1;; ++attempt, pause_ms *= 2) {
    const Answer answer = upload.Send();
    if (answer.status >= 200 && answer.status < 300) return;
    if (answer.status == 401 || answer.status == 403) {
      throw Error(ExitCode::kNotAuthorised,
                  fmt::format("'{}' may not be written: {}; a name and a token are given in ~/.netrc", Shown(url),
                              answer.reason));
    }
    if (!MayPass(answer)) {
      throw Error(ExitCode::kCannotCreate, fmt::format("'{}' cannot be written: {}", Shown(url), answer.reason));
    }
    if (attempt >= limits.attempts) {
      throw Error(ExitCode::kNoRunner, fmt::format("'{}' cannot be reached: {}", Shown(url), answer.reason));
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(pause_ms));
  }
}

}  // namespace hone
