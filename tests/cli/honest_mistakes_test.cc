// Mistakes that people make in their first days. Each ends with its exit code and one line that names the way on.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <string>
#include <vector>

#include "tests/cli/run_program.h"

namespace hone {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

struct Mistake {
  const char* line;
  int code;
  std::vector<std::string> way;  // words of the message
};

const Mistake kMistakes[] = {
    // The model is another thing.
    {"build folder -o q.hone", 66, {"folder is a folder", ".onnx file", "zoo:NAME"}},
    {"build holder -o q.hone", 66, {"holder is a folder; holder/m.onnx in it is a model"}},
    {"tune saved", 66, {"SavedModel", "python -m tf2onnx.convert --saved-model saved"}},
    {"build bert -o q.hone", 66, {"optimum-cli export onnx --model bert"}},
    {"build w.safetensors -o q.hone", 65, {"weights alone", "torch.onnx.export"}},
    {"inspect frozen.pb", 65, {"TensorFlow", "tf2onnx.convert --graphdef"}},
    {"build m.tflite -o q.hone", 65, {"python -m tf2onnx.convert --tflite"}},
    {"bench m.pt", 65, {"torch.onnx.export"}},
    {"build m.pt -o q.hone", 65, {"torch.onnx.export"}},
    {"tune old.pth", 65, {"torch.onnx.export"}},
    {"inspect m.h5", 65, {"tf2onnx"}},
    {"inspect m.gguf", 65, {"exported to ONNX"}},
    {"inspect m.engine", 65, {"TensorRT", "ONNX model that it was built from"}},
    {"inspect model.xml", 65, {"OpenVINO", "exported to ONNX"}},
    {"inspect cat.png", 65, {"is an image", "--input NAME=FILE.npy"}},
    {"inspect x.npy", 65, {"is an array", "--input NAME=FILE.npy"}},
    {"inspect empty.onnx", 65, {"is empty"}},
    {"build https://example.com/m.onnx -o q.hone", 66, {"is an address", "curl -LO https://example.com/m.onnx"}},
    {"build p.hone -o q.hone", 65, {"is a package", "model that it was built from"}},
    {"inspect resnet-18", 66, {"zoo:resnet-18"}},
    {"inspect ZOO:resnet-18", 66, {"the test network of that name is zoo:resnet-18"}},
    {"inspect zoo:resnet18", 66, {"did you mean resnet-18?"}},
    {"inspect m.onx", 66, {"there is no file m.onx; did you mean m.onnx?"}},
    {"bench squeezenet.onnx", 66, {"no file squeezenet.onnx; zoo:squeezenet is a test network of `hone zoo`"}},
    {"bench models/resnet18.onnx", 66, {"zoo:resnet-18 is a test network"}},
    {"benchmark squeezenet.onnx", 66, {"zoo:squeezenet"}},
    {"inspect nothing-like-it", 66, {"there is no file", ".onnx file", "zoo:NAME"}},
    // The package is another thing.
    {"run m.onnx", 65, {"`hone build MODEL -o P.hone`"}},
    {"run zoo:mlp", 66, {"`hone build zoo:mlp -o P.hone` makes a package of it"}},
    {"profile zoo:mlp", 66, {"`hone build zoo:mlp -o P.hone`"}},
    {"package info folder", 66, {"is a folder", "`hone build`"}},
    {"bench x.csv", 65, {"`hone build MODEL -o P.hone`"}},
    {"run p.hon", 66, {"did you mean p.hone?"}},
    {"compare p.hone", 65, {"is a package", "model that it was built from"}},
    // Inputs.
    {"run p.hone --input data=cat.png", 2, {"cat.png", ".npy", "numpy.save"}},
    {"run p.hone --input data=x.csv", 2, {"x.csv", "numpy.save"}},
    {"run p.hone --input x.npy", 2, {"NAME=FILE.npy"}},
    {"run p.hone --input dat=x.npy", 2, {"did you mean data?"}},
    // Commands and options of other programs.
    {"ls", 2, {"`hone log list` lists records", "`hone zoo`"}},
    {"convert m.pt", 2, {"`hone build MODEL -o P.hone`"}},
    {"optimize m.onnx", 2, {"`hone tune MODEL`"}},
    {"infer p.hone", 2, {"`hone run P.hone`"}},
    {"version", 2, {"`hone --version`"}},
    {"m.onnx", 2, {"a command comes first, as `hone bench m.onnx`"}},
    {"tun m.onnx", 2, {"did you mean tune?"}},
    {"help tun", 2, {"did you mean tune?"}},
    {"zoo --list", 2, {"`hone zoo` alone lists"}},
    {"log best X", 2, {"`hone log best "}},
    {"build m.onnx", 2, {"--output", "as in `hone build "}},
    {"build m.onnx -o q.hone --fp16", 2, {"did you mean --weights?"}},
    {"bench p.hone --iterations 10", 2, {"did you mean --runs?"}},
    {"bench p.hone -n 10", 2, {"did you mean --runs?"}},
    {"dashboard --port 8080", 2, {"did you mean --bind?"}},
    {"tune m.onnx --time 5m", 2, {"did you mean --budget?"}},
    {"tune m.onnx --budget 10", 2, {"90s, 10m or 2h"}},
    {"tune m.onnx --budget 10s --budget 20s", 2, {"--budget is given more than once"}},
    // Shapes and targets.
    {"build m.onnx -o q.hone --batch 8", 2, {"--shape and --dim"}},
    {"build m.onnx -o q.hone --dim batch=8", 2, {"--shape data=1,1,14,14 sets an input's", "dynamic_axes"}},
    {"build m.onnx -o q.hone --shape 8,1,14,14", 2, {"NAME=1,3,224,224"}},
    {"run p.hone --shape data=8,1,14,14", 2, {"`hone build MODEL --shape data=8,1,14,14 -o P.hone`"}},
    {"build m.onnx -o q.hone --target cuda", 2, {"hone compiles for CPUs", "`hone targets` lists them"}},
    {"build m.onnx -o q.hone --precision int8", 2, {"--calibrate FOLDER"}},
    {"build m.onnx -o no/such/q.hone", 73, {"there is no folder no/such; `mkdir -p no/such` makes it"}},
    {"build m.onnx -o m.onnx", 73, {"another name is right"}},
    // Packages, results and records in each other's places.
    {"compare --results p.hone", 65, {"p.hone is no bench result", "`hone bench P.hone --json` prints one"}},
    {"bench p.hone --baseline x.csv", 65, {"x.csv is no bench result"}},
    {"compare m.onnx --since yesterday", 2, {"2026-11-22", "90d"}},
    {"inspect zoo:qqqqqqqq", 66, {"`hone zoo` lists those"}},
    {"inspect s.db", 65, {"is a record store", "an .onnx file"}},
    {"inspect b.json", 65, {"is JSON", "an .onnx file"}},
    {"log list --db folder", 65, {"is a folder", "postgresql://"}},
    {"log pull nosuch.honepack", 66, {"there is no file nosuch.honepack"}},
    {"log import m.onnx", 65, {"m.onnx is no text", "`hone log export`"}},
    {"log pull x.csv", 66, {"x.csv.minisig", "`hone log import`"}},
    {"log push x.csv folder", 65, {"x.csv: the pack is refused", "`hone log pack` makes packs"}},
    {"package export p.hone --c -o m.onnx", 73, {"m.onnx is a file; a folder is right"}},
    {"package pack p.hone -o q.hone", 66, {"p.hone is a file", "`hone package unpack`"}},
    {"package pack folder -o q.hone", 66, {"folder has no manifest.json", "`hone package unpack`"}},
    {"package join p.hone z.hone -o q.hone", 2, {"p.hone", "is of m.onnx", "z.hone", "of other.onnx", "--any-model"}},
    {"package replace-params p.hone --model two.onnx -o q.hone",
     65,
     {"two.onnx does not take the package's inputs (data=1,1,14,14)"}},
    // The fleet.
    {"key enroll --name ada", 78, {"hone key new", "--server"}},
    {"tune m.onnx --tracker localhost:9190 --key k", 78, {"tcp://HOST:PORT"}},
    {"tune m.onnx --tracker tcp://127.0.0.1:1 --key k", 69, {"start one with hone tracker"}},
    {"tune m.onnx --tracker tcp://127.0.0.1:1", 2, {"`hone devices --tracker` lists the device keys"}},
    {"tracker --bind 0.0.0.0:9190", 78, {"tcp://IP:PORT"}},
    {"tracker --bind tcp://0.0.0.0:9190", 78, {"`hone key new --server`"}},
    {"bench m.onnx --against onnxruntime --python no-python", 69, {"--python names another Python"}},
    // Options that are another command's, or lack their value.
    {"tune --model m.onnx", 2, {"it is a word without an option, as in `hone tune model.onnx"}},
    {"tune m.onnx --resume", 2, {"the same command, run again, goes on"}},
    {"tune m.onnx -j 4", 2, {"did you mean --threads?"}},
    {"inspect m.onnx --layers", 2, {"did you mean --tasks?"}},
    {"report --results b.json -o r.html", 2, {"`hone compare` has it"}},
    {"build m.onnx -o", 2, {"--output needs a value, as in `hone build model.onnx"}},
    {"compare --results", 2, {"--results needs a value"}},
    {"tune m.onnx --budget 0s", 2, {"--budget: '0s' is not a duration; 90s, 10m or 2h"}},
    {"bench p.hone --min-time 5", 2, {"--min-time: '5' is not a duration"}},
    {"runner --tracker tcp://127.0.0.1:1 --key k --max-memory lots", 2, {"--max-memory: 'lots'", "512M or 4G"}},
    {"log prune --before 2", 2, {"2026-11-22", "90d"}},
    {"tuning m.onnx", 2, {"`hone tune MODEL`"}},
    {"log show", 2, {"`hone explain RECORD`"}},
    {"log rm 12", 2, {"`hone log prune`"}},
    {"package list p.hone", 2, {"`hone package info P.hone`"}},
    {"key generate", 2, {"`hone key new`"}},
    // Outputs with the names of other files.
    {"build m.onnx -o q.onnx", 2, {"q.onnx is no name of a package, as q.hone"}},
    {"build m.onnx -o libq.so", 2, {"`hone package unpack P.hone -o DIR`"}},
    {"report m.onnx -o r.pdf", 2, {"r.html", "a browser prints that as PDF"}},
    {"package export p.hone --c -o lib.c", 2, {"lib.c names a file", "a folder"}},
    // Things that are not there, and what there is.
    {"bench convnet.onnx",
     66,
     {"there is no file convnet.onnx", "zoo:NAME", "there are empty.onnx, m.onnx, other.onnx"}},
    {"bench convnet", 66, {"there are p.hone, z.hone"}},
    {"run resnet18.hone", 66, {"`hone build zoo:resnet-18 -o P.hone`"}},
    {"bench p.hone --baseline c.json", 66, {"there is no file c.json; did you mean b.json?"}},
    {"zoo resnet -o r.onnx", 66, {"there are resnet-18, resnet-34, resnet-50 and others"}},
    {"ops Conv", 66, {"an operator of ONNX", "nn.conv2d", "`hone ops` takes these"}},
    {"space conv2d", 65, {"`hone inspect MODEL --tasks`", "in quotes"}},
    {"log why nosuch", 66, {"MODEL:LAYER", "in quotes"}},
    {"log best --workload conv", 2, {"`hone log list` shows"}},
    {"log sync t.db t.db", 2, {"are one store; two would be right"}},
    {"generate p.hone --ids 1,2", 2, {"a language model that takes input_ids"}},
    // Inputs and dimensions that do not fit.
    {"run p.hone --input data=doubles.npy", 2, {"astype(\"float32\") converts it"}},
    {"run p.hone --input data=eight.npy",
     2,
     {"`hone build MODEL --shape data=8,1,14,14 -o P.hone` builds for the file"}},
    {"run p.hone --dim seq=5", 2, {"the shapes of the package are fixed", "--dim seq=1..5"}},
    {"bench p.hone z.hone --dim seq=57", 2, {"no package has a free dimension of the name", "fixed"}},
    // The fleet, again.
    {"tune m.onnx --target raspberrypi4", 78, {"--tracker with --key asks a runner on another machine"}},
    {"runner --tracker 127.0.0.1:9190 --key k", 78, {"tcp://HOST:PORT"}},
    {"key revoke ada", 78, {"hone key new --server"}},
    // Runtimes and their adapters.
    {"bench m.onnx --runtime hone,", 2, {"the name of a runtime is empty", "onnxruntime"}},
    {"bench m.onnx --runtime ort", 2, {"did you mean onnxruntime?"}},
    {"bench m.onnx --against ONNXRuntime", 2, {"did you mean onnxruntime?"}},
    {"bench m.onnx --runtime hone,jax", 2, {"the path of an adapter (docs/reference/adapter.md)"}},
    {"bench m.onnx --runtime hone onnxruntime", 2, {"m.onnx and onnxruntime are given, and commas join the runtimes"}},
    {"bench m.onnx --runtime hone,plain.py", 2, {"did you mean the adapter ./plain.py?"}},
    {"bench m.onnx --runtime hone,./folder", 66, {"./folder is a folder"}},
    {"bench m.onnx --runtime hone,./x.csv", 66, {"`chmod +x ./x.csv`"}},
    {"bench m.onnx --runtime hone,./missing.py", 66, {"there is no adapter ./missing.py; there is ./plain.py"}},
    {"bench m.onnx --against onnxruntime:basic", 2, {"openvino:precision=default"}},
    {"bench m.onnx --runtime hone --runtime-timeout 5", 2, {"--runtime-timeout: '5' is not a duration"}},
    {"bench m.onnx --compare onnxruntime", 2, {"did you mean --against?"}},
    {"bench m.onnx --runtime hone --baseline b.json", 2, {"--runtime is without --baseline"}},
    {"bench p.hone --against onnxruntime", 2, {"p.hone is a package, which only hone runs", "hone bench model.onnx"}},
    {"runtime check m.onnx", 2, {"m.onnx is no runtime", "the path of an adapter"}},
    {"runtime check hone --model p.hone", 65, {"model that it was built from"}},
    {"runtime check hone --runtime-timeout 0s", 2, {"--runtime-timeout: '0s'"}},
    {"runtime test ./plain.py", 2, {"`hone runtime check RUNTIME` tests one"}},
    {"runtime run onnxruntime", 2, {"`hone bench MODEL --runtime hone,onnxruntime`"}},
    {"runtime onnxruntime", 2, {"it has list, check, serve"}},
    {"runtime serve m.onnx", 2, {"m.onnx is too much"}},
    // Kept packages.
    {"bench p.hone --baseline yesterday", 66, {"none is kept", "`hone bench P.hone --save yesterday`"}},
    {"bench p.hone --save a/b", 2, {"as main"}},
    {"bench p.hone --save ''", 2, {"--save is given an empty value"}},
    {"bench p.hone z.hone --save x", 2, {"hone bench P.hone --save x"}},
    {"bench p.hone --keep-days 5", 2, {"--save"}},
    {"bench p.hone --save good --keep-size lots", 2, {"--keep-size: 'lots'", "512M or 4G"}},
    {"bench p.hone --warmup 5", 2, {"warms up by itself"}},
    // Texts, states and random numbers.
    {"generate m.onnx --ids 1", 65, {"`hone build MODEL -o P.hone`"}},
    {"generate p.hone --ids hello", 2, {"right is 5,17,3"}},
    {"generate p.hone --prompt hello", 2, {"--ids takes what the model's tokenizer makes of a text"}},
    {"generate p.hone --ids 1 --max-new-tokens 5", 2, {"did you mean --new?"}},
    {"generate p.hone --ids 1 2 3", 2, {"2 3 are too much", "--ids 5,17,3"}},
    {"build m.onnx -o q.hone --state past=present", 2, {"no input \"past\"; it has data"}},
    {"build m.onnx -o q.hone --state x", 2, {"auto, none, or INPUT=OUTPUT"}},
    {"build m.onnx -o q.hone --state auto", 2, {"--state INPUT=OUTPUT names one"}},
    {"run p.hone --state auto", 2, {"`hone build`"}},
    {"run p.hone --max-dim 5", 2, {"`hone build`"}},
    {"run p.hone --seed-input s", 2, {"`hone build`"}},
    {"run p.hone --seed -1", 2, {"integer from 0"}},
    {"build m.onnx -o q.hone --seed-input seed", 2, {"no operator of m.onnx draws random numbers"}},
    {"build m.onnx -o q.hone --seed-input data", 2, {"the model has a value of that name"}},
    // Ranges.
    {"build m.onnx -o q.hone --max-dim n=100", 2, {"1 to 16777216"}},
    {"build m.onnx -o q.hone --dim n=1-6", 2, {"n=1..512 for a range"}},
    {"build m.onnx -o q.hone --dim n=any", 2, {"--dim is given \"n=any\"; right is n=128"}},
    {"build m.onnx -o q.hone --dim n=6..1", 2, {"as in n=1..512"}},
    {"build m.onnx -o q.hone --dim 5", 2, {"NAME=128 or NAME=1..512"}},
    {"build m.onnx -o q.hone --lengths nofile", 66, {"lines as \"57 1200\""}},
    {"tune m.onnx --dry-run", 2, {"`hone inspect MODEL --tasks` lists what would be tuned"}},
    {"build m.onnx -o q.hone --dry-run", 2, {"`hone inspect MODEL --tasks`"}},
    {"log prune --dry-run", 2, {"`hone log list`"}},
};

// A .npy file of zeros.
std::string Npy(const std::string& type, const std::string& shape, size_t bytes) {
  std::string header = "{'descr': '" + type + "', 'fortran_order': False, 'shape': (" + shape + "), }";
  header.resize(117, ' ');
  return std::string("\x93NUMPY\x01\0\x76\0", 10) + header + "\n" + std::string(bytes, '\0');
}

class HonestMistakes : public ProgramTest {
 protected:
  void SetUp() override {
    ProgramTest::SetUp();
    ASSERT_EQ(Shell("hone zoo mlp --image-shape 1,14,14 -o m.onnx && hone build m.onnx -o p.hone --no-records && "
                    "hone zoo mlp --image-shape 1,14,14 --seed 7 -o other.onnx && hone build other.onnx -o z.hone "
                    "--no-records && "
                    "hone zoo mlp --image-shape 1,20,20 -o two.onnx && "
                    "mkdir folder holder saved bert && cp m.onnx holder && touch empty.onnx saved/saved_model.pb "
                    "bert/model.safetensors")
                  .code,
              0);
    for (const auto& [name, bytes] :
         std::map<std::string, std::string>{{"w.safetensors", std::string("\x08\0\0\0\0\0\0\0{}      ", 16)},
                                            {"frozen.pb", "\x0a\x0c\x0a\x01x\x12\x07Placeho"},
                                            {"m.tflite", "    TFL3 and more"},
                                            {"m.pt", "PK\x03\x04 and more"},
                                            {"old.pth", "\x80\x02\x8a\x0a\x6c\xfc\x9c\x46 and more"},
                                            {"m.h5", "\x89HDF\r\n\x1a\n and more"},
                                            {"m.gguf", "GGUF and more"},
                                            {"m.engine", "ftrt and more"},
                                            {"model.xml", "<?xml version=\"1.0\"?><net/>"},
                                            {"cat.png", "\x89PNG\r\n\x1a\n and more"},
                                            {"x.npy", "\x93NUMPY\x01 and more"},
                                            {"s.db", "SQLite format 3 and more"},
                                            {"b.json", "{}"},
                                            {"doubles.npy", Npy("<f8", "1, 1, 14, 14", 196 * 8)},
                                            {"eight.npy", Npy("<f4", "8, 1, 14, 14", 8 * 196 * 4)},
                                            {"plain.py", "print('hi')\n"},
                                            {"x.csv", "1,2,3\n"}}) {
      Write("work/" + name, bytes);
    }
  }
};

TEST_F(HonestMistakes, EndWithOneLineThatNamesTheWayOn) {
  EXPECT_GE(std::size(kMistakes), 60U);
  const std::vector<std::string> before = Files();
  for (const Mistake& mistake : kMistakes) {
    SCOPED_TRACE(mistake.line);
    const ProgramResult r = Shell(std::string("hone ") + mistake.line);
    EXPECT_EQ(r.code, mistake.code) << r.err;
    for (const std::string& words : mistake.way) EXPECT_THAT(r.err, HasSubstr(words));
    EXPECT_THAT(r.out, IsEmpty());
    EXPECT_EQ(std::count(r.err.begin(), r.err.end(), '\n'), 1) << "one line is right: " << r.err;
  }
  EXPECT_EQ(Files(), before) << "nothing is left behind";
}

// These have done their work when the mistake shows.
TEST_F(HonestMistakes, AreExplainedBesideResults) {
  const ProgramResult verified = Shell("hone verify other.onnx p.hone");
  EXPECT_EQ(verified.code, 1);
  EXPECT_THAT(verified.err, HasSubstr("other.onnx is not the file that the package was built of, which was m.onnx\n"));
  const ProgramResult imported = Shell("hone log import x.csv --db t.db");
  EXPECT_EQ(imported.code, 65);
  EXPECT_THAT(imported.err, HasSubstr("no line was a record; a log of `hone log export`, AutoTVM or TopHub"));
  const ProgramResult trusted = Shell("hone log trust");
  EXPECT_EQ(NextOf(trusted), "hone log trust KEY --name NAME");
}

}  // namespace
}  // namespace hone
