#include "compiler/generic/loop_while.h"

namespace hone {

Vals LoopWhile(KernelBuilder& b, const Vals& carried, const std::function<Value*(const Vals&)>& goes_on,
               const std::function<Vals(const Vals&)>& body) {
  auto& ir = b.ir();
  llvm::BasicBlock* before = ir.GetInsertBlock();
  llvm::Function* function = before->getParent();
  auto* head = llvm::BasicBlock::Create(b.context(), "while", function);
  auto* inside = llvm::BasicBlock::Create(b.context(), "body", function);
  auto* exit = llvm::BasicBlock::Create(b.context(), "done", function);
  ir.CreateBr(head);
  ir.SetInsertPoint(head);
  std::vector<llvm::PHINode*> phis;
  Vals held;
  for (Value* value : carried) {
    phis.push_back(ir.CreatePHI(value->getType(), 2));
    phis.back()->addIncoming(value, before);
    held.push_back(phis.back());
  }
  ir.CreateCondBr(goes_on(held), inside, exit);
  ir.SetInsertPoint(inside);
  const Vals next = body(held);
  for (size_t i = 0; i < phis.size(); ++i) phis[i]->addIncoming(next[i], ir.GetInsertBlock());
  ir.CreateBr(head);
  ir.SetInsertPoint(exit);
  return held;
}

}  // namespace hone
