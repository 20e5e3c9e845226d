// Identifies the machine that measured. The model string does not: many virtual machines say "AMD EPYC" and no more.
#pragma once

#include <string>
#include <string_view>

#include "core/measurement.h"

namespace hone {

// The properties that must agree before times of two machines are comparable. Texts contain no blanks and are empty if
// the system did not tell.
struct Fingerprint {
  std::string vendor;     // "AuthenticAMD"; on AArch64 the implementer, "0x41"
  std::string family;     // "25"; on AArch64 the architecture, "8"
  std::string model;      // "1"; on AArch64 the part, "0xd08"
  std::string stepping;   // "2"
  std::string host;       // identifies the machine if the vendor is unknown; else empty
  std::string features;   // as in Environment, sorted, separated by commas
  std::string caches;     // as in Environment
  std::string core_kind;  // as in Environment
  bool emulated = false;

  // Whether anything identifies the machine. SameExactly and SameModel are false for an unknown one, even with itself.
  bool known() const { return !vendor.empty() || !host.empty(); }
  bool Has(std::string_view feature) const;
  // "cpu=AuthenticAMD-25-1-2 caches=32K,512K,32M features=avx,avx2 core=atom emulated=yes". Empty fields are left out,
  // so an unknown fingerprint may print as "". If the vendor is empty, host=NAME stands in place of cpu. Equal values
  // have equal texts.
  std::string ToText() const;
  // Exactly what ToText prints; throws Error(kBadData) on anything else.
  static Fingerprint Parse(std::string_view text);
  // 8 hex digits of a hash of the text, by which people tell two machines apart; "" if the fingerprint is not known.
  std::string ShortId() const;
  bool operator==(const Fingerprint&) const = default;
};

// Uses only fields that records of every age have. Blanks in the system's texts become '_'.
Fingerprint FingerprintOf(const Environment& environment);

// Whether both are known and equal in everything, so that a time measured on one holds on the other.
bool SameExactly(const Fingerprint& a, const Fingerprint& b);
// Whether both are one microarchitecture: the same vendor, family, model and kind of core, and both emulated or
// neither. Features (a hypervisor hides some), caches and stepping may differ.
bool SameModel(const Fingerprint& a, const Fingerprint& b);

}  // namespace hone
