#include <gtest/gtest.h>

#include "core/error.h"
#include "core/hash/hash.h"
#include "rpc_runner/wire/job_message.h"

namespace hone {
namespace {

const std::string kParams = "0123456789";

Blob BlobOf(const std::string& bytes) {
  auto kept = std::make_shared<std::string>(bytes);
  return {Sha256Hex(bytes), static_cast<int64_t>(bytes.size()), std::shared_ptr<const char>(kept, kept->data())};
}

JobMessage Sample() {
  JobMessage message;
  message.id = 8;
  message.package.emplace();
  message.package->lib = "elf";
  message.package->params = BlobOf(kParams);
  message.package->inputs = BlobOf("in");
  message.package->wants_outputs = true;
  message.package->runs = 1;
  return message;
}

Frame SampleFrame() { return DecodeFrame(EncodeFrame(JobToFrame(Sample(), false))); }

TEST(BlobPiece, FramesHaveTheTextOfTheDocs) {
  const std::string sha256 = Sha256Hex(kParams);
  EXPECT_EQ(DumpJson(NeedPieceFrame(8, sha256, 1048576).header),
            R"({"job":8,"sha256":")" + sha256 + R"(","offset_bytes":1048576})");
  EXPECT_EQ(DumpJson(PieceFrame({sha256, 4, "45"}).header), R"({"sha256":")" + sha256 + R"(","offset_bytes":4})");
  const Json header = SampleFrame().header;
  EXPECT_EQ(DumpJson(header["params"]), R"({"sha256":")" + sha256 + R"(","size_bytes":10})");
  EXPECT_EQ(DumpJson(header["inputs"]), R"({"sha256":")" + Sha256Hex("in") + R"(","size_bytes":2})");
  EXPECT_EQ(DumpJson(header["outputs"]), "true");
  EXPECT_EQ(SampleFrame().parts.size(), 2u);
}

TEST(BlobPiece, AJobComesBackWithTheNamesOfItsBlobs) {
  const JobMessage back = JobFromFrame(SampleFrame());
  ASSERT_TRUE(back.package);
  EXPECT_EQ(back.package->params->sha256, Sha256Hex(kParams));
  EXPECT_EQ(back.package->inputs->size_bytes, 2);
  EXPECT_TRUE(back.package->params->is_missing());
  EXPECT_TRUE(back.package->wants_outputs);
  EXPECT_EQ(FirstMissing(back), &*back.package->params);
  EXPECT_EQ(FirstMissing(Sample()), nullptr);
}

TEST(BlobPiece, AJobWithoutParametersBringsThoseThatAreNoFloats) {
  JobMessage message = Sample();
  message.package->params.reset();
  message.package->exact_params = "ints";
  const JobMessage back = JobFromFrame(DecodeFrame(EncodeFrame(JobToFrame(message, false))));
  EXPECT_FALSE(back.package->params);
  EXPECT_EQ(back.package->exact_params, "ints");
}

TEST(BlobPiece, RefusesAJobThatIsDamaged) {
  const auto refused = [](const auto& damage) {
    Frame frame = SampleFrame();
    damage(frame);
    EXPECT_THROW(JobFromFrame(frame), Error) << DumpJson(frame.header);
  };
  refused([](Frame& f) { f.parts.emplace_back(); });
  refused([](Frame& f) { f.parts.pop_back(); });
  refused([](Frame& f) { f.header.erase("params"); });
  refused([](Frame& f) { f.header["outputs"] = "yes"; });
  for (const char* blob : {"params", "inputs"}) {
    refused([&](Frame& f) { f.header[blob] = nullptr; });
    refused([&](Frame& f) { f.header[blob].erase("sha256"); });
    refused([&](Frame& f) { f.header[blob].erase("size_bytes"); });
    refused([&](Frame& f) { f.header[blob]["sha256"] = "../../etc/passwd"; });
    refused([&](Frame& f) { f.header[blob]["sha256"] = std::string(64, 'G'); });
    refused([&](Frame& f) { f.header[blob]["size_bytes"] = -1; });
    refused([&](Frame& f) { f.header[blob]["size_bytes"] = uint64_t{1} << 41; });
  }
}

TEST(BlobPiece, APieceComesBack) {
  const BlobPiece piece = PieceFromFrame(DecodeFrame(EncodeFrame(PieceFrame({"name", 7, "bytes"}))));
  EXPECT_EQ(piece.sha256, "name");
  EXPECT_EQ(piece.offset_bytes, 7);
  EXPECT_EQ(piece.bytes, "bytes");
  EXPECT_FALSE(IsPiece(BlobFrame("name", "bytes")));
  Frame frame = PieceFrame({"name", 7, "bytes"});
  EXPECT_TRUE(IsPiece(frame));
  frame.header["offset_bytes"] = ~uint64_t{0};
  EXPECT_THROW(PieceFromFrame(frame), Error);
  frame.header["offset_bytes"] = 1;
  frame.parts.clear();
  EXPECT_THROW(PieceFromFrame(frame), Error);
}

TEST(BlobPiece, AnswersWhatIsNeeded) {
  const JobMessage job = Sample();
  const auto answer = [&](const std::string& sha256, int64_t offset) {
    return AnswerNeed(job, NeedPieceFrame(8, sha256, offset).header, 4);
  };
  const auto middle = answer(Sha256Hex(kParams), 4);
  ASSERT_TRUE(middle);
  EXPECT_EQ(middle->parts.at(0), "4567");
  EXPECT_EQ(answer(Sha256Hex(kParams), 8)->parts.at(0), "89");
  EXPECT_FALSE(answer(Sha256Hex(kParams), 10));
  EXPECT_EQ(answer(Sha256Hex("in"), 0)->parts.at(0), "in");
  EXPECT_FALSE(answer(Sha256Hex("other"), 0));
  EXPECT_FALSE(AnswerNeed(job, NeedFrame(8, Sha256Hex(kParams)).header, 4));
}

TEST(BlobPiece, OutputsComeBackInParts) {
  ResultMessage message{8, 1, Measurement()};
  message.outputs = std::string(kMaxPartBytes, 'a') + "b";
  const Frame frame = ResultToFrame(message);
  EXPECT_EQ(frame.parts.size(), 2u);
  EXPECT_EQ(ResultFromFrame(frame).outputs, message.outputs);
}

}  // namespace
}  // namespace hone
