#include "rpc_runner/keys/client_keys.h"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <filesystem>

#include "core/error.h"
#include "core/json/serialize.h"
#include "core/text/parse_number.h"
#include "rpc_runner/keys/authorized_list.h"
#include "rpc_runner/keys/curve_key.h"
#include "rpc_runner/keys/enrolment.h"
#include "rpc_runner/keys/key_file.h"
#include "rpc_runner/process/clock.h"
#include "rpc_runner/wire/address.h"
#include "rpc_runner/wire/socket.h"

namespace hone {
namespace {

std::string IdentityPath(const ClientKeys& keys) {
  return keys.identity.empty() ? DefaultIdentityPath() : keys.identity;
}

std::string HostName() {
  std::array<char, 65> name{};
  gethostname(name.data(), name.size() - 1);
  return IsKeyName(name.data()) ? name.data() : "hone";
}

// Finds the tracker's key and where it was found.
void FindServerKey(const ClientKeys& keys, const std::string& tracker, Security* security) {
  if (!keys.server_key.empty()) {
    security->server_key = ReadPublicKey(keys.server_key);
    security->server_key_source = "--server-key";
  } else if (HasConfigFolder()) {
    security->server_key = FindKnownTracker(KnownTrackersPath(), tracker);
    security->server_key_source = KnownTrackersPath();
  }
}

Enrolled TakeAnswer(const Json& answer, const std::string& tracker) {
  const auto text = [&](const char* name) {
    return answer.is_object() && answer.contains(name) && answer[name].is_string() ? answer[name].get<std::string>()
                                                                                   : "";
  };
  if (const std::string why = text("refused"); !why.empty()) {
    throw Error(ExitCode::kNotAuthorised, fmt::format("the tracker at {} refuses the code: {}", tracker, why));
  }
  if (text("name").empty()) throw Error(ExitCode::kBadData, fmt::format("{} answers nonsense", tracker));
  return {text("name"), text("roles"), "", ""};
}

std::string ReadFile(const std::string& path) {
  if (!KeyFileIsThere(path)) return "";
  return ReadKeyFile(path, Secrecy::kProtected, "the list of known trackers");
}

bool IsOf(std::string_view line, const std::string& address) { return line.substr(0, line.find(' ')) == address; }

}  // namespace

Security ClientSecurity(const ClientKeys& keys, const std::string& tracker) {
  Security security;
  const bool is_loopback = ParseAddress(tracker).is_loopback;
  FindServerKey(keys, tracker, &security);
  if (security.server_key.empty() && (!is_loopback || !keys.identity.empty())) {
    throw Error(
        ExitCode::kBadConfig,
        fmt::format("no key of the tracker at {} is known: `hone key enroll` on its machine prints how to enrol "
                    "this one, or give --server-key",
                    tracker));
  }
  if (security.server_key.empty()) return {};
  security.identity_file = IdentityPath(keys);
  security.own = ReadIdentity(security.identity_file);
  return security;
}

Enrolled EnrolAt(const std::string& tracker, const std::string& code_text, const ClientKeys& keys, int64_t timeout_ns) {
  const EnrolmentCode code = ReadEnrolmentCode(code_text);
  // The key is written before the tracker lists it: a key that only the tracker knows would be useless.
  const std::string path = IdentityPath(keys);
  const KeyPair own = ReadOrMakeIdentity(path, HostName());
  SocketContext context(Security{code.once, code.server_key, nullptr, "the enrolment code", "the enrolment code"});
  Socket socket(context, Socket::Kind::kDealer);
  socket.Connect(tracker);
  std::string request = DumpJson({{"hone_enrolment", 1}, {"key", own.public_key}});
  socket.SendBytes("", request);
  const int64_t until_ns = MonotonicNs() + timeout_ns;
  Socket::Message message;
  while (!socket.Receive(&message)) {
    if (!socket.Refusal().empty()) {
      throw Error(ExitCode::kNotAuthorised,
                  fmt::format("the tracker at {} does not take the code: it was used, is over after 10 minutes, or is "
                              "another tracker's; hone key enroll prints a new one",
                              tracker));
    }
    if (MonotonicNs() > until_ns) throw Error(ExitCode::kNoRunner, fmt::format("no tracker answers at {}", tracker));
    WaitForAny({&socket}, -1, 100'000'000);
  }
  Enrolled enrolled = TakeAnswer(ParseJson(message.bytes, "the tracker's answer"), tracker);
  AddKnownTracker(KnownTrackersPath(), tracker, code.server_key);
  enrolled.identity = path;
  enrolled.public_key = own.public_key;
  return enrolled;
}

std::string FindKnownTracker(const std::string& path, const std::string& address) {
  const std::string name = ParseAddress(address).ToText();
  const std::string text = ReadFile(path);
  for (const std::string_view line : Split(text, '\n')) {
    if (!IsOf(line, name)) continue;
    const std::string key(line.substr(std::min(line.size(), name.size() + 1)));
    if (IsKey(key)) return key;
    throw Error(ExitCode::kBadConfig, fmt::format("{} has a damaged line for {}; ADDRESS KEY is right", path, name));
  }
  return "";
}

void AddKnownTracker(const std::string& path, const std::string& address, const std::string& key) {
  const std::string name = ParseAddress(address).ToText();
  MakeKeyFolder(std::filesystem::path(path).parent_path().string());
  const KeyFileLock lock(path + ".lock");
  const std::string before = ReadFile(path);
  std::string text;
  for (const std::string_view line : Split(before, '\n')) {
    if (!line.empty() && !IsOf(line, name)) text += fmt::format("{}\n", line);
  }
  WriteKeyFile(path, text + fmt::format("{} {}\n", name, key), Secrecy::kProtected);
}

}  // namespace hone
