// The machine code of the schedules' register tiles on each row of the table of machines.
#include "tests/support/hot_block.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <set>
#include <string_view>
#include <tuple>

#include "compiler/codegen/target/host.h"
#include "compiler/compile_kernel.h"
#include "compiler/schedules/conv2d/conv_shape.h"
#include "compiler/schedules/schedule.h"
#include "core/ceil_div.h"

namespace hone {
namespace {

Config BestConfig(const Schedule& schedule, const Workload& w, const MachineModel& machine) {
  const ConfigSpace space = schedule.Space(w, machine);
  Config best;
  double least_ns = 1e300;
  for (int64_t i = 0; i < space.size(); ++i) {
    const Config config = space.At(i);
    if (schedule.Reject(w, machine, config)) continue;
    const double estimate_ns = schedule.EstimateNs(w, machine, config);
    if (estimate_ns >= least_ns) continue;
    least_ns = estimate_ns;
    best = config;
  }
  return best;
}

struct Kernel {
  const char* name;  // its name in docs/reference/targets.md
  const char* schedule;
  const char* workload;
};
const Kernel kTiled[] = {
    {"3x3", "conv2d_direct", "nn.conv2d data=1x64x56x56 weight=64x64x3x3 padding=1x1x1x1 epilogue=bias_act"},
    {"1x1", "conv2d_direct", "nn.conv2d data=1x256x14x14 weight=1024x256x1x1 epilogue=residual"},
    {"3x3", "conv2d_winograd", "nn.conv2d data=1x64x56x56 weight=64x64x3x3 padding=1x1x1x1 epilogue=bias_act"},
    {"3x3, 2 outputs", "conv2d_dot", "nn.conv2d data=1x64x56x56 weight=2x64x3x3 padding=1x1x1x1 epilogue=bias_act"},
    {"17 channels", "conv2d_pixels", "nn.conv2d data=1x17x40x40 weight=17x17x1x1 epilogue=bias_act"},
    {"one row", "dense_pack", "nn.dense data=1x2048 weight=1000x2048 epilogue=bias_act"},
    {"one row", "dense_blocks",
     "nn.dense_blocks data=1x2048 weight=1000x256 blocks=int4x128 dtype=float32,int32,float32,float32"},
    {"packed", "batch_matmul", "nn.batch_matmul data=12x128x64 weight=12x128x64"},
    {"in place", "batch_matmul", "nn.batch_matmul data=12x128x128 weight=12x128x64 layouts=BMK,BKN,BMN"},
};
const Kernel kDepthwise[] = {
    {"3x3", "conv2d_depthwise",
     "nn.conv2d data=1x144x56x56 weight=144x1x3x3 padding=1x1x1x1 groups=144 epilogue=bias_act"},
    {"3x3, stride 2", "conv2d_depthwise",
     "nn.conv2d data=1x144x56x56 weight=144x1x3x3 strides=2x2 padding=1x1x1x1 groups=144 epilogue=bias_act"},
};

struct Machine {
  const char* target;
  const char* registers;  // part of every multiply-add's text
  int instructions = 1;   // number of multiply-adds for one vector of the tile
  double stack = 0;       // most accesses per multiply-add: reloads of held operands, and spills
  double loads = 0.8;     // most loads per multiply-add
  double depthwise_stack = 0;
};
// Prints the parameter's name in the list of tests.
void PrintTo(const Machine& machine, std::ostream* out) { *out << machine.target; }
// SSE's products overwrite an operand, so the fastest tile is one pixel wide and loads every weight at its use.
// AVX-512's 2x14 tile reloads a weight vector and still reaches 98 % of the measured peak. ARMv7 has no memory operands
// and too few general registers for 64-bit indices, so its tiles spill. With RVV of 512 bits the transpose of a panel
// takes registers from the product's loop after it. For in-order cores LLVM loads so early that registers run out:
// Cortex-A53's strided depthwise loop and U74's dense one.
const Machine kMachines[] = {
    {"x86-64-v2", "%xmm", 1, 1.0 / 6, 1.2, 0.4},
    {"x86-64-v3", "%ymm", 1, 0, 0.8, 0.12},
    {"x86-64-v4", "%zmm", 1, 1.0 / 6},
    {"cascadelake", "%zmm", 1, 1.0 / 6},
    {"cortex-a53", ".4s", 1, 0, 0.8, 0.27},
    {"cortex-a72", ".4s"},
    {"cortex-a76", ".4s"},
    {"neoverse-n1", ".4s"},
    {"neoverse-v2", ".4s"},
    {"llvm -mtriple=aarch64-linux-gnu -mcpu=cortex-a76 -mattr=+i8mm", ".4s"},
    {"cortex-a15", "\tq", 1, 0.5, 1},
    {"cortex-a9", "\tq", 1, 1.2, 1.9, 0.12},
    {"rv64gcv", "vfm"},
    {"rv64gcv_zvl256b", "vfm"},
    {"rv64gcv_zvl512b", "vfm", 1, 0.22},
    {"rv64gc", "fmadd.s", 4, 0, 0.8, 0.2},
    {"sifive-u74", "fmadd.s", 4, 0.2, 0.8, 0.2},
};

// The lines of docs/reference/targets.md.
const std::set<std::string>& Page() {
  static const std::set<std::string> page = [] {
    std::ifstream file(HONE_SOURCE_DIR "/docs/reference/targets.md");
    std::set<std::string> lines;
    for (std::string line; std::getline(file, line);) lines.insert(line);
    return lines;
  }();
  return page;
}

bool PageHasRowOf(const std::string& begin) {
  const auto row = Page().lower_bound(begin);
  return row != Page().end() && row->starts_with(begin);
}

class HotBlock : public ::testing::TestWithParam<Machine> {
 protected:
  HotBlock() : target_(ResolveTarget(GetParam().target)), machine_(MachineModelFor(target_)) {}

