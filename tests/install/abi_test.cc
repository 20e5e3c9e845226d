// The exports of libhone.so and the declarations of hone.h, compared with the committed list. A change that breaks
// existing programs has to be made there too, by hand.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>

#include "tests/cli/run_program.h"

namespace hone {
namespace {

class Abi : public ProgramTest {
 protected:
  std::string Said(const std::string& line) {
    const ProgramResult r = Shell(line);
    EXPECT_EQ(r.code, 0) << line << '\n' << r.err;
    return r.out;
  }

  std::set<std::string> Lines(const std::string& text, const std::regex& wanted, const std::string& form) {
    std::set<std::string> lines;
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);) {
      std::smatch match;
      if (std::regex_search(line, match, wanted)) lines.insert(match.format(form));
    }
    return lines;
  }

  // Declarations as the compiler understood the header: "hone_status hone_session_run (hone_session *);".
  std::set<std::string> Signatures() {
    Write("work/uses.c", "#include \"runtime/hone.h\"\n");
    Said("gcc -I'" HONE_SOURCE_DIR "' -aux-info signatures -c uses.c -o uses.o");
    return Lines(Read("work/signatures"), std::regex(R"(hone\.h:.*\*/ extern (.*;))"), "$1");
  }

  // Exported symbols: "hone_session_run@@HONE_0".
  std::set<std::string> Exported() {
    return Lines(Said("nm -D --defined-only '" HONE_LIBRARY "'"), std::regex(R"( [A-Z] (\S+@@\S+)$)"), "$1");
  }

  // The offset of each member of each struct, from the debug information, and the values of the enumerators.
  std::set<std::string> Layouts() {
    std::ifstream in(HONE_SOURCE_DIR "/runtime/hone.h");
    const std::string header(std::istreambuf_iterator<char>(in), {});
    std::string program = "#include <stdio.h>\n#include \"runtime/hone.h\"\nint main(void) {\n";
    const std::regex structs(R"(typedef struct (\w+) \{([^}]*)\})"), comment(R"(/\*[^*]*(\*[^/][^*]*)*\*/)"),
        member(R"((\w+)\)?(\([^;]*\))?;)"), enums(R"((HONE_\w+) = \d+)");
    for (std::sregex_iterator at(header.begin(), header.end(), structs), end; at != end; ++at) {
      const std::string name = (*at)[1], body = std::regex_replace((*at)[2].str(), comment, "");
      program += "printf(\"struct " + name + ": %zu bytes\\n\", sizeof(" + name + "));\n";
      for (std::sregex_iterator m(body.begin(), body.end(), member); m != end; ++m) {
        const std::string field = (*m)[1];
        program += "printf(\"struct " + name + ": " + field + " at %zu\\n\", offsetof(" + name + ", " + field + "));\n";
      }
    }
    for (std::sregex_iterator at(header.begin(), header.end(), enums), end; at != end; ++at) {
      program += "printf(\"" + (*at)[1].str() + " = %d\\n\", (int)" + (*at)[1].str() + ");\n";
    }
    Write("work/layouts.c", program + "return 0;\n}\n");
    return Lines(Said("gcc -I'" HONE_SOURCE_DIR "' layouts.c -o layouts && ./layouts"), std::regex("(.+)"), "$1");
  }
};

TEST_F(Abi, IsTheOneThatIsCommitted) {
  std::set<std::string> lines = Signatures();
  EXPECT_GE(lines.size(), 20U);
  lines.merge(Exported());
  lines.merge(Layouts());
  std::ifstream in(HONE_SOURCE_DIR "/runtime/hone.abi");
  std::set<std::string> committed;
  for (std::string line; std::getline(in, line);) {
    if (!line.empty() && !line.starts_with('#')) committed.insert(line);
  }
  std::string change;
  for (const std::string& line : committed) change += lines.contains(line) ? "" : "- " + line + "\n";
  for (const std::string& line : lines) change += committed.contains(line) ? "" : "+ " + line + "\n";
  EXPECT_EQ(change, "")
      << "The ABI is not that of runtime/hone.abi. Lines to add: raise HONE_API_VERSION and add them. "
         "Lines to take away: programs that were built would break; the SONAME has to change.";
}

// Each declared function is exported, and each exported one is declared.
TEST_F(Abi, ExportsWhatTheHeaderDeclares) {
  std::set<std::string> declared, exported;
  for (const std::string& signature : Signatures()) {
    std::smatch name;
    ASSERT_TRUE(std::regex_search(signature, name, std::regex(R"((hone_\w+) \()"))) << signature;
    declared.insert(name[1]);
  }
  for (const std::string& symbol : Exported()) exported.insert(symbol.substr(0, symbol.find('@')));
  EXPECT_EQ(declared, exported);
}

}  // namespace
}  // namespace hone
