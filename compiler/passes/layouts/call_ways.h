// The layouts in which calls of main can run.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "compiler/passes/layouts/config_chooser.h"
#include "compiler/relay/expr.h"

namespace hone {

// Names of the layouts of a function's operands, empty for row-major. `result` is the layout of its results.
struct OperandLayouts {
  std::vector<std::string> operands;
  std::string result;
};

// The layouts of a function that runs in NCHW{block}c, or row-major for block 0; nullopt if it cannot. Functions of
// kAny and kNCHWc operators can run blocked. Operands as large as the result then have its layout; constants per
// channel and other small operands are row-major. A concatenation of channels can run blocked if every input but the
// last has a multiple of the block. Every function can run row-major.
std::optional<OperandLayouts> LayoutInBlock(const relay::Function& function, int64_t block);

// The layouts that the function takes for arguments of these types. If it can, it uses the block that most elements
// have already, among the operands that it would read blocked.
OperandLayouts LayoutForGroup(const relay::Function& function, const std::vector<relay::TypePtr>& args);

// Whether the function takes channels, rows or columns of a float32 image. Channels are read and written one by one in
// any layout; rows and columns are whole blocks.
bool TakesInAnyLayout(const relay::Function& function);

// Whether the function has a window or a reduction over the image, for which vectors of channels are best.
bool ReducesImages(const relay::Function& function);

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
