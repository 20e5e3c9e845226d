// `hone package export --executor aot`: an object without dependencies that computes the same bits as libhone.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "core/random.h"
#include "lab/files/npy.h"
#include "runtime/threads/thread_state.h"
#include "tests/cli/run_program.h"

namespace hone {
namespace {

using testing::HasSubstr;
using testing::Not;

// Two inputs and two outputs; other calls read one of the outputs.
constexpr const char* kTwo = R"(free_var %a: Tensor[(2, 33), float32];
free_var %b: Tensor[(2, 33), float32];
%0 = multiply(%a, %b);
%1 = nn.softmax(%0);
%2 = (%1, %0);
%2
)";

// As many rows as there are nonzero values.
constexpr const char* kCountedRows = R"(def @main(%x: Tensor[(4, 5), float32], counted=[0, 0, 1, 20]) {
  %0 = argwhere(%x);
  %1 = %0.0;
  %2 = %0.1;
  (%1, %2)
}
)";

struct Model {
  const char* name;
  const char* build;  // the arguments of `hone build`
  std::vector<Shape> inputs;
};
// Prints the parameter's name in the list of tests.
void PrintTo(const Model& model, std::ostream* out) { *out << model.build; }

const Model kModels[] = {
    {"Dense", "zoo:mlp --classes 100 --image-shape 1,14,14", {{1, 1, 14, 14}}},
    {"Convolutions", "zoo:resnet-18 --image-shape 3,64,64 --batch 2", {{2, 3, 64, 64}}},
    {"InPlace", "zoo:squeezenet --image-shape 3,64,64", {{1, 3, 64, 64}}},
    {"SeveralTensors", "two.relay", {{2, 33}, {2, 33}}},
    {"Bytes", "zoo:resnet-18 --image-shape 3,64,64 --precision int8 --calibrate random --samples 1", {{1, 3, 64, 64}}},
};

// One in four values, from index `first` on, is denormal: code that does not flush them computes other bits.
Tensor Values(const Shape& shape, int64_t first, Random& random) {
  Tensor tensor(DType::kFloat32, shape);
  auto* values = static_cast<float*>(tensor.raw());
  for (int64_t i = 0; i < tensor.elements(); ++i) {
    const auto unit = static_cast<float>(random.Next() % 2001) / 1000.0F - 1.0F;
    values[i] = i % 4 == first ? unit * 1e-39F : unit;
  }
  return tensor;
}

// Reads the inputs from standard input and writes each output of two runs, in both kinds of memory.
std::string MainOf(size_t inputs, size_t outputs) {
  std::string text =
      "#include <m.h>\n#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n"
      "#if defined(__x86_64__)\n#include <xmmintrin.h>\n#define CONTROL() (_mm_getcsr() & 0xffc0)\n"
      "#else\n#define CONTROL() 0\n#endif\n";
  std::string given, read, written;
  for (size_t i = 0; i < inputs; ++i) {
    // Only 4-byte aligned, because tensors may lie anywhere.
    text += fmt::format("static _Alignas(64) unsigned char in_{0}[M_INPUT_{0}_BYTES + 4];\n", i);
    read += fmt::format("  if (fread(in_{0} + 4, M_INPUT_{0}_BYTES, 1, stdin) != 1) return 3;\n", i);
    given += fmt::format("in_{} + 4, ", i);
  }
  for (size_t i = 0; i < outputs; ++i) {
    text += fmt::format("static _Alignas(64) unsigned char out_{0}[M_OUTPUT_{0}_BYTES];\n", i);
    written += fmt::format(
        "    if (fwrite(out_{0}, M_OUTPUT_{0}_BYTES, 1, stdout) != 1) return 4;\n"
        "    memset(out_{0}, 0x55, M_OUTPUT_{0}_BYTES);\n",
        i);
    given += fmt::format("out_{}, ", i);
  }
  return text + fmt::format(
                    "int main(void) {{\n{}  void* own = aligned_alloc(64, M_MEMORY_BYTES);\n"
                    "  memset(own, 0, M_MEMORY_BYTES);\n  const unsigned before = CONTROL();\n"
                    "  for (int run = 0; run < 3; ++run) {{\n"
                    "    if (m_run({}run == 1 ? own : NULL) != 0) return 5;\n"
                    "    if (CONTROL() != before) return 6;\n{}  }}\n  free(own);\n  return 0;\n}}\n",
                    read, given, written);
}

