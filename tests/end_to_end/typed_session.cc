#include "tests/end_to_end/typed_session.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <regex>
#include <sstream>
#include <thread>

namespace hone {
namespace {

std::string Replaced(std::string text, const std::string& what, const std::string& by) {
  for (size_t at = text.find(what); at != text.npos; at = text.find(what, at + by.size())) {
    text.replace(at, what.size(), by);
  }
  return text;
}

std::vector<std::string> Words(const std::string& line) {
  std::istringstream in(line);
  return {std::istream_iterator<std::string>(in), {}};
}

// An address that other machines could dial, where this machine has one.
std::string OwnAddress(const ProgramResult& hostname) {
  const std::vector<std::string> all = Words(hostname.out);
  return all.empty() || all[0].find(':') != std::string::npos ? "127.0.0.1" : all[0];
}

}  // namespace

std::vector<Typed> SessionOf(const std::string& page) {
  std::ifstream in(page);
  const std::regex prompt(R"(^(lab|board|ada)\$ +(.*?)( +#.*)?$)");
  std::vector<Typed> session;
  for (std::string line; std::getline(in, line);) {
    std::smatch match;
    if (std::regex_match(line, match, prompt)) session.push_back({match[1], match[2]});
  }
  return session;
}

void TypedSessionTest::TearDown() {
  board_.reset();
  tracker_.reset();
  ProgramTest::TearDown();
}

std::string TypedSessionTest::Filled(const std::string& line) const {
  return Replaced(Replaced(line, "CODE", code_), "tcp://lab:9190", address_);
}

ProgramResult TypedSessionTest::As(const Typed& typed) {
  environment["XDG_CONFIG_HOME"] = Path(typed.who);
  std::filesystem::create_directory(Path(typed.who));
  return Shell(Filled(typed.line));
}

std::unique_ptr<ChildProgram> TypedSessionTest::Beside(const std::string& program,
                                                       const std::vector<std::string>& before, const Typed& typed,
                                                       const std::vector<std::string>& after) {
  std::filesystem::create_directory(Path(typed.who));
  std::vector<std::string> typed_words = Words(Filled(typed.line));
  std::vector<std::string> words = before;
  words.insert(words.end(), typed_words.begin() + 1, typed_words.end());
  words.insert(words.end(), after.begin(), after.end());
  return std::make_unique<ChildProgram>(program, words, Path(typed.who + "/program"));
}

void TypedSessionTest::StartTracker(const Typed& typed) {
  tracker_ = Beside(HONE_PROGRAM, {}, {typed.who, Replaced(typed.line, ":9190", ":*")}, {"--port-file", Path("port")});
  std::string bound;
  for (int i = 0; i < 6000 && bound.empty(); ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    std::ifstream(Path("port")) >> bound;
  }
  ASSERT_FALSE(bound.empty()) << tracker_->ErrorText();
  address_ = "tcp://" + OwnAddress(Shell("hostname -I")) + bound.substr(bound.rfind(':'));
}

void TypedSessionTest::WaitForBoard(const Typed& typed) {
  const std::vector<std::string> words = Words(typed.line);
  const auto key = std::find(words.begin(), words.end(), "--key");
  ASSERT_LT(key + 1 - words.begin(), static_cast<ptrdiff_t>(words.size())) << typed.line;
  for (int i = 0; i < 600; ++i) {
    const ProgramResult devices = As({typed.who, "hone devices --tracker tcp://lab:9190"});
    if (devices.out.find(*(key + 1)) != std::string::npos) return;
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
}

void TypedSessionTest::Take(const Typed& typed, const BoardProgram& board, std::vector<Answer>& answers) {
  if (const size_t both = typed.line.find(" && "); both != std::string::npos) {
    const ProgramResult keys = As({typed.who, typed.line.substr(0, both)});
    ASSERT_EQ(keys.code, 0) << keys.err;
    return StartTracker({typed.who, typed.line.substr(both + 4)});
  }
  if (Words(typed.line).at(0).ends_with("hone-runner")) {
    board_ = Beside(board.program, board.before, typed, board.after);
    return;
  }
  const bool tunes = typed.line.starts_with("hone tune ");
  if (tunes) WaitForBoard(typed);
  // The command that tune prints at its end leaves the package's name to the user.
  const bool builds = typed.line.starts_with("hone build ");
  std::string line = builds ? Replaced(build_, "P.hone", Words(typed.line).back()) : typed.line;
  if (tunes) line += " --trials 8 --db records.db";
  const ProgramResult result = As({typed.who, line});
  ASSERT_EQ(result.code, 0) << result.err << BoardErrors();
  if (typed.line.starts_with("hone key enroll ")) code_ = Words(result.out).at(0);
  if (tunes) build_ = NextOf(result);
  answers.push_back({typed, result});
}

std::vector<Answer> TypedSessionTest::Play(const std::vector<Typed>& session, const BoardProgram& board) {
  std::vector<Answer> answers;
  for (const Typed& typed : session) {
    SCOPED_TRACE(typed.line);
    Take(typed, board, answers);
    if (HasFatalFailure()) break;
  }
  return answers;
}

}  // namespace hone
