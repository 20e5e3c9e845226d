#include "tests/support/hot_block.h"

#include <gtest/gtest.h>
#include <llvm/MC/MCAsmInfo.h>
#include <llvm/MC/MCContext.h>
#include <llvm/MC/MCDisassembler/MCDisassembler.h>
#include <llvm/MC/MCInst.h>
#include <llvm/MC/MCInstPrinter.h>
#include <llvm/MC/MCInstrAnalysis.h>
#include <llvm/MC/MCInstrInfo.h>
#include <llvm/MC/MCRegisterInfo.h>
#include <llvm/MC/MCSubtargetInfo.h>
#include <llvm/MC/MCTargetOptions.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Object/ObjectFile.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/TargetParser/Triple.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <set>

#include "compiler/codegen/target/target_machine.h"

namespace hone::testing {
namespace {

struct Decoded {
  uint64_t address = 0;
  std::string text;
  bool loads = false;
  bool ends_block = false;
  std::optional<uint64_t> jumps_to;
};

// LLVM's tables for one target.
class Decoder {
 public:
  explicit Decoder(const Target& target) : triple_(target.triple) {
    InitializeTargets();
    llvm::InitializeAllDisassemblers();
    std::string error;
    const llvm::Target* found = llvm::TargetRegistry::lookupTarget(target.triple, error);
    registers_.reset(found->createMCRegInfo(target.triple));
    assembly_.reset(found->createMCAsmInfo(*registers_, target.triple, llvm::MCTargetOptions()));
    subtarget_.reset(found->createMCSubtargetInfo(target.triple, target.cpu, FeatureString(target)));
    instructions_.reset(found->createMCInstrInfo());
    analysis_.reset(found->createMCInstrAnalysis(instructions_.get()));
    context_ = std::make_unique<llvm::MCContext>(triple_, assembly_.get(), registers_.get(), subtarget_.get());
    decoder_.reset(found->createMCDisassembler(*subtarget_, *context_));
    printer_.reset(found->createMCInstPrinter(triple_, 0, *assembly_, *instructions_, *registers_));
  }

  std::vector<Decoded> Decode(llvm::ArrayRef<uint8_t> bytes, uint64_t address) const {
    std::vector<Decoded> all;
    for (uint64_t at = 0, size = 0; at < bytes.size(); at += std::max<uint64_t>(size, 1)) {
      llvm::MCInst instruction;
      if (decoder_->getInstruction(instruction, size, bytes.slice(at), address + at, llvm::nulls()) ==
          llvm::MCDisassembler::Success) {
        all.push_back(Describe(instruction, address + at, size));
      }
    }
    return all;
  }

 private:
  Decoded Describe(const llvm::MCInst& instruction, uint64_t address, uint64_t size) const {
    const llvm::MCInstrDesc& kind = instructions_->get(instruction.getOpcode());
    Decoded decoded{address, "", kind.mayLoad(), kind.isBranch() || kind.isReturn(), std::nullopt};
    llvm::raw_string_ostream stream(decoded.text);
    printer_->printInst(&instruction, address, "", *subtarget_, stream);
    uint64_t to = 0;
    if (kind.isBranch() && analysis_->evaluateBranch(instruction, address, size, to)) decoded.jumps_to = to;
    return decoded;
  }

  llvm::Triple triple_;
  std::unique_ptr<const llvm::MCRegisterInfo> registers_;
  std::unique_ptr<const llvm::MCAsmInfo> assembly_;
  std::unique_ptr<const llvm::MCSubtargetInfo> subtarget_;
  std::unique_ptr<const llvm::MCInstrInfo> instructions_;
  std::unique_ptr<const llvm::MCInstrAnalysis> analysis_;
  std::unique_ptr<llvm::MCContext> context_;
  std::unique_ptr<const llvm::MCDisassembler> decoder_;
  std::unique_ptr<llvm::MCInstPrinter> printer_;
};

bool Has(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

// Mnemonics of multiply-adds: x86 with and without FMA, NEON with 64 and 32 bits, RVV and RISC-V without it.
// Instructions that sum products of bytes or of 16 bits count too. ARMv7 computes indices with an `mla` of general
// registers.
bool MultiplyAdds(const std::string& text) {
  for (const char* name :
       {"\tvfmadd",    "\tmulps",    "\tfmla",   "\tvfma.f32", "\tvmla.f32", "\tvmul.f32", "\tvfmacc",
        "\tvpdpbusd",  "\tvpdpwssd", "\tusdot",  "\tsdot",     "\tvpmaddwd", "\tpmaddwd",  "\tsmlal\tv",
        "\tsmlal2\tv", "\tmla\tv",   "\tvwmacc", "\tvmacc",    "\tvfmadd.v", "\tfmadd.s"}) {
    if (Has(text, name)) return true;
  }
  return false;
}

// ARMv7 and RISC-V store vectors through another register, computed by an addition to the stack pointer.
bool TouchesStack(const std::string& text) {
  return Has(text, "(%rsp") || Has(text, "[sp") || Has(text, "(sp)") || Has(text, ", sp,") || text.ends_with(", sp");
}

void Count(const Decoded& decoded, HotBlock& block) {
  block.instructions.push_back(decoded.text);
  block.multiply_adds += MultiplyAdds(decoded.text) ? 1 : 0;
  block.loads += decoded.loads ? 1 : 0;
  block.stack_accesses += TouchesStack(decoded.text) ? 1 : 0;
}

HotBlock HottestOf(const std::vector<Decoded>& code, int most) {
  std::set<uint64_t> heads;
  for (const Decoded& decoded : code) {
    if (decoded.jumps_to) heads.insert(*decoded.jumps_to);
  }
  HotBlock hottest, block;
  const auto end_block = [&] {
    const bool more = block.multiply_adds > hottest.multiply_adds ||
                      (block.multiply_adds == hottest.multiply_adds && block.stack_accesses > hottest.stack_accesses);
    if (more && block.multiply_adds <= most) hottest = block;
    block = {};
  };
  for (const Decoded& decoded : code) {
    if (heads.count(decoded.address) > 0) end_block();
    Count(decoded, block);
    if (decoded.ends_block) end_block();
  }
  return hottest;
}

}  // namespace

int HotBlock::MultiplyAddsWith(const std::string& part) const {
  return static_cast<int>(std::count_if(instructions.begin(), instructions.end(), [&](const std::string& text) {
    return MultiplyAdds(text) && Has(text, part);
  }));
}

std::string HotBlock::ToText() const {
  std::string text;
  for (const std::string& instruction : instructions) text += instruction + "\n";
  return text;
}

HotBlock HotBlockOf(const Artifact& artifact, const Target& target, int most) {
  auto object = llvm::object::ObjectFile::createObjectFile(llvm::MemoryBufferRef(artifact.elf, "kernel"));
  if (!object) {
    llvm::consumeError(object.takeError());
    ADD_FAILURE() << "the kernel is no object file";
    return {};
  }
  const Decoder decoder(target);
  HotBlock hottest;
  for (const llvm::object::SectionRef& section : (*object)->sections()) {
    if (!section.isText()) continue;
    const llvm::StringRef bytes = llvm::cantFail(section.getContents());
    const HotBlock block = HottestOf(decoder.Decode({bytes.bytes_begin(), bytes.size()}, section.getAddress()), most);
    if (block.multiply_adds > hottest.multiply_adds) hottest = block;
  }
  EXPECT_GT(hottest.multiply_adds, 0) << "no multiply-add in " << target.ToText();
  return hottest;
}

}  // namespace hone::testing
