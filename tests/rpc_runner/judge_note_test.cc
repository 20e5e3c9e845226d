// A candidate may write anything into its process's socket: a note is believed only as far as it fits the request.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <string>

#include "core/error.h"
#include "rpc_runner/executor/judge/judge_child.h"

namespace hone {
namespace {

using Worth = NoteVerdict::Worth;

constexpr AskedNote kAsked = {7, NoteKind::kSamples};
constexpr auto kWhole = static_cast<int64_t>(sizeof(ChildNote));

ChildNote Note(NoteKind kind, int32_t code = 0, const std::string& text = "") {
  ChildNote note{};
  note.nonce = kAsked.nonce;
  note.kind = kind;
  note.code = code;
  std::copy_n(text.data(), std::min(text.size(), sizeof(note.text)), note.text);
  return note;
}

void ExpectForged(const NoteVerdict& verdict, const std::string& message) {
  EXPECT_EQ(verdict.worth, Worth::kEnding);
  EXPECT_EQ(FateName(verdict.ending.fate), "PolicyViolation");
  EXPECT_EQ(verdict.ending.detail, 0);
  EXPECT_EQ(verdict.ending.message, message);
}

TEST(JudgeNote, TakesTheAnswerThatWasAskedFor) {
  EXPECT_EQ(JudgeNote(Note(NoteKind::kSamples), kWhole, kAsked).worth, Worth::kAnswer);
  // The caller judges the code that a stage returned.
  EXPECT_EQ(JudgeNote(Note(NoteKind::kRan, 99), kWhole, {7, NoteKind::kRan}).worth, Worth::kAnswer);
  ChildNote ready = Note(NoteKind::kReady);
  ready.nonce = 0;
  EXPECT_EQ(JudgeNote(ready, kWhole, {}).worth, Worth::kAnswer);
}

TEST(JudgeNote, TakesNoOtherLength) {
  for (const int64_t bytes : {int64_t{1}, int64_t{40}, kWhole - 1, kWhole + 1, int64_t{1} << 20}) {
    ExpectForged(JudgeNote(Note(NoteKind::kSamples), bytes, kAsked),
                 "a note of " + std::to_string(bytes) + " bytes came from the kernel's process");
  }
}

TEST(JudgeNote, TakesNothingWithoutTheNonceOfItsCommand) {
  for (const NoteKind kind : {NoteKind::kReady, NoteKind::kRan, NoteKind::kSamples, NoteKind::kFailed, NoteKind::kFault,
                              static_cast<NoteKind>(0)}) {
    for (const uint64_t nonce : {uint64_t{0}, uint64_t{6}, uint64_t{8}, std::numeric_limits<uint64_t>::max()}) {
      ChildNote note = Note(kind, static_cast<int32_t>(Fate::kUnsupported), "believe me");
      note.nonce = nonce;
      ExpectForged(JudgeNote(note, kWhole, kAsked), "a note with a wrong nonce came from the kernel's process");
    }
  }
}

TEST(JudgeNote, TakesNoAnswerToAnotherQuestion) {
  for (const NoteKind kind : {NoteKind::kReady, NoteKind::kRan, static_cast<NoteKind>(0), static_cast<NoteKind>(6),
                              static_cast<NoteKind>(-1)}) {
    ExpectForged(JudgeNote(Note(kind), kWhole, kAsked), "a note of a wrong kind came from the kernel's process");
  }
  ExpectForged(JudgeNote(Note(NoteKind::kSamples), kWhole, {7, NoteKind::kRan}),
               "a note of a wrong kind came from the kernel's process");
}

TEST(JudgeNote, TakesAProcessesOwnVerdict) {
  for (const Fate fate : {Fate::kUnsupported, Fate::kCrashed, Fate::kOutOfMemory, Fate::kPolicyViolation}) {
    const ChildNote note = Note(NoteKind::kFailed, static_cast<int32_t>(fate), "no memory");
    const NoteVerdict verdict = JudgeNote(note, kWhole, kAsked);
    EXPECT_EQ(verdict.worth, Worth::kEnding);
    EXPECT_EQ(FateName(verdict.ending.fate), FateName(fate));
    EXPECT_EQ(verdict.ending.message, "no memory");
  }
}

TEST(JudgeNote, BelievesThatTheMachineIsAtFaultWhileNoCandidateHasRun) {
  ChildNote note = Note(NoteKind::kFailed, static_cast<int32_t>(Fate::kCancelled), "no memory");
  note.nonce = 0;
  const NoteVerdict verdict = JudgeNote(note, kWhole, {0, NoteKind::kReady});
  EXPECT_EQ(FateName(verdict.ending.fate), "Cancelled");
  EXPECT_EQ(verdict.ending.detail, static_cast<int32_t>(ExitCode::kIo));
}

// A note must above all not say that the job went well, nor that its runner was lost. A lost job would be tried on
// others.
TEST(JudgeNote, IgnoresVerdictsThatOnlyTheExecutorMayGive) {
  for (const int32_t code : {0, 1, 3, 4, 5, 7, 10, 11, 12, -1, 256, std::numeric_limits<int32_t>::min()}) {
    SCOPED_TRACE(code);
    ExpectForged(JudgeNote(Note(NoteKind::kFailed, code, "it went well"), kWhole, kAsked),
                 "a note with a wrong code came from the kernel's process");
  }
}

TEST(JudgeNote, ReadsATextWithoutAnEndNoFurtherThanTheNote) {
  const ChildNote note =
      Note(NoteKind::kFailed, static_cast<int32_t>(Fate::kUnsupported), std::string(sizeof(note.text), 'x'));
  EXPECT_EQ(JudgeNote(note, kWhole, kAsked).ending.message, std::string(sizeof(note.text), 'x'));
}

TEST(JudgeNote, KeepsLastWordsForTheEndThatBearsThemOut) {
  EXPECT_EQ(JudgeNote(Note(NoteKind::kFault, 11), kWhole, kAsked).worth, Worth::kCrashReport);
}

}  // namespace
}  // namespace hone
