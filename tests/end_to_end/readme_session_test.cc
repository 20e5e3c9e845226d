// The README's session with other machines, as it stands there: keys, codes, a board, a person. Each prompt is somebody
// of their own.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <memory>
#include <regex>
#include <sstream>
#include <thread>

#include "tests/cli/run_program.h"
#include "tests/end_to_end/child_program.h"

namespace hone {
namespace {

using testing::HasSubstr;

struct Typed {
  std::string who, line;
};

// What follows `who$` in the README, without the remarks.
std::vector<Typed> ReadmeSession() {
  std::ifstream readme(HONE_README);
  const std::regex prompt(R"(^(lab|board|ada)\$ +(.*?)( +#.*)?$)");
  std::vector<Typed> session;
  for (std::string line; std::getline(readme, line);) {
    std::smatch match;
    if (std::regex_match(line, match, prompt)) session.push_back({match[1], match[2]});
  }
  return session;
}

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

// One that other machines could dial, where this one has such an address.
std::string OwnAddress(const ProgramResult& hostname) {
  const std::vector<std::string> all = Words(hostname.out);
  return all.empty() || all[0].find(':') != std::string::npos ? "127.0.0.1" : all[0];
}

class ReadmeSessionTest : public ProgramTest {
 protected:
  ProgramResult As(const Typed& typed) {
    environment["XDG_CONFIG_HOME"] = Path(typed.who);
    std::filesystem::create_directory(Path(typed.who));
    return Shell(Filled(typed.line));
  }
  std::unique_ptr<ChildProgram> Beside(const char* program, const Typed& typed, const std::string& more) {
    std::filesystem::create_directory(Path(typed.who));
    std::vector<std::string> words = Words(Filled(typed.line) + " " + more);
    words.erase(words.begin());
    return std::make_unique<ChildProgram>(program, words, Path(typed.who + "/program"));
  }
  void StartTracker(const Typed& typed) {
    tracker_ = Beside(HONE_PROGRAM, {typed.who, Replaced(typed.line, ":9190", ":*")}, "--port-file " + Path("port"));
    std::string bound;
    for (int i = 0; i < 6000 && bound.empty(); ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
      std::ifstream(Path("port")) >> bound;
    }
    ASSERT_FALSE(bound.empty()) << tracker_->ErrorText();
    address_ = "tcp://" + OwnAddress(Shell("hostname -I")) + bound.substr(bound.rfind(':'));
  }

  std::string code_;  // the last that was printed

 private:
  std::string Filled(const std::string& line) const {
    return Replaced(Replaced(line, "CODE", code_), "tcp://lab:9190", address_);
  }

  std::string address_;  // "tcp://lab:9190"
  std::unique_ptr<ChildProgram> tracker_;
};

TEST_F(ReadmeSessionTest, WorksAsItIsWritten) {
  ASSERT_EQ(Shell("hone zoo mlp --image-shape 1,14,14 -o model.onnx").code, 0);
  std::unique_ptr<ChildProgram> board;
  std::string build;
  int tuned = 0;
  for (Typed typed : ReadmeSession()) {
    SCOPED_TRACE(typed.line);
    if (const size_t both = typed.line.find(" && "); both != std::string::npos) {
      const ProgramResult keys = As({typed.who, typed.line.substr(0, both)});
      ASSERT_EQ(keys.code, 0) << keys.err;
      ASSERT_NO_FATAL_FAILURE(StartTracker({typed.who, typed.line.substr(both + 4)}));
    } else if (typed.line.starts_with("hone-runner ")) {
      board = Beside(HONE_RUNNER, typed, "--label left --health off --cores 0");
    } else if (typed.line.starts_with("hone build ")) {
      // The README's device is another one; the line that tune ended with is for this one.
      typed.line = build;
      const ProgramResult built = As(typed);
      ASSERT_EQ(built.code, 0) << built.err;
      EXPECT_THAT(built.out, testing::AnyOf(HasSubstr(" same microarchitecture "), HasSubstr(" near ")));
    } else {
      const bool tunes = typed.line.starts_with("hone tune ");
      if (tunes) typed.line += " --trials 8 --db records.db";
      const ProgramResult result = As(typed);
      ASSERT_EQ(result.code, 0) << result.err << board->ErrorText();
      if (typed.line.starts_with("hone enroll ")) code_ = Words(result.out).at(0);
      if (!tunes) continue;
      ++tuned;
      EXPECT_THAT(result.err, HasSubstr("timing on pi4/left ("));
      build = NextOf(result);
    }
  }
  EXPECT_EQ(tuned, 1) << "the README has no session with other machines";
}

}  // namespace
}  // namespace hone
