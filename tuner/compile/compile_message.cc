#include "tuner/compile/compile_message.h"

#include <fmt/format.h>

#include "core/error.h"
#include "core/version.h"

namespace hone {

Frame RequestToFrame(const CompileRequest& request) {
  Frame frame{FrameKind::kJob, Json::object(), {}};
  if (const auto* candidate = std::get_if<Candidate>(&request)) {
    frame.header = {{"kind", "compile"}, {"candidate", ToJson(*candidate)}};
  } else {
    const auto& reference = std::get<ReferenceRequest>(request);
    frame.header = {
        {"kind", "compile_reference"}, {"workload", reference.workload.ToText()}, {"target", ToJson(reference.target)}};
  }
  return frame;
}

CompileRequest RequestFromFrame(const Frame& frame) {
  const std::string kind = frame.kind == FrameKind::kJob ? HeaderText(frame.header, "kind") : "";
  if (kind == "compile") return CandidateFromJson(HeaderObject(frame.header, "candidate"));
  if (kind == "compile_reference") {
    return ReferenceRequest{Workload::Parse(HeaderText(frame.header, "workload")),
                            TargetFromJson(HeaderObject(frame.header, "target"))};
  }
  throw Error(ExitCode::kBadData, "bad frame: a compiler takes jobs of kind compile and compile_reference");
}

Frame AnswerToFrame(const CompileAnswer& answer) {
  Frame frame{FrameKind::kResult, Json::object(), {}};
  if (const auto* artifact = std::get_if<Artifact>(&answer)) {
    frame.header["artifact"] = ToJson(*artifact);
    frame.parts.push_back(artifact->elf);
  } else {
    const auto& rejection = std::get<Rejection>(answer);
    frame.header = {
        {"fate", FateName(rejection.fate)}, {"reason", rejection.reason}, {"code", static_cast<int>(rejection.code)}};
  }
  return frame;
}

Frame HelloFrame() { return {FrameKind::kHello, {{"hone", HoneVersion()}}, {}}; }

void CheckHello(const Frame& frame, const std::string& program) {
  const bool said = frame.kind == FrameKind::kHello && frame.header.contains("hone");
  const std::string theirs = said ? HeaderText(frame.header, "hone") : "of an older version";
  if (theirs == HoneVersion()) return;
  throw Error(ExitCode::kNoRunner,
              fmt::format("{} is {}, this is hone {}; install both of one version", program, theirs, HoneVersion()));
}

CompileAnswer AnswerFromFrame(const Frame& frame) {
  if (frame.kind != FrameKind::kResult) throw Error(ExitCode::kBadData, "bad frame: a compiler answers with results");
  if (!frame.header.contains("artifact")) {
    return Rejection{ParseFate(HeaderText(frame.header, "fate")), HeaderText(frame.header, "reason"),
                     static_cast<ExitCode>(HeaderNumber(frame.header, "code"))};
  }
  if (frame.parts.size() != 1) throw Error(ExitCode::kBadData, "bad frame: an artifact has one part");
  Artifact artifact = ArtifactFromJson(HeaderObject(frame.header, "artifact"));
  artifact.elf = frame.parts[0];
  return artifact;
}

}  // namespace hone
