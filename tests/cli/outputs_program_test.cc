// No output replaces a command's input, a record store or a secret key. The test tries every command of the tree, with
// each of its inputs as its output.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "core/json/serialize.h"
#include "db/record_store.h"
#include "tests/cli/run_program.h"
#include "tests/compiler/frontend/model_maker.h"
#include "tests/db/sample_record.h"

namespace hone {
namespace {

namespace fs = std::filesystem;
using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;

// A command that reads and writes. OUT stands for its output; `reads` are inputs that none of its words names.
struct Recipe {
  std::string command;
  std::vector<std::string> words;
  std::vector<std::string> reads = {};
};

const std::vector<Recipe> kRecipes = {
    {"hone zoo", {"zoo", "mlp", "--image-shape", "1,14,14", "-o", "OUT"}},
    {"hone inspect", {"inspect", "r.relay", "--params-file", "r.safetensors", "--text", "--save-params", "OUT"}},
    {"hone quantize", {"quantize", "m.onnx", "--calibrate", "cal", "-o", "OUT"}, {"cal/x.npy"}},
    {"hone quantize", {"quantize", "r.relay", "--params-file", "r.safetensors", "--calibrate", "random", "-o", "OUT"}},
    {"hone build", {"build", "m.onnx", "--db", "s.db", "--hub", "a.honepack", "-o", "OUT"}},
    {"hone build", {"build", "w.onnx", "--no-records", "-o", "OUT"}, {"w.bin"}},
    {"hone build", {"build", "f.relay", "--no-records", "--lengths", "lengths", "-o", "OUT"}},
    {"hone build", {"build", "r.relay", "--params-file", "r.safetensors", "--no-records", "-o", "OUT"}},
    {"hone build",
     {"build", "m.onnx", "--no-records", "--precision", "int8", "--calibrate", "cal", "-o", "OUT"},
     {"cal/x.npy"}},
    {"hone bench",
     {"bench", "p.hone", "--runs", "1", "--baseline", "base.json", "--input", "data=x.npy", "--identity", "id",
      "--server-key", "id.pub", "--write", "json=OUT"}},
    {"hone bench", {"bench", "m.onnx", "--runs", "1", "--db", "s.db", "--hub", "a.honepack", "--write", "json=OUT"}},
    {"hone profile", {"profile", "p.hone", "--runs", "1", "--input", "data=x.npy", "--trace", "OUT"}},
    {"hone profile", {"profile", "p.hone", "--runs", "1", "--folded", "OUT"}},
    {"hone profile", {"profile", "p.hone", "--runs", "1", "--annotate", "a.onnx", "--trace", "OUT"}, {"m.onnx"}},
    {"hone profile", {"profile", "p.hone", "--runs", "1", "--model", "m.onnx", "--annotate", "OUT"}},
    {"hone package join", {"package", "join", "p.hone", "q.hone", "-o", "OUT"}},
    {"hone package open-params",
     {"package", "open-params", "p.hone", "--model", "r.relay", "--params-file", "r.safetensors", "-o", "OUT"}},
    {"hone package open-params", {"package", "open-params", "p.hone", "--model", "m.onnx", "-o", "OUT"}},
    {"hone package pack",
     {"package", "pack", "parts", "-o", "OUT"},
     {"parts/manifest.json", "parts/graph.json", "parts/lib.so", "parts/params.safetensors"}},
    {"hone package replace-params",
     {"package", "replace-params", "p.hone", "--model", "r.relay", "--params-file", "r.safetensors", "--params",
      "other.safetensors", "-o", "OUT"}},
    {"hone log export", {"log", "export", "--db", "s.db", "--model", "m.onnx", "-o", "OUT"}},
    {"hone log pack",
     {"log", "pack", "--db", "s.db", "--name", "n", "--signing-key", "signer", "--model", "m.onnx", "-o", "OUT"}},
    {"hone log pack", {"log", "pack", "--db", "s.db", "--reproduce", "a.honepack", "--name", "n", "-o", "OUT"}},
    {"hone log keygen", {"log", "keygen", "-o", "OUT"}},
    {"hone log diff", {"log", "diff", "s.db", "a.honepack", "--html", "OUT"}},
    {"hone log backup", {"log", "backup", "--db", "s.db", "-o", "OUT"}},
    {"hone log recover", {"log", "recover", "s.db", "-o", "OUT"}},
    {"hone compare",
     {"compare", "m.onnx", "--db", "s.db", "--hub", "a.honepack", "--params-file", "r.safetensors", "--identity", "id",
      "--server-key", "id.pub", "--html", "OUT"}},
    {"hone compare", {"compare", "--results", "base.json", "--html", "OUT"}},
    {"hone report", {"report", "m.onnx", "--params-file", "r.safetensors", "--db", "s.db", "-o", "OUT"}},
    {"hone report", {"report", "--runtimes", "table.json", "--db", "s.db", "-o", "OUT"}},
    {"hone dashboard",
     {"dashboard", "--db", "s.db", "--identity", "id", "--server-key", "id.pub", "--bind", "x", "--port-file", "OUT"}},
    {"hone dashboard", {"dashboard", "--db", "s.db", "--bind", "x", "--token-file", "OUT"}},
    {"hone tracker", {"tracker", "--bind", "x", "--port-file", "OUT"}},
    {"hone tracker", {"tracker", "--bind", "x", "--audit", "OUT"}},
    {"hone tracker",
     {"tracker", "--keys", "k", "--bind", "x", "--port-file", "OUT"},
     {"k/secret", "k/authorized_keys"}},
    {"hone tracker", {"tracker", "--keys", "k", "--bind", "x", "--audit", "OUT"}, {"k/secret", "k/authorized_keys"}},
    {"hone key new", {"key", "new", "--identity", "OUT"}},
};

// Recipes with output folders: the input has the name of a file that is written there.
const std::vector<Recipe> kIntoFolders = {
    {"hone package unpack", {"package", "unpack", "IN", "-o", "DIR"}, {"p.hone"}},
    {"hone package export", {"package", "export", "IN", "--c", "-o", "DIR"}, {"p.hone"}},
    {"hone build", {"build", "IN", "--no-records", "-o", "new.hone", "--dump-passes", "DIR"}, {"m.onnx"}},
    {"hone run", {"run", "IN", "--output", "DIR"}, {"p.hone"}},
    {"hone run", {"run", "p.hone", "--input", "data=IN", "--output", "DIR"}, {"x.npy"}},
    {"hone run", {"run", "IN", "--dump", "DIR"}, {"p.hone"}},
    {"hone run",
     {"run", "--graph", "IN", "--lib", "parts/lib.so", "--params", "parts/params.safetensors", "--output", "DIR"},
     {"parts/graph.json"}},
    {"hone run --node NAME", {"run", "IN", "--node", "y", "--no-records", "--output", "DIR"}, {"v.onnx"}},
};

// An image of zeros, in numpy's format.
std::string ZeroImage() {
  std::string header = "{'descr': '<f4', 'fortran_order': False, 'shape': (1, 1, 14, 14), }";
  header.append(117 - header.size(), ' ').push_back('\n');
  return std::string("\x93NUMPY\x01\x00", 8) + std::string("\x76\x00", 2) + header + std::string(4 * 14 * 14, '\0');
}

class OutputsProgram : public ProgramTest {
 protected:
  void SetUp() override {
    ProgramTest::SetUp();
    RecordStore::Open(Path("work/s.db"))->Append(SampleRecords(3));
    fs::copy_file(Path("work/s.db"), Path("work/other.html"));
    fs::create_directory(Path("work/cal"));
    for (const char* name : {"x.npy", "cal/x.npy"}) Write(std::string("work/") + name, ZeroImage());
    Write("work/lengths", "57 1200\n");
    Write(
        "work/table.json",
        R"({"models": [{"model": "m", "machines": [{"name": "desk", "notes": [], "runtimes": [{"runtime": "a"}]}]}]})");
    Write("work/f.relay",
          "def @main(%x: Tensor[(64, 8), float32], %rows: int64, ranged=[0, 0, 1, 1], counted=[0, 0, 1, 64]) -> "
          "(Tensor[(64, 8), float32], int64) {\n  %0 = nn.relu(%x);\n  %1 = add(%rows, 0i64);\n  (%0, %1)\n}\n");
    WriteModelWithWeights();
    const ProgramResult made = Shell(
        "set -e; hone zoo mlp --image-shape 1,14,14 -o m.onnx; hone build m.onnx --no-records -o p.hone; "
        "hone build m.onnx --no-records -o q.hone --target 'llvm -mtriple=aarch64-linux-gnu -mcpu=cortex-a72'; "
        "hone package unpack p.hone -o parts; hone inspect m.onnx --text --save-params r.safetensors >r.relay; "
        "cp r.safetensors other.safetensors; hone log keygen -o signer; hone key new --identity id; "
        "hone log pack --db s.db --name a --key signer -o a.honepack; "
        "hone bench p.hone --runs 1 --write json=base.json; hone key new --server --keys k");
    ASSERT_EQ(made.code, 0) << made.err;
  }

