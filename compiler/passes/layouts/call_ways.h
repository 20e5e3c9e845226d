// The layouts in which calls of main can run.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "compiler/passes/layouts/config_chooser.h"
#include "compiler/passes/layouts/operand_layouts.h"
#include "compiler/relay/expr.h"

namespace hone {

// One way to run a call of main.
struct CallWay {
  OperandLayouts layouts;
  const PairChoice* anchor = nullptr;  // set for an anchor; owned by the chooser
};

// Layout of an operand that is read in whatever layout it has.
inline constexpr const char* kAnyLayout = "*";

// `configs` must outlive it.
class CallWays {
 public:
  // `body` is main's, after fusion.
  CallWays(const relay::ExprPtr& body, ConfigChooser& configs);

  // Whether an argument may arrive in the layout.
  using MayLie = std::function<bool(const relay::ExprPtr& arg, const std::string& layout)>;
  // Returns at least one way. An anchor has one per pair of layouts that the chooser knows, its best first. A take of
  // channels writes any layout; one of rows or columns writes the layout that it reads. Another function runs in the
  // layouts in which one of its full-size operands may arrive. It also runs row-major if it reduces no images or has no
  // other layout.
  std::vector<CallWay> Of(const relay::Call& call, const MayLie& may_lie) const;

 private:
  std::vector<CallWay> ForTake(const relay::Function& function) const;
  std::vector<CallWay> ForGroup(const relay::Call& call, const relay::Function& function, const MayLie& may_lie) const;

  ConfigChooser& configs_;
  std::vector<int64_t> blocks_;  // blocks in which anchors read or write, ascending
};

// Every way to run the anchor, the best first. Throws Error(kBug) if no schedule computes it.
struct Anchor;
std::vector<CallWay> AnchorWays(const Anchor& anchor, const relay::Call& call, ConfigChooser& configs);

}  // namespace hone
