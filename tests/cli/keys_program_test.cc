// Keys from the command line: made, listed, revoked, enrolled; and the refusals with their exit codes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "core/json/serialize.h"
#include "tests/cli/run_program.h"

namespace hone {
namespace {

using testing::HasSubstr;
using testing::Not;

class KeysProgram : public ProgramTest {
 protected:
  // The one JSON document of a command that must succeed.
  Json Ask(std::vector<std::string> arguments) {
    arguments.push_back("--json");
    const ProgramResult r = Hone(arguments);
    EXPECT_EQ(r.code, 0) << r.err;
    EXPECT_EQ(r.err, "");
    return ParseJson(r.out, "what the command printed");
  }
  void ExpectFailure(const std::vector<std::string>& arguments, int code, const std::string& message) {
    ExpectFailure(Hone(arguments), code, message);
  }
  // Expects hone-runner to fail with these words after the address and the key.
  void ExpectRunnerFailure(const std::string& words, int code, const std::string& message) {
    SCOPED_TRACE(words);
    ExpectFailure(Shell("timeout 60 '" HONE_RUNNER "' --key k --health off " + words), code, message);
  }
  static void ExpectFailure(const ProgramResult& r, int code, const std::string& message) {
    EXPECT_EQ(r.code, code) << r.err;
    EXPECT_THAT(r.err, HasSubstr(message));
    EXPECT_EQ(std::count(r.err.begin(), r.err.end(), '\n'), 1) << r.err;
  }
};

TEST_F(KeysProgram, AreMadeListedAndTakenBack) {
  const Json server = Ask({"key", "new", "--server"});
  const Json ada = Ask({"key", "new", "--name", "ada"});
  EXPECT_EQ(ada["secret_file"], Path("hone/identity"));
  Ask({"key", "allow", Path("hone/identity.pub"), "--name", "ada", "--role", "tuner,viewer", "--expires",
       "2100-01-31"});
  Ask({"key", "allow", server["key"], "--name", "pi", "--role", "runner", "--expires", "2001-01-31"});
  const Json book = Ask({"key", "list"});
  ASSERT_EQ(book["keys"].size(), 2u);
  EXPECT_EQ(book["server_key"], server["key"]);
  EXPECT_EQ(book["keys"][0]["fingerprint"], ada["fingerprint"]);
  EXPECT_EQ(book["keys"][0]["roles"], "viewer,tuner");
  EXPECT_EQ(book["keys"][0]["expires"], "2100-01-31T00:00:00Z");
  EXPECT_EQ(book["keys"][0]["expired"], false);
  EXPECT_EQ(book["keys"][1]["expired"], true);
  EXPECT_THAT(Hone({"key", "list"}).out, HasSubstr("expired 2001-01-31"));
  EXPECT_EQ(Ask({"key", "revoke", "ada"})["revoked"].size(), 1u);
  ExpectFailure({"key", "revoke", "ada"}, 66, "hone key list shows them");
  EXPECT_EQ(Ask({"key", "list"})["keys"].size(), 1u);
}

TEST_F(KeysProgram, OtherNamesOfTheCommandsWorkAndAreNotListed) {
  const Json server = Ask({"keygen", "--server"});
  Ask({"authorize", server["key"], "--name", "pi", "--role", "runner"});
  EXPECT_EQ(Ask({"keys"}), Ask({"key", "list"}));
  EXPECT_EQ(Ask({"enroll", "--name", "ada"})["name"], "ada");
  EXPECT_EQ(Ask({"revoke", "pi"})["revoked"].size(), 1u);
  ExpectFailure({"join", "nonsense", "--tracker", "tcp://127.0.0.1:1"}, 2, "mistyped");
  EXPECT_THAT(Hone({"--help"}).out, HasSubstr("\n  key "));
  for (const char* name : {"keygen", "authorize", "revoke", "keys", "enroll", "join"}) {
    EXPECT_THAT(Hone({"--help"}).out, testing::Not(HasSubstr(std::string("\n  ") + name + " ")));
  }
}

TEST_F(KeysProgram, AreNeverOverwrittenAndNeverTakenFromWhatOthersMayRead) {
  Ask({"key", "new", "--server"});
  ExpectFailure({"key", "new", "--server"}, 73, "is there already");
  ExpectFailure({"key", "allow", "nonsense", "--name", "a"}, 78, "neither a public key nor a file");
  ExpectFailure({"key", "allow", Path("hone/tracker/secret.pub"), "--name", "a b"}, 2, "--name a b");
  ExpectFailure({"key", "allow", Path("hone/tracker/secret.pub"), "--name", "a", "--role", "owner"}, 2, "--role owner");
  ExpectFailure({"key", "enroll", "--name", "a", "--expires", "soon"}, 2, "--expires soon");
  ExpectFailure({"key", "join", "nonsense", "--tracker", "tcp://127.0.0.1:1"}, 2, "mistyped");
  ExpectFailure({"devices", "--tracker", "tcp://127.0.0.1:1", "--identity", Path("no")}, 78, "no key of the tracker");
  ExpectFailure({"devices", "--tracker", "tcp://10.0.0.1:9190"}, 78, "hone key enroll");
  ExpectFailure({"devices", "--tracker", "tcp://127.evil.example:9190"}, 78, "hone key enroll");
  ExpectFailure({"devices", "--tracker", "tcp://127.0.0.1:99999999"}, 78, "1 to 65535");
  chmod(Path("hone/tracker/secret").c_str(), 0644);
  ExpectFailure({"tracker", "--bind", "tcp://127.0.0.1:*"}, 78, "chmod 600");
  ExpectFailure({"key", "list"}, 78, "chmod 600");
}

TEST_F(KeysProgram, WithoutThemATrackerIsForLoopbackAlone) {
  ExpectFailure({"tracker", "--bind", "tcp://0.0.0.0:*"}, 78, "hone key new --server");
  ExpectFailure({"tracker", "--bind", "tcp://127.0.0.1:*", "--keys", Path("none")}, 78, "hone key new");
}

TEST_F(KeysProgram, ThatAreDamagedOrMissingStopTheTracker) {
  Ask({"key", "new", "--server"});
  const std::string secret = Path("hone/tracker/secret"), whole = Read("hone/tracker/secret");
  for (const size_t bytes : {size_t{0}, size_t{1}, whole.size() / 2, whole.size() - 3}) {
    Write("hone/tracker/secret", whole.substr(0, bytes));
    ExpectFailure({"tracker", "--bind", "tcp://127.0.0.1:*"}, 78, secret);
  }
  std::filesystem::remove(secret);
  // The tracker does not start without keys, which loopback would allow: the rest of its key folder exists.
  const ProgramResult r = Shell("timeout 60 \"$HONE\" tracker --bind 'tcp://127.0.0.1:*'");
  ExpectFailure(r, 78, "hone key new");
}

TEST_F(KeysProgram, ThatAreDamagedOrMissingStopARunner) {
  const Json server = Ask({"key", "new", "--server"});
  Ask({"key", "new", "--name", "pi"});
  const std::string identity = Path("hone/identity"), whole = Read("hone/identity");
  const std::string words = "--tracker tcp://127.0.0.1:1 --server-key '" + server["key"].get<std::string>() + "' ";
  chmod(identity.c_str(), 0644);
  ExpectRunnerFailure(words, 78, "chmod 600");
  chmod(identity.c_str(), 0600);
  for (const size_t bytes : {size_t{0}, whole.size() / 2, whole.size() - 3}) {
    Write("hone/identity", whole.substr(0, bytes));
    ExpectRunnerFailure(words, 78, identity);
  }
  std::filesystem::remove(identity);
  ExpectRunnerFailure(words, 78, "hone key new");
  ExpectRunnerFailure("--tracker tcp://127.0.0.1:1 --direct --bind tcp://0.0.0.0:*", 78, "hone key new --server");
  ExpectRunnerFailure("--tracker tcp://10.0.0.1:9190", 78, "hone key enroll");
}

TEST_F(KeysProgram, ATrackerWithAnotherKeyIsRefusedInClearWords) {
  const ProgramResult r = Shell(
      "hone key new --server --keys keys >/dev/null 2>&1 && hone key new --server --keys other >/dev/null 2>&1 && "
      "hone key new --name ada >/dev/null 2>&1 && "
      "hone key allow ../hone/identity.pub --name ada --role tuner,viewer,runner --keys keys >/dev/null 2>&1; "
      "{ \"$HONE\" tracker --keys keys --bind 'tcp://127.0.0.1:*' --port-file port >tracker.out 2>&1 & } && pid=$! && "
      "for i in $(seq 200); do [ -s port ] && break; sleep 0.05; done; address=$(cat port); "
      "export HONE_SERVER_KEY=other/secret.pub; "
      "hone devices --tracker $address; echo devices $?; "
      "hone tune zoo:mlp --image-shape 1,14,14 --trials 8 --tracker $address --key k --db t.db; echo tune $?; "
      "timeout 30 '" HONE_RUNNER
      "' --tracker $address --key k --health off 2>runner.err & runner=$!; "
      "for i in $(seq 400); do grep -q 'does not hold' runner.err && break; sleep 0.05; done; "
      "kill $runner; wait $runner; cat runner.err; "
      "export HONE_SERVER_KEY=keys/secret.pub; hone devices --tracker $address; echo right $?; "
      "kill $pid; wait $pid");
  EXPECT_THAT(r.out, HasSubstr("devices 77")) << r.err;
  EXPECT_THAT(r.out, HasSubstr("tune 77")) << r.err;
  EXPECT_THAT(r.out, HasSubstr("hone-runner: what answers at tcp://127.0.0.1:"));
  EXPECT_THAT(r.out, HasSubstr("no runners\nright 0")) << "the runner never got in";
  EXPECT_THAT(r.err, HasSubstr("hone: what answers at tcp://127.0.0.1:"));
  EXPECT_THAT(r.err, HasSubstr("does not hold the key"));
}

TEST_F(KeysProgram, ANewUserIsOneCommandOnEachSide) {
  const ProgramResult r = Shell(
      "hone key new --server --keys keys >/dev/null 2>&1 && "
      "{ \"$HONE\" tracker --keys keys --bind 'tcp://127.0.0.1:*' --port-file port >tracker.out 2>&1 & } && pid=$! && "
      "for i in $(seq 200); do [ -s port ] && break; sleep 0.05; done; address=$(cat port); "
      "hone devices --tracker $address; echo without $?; "
      "code=$(hone key enroll --name ada --role viewer --keys keys 2>/dev/null); "
      "hone key join $code --tracker $address && hone devices --tracker $address; echo with $?; "
      "hone key join $code --tracker $address --identity other; echo again $?; "
      "hone key revoke ada --keys keys && sleep 1 && hone devices --tracker $address; echo revoked $?; "
      "kill $pid; wait $pid; grep -c event keys/audit.jsonl");
  EXPECT_THAT(r.out, HasSubstr("without 77")) << r.err;
  EXPECT_THAT(r.out, HasSubstr("no runners\nwith 0")) << r.err;
  EXPECT_THAT(r.out, HasSubstr("again 77")) << r.err;
  EXPECT_THAT(r.out, HasSubstr("revoked 77")) << r.err;
  EXPECT_THAT(r.err, HasSubstr("needs keys"));
  EXPECT_THAT(r.err, HasSubstr("does not admit"));
}

TEST_F(KeysProgram, TheTrackersNextLineNamesAnAddressThatCanBeDialled) {
  const ProgramResult r = Shell(
      "hone key new --server --keys keys >/dev/null 2>&1; "
      "hone tracker --keys keys --bind 'tcp://0.0.0.0:*' --port-file port 2>err & tracker=$!; "
      "for i in $(seq 400); do [ -s port ] && break; sleep 0.05; done; "
      "at=$(sed -n 's,^next: hone runner --tracker tcp://\\(.*\\) --key NAME$,\\1,p' err); "
      "case $at in 0.0.0.0:*) echo 'nobody can dial it';; esac; "
      "bash -c \"exec 3<>/dev/tcp/${at%:*}/${at##*:}\" && echo dialled; "
      "port=$(sed 's,.*:,,' port); hone tracker --bind tcp://127.0.0.1:$port 2>taken; echo $?; "
      "kill $tracker; wait $tracker; cat taken");
  EXPECT_THAT(r.out, testing::StartsWith("dialled\n74\nhone: ")) << r.out << r.err << Read("work/err");
  EXPECT_THAT(r.out, Not(HasSubstr("next:"))) << "nothing is announced before the port is held";
}

}  // namespace
}  // namespace hone