  void WriteModelWithWeights() const {
    ModelMaker model;
    model.Input("x", {2}).Node("Add", {"x", "w"}, {"y"}).Output("y");
    auto& tensor = *model.graph().add_initializer();
    tensor.set_name("w");
    tensor.set_data_type(onnx::TensorProto::FLOAT);
    tensor.add_dims(2);
    tensor.set_data_location(onnx::TensorProto::EXTERNAL);
    auto& entry = *tensor.add_external_data();
    entry.set_key("location");
    entry.set_value("w.bin");
    Write("work/w.onnx", model.Bytes());
    Write("work/v.onnx", ModelMaker().Input("x", {2}).Node("Relu", {"x"}, {"y"}).Output("y").Bytes());
    Write("work/w.bin", std::string(8, '\0'));
  }

  std::map<std::string, std::string> Bytes() const {
    std::map<std::string, std::string> bytes;
    for (const std::string& file : Files()) bytes[file] = Read(file);
    return bytes;
  }

  // The words as a line for Shell; `stand_in` replaces whole words or their part after "=".
  static std::string LineOf(const Recipe& recipe, const std::map<std::string, std::string>& stand_in) {
    std::string line = "timeout 100 \"$HONE\"";
    for (std::string word : recipe.words) {
      const size_t equals = word.find('=');
      const size_t at = equals == std::string::npos ? 0 : equals + 1;
      if (const auto other = stand_in.find(word.substr(at)); other != stand_in.end())
        word.replace(at, std::string::npos, other->second);
      line += " '" + word + "'";
    }
    return line;
  }