class AotProgram : public ProgramTest {
 protected:
  void Expect(const std::string& line) {
    const ProgramResult r = Shell(line);
    ASSERT_EQ(r.code, 0) << line << "\n" << r.out << r.err;
  }

  // Makes m.h and m.o from the model, and a program with them.
  void MakeProgram(const Model& model, const std::string& target, const std::string& compiler) {
    Write("work/two.relay", kTwo);
    Expect(fmt::format("hone build {} --no-records --target {} -o m.hone", model.build, target));
    Expect("hone package export m.hone --c --executor aot --name m -o .");
    const size_t outputs = std::strcmp(model.build, "two.relay") == 0 ? 2 : 1;
    Write("work/main.c", MainOf(model.inputs.size(), outputs));
    Expect(compiler + " -std=c11 -Wall -Werror -I. main.c m.o -o main");
  }

  void WriteInputs(const Model& model) {
    Random random(7);
    std::string raw;
    for (size_t i = 0; i < model.inputs.size(); ++i) {
      const Tensor tensor = Values(model.inputs[i], static_cast<int64_t>(i), random);
      Write(fmt::format("work/in{}.npy", i), NpyBytes(tensor));
      raw.append(static_cast<const char*>(tensor.raw()), tensor.size_bytes());
    }
    Write("work/in.bin", raw);
  }

  // The outputs of `hone run`, concatenated.
  std::string Session(const Model& model, int threads) {
    std::string line = fmt::format("hone run m.hone --threads {} --output out{}", threads, threads);
    const std::vector<const char*> names =
        model.inputs.size() == 2 ? std::vector<const char*>{"a", "b"} : std::vector<const char*>{"data"};
    for (size_t i = 0; i < names.size(); ++i) line += fmt::format(" --input {}=in{}.npy", names[i], i);
    Expect(line);
    std::string bytes;
    for (const std::string& file : Files()) {
      if (!file.starts_with(fmt::format("work/out{}/", threads))) continue;
      const Tensor tensor = ParseNpy(Read(file), file);
      bytes.append(static_cast<const char*>(tensor.raw()), tensor.size_bytes());
    }
    return bytes;
  }
};

class AotOf : public AotProgram, public testing::WithParamInterface<Model> {};

TEST_P(AotOf, ComputesTheSessionsBits) {
  // An object cannot ask for tile registers, which kernels of bytes use where they exist.
  MakeProgram(GetParam(), MayUseTileRegisters() ? "x86-64-v4" : "host", "cc");
  WriteInputs(GetParam());
  Expect("./main < in.bin > aot.bin");
  const std::string once = Session(GetParam(), 1);
  ASSERT_GT(once.size(), 100U);
  EXPECT_TRUE(Session(GetParam(), 2) == once);
  EXPECT_TRUE(Read("work/aot.bin") == once + once + once);
}
INSTANTIATE_TEST_SUITE_P(Models, AotOf, testing::ValuesIn(kModels), [](const auto& of) { return of.param.name; });

struct Board {
  const char *name, *target, *compiler, *emulator;
};
void PrintTo(const Board& board, std::ostream* out) { *out << board.target; }

class AotFor : public AotProgram, public testing::WithParamInterface<Board> {};

// Small, because an emulator of vectors takes minutes for what a machine does in milliseconds.
const Model kOnBoards{"Convolutions", "zoo:resnet-18 --image-shape 3,32,32", {{1, 3, 32, 32}}};