  testing::HotBlock Compiled(const Kernel& kernel, const Config& config, int most) const {
    const auto compiled =
        CompileKernel({Workload::Parse(kernel.workload), std::string(kernel.schedule), config, target_});
    return testing::HotBlockOf(std::get<Artifact>(compiled), target_, most);
  }
  // Multiply-adds in one pass of the innermost loop.
  int TileMultiplyAdds(const Kernel& kernel, const Config& config) const {
    const TileShape tile = FindSchedule(kernel.schedule)->Tile(Workload::Parse(kernel.workload), machine_, config);
    return static_cast<int>(tile.accumulators() * tile.unroll) * GetParam().instructions;
  }
  // Expects the page to list the loops that touch the stack, and the counts of some targets.
  void ExpectOnPage(const Kernel& kernel, const testing::HotBlock& hot) const {
    const auto starting = [](const char* opcode) {
      return [opcode](const std::string& text) { return text.starts_with(opcode); };
    };
    const auto begin = fmt::format("| {} | `{}` {} | ", GetParam().target, kernel.schedule, kernel.name);
    const auto stack = fmt::format("{}{} | {} |", begin, hot.multiply_adds, hot.stack_accesses);
    EXPECT_EQ(Page().contains(stack), hot.stack_accesses > 0) << stack;
    EXPECT_EQ(PageHasRowOf(begin), hot.stack_accesses > 0) << stack;
    const auto counted = fmt::format("| `{}` {} | {} | ", kernel.schedule, kernel.name, GetParam().target);
    if (!PageHasRowOf(counted)) return;
    const auto pairs = std::count_if(hot.instructions.begin(), hot.instructions.end(), starting("\tldp"));
    const auto others = static_cast<int>(hot.instructions.size()) - hot.multiply_adds - hot.loads;
    const auto row = fmt::format("{}{} | {} | {} | {} |", counted, hot.multiply_adds, hot.loads, pairs, others);
    EXPECT_TRUE(Page().contains(row)) << row << "\n" << hot.ToText();
  }
  Config Best(const Kernel& kernel) const {
    return BestConfig(*FindSchedule(kernel.schedule), Workload::Parse(kernel.workload), machine_);
  }