  void ExpectRefused(const std::string& line) const {
    const auto before = Bytes();
    const ProgramResult r = Shell(line);
    EXPECT_EQ(r.code, 73) << line << "\n" << r.err;
    const size_t error = r.err.find("hone: cannot write ");
    ASSERT_NE(error, std::string::npos) << line << "\n" << r.err;
    EXPECT_EQ(std::count(r.err.begin() + static_cast<std::ptrdiff_t>(error), r.err.end(), '\n'), 1) << r.err;
    EXPECT_EQ(Bytes(), before) << line;
  }

  // The files named by the recipe's words and by `reads`.
  std::set<std::string> ReadBy(const Recipe& recipe) const {
    std::set<std::string> files(recipe.reads.begin(), recipe.reads.end());
    for (const std::string& word : recipe.words) {
      const std::string file = word.substr(word.find('=') + 1);
      if (fs::is_regular_file(Path("work/" + file))) files.insert(file);
    }
    return files;
  }
};

bool Tells(const Recipe& recipe, const Json& option) {
  return std::any_of(recipe.words.begin(), recipe.words.end(), [&](const std::string& word) {
    return std::find(option["names"].begin(), option["names"].end(), word) != option["names"].end();
  });
}

// Whether a recipe of the command has the option; a positional argument counts as used by all.
bool IsTried(const std::vector<Recipe>& recipes, const std::string& command, const Json& option) {
  return std::any_of(recipes.begin(), recipes.end(), [&](const Recipe& recipe) {
    return recipe.command == command && (option["names"].empty() || Tells(recipe, option));
  });
}

void ExpectTried(const Json& command) {
  const std::string name = command["name"];
  const auto& options = command["options"];
  const bool writes =
      std::any_of(options.begin(), options.end(), [](const Json& option) { return option["file"] == "written"; });
  for (const Json& option : options) {
    const bool is_written = option["file"] == "written", is_folder = option["file"] == "folder";
    if (is_written || (writes && (option["file"] == "read" || option["file"] == "model"))) {
      EXPECT_TRUE(IsTried(kRecipes, name, option)) << name << " " << option["names"] << " needs a recipe here";
    }
    // `hone log push` never replaces a file.
    if (is_folder && name != "hone log push") {
      EXPECT_TRUE(IsTried(kIntoFolders, name, option)) << name << " " << option["names"] << " needs a recipe here";
    }
    static const std::regex kSoundsLikeWriting(
        "to write|is written|goes here|that gets|write .* here|page with pictures");
    if (option["file"].is_null() && !option["value"].get<std::string>().empty()) {
      EXPECT_FALSE(std::regex_search(option["description"].get<std::string>(), kSoundsLikeWriting))
          << name << " " << option["names"] << " is not declared by Writes() or WritesInto()";
    }
  }
  for (const Json& sub : command["commands"]) ExpectTried(sub);
}

TEST_F(OutputsProgram, EveryOptionThatNamesAnOutputIsTriedHere) {
  const ProgramResult tree = Hone({"man", "--json"});
  ASSERT_EQ(tree.code, 0) << tree.err;
  ExpectTried(ParseJson(tree.out, "the tree"));
}

TEST_F(OutputsProgram, NoOutputReplacesAnInputOrAStore) {
  for (const Recipe& recipe : kRecipes) {
    std::set<std::string> outputs = ReadBy(recipe);
    outputs.insert({"s.db", "other.html", "signer", "id"});
    for (const std::string& output : outputs) ExpectRefused(LineOf(recipe, {{"OUT", output}}));
  }
}

TEST_F(OutputsProgram, NoFileInAFolderReplacesAnInput) {
  for (const Recipe& recipe : kIntoFolders) {
    const std::string input = recipe.reads[0];
    ASSERT_EQ(Shell("rm -rf d; " + LineOf(recipe, {{"IN", input}, {"DIR", "d"}})).code, 0) << recipe.command;
    // The first file written, by name.
    std::set<std::string> names;
    for (const auto& entry : fs::directory_iterator(Path("work/d"))) names.insert(entry.path().filename());
    const std::string name = *names.begin();
    ASSERT_EQ(Shell("rm -rf d; mkdir d; cp " + input + " d/" + name).code, 0);
    ExpectRefused(LineOf(recipe, {{"IN", "d/" + name}, {"DIR", "d"}}));
  }
}

TEST_F(OutputsProgram, AnotherSpellingOrNameIsTheSameFile) {
  ASSERT_EQ(Shell("ln -s m.onnx a; ln -s a b; ln m.onnx c; ln -s . here; ln -s s.db d; ln s.db e").code, 0);
  for (const std::string& name :
       {std::string("./m.onnx"), std::string("cal/../m.onnx"), Path("work/m.onnx"), std::string("a"), std::string("b"),
        std::string("c"), std::string("here/m.onnx"), std::string("d"), std::string("e")}) {
    ExpectRefused("hone build m.onnx --no-records -o " + name);
  }
}

TEST_F(OutputsProgram, WhatLiesBesideAStoreIsItsOwn) {
  ASSERT_EQ(Shell("ln -s s.db link.db; for i in -wal -shm -journal .claims; do echo x >s.db$i; done; "
                  "ln s.db-shm hard; ln -s s.db-wal soft")
                .code,
            0);
  for (const char* name : {"s.db-wal", "s.db-shm", "s.db-journal", "s.db.claims", "soft"})
    ExpectRefused(std::string("hone zoo mlp --image-shape 1,14,14 -o ") + name);
  for (const char* name : {"hard", "s.db-shm"}) ExpectRefused(std::string("hone log export --db link.db -o ") + name);
}

TEST_F(OutputsProgram, ForceReplacesTheModelAlone) {
  const std::string save = "hone inspect r.relay --params-file r.safetensors --text --force --save-params ";
  ExpectRefused(save + "r.safetensors");
  ExpectRefused(save + "s.db");
  ExpectRefused("hone package open-params p.hone --model m.onnx --force -o p.hone");
  const ProgramResult r = Shell(save + "r.relay && ! grep -q 'def @main' r.relay");
  EXPECT_EQ(r.code, 0) << r.err;
  EXPECT_EQ(Shell("hone build m.onnx --no-records -o m.onnx --force && hone package info m.onnx").code, 0);
}

TEST_F(OutputsProgram, TwoOutputsAreTwoFiles) {
  ExpectRefused("hone profile p.hone --runs 1 --trace t --folded ./t");
  ExpectRefused("ln -s nowhere l; hone bench p.hone --runs 1 --write json=l --write csv=nowhere");
  EXPECT_EQ(Shell("hone profile p.hone --runs 1 --trace /dev/null --folded /dev/null").code, 0);
}

TEST_F(OutputsProgram, AnOldOutputIsReplacedOrGrows) {
  const ProgramResult r = Shell(
      "set -e; hone build m.onnx --no-records -o p.hone; hone package join p.hone q.hone -o r; "
      "hone package join p.hone q.hone -o r; hone bench p.hone --runs 1 --write otava=o.csv; "
      "hone bench p.hone --runs 1 --write otava=o.csv; test $(wc -l <o.csv) = 3; mkdir to; "
      "hone log push a.honepack to; hone log push a.honepack to; hone log push a.honepack .; "
      "hone package pack parts -o parts/new; hone package pack parts -o parts/new");
  EXPECT_EQ(r.code, 0) << r.err;
}

// Names that hone once gave to unfinished files.
TEST_F(OutputsProgram, ACopyOfAStoreRemovesNoOtherFile) {
  ASSERT_EQ(Shell("cp s.db n.partial; cp s.db n.copy").code, 0);
  const auto before = Bytes();
  for (const char* command :
       {"hone log recover n.partial -o n", "hone log recover n.copy -o n", "hone log backup --db n.partial -o n"}) {
    const ProgramResult r = Shell(std::string(command) + " && rm n");
    EXPECT_EQ(r.code, 0) << command << r.err;
  }
  for (const auto& [file, bytes] : before) EXPECT_EQ(Read(file), bytes) << file;
}

}  // namespace
}  // namespace hone