// Sums on other machines have another order.
TEST_P(AotFor, AgreesWithThisMachine) {
  const Board& board = GetParam();
  if (Shell(fmt::format("command -v {} && command -v {}", board.compiler, board.emulator)).code != 0) {
    GTEST_SKIP() << "no " << board.compiler << " and " << board.emulator;
  }
  const Model& model = kOnBoards;
  MakeProgram(model, board.target, std::string(board.compiler) + " -static");
  WriteInputs(model);
  Expect(std::string(board.emulator) + " ./main < in.bin > aot.bin");
  Expect(fmt::format("hone build {} --no-records -o m.hone", model.build));
  const std::string here = Session(model, 1), there = Read("work/aot.bin");
  ASSERT_EQ(there.size(), 3 * here.size());
  for (size_t i = 0; i < here.size(); i += sizeof(float)) {
    float a = 0, b = 0;
    std::memcpy(&a, &here[i], sizeof(a));
    std::memcpy(&b, &there[i], sizeof(b));
    ASSERT_LE(std::abs(a - b), 1e-4F) << i / sizeof(float);
  }
}
INSTANTIATE_TEST_SUITE_P(Boards, AotFor,
                         testing::Values(Board{"AArch64", "cortex-a72", "aarch64-linux-gnu-gcc", "qemu-aarch64-static"},
                                         Board{"Armv7", "cortex-a15", "arm-linux-gnueabihf-gcc", "qemu-arm-static"},
                                         Board{"RiscV", "rv64gcv", "riscv64-linux-gnu-gcc",
                                               "qemu-riscv64-static -cpu rv64,v=true,vlen=256"}),
                         [](const auto& of) { return of.param.name; });

TEST_F(AotProgram, NeedsNothingAndMovesAnywhere) {
  MakeProgram(kModels[1], "host", "cc");
  EXPECT_EQ(Shell("nm --undefined-only m.o").out, "");
  EXPECT_THAT(Shell("nm --defined-only --extern-only --format=just-symbols m.o").out, testing::EndsWith("m_run\n"));
  Expect("cc -shared -Wl,-z,text,--fatal-warnings m.o -o m.so");
  EXPECT_THAT(Shell("readelf --wide --segments m.so m.o").out, Not(HasSubstr("RWE")));
  EXPECT_THAT(Read("work/m.h"), HasSubstr("int32_t m_run(const void* input_0, void* output_0, void* memory);"));
}

// Exporting checks the plan as loading does: on a machine that cannot load the package, nothing else would.
TEST_F(AotProgram, RefusesAPlanThatIsNotItsKernels) {
  Expect("hone build zoo:mlp --image-shape 1,14,14 --no-records --target cortex-a72 -o a.hone");
  Expect("hone package unpack a.hone -o parts");
  Expect("sed -i -E '0,/\"extent\": [0-9]+/s//\"extent\": 1000000/' parts/graph.json");
  Expect("hone package pack parts -o crafted.hone");
  const ProgramResult r = Shell("hone package export crafted.hone --c --executor aot -o out");
  EXPECT_EQ(r.code, 65) << r.out;
  EXPECT_THAT(r.err, HasSubstr("crafted.hone: graph: "));
}

TEST_F(AotProgram, RefusesInOneLineAndLeavesNothing) {
  Expect("hone build zoo:mlp --image-shape 1,14,14 --no-records --target x86-64-v2 -o a.hone");
  Expect("hone build zoo:mlp --image-shape 1,14,14 --no-records --target x86-64-v3 -o b.hone");
  Expect("hone package join a.hone b.hone -o ab.hone");
  Expect(
      "hone build zoo:mlp --image-shape 1,14,14 --no-records --precision bfloat16 --target sapphirerapids -o amx.hone");
  Write("work/counted.relay", kCountedRows);
  Expect("hone build counted.relay --no-records -o counted.hone");
  const std::vector<std::string> before = Files();
  const ProgramResult two = Shell("hone package export ab.hone --c --executor aot -o out");
  EXPECT_EQ(two.code, 2);
  EXPECT_THAT(two.err, HasSubstr("takes a package for one"));
  const ProgramResult amx = Shell("hone package export amx.hone --c --executor aot -o out");
  EXPECT_EQ(amx.code, 78);
  EXPECT_THAT(amx.err, HasSubstr("tile registers"));
  const ProgramResult counted = Shell("hone package export counted.hone --c --executor aot -o out");
  EXPECT_EQ(counted.code, 2);
  EXPECT_THAT(counted.err, HasSubstr("how many rows an output has follows from data"));
  EXPECT_EQ(Shell("hone package export a.hone --c --executor vm -o out").code, 2);
  EXPECT_EQ(Files(), before);
}

}  // namespace
}  // namespace hone
