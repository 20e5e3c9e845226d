// Comments and pages are plain English: short sentences, no dangling openers, the words of the field.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

namespace {

namespace fs = std::filesystem;

constexpr int kMostWords = 25;
constexpr size_t kMostColumns = 110;  // of a line of prose in a page

// The number of longer sentences that a room's comments may have. It may only fall.
struct Budget {
  const char* room;
  int long_sentences;
};
constexpr Budget kBudgets[] = {{"bench", 0},  {"cli", 0},        {"compiler", 3}, {"core", 1},  {"db", 0},   {"lab", 0},
                               {"python", 0}, {"rpc_runner", 0}, {"runtime", 0},  {"tests", 0}, {"tuner", 0}};
// The number of longer sentences that the pages together may have.
constexpr int kLongSentencesOfPages = 0;

// A comment that begins with one of these lacks its noun: "Of golden kernels alone that are the same".
const std::regex& DanglingOpener() {
  static const std::regex opener("^(Of|That|What|Where|Which|How|Who|Such|Likewise|The same)\\b.*");
  return opener;
}

// Words of a private dialect. A plain noun or a number says the same.
const std::regex& BannedWords() {
  static const std::regex words("\\b(manieth|that which|nobody asks|as it were)\\b");
  return words;
}

// A message that counts a noun in the plural alone: "1 threads". hone::Counted writes "1 thread".
const std::regex& UncountedNoun() {
  static const std::regex noun(
      "\\{\\} "
      "(threads|cores|tasks|trials|jobs|records|samples|results|runners|devices|models|layers|kernels|inputs|"
      "outputs|arguments|positions|tokens)\\b(?! per|/)");
  return noun;
}
// The number of such messages whose number is never 1. It may only fall.
constexpr int kUncountedNouns = 20;

struct Paragraph {
  int line = 0;
  std::string text;
};

std::vector<std::string> LinesOf(const fs::path& file) {
  std::ifstream in(file);
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

// The comments of a C++ file, each paragraph and each item of a list joined to one line. Drawings, which are indented,
// and lines for tools are left out.
std::vector<Paragraph> CommentsOf(const fs::path& file) {
  static const std::regex own_line("^\\s*// ?(.*)$"), beside("^[^\"]*\\S\\s+// (.*)$"),
      list_item("^\\s*(- |\\d+\\. )(.*)$");
  std::vector<Paragraph> comments;
  bool goes_on = false, in_item = false;
  int number = 0;
  for (const std::string& line : LinesOf(file)) {
    ++number;
    std::smatch match;
    if (!std::regex_match(line, match, own_line)) {
      goes_on = in_item = false;
      if (std::regex_match(line, match, beside)) comments.push_back({number, match[1]});
      continue;
    }
    const std::string text = match[1];
    if (text.find("NOLINT") != std::string::npos) continue;
    if (std::regex_match(text, match, list_item)) {
      comments.push_back({number, match[2]});
      goes_on = in_item = true;
    } else if (text.empty() || (text.rfind("  ", 0) == 0 && !in_item)) {
      goes_on = in_item = false;
    } else if (goes_on) {
      comments.back().text += " " + text;
    } else {
      comments.push_back({number, text});
      goes_on = true;
    }
  }
  return comments;
}

// The prose of a page: paragraphs and items of lists, without headings, tables and code.
std::vector<Paragraph> ProseOf(const fs::path& page) {
  static const std::regex item("^\\s*(- |\\d+\\. ).*");
  std::vector<Paragraph> prose;
  bool in_code = false, goes_on = false;
  int number = 0;
  for (const std::string& line : LinesOf(page)) {
    ++number;
    const bool fence = line.find("```") != std::string::npos;
    if (fence) in_code = !in_code;
    if (fence || in_code || line.empty() || line[0] == '#' || line[0] == '|') {
      goes_on = false;
      continue;
    }
    EXPECT_LE(line.size(), kMostColumns) << page << ":" << number;
    if (!goes_on || std::regex_match(line, item)) prose.push_back({number, ""});
    prose.back().text += " " + line;
    goes_on = true;
  }
  return prose;
}

int WordsOf(const std::string& text) {
  std::istringstream in(text);
  int words = 0;
  for (std::string word; in >> word;) ++words;
  return words;
}

// Calls `found` with each sentence that has more than kMostWords. A colon and a semicolon end one, too.
void ForLongSentences(const std::string& text, const std::function<void(const std::string&)>& found) {
  static const std::regex stop("[.:;!?]\\)?\\s+");
  for (std::sregex_token_iterator sentence(text.begin(), text.end(), stop, -1), end; sentence != end; ++sentence) {
    if (WordsOf(*sentence) > kMostWords) found(*sentence);
  }
}

struct Count {
  int long_sentences = 0;
  std::string list;

  void Add(const std::string& file, const std::vector<Paragraph>& paragraphs) {
    for (const Paragraph& paragraph : paragraphs) {
      ForLongSentences(paragraph.text, [&](const std::string& sentence) {
        ++long_sentences;
        list += fmt::format("{}:{}: {} words: {}\n", file, paragraph.line, WordsOf(sentence), sentence);
      });
      EXPECT_FALSE(std::regex_search(paragraph.text, BannedWords()))
          << file << ":" << paragraph.line << ": " << paragraph.text;
    }
  }
};

bool IsCpp(const fs::path& file) { return file.extension() == ".cc" || file.extension() == ".h"; }

TEST(Prose, CommentsAreShortSentencesWithANoun) {
  const fs::path root = HONE_SOURCE_DIR;
  for (const Budget& budget : kBudgets) {
    Count count;
    for (const auto& entry : fs::recursive_directory_iterator(root / budget.room)) {
      if (!IsCpp(entry.path())) continue;
      const std::string file = fs::relative(entry.path(), root).generic_string();
      const std::vector<Paragraph> comments = CommentsOf(entry.path());
      count.Add(file, comments);
      for (const Paragraph& comment : comments) {
        EXPECT_FALSE(std::regex_match(comment.text, DanglingOpener()))
            << file << ":" << comment.line << ": begins without its noun: " << comment.text;
      }
    }
    EXPECT_LE(count.long_sentences, budget.long_sentences)
        << budget.room << " has more sentences of over " << kMostWords << " words than before:\n"
        << count.list;
  }
}

TEST(Prose, MessagesCountNounsRightly) {
  const fs::path root = HONE_SOURCE_DIR;
  int messages = 0;
  std::string list;
  for (const Budget& budget : kBudgets) {
    if (budget.room == std::string("tests") || budget.room == std::string("bench")) continue;
    for (const auto& entry : fs::recursive_directory_iterator(root / budget.room)) {
      if (!IsCpp(entry.path())) continue;
      for (const std::string& line : LinesOf(entry.path())) {
        if (line.find("{} ") == std::string::npos || !std::regex_search(line, UncountedNoun())) continue;
        ++messages;
        list += fmt::format("{}: {}\n", fs::relative(entry.path(), root).generic_string(), line);
      }
    }
  }
  EXPECT_LE(messages, kUncountedNouns) << "Counted(count, \"noun\") of core/text/printable.h is right:\n" << list;
}

TEST(Prose, PagesAreShortSentencesInShortLines) {
  const fs::path root = HONE_SOURCE_DIR;
  Count count;
  std::vector<fs::path> pages = {root / "README.md", root / "CHANGELOG.md", root / "CONTRIBUTING.md"};
  for (const char* folder : {"docs", "bench/results"}) {
    for (const auto& entry : fs::recursive_directory_iterator(root / folder)) {
      if (entry.path().extension() == ".md") pages.push_back(entry.path());
    }
  }
  for (const fs::path& page : pages) count.Add(fs::relative(page, root).generic_string(), ProseOf(page));
  EXPECT_LE(count.long_sentences, kLongSentencesOfPages) << count.list;
}

TEST(Prose, FindsWhatItLooksFor) {
  int found = 0;
  ForLongSentences("One two. " + std::string(3 * 26, 'x'), [&](const std::string&) { ++found; });
  EXPECT_EQ(found, 0) << "one long word";
  std::string text = "A short one. The";
  for (int i = 0; i < kMostWords; ++i) text += " word";
  ForLongSentences(text, [&](const std::string&) { ++found; });
  EXPECT_EQ(found, 1);
  EXPECT_TRUE(std::regex_match("Of a row alone.", DanglingOpener()));
  EXPECT_FALSE(std::regex_match("Offers a row.", DanglingOpener()));
}

}  // namespace
