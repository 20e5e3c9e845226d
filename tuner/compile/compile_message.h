// Messages between the tuner and a compile worker, two programs of one build. They are frames of
// rpc_runner/wire/protocol.h of the kinds hello, job and result.
#pragma once

#include <string>
#include <variant>

#include "compiler/compile_kernel.h"
#include "rpc_runner/wire/protocol.h"

namespace hone {

struct ReferenceRequest {
  Workload workload;
  Target target;
  bool operator==(const ReferenceRequest&) const = default;
};
using CompileRequest = std::variant<Candidate, ReferenceRequest>;
using CompileAnswer = std::variant<Artifact, Rejection>;

// The worker's first frame, with its version.
Frame HelloFrame();
// Throws Error(kNoRunner) naming both versions when the frame is not the hello of this version. `program` is its path.
void CheckHello(const Frame& frame, const std::string& program);

Frame RequestToFrame(const CompileRequest& request);
CompileRequest RequestFromFrame(const Frame& frame);  // throws Error(kBadData)
Frame AnswerToFrame(const CompileAnswer& answer);
CompileAnswer AnswerFromFrame(const Frame& frame);  // throws Error(kBadData)

}  // namespace hone
