// Weights in files beside the model: read where that is allowed, refused everywhere else.
#include <gmock/gmock.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>

#include "tests/compiler/frontend/run_onnx.h"

namespace hone {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;

class ExternalDataTest : public testing::Test {
 protected:
  ExternalDataTest() {
    std::string pattern = (fs::temp_directory_path() / "hone-external-XXXXXX").string();
    root_ = mkdtemp(pattern.data());
    fs::create_directories(root_ / "models" / "deep");
    const float values[] = {1, 2, 3, 4};
    std::string bytes(16, '\0');
    std::memcpy(bytes.data(), values, 16);
    Write("models/w.bin", bytes);
    Write("models/deep/w.bin", bytes);
    Write("secret.bin", bytes);
  }
  ~ExternalDataTest() override { fs::remove_all(root_); }

  void Write(const std::string& name, const std::string& bytes) const {
    std::ofstream(root_ / name, std::ios::binary) << bytes;
  }

  // y = x + w, with the two elements of w at `offset` of `location`. Returns the error of importing, or "".
  std::string Import(const std::string& location, const std::string& offset = "8", const std::string& length = "8") {
    ModelMaker model;
    model.Input("x", {2}).Node("Add", {"x", "w"}, {"y"}).Output("y");
    auto& tensor = *model.graph().add_initializer();
    tensor.set_name("w");
    tensor.set_data_type(onnx::TensorProto::FLOAT);
    tensor.add_dims(2);
    tensor.set_data_location(onnx::TensorProto::EXTERNAL);
    const std::pair<const char*, std::string> entries[] = {
        {"location", location}, {"offset", offset}, {"length", length}};
    for (const auto& [key, value] : entries) {
      auto& entry = *tensor.add_external_data();
      entry.set_key(key);
      entry.set_value(value);
    }
    Write("models/m.onnx", model.Bytes());
    try {
      module_ = ImportOnnx((root_ / "models/m.onnx").string()).module;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ExitCode::kBadData);
      return error.what();
    }
    return "";
  }

  fs::path root_;
  relay::IRModule module_;
};

TEST_F(ExternalDataTest, ReadsFilesInTheModelsFolderAndBelow) {
  for (const char* location : {"w.bin", "deep/w.bin", "./w.bin", "deep/../w.bin"}) {
    ASSERT_EQ(Import(location), "");
    const auto outputs = RunReference(relay::InferType(module_), {{"x", Counting({2})}});
    EXPECT_THAT(Values(outputs[0]), ElementsAre(3, 5));
  }
}

TEST_F(ExternalDataTest, RefusesEveryWayOut) {
  const std::string inside = "must lie in the model's folder and pass no link";
  EXPECT_THAT(Import("../secret.bin"), HasSubstr(inside));
  EXPECT_THAT(Import("deep/../../secret.bin"), HasSubstr(inside));
  EXPECT_THAT(Import((root_ / "secret.bin").string()), HasSubstr(inside));
  EXPECT_THAT(Import("/proc/self/mem"), HasSubstr(inside));
  EXPECT_THAT(Import(""), HasSubstr("not a file name"));
  EXPECT_THAT(Import(std::string("w.bin\0x", 7)), HasSubstr("not a file name"));
  EXPECT_THAT(Import("absent.bin"), HasSubstr("initializer \"w\": external data \"absent.bin\": there is no such file"));
}

TEST_F(ExternalDataTest, RefusesLinksAndWhatIsNoFile) {
  fs::create_symlink("w.bin", root_ / "models/soft.bin");
  fs::create_directory_symlink("deep", root_ / "models/linked");
  fs::create_hard_link(root_ / "secret.bin", root_ / "models/hard.bin");
  ASSERT_EQ(mkfifo((root_ / "models/fifo.bin").c_str(), 0600), 0);
  EXPECT_THAT(Import("soft.bin"), HasSubstr("pass no link"));
  EXPECT_THAT(Import("linked/w.bin"), HasSubstr("pass no link"));
  EXPECT_THAT(Import("hard.bin"), HasSubstr("2 names"));
  EXPECT_THAT(Import("fifo.bin"), HasSubstr("not a regular file"));
  EXPECT_THAT(Import("deep"), HasSubstr("not a regular file"));
}

TEST_F(ExternalDataTest, RefusesBytesThatTheFileDoesNotHave) {
  EXPECT_THAT(Import("w.bin", "12"), HasSubstr("8 bytes from offset 12 are wanted, the file has 16"));
  EXPECT_THAT(Import("w.bin", "9223372036854775807"), HasSubstr("the file has 16"));
  EXPECT_THAT(Import("w.bin", "18446744073709551616"), HasSubstr("must be a number"));
  EXPECT_THAT(Import("w.bin", "-8"), HasSubstr("must be a number"));
  EXPECT_THAT(Import("w.bin", "0", "99999999999"), HasSubstr("needs 8 bytes, length is 99999999999"));
}

TEST_F(ExternalDataTest, IsNotReadForAModelInMemory) {
  Import("w.bin");
  std::ifstream in(root_ / "models/m.onnx", std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(in), {}};
  EXPECT_THAT(ImportError(bytes), HasSubstr("its data lie in another file"));
}

}  // namespace
}  // namespace hone