  Target target_;
  MachineModel machine_;
};

TEST_P(HotBlock, OfATileKeepsItsAccumulatorsInRegisters) {
  for (const Kernel& kernel : kTiled) {
    const Config config = Best(kernel);
    const int expected = TileMultiplyAdds(kernel, config);
    const testing::HotBlock hot = Compiled(kernel, config, expected);
    const std::string what = std::string(kernel.workload) + "\n" + config.ToText() + "\n" + hot.ToText();
    EXPECT_EQ(hot.multiply_adds, expected) << what;
    EXPECT_EQ(hot.MultiplyAddsWith(GetParam().registers), expected) << what;
    EXPECT_LE(hot.stack_accesses, GetParam().stack * expected) << what;
    ExpectOnPage(kernel, hot);
    // With one row every weight is used once, and where lanes are input channels nothing is broadcast.
    const std::string_view schedule = kernel.schedule;
    if (schedule != "dense_pack" && schedule != "dense_blocks" && schedule != "conv2d_dot") {
      EXPECT_LE(hot.loads, GetParam().loads * expected) << what;
    }
  }
}

TEST_P(HotBlock, OfADepthwiseKernelUsesTheWidestVectors) {
  for (const Kernel& kernel : kDepthwise) {
    const testing::HotBlock hot = Compiled(kernel, Best(kernel), 1 << 20);
    EXPECT_GE(hot.multiply_adds, 9) << hot.ToText();
    EXPECT_EQ(hot.MultiplyAddsWith(GetParam().registers), hot.multiply_adds) << hot.ToText();
    EXPECT_LE(hot.stack_accesses, GetParam().depthwise_stack * hot.multiply_adds) << hot.ToText();
    ExpectOnPage(kernel, hot);
  }
}

constexpr const char* kAlderLake = "llvm -mtriple=x86_64-pc-linux-gnu -mcpu=alderlake";

constexpr const char* kDirect =
    "nn.conv2d data=1x64x28x28 weight=128x64x3x3 padding=2x2x2x2 dilation=2x2 epilogue=bias_act";
constexpr const char* kWinograd = "nn.conv2d data=1x64x56x56 weight=64x64x3x3 padding=1x1x1x1 epilogue=bias_act";

testing::HotBlock BytesOn(const std::string& text, const char* workload = kDirect) {
  const Target target = ResolveTarget(text);
  Workload w = Workload::Parse(workload);
  w.types = ByteTypes(DType::kUInt8);
  const DefaultConfig chosen = AnalyticDefault(w, MachineModelFor(target));
  const auto compiled = CompileKernel({w, std::string(chosen.schedule->name()), chosen.config, target});
  return testing::HotBlockOf(std::get<Artifact>(compiled), target, 1 << 20);
}

// If an instruction sums four products of bytes, inner loops consist of it. AVX-512's tile keeps broadcast bytes on the
// stack, and its float multiply-adds read them from memory.
TEST(HotBlockOfBytes, IsDotProducts) {
  for (const auto& [text, name, stack] :
       {std::tuple("znver4", "vpdpbusd", 0.25), std::tuple(kAlderLake, "vpdpbusd", 0.5),
        std::tuple("neoverse-v1", "usdot", 0.0), std::tuple("cortex-a76", "sdot", 0.0)}) {
    const testing::HotBlock hot = BytesOn(text);
    EXPECT_GE(hot.MultiplyAddsWith(name), 4) << text << "\n" << hot.ToText();
    EXPECT_EQ(hot.MultiplyAddsWith(name), hot.multiply_adds) << hot.ToText();
    EXPECT_LE(hot.stack_accesses, stack * hot.multiply_adds) << hot.ToText();
  }
  EXPECT_EQ(BytesOn("znver4").MultiplyAddsWith("%zmm"), BytesOn("znver4").multiply_adds);
  EXPECT_EQ(BytesOn(kAlderLake).MultiplyAddsWith("%ymm"), BytesOn(kAlderLake).multiply_adds);
}

// Elsewhere bytes are widened to 16 bits. The products fit in 32 bits, so none saturates.
TEST(HotBlockOfBytes, IsProductsOf16BitsWithoutThem) {
  for (const auto& [text, name, registers] :
       {std::tuple("llvm -mtriple=x86_64-pc-linux-gnu -mcpu=x86-64-v3", "vpmaddwd", "%ymm"),
        std::tuple("llvm -mtriple=x86_64-pc-linux-gnu -mcpu=x86-64-v2", "pmaddwd", "%xmm"),
        std::tuple("llvm -mtriple=aarch64-linux-gnu -mcpu=cortex-a72", "smlal", ".4s"),
        std::tuple("rv64gcv_zvl512b", "vmacc.vv", "v")}) {
    const testing::HotBlock hot = BytesOn(text);
    EXPECT_GE(hot.MultiplyAddsWith(name), 4) << text << "\n" << hot.ToText();
    EXPECT_EQ(hot.MultiplyAddsWith(name), hot.multiply_adds) << hot.ToText();
    EXPECT_EQ(hot.MultiplyAddsWith(registers), hot.multiply_adds) << hot.ToText();
    EXPECT_EQ(hot.ToText().find("maddubs"), std::string::npos) << "which saturates";
  }
}

// Pairs of 16 bits, together with the sum where one instruction does both.
TEST(HotBlockOfBytes, IsPairsInWinogradsProduct) {
  for (const auto& [text, name, registers] :
       {std::tuple("znver4", "vpdpwssd", "%zmm"), std::tuple(kAlderLake, "vpdpwssd", "%ymm"),
        std::tuple("llvm -mtriple=x86_64-pc-linux-gnu -mcpu=x86-64-v3", "vpmaddwd", "%ymm")}) {
    const testing::HotBlock hot = BytesOn(text, kWinograd);
    EXPECT_GE(hot.MultiplyAddsWith(name), 4) << text << "\n" << hot.ToText();
    EXPECT_EQ(hot.MultiplyAddsWith(name), hot.multiply_adds) << hot.ToText();
    EXPECT_EQ(hot.MultiplyAddsWith(registers), hot.multiply_adds) << hot.ToText();
    EXPECT_LE(hot.stack_accesses, 0.1 * hot.multiply_adds) << text << "\n" << hot.ToText();
  }
}

// The instruction leaves a product for a separate sum. Code that sums products first, or keeps operands that two taps
// share, runs out of registers.
TEST(HotBlockOfBytes, KeepsItsSumsInRegistersWhereProductsLieApart) {
  for (const char* cpu : {"x86-64-v3", "x86-64-v4"}) {
    const testing::HotBlock hot = BytesOn(cpu);
    EXPECT_GE(hot.multiply_adds, 20) << hot.ToText();
    EXPECT_LE(hot.stack_accesses, 0.1 * hot.multiply_adds) << cpu << "\n" << hot.ToText();
  }
}

// Groups of two channel vectors: a tile of one vector and 14 pixels would fill the registers.
TEST(HotBlockOfGroups, KeepsItsOperandsInRegisters) {
  for (const char* size : {"14x14", "28x28", "56x56"}) {
    const Target target = ResolveTarget("x86-64-v3");
    const Workload w = Workload::Parse(
        fmt::format("nn.conv2d data=1x512x{} weight=512x16x3x3 padding=1x1x1x1 groups=32 epilogue=bias_act", size));
    const DefaultConfig chosen = AnalyticDefault(w, MachineModelFor(target));
    const auto compiled = CompileKernel({w, std::string(chosen.schedule->name()), chosen.config, target});
    const testing::HotBlock hot = testing::HotBlockOf(std::get<Artifact>(compiled), target, 1 << 20);
    EXPECT_GT(hot.multiply_adds, 0);
    EXPECT_LE(hot.stack_accesses, 0.05 * hot.multiply_adds) << hot.ToText();
  }
}

TEST(HotBlockOfHalfWeights, WidensEachVectorOnce) {
  // LLVM widens so early for AArch64 that registers run out; x86 converts from memory.
  for (const auto& [text, name, stack] :
       {std::tuple("x86-64-v3", "\tvcvtph2ps", 0.0), std::tuple("x86-64-v4", "\tvcvtph2ps", 0.0),
        std::tuple("neoverse-n1", "\tfcvtl", 0.5)}) {
    const Target target = ResolveTarget(text);
    Workload w = Workload::Parse("nn.dense data=1x4096 weight=1000x4096 epilogue=bias_act");
    w.types = kHalfWeights;
    const DefaultConfig chosen = AnalyticDefault(w, MachineModelFor(target));
    const auto compiled = CompileKernel({w, std::string(chosen.schedule->name()), chosen.config, target});
    const testing::HotBlock hot = testing::HotBlockOf(std::get<Artifact>(compiled), target, 1 << 20);
    const auto widened = std::count_if(hot.instructions.begin(), hot.instructions.end(),
                                       [&](const std::string& line) { return line.starts_with(name); });
    EXPECT_EQ(widened, hot.multiply_adds) << text << "\n" << hot.ToText();
    EXPECT_LE(hot.stack_accesses, stack * hot.multiply_adds) << text << "\n" << hot.ToText();
  }
}

// The displacements of the operands "12(%reg...)" in every instruction that starts with `opcode`, in ascending order.
std::vector<int64_t> Displacements(const testing::HotBlock& block, std::string_view opcode) {
  std::vector<int64_t> found;
  for (const std::string& text : block.instructions) {
    const size_t at = text.find_first_not_of(" \t");
    if (at == std::string::npos || text.compare(at, opcode.size(), opcode) != 0) continue;
    const size_t operand = text.find_first_of(" \t", at);
    found.push_back(std::strtoll(text.c_str() + text.find_first_not_of(" \t", operand), nullptr, 10));
  }
  std::sort(found.begin(), found.end());
  return found;
}

TEST(FirstConvolution, FetchesTheInputOfTheNextRow) {
  const Target target = ResolveTarget("llvm -mtriple=x86_64-pc-linux-gnu -mcpu=x86-64-v4");
  for (const int64_t stride : {1, 2}) {
    const std::string text =
        fmt::format("nn.conv2d data=1x3x224x224 weight=32x3x3x3 strides={0}x{0} padding=1x1x1x1", stride);
    const Config config = Config::Parse("oc_block=16 ic_block=1 tile_oc=2 tile_ow=9");
    const auto compiled = CompileKernel({Workload::Parse(text), "conv2d_direct", config, target});
    const testing::HotBlock hot = testing::HotBlockOf(std::get<Artifact>(compiled), target, 1 << 20);
    const std::vector<int64_t> fetched = Displacements(hot, "prefetch");
    ASSERT_EQ(fetched.size(), static_cast<size_t>(CeilDiv(9 * stride * 4, 64))) << hot.ToText();
    for (size_t i = 1; i < fetched.size(); ++i) EXPECT_EQ(fetched[i] - fetched[i - 1], 64) << hot.ToText();
  }
}

TEST(LaterConvolution, FindsItsInputInACache) {
  const Target target = ResolveTarget("llvm -mtriple=x86_64-pc-linux-gnu -mcpu=x86-64-v4");
  const Workload workload = Workload::Parse("nn.conv2d data=1x32x56x56 weight=32x32x3x3 padding=1x1x1x1");
  const Config config = Config::Parse("oc_block=16 ic_block=2 unroll_ic=2 tile_oc=2 tile_ow=9");
  const auto compiled = CompileKernel({workload, "conv2d_direct", config, target});
  const testing::HotBlock hot = testing::HotBlockOf(std::get<Artifact>(compiled), target, 1 << 20);
  EXPECT_TRUE(Displacements(hot, "prefetch").empty()) << hot.ToText();
}

INSTANTIATE_TEST_SUITE_P(Machines, HotBlock, ::testing::ValuesIn(kMachines));

}  // namespace
}  // namespace hone
