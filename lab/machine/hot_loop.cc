#include "lab/machine/hot_loop.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <sstream>
#include <tuple>

namespace hone {
namespace {

struct Instruction {
  std::string mnemonic, operands;
};

bool IsLabel(const std::string& line) { return !line.empty() && line.back() == ':'; }

std::string Trimmed(std::string line) {
  // "# " begins an x86 comment; on AArch64, where numbers are written as #16, "//" does.
  for (const char* comment : {"# ", "//"}) line.erase(std::min(line.find(comment), line.size()));
  const size_t begin = line.find_first_not_of(" \t");
  if (begin == std::string::npos) return "";
  return line.substr(begin, line.find_last_not_of(" \t") - begin + 1);
}

Instruction SplitInstruction(const std::string& line) {
  const size_t gap = std::min(line.find_first_of(" \t"), line.size());
  const size_t operands = std::min(line.find_first_not_of(" \t", gap), line.size());
  return {line.substr(0, gap), line.substr(operands)};
}

bool Has(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

std::vector<std::string> Code(std::string_view assembly) {
  std::vector<std::string> lines;
  std::istringstream in{std::string(assembly)};
  for (std::string line; std::getline(in, line);) {
    line = Trimmed(line);
    if (line.empty() || (line.front() == '.' && !IsLabel(line))) continue;
    lines.push_back(IsLabel(line) ? line : "  " + line);
  }
  return lines;
}

// The target of a jump, which is its last operand.
std::string Destination(const Instruction& instruction) {
  if (instruction.mnemonic.empty() || (instruction.mnemonic[0] != 'j' && instruction.mnemonic[0] != 'b' &&
                                       instruction.mnemonic[0] != 'c' && instruction.mnemonic[0] != 't')) {
    return "";
  }
  const size_t last = instruction.operands.find_last_of(" \t,");
  return last == std::string::npos ? instruction.operands : instruction.operands.substr(last + 1);
}

struct LineRange {
  size_t begin = 0, end = 0;  // lines; the end is behind the jump back
};

std::vector<LineRange> Loops(const std::vector<std::string>& lines) {
  std::map<std::string, size_t> labels;
  std::vector<LineRange> loops;
  for (size_t i = 0; i < lines.size(); ++i) {
    if (IsLabel(lines[i])) {
      labels[lines[i].substr(0, lines[i].size() - 1)] = i;
      continue;
    }
    const auto label = labels.find(Destination(SplitInstruction(Trimmed(lines[i]))));
    if (label != labels.end()) loops.push_back({label->second, i + 1});
  }
  return loops;
}

bool HoldsAnother(const LineRange& loop, const std::vector<LineRange>& loops) {
  return std::any_of(loops.begin(), loops.end(), [&](const LineRange& other) {
    const bool inside = other.begin >= loop.begin && other.end <= loop.end;
    return inside && (other.begin != loop.begin || other.end != loop.end);
  });
}

// Instructions that multiply and add, by a part of their mnemonic, with the products that each adds to a sum.
struct MultiplyAddRow {
  std::string_view part;
  int products;
};
constexpr MultiplyAddRow kMultiplyAdds[] = {
    {"fmadd", 1}, {"fnmadd", 1}, {"fmla", 1},  {"fmls", 1},    {"mulps", 1},  {"mulss", 1},    {"tdpbf16", 2},
    {"tdpb", 4},  {"vpdpb", 4},  {"vpdpw", 2}, {"vdpbf16", 2}, {"maddwd", 2}, {"maddubsw", 2}, {"usdot", 4},
    {"sdot", 4},  {"udot", 4},   {"bfdot", 2}, {"bfmmla", 4},  {"smlal", 1},  {"umlal", 1},
};

void CountMultiplyAdd(HotLoop& loop, const std::string& mnemonic) {
  const auto* row = std::find_if(std::begin(kMultiplyAdds), std::end(kMultiplyAdds),
                                 [&](const MultiplyAddRow& each) { return Has(mnemonic, each.part); });
  if (row == std::end(kMultiplyAdds)) return;
  ++loop.multiply_adds;
  loop.products = std::max(loop.products, row->products);
  loop.tiles = loop.tiles || mnemonic.starts_with("tdp");
}

void Count(HotLoop& loop, const Instruction& instruction) {
  const auto& [mnemonic, operands] = instruction;
  ++loop.instructions;
  CountMultiplyAdd(loop, mnemonic);
  if (Has(mnemonic, "prf") || Has(mnemonic, "prefetch")) {
    ++loop.prefetches;
    return;
  }
  const bool x86_memory = Has(operands, "(%");
  const bool x86_store = x86_memory && Has(mnemonic, "mov") && operands.back() == ')';
  const bool arm_store = mnemonic.starts_with("st");
  const bool arm_load = mnemonic.starts_with("ld");
  if (x86_store || arm_store) ++loop.stores;
  if ((x86_memory && !x86_store && !mnemonic.starts_with("lea")) || arm_load) ++loop.loads;
  if ((Has(operands, "(%rsp") && !mnemonic.starts_with("lea")) || Has(operands, "[sp")) ++loop.stack;
}

HotLoop CountedLoop(const std::vector<std::string>& lines, const LineRange& range) {
  HotLoop loop;
  for (size_t i = range.begin; i < range.end; ++i) {
    loop.lines.push_back(lines[i]);
    if (!IsLabel(lines[i])) Count(loop, SplitInstruction(Trimmed(lines[i])));
  }
  return loop;
}

}  // namespace

HotLoop FindHotLoop(std::string_view assembly) {
  const std::vector<std::string> lines = Code(assembly);
  const std::vector<LineRange> loops = Loops(lines);
  HotLoop hottest;
  for (const LineRange& range : loops) {
    if (HoldsAnother(range, loops)) continue;
    HotLoop loop = CountedLoop(lines, range);
    if (std::tie(loop.multiply_adds, loop.instructions) > std::tie(hottest.multiply_adds, hottest.instructions)) {
      hottest = std::move(loop);
    }
  }
  return loops.empty() ? CountedLoop(lines, {0, lines.size()}) : hottest;
}

}  // namespace hone
