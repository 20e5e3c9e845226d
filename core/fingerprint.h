// Which machine timed. Its model string does not say: many virtual machines call theirs "AMD EPYC" and no more.
#pragma once

#include <string>
#include <string_view>

#include "core/measurement.h"

namespace hone {

// What must agree before times of two machines mean the same. Texts hold no blanks; empty where the system did not
// tell.
struct Fingerprint {
  std::string vendor;     // "AuthenticAMD"; of AArch64 the implementer, "0x41"
  std::string family;     // "25"; of AArch64 the architecture, "8"
  std::string model;      // "1"; of AArch64 the part, "0xd08"
  std::string stepping;   // "2"
  std::string host;       // where the vendor is not told, all that tells a machine; else empty
  std::string features;   // as Environment's, sorted, with commas between them
  std::string caches;     // as Environment's
  std::string core_kind;  // as Environment's
  bool emulated = false;

  // Whether anything tells the machine. What is not known is the same as nothing, not even as itself.
  bool known() const { return !vendor.empty() || !host.empty(); }
  bool Has(std::string_view feature) const;
  // "cpu=AuthenticAMD-25-1-2 caches=32K,512K,32M features=avx,avx2 core=atom emulated=yes"; what is empty is left out,
  // so that nothing known is "". With host=NAME in place of cpu where the vendor is empty. Equal values have equal
  // texts.
  std::string ToText() const;
  // Exactly what ToText prints; throws Error(kBadData) on anything else.
  static Fingerprint Parse(std::string_view text);
  // 8 hex digits of a hash of the text, for people to tell two machines apart; "" when it is not known.
  std::string ShortId() const;
  bool operator==(const Fingerprint&) const = default;
};

// Records of every age hold what it takes. Blanks in the system's texts become '_'.
Fingerprint FingerprintOf(const Environment& environment);

// The same in everything: what was timed on one is what the other would take.
bool SameExactly(const Fingerprint& a, const Fingerprint& b);
// The same family and model of one vendor, and kind of core, both emulated or neither: one microarchitecture, maybe
// with other features (a hypervisor hides some), caches or another stepping.
bool SameModel(const Fingerprint& a, const Fingerprint& b);

}  // namespace hone
