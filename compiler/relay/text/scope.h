// The expressions that the names of Relay's text stand for, block by block.
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "compiler/relay/expr.h"

namespace hone::relay {

// A block sees the names of the blocks around it, up to its function: a function takes what it uses as parameters.
// Names are as written, with their %.
class Scope {
 public:
  void EnterFunction() { blocks_.push_back({true, {}}); }
  void EnterBlock() { blocks_.push_back({false, {}}); }
  void Leave() { blocks_.pop_back(); }

  // False if the block already has the name.
  bool Declare(const std::string& name, ExprPtr expr) {
    return blocks_.back().names.emplace(name, std::move(expr)).second;
  }

  enum class Found : uint8_t { kHere, kOutside, kNowhere };
  // kOutside: it belongs to an enclosing function. `expr` is set only for kHere.
  Found Find(const std::string& name, ExprPtr& expr) const {
    bool outside = false;
    for (auto block = blocks_.rbegin(); block != blocks_.rend(); ++block) {
      const auto it = block->names.find(name);
      if (it != block->names.end() && !outside) expr = it->second;
      if (it != block->names.end()) return outside ? Found::kOutside : Found::kHere;
      outside = outside || block->is_function;
    }
    return Found::kNowhere;
  }

 private:
  struct Block {
    bool is_function;
    std::unordered_map<std::string, ExprPtr> names;
  };
  std::vector<Block> blocks_;
};

}  // namespace hone::relay
