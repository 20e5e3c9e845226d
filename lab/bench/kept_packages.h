// Packages that are kept by name with their results, so that later ones are timed in turns with them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "lab/bench/bench_result.h"

namespace hone {

// The limits of unused packages: their age, and the bytes of all kept packages together.
struct KeptLimits {
  int days = 90;
  int64_t bytes = int64_t{4} << 30;
};

struct KeptPackage {
  std::string name;
  std::string result;   // the file of its bench result
  std::string package;  // its file; empty if it was pruned
};

// A folder beside the user's store: docs/reference/formats.md, "Kept packages". Several processes may use it.
// Names the package that took turns first, and its verdicts, by what it is kept as: "baseline main".
void NameKept(const KeptPackage& kept, BenchResult& result);

class KeptPackages {
 public:
  // `db` is the path of the store, or empty for the default one. A store on a server has the default one's folder.
  explicit KeptPackages(const std::string& db);

  // Whether the text can be a name: letters, digits and "._-", not at the beginning, and no ending of a bench result.
  static bool IsName(const std::string& text);

  // Throws Error(kUsage), naming --save, if it cannot.
  static void RequireName(const std::string& text);

  // The package that --baseline names; absent if it names a file instead. Throws Error(kNoInput), with the names that
  // there are, if it names neither.
  std::optional<KeptPackage> OfBaseline(const std::string& text) const;
  // Absent if there is none of the name. Marks its package as used.
  std::optional<KeptPackage> Find(const std::string& name) const;
  std::vector<std::string> Names() const;
  // Keeps the last package of the result under the name, in the place of another. Throws Error as WriteFileAtomically
  // does.
  void Keep(const std::string& name, const std::string& package_bytes, const BenchResult& result) const;
  // Removes packages that exceed the limits, the least recently used first, but not those of `name`. Their results
  // stay. Returns a line for each.
  std::vector<std::string> Prune(const KeptLimits& limits, const std::string& name) const;

 private:
  std::string ResultPath(const std::string& name) const;
  std::string PackagePath(const std::string& result_path) const;

  std::string folder_;
};

}  // namespace hone
