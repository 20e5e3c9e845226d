// A fleet whose machines are on networks of their own:
//
//   laptop 10.91.1.3 --+                         (NAT, nothing comes in)
//                      +-- lab's bridge -- router =========== board 192.168.91.2
//   lab    10.91.1.1 --+   10.91.1.2    192.168.91.1
//
// The board reaches the lab, and no machine reaches the board. Needs root, ip and nft.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <thread>

#include "tests/end_to_end/child_program.h"
#include "tests/end_to_end/tune_child.h"

namespace hone {
namespace {

using testing::HasSubstr;

constexpr const char* kLab = "tcp://10.91.1.1:9190";

// The namespaces {name}lab, {name}laptop, {name}router and {name}board, removed with the value.
class Networks {
 public:
  explicit Networks(std::string name) : name_(std::move(name)) {}
  ~Networks() {
    for (const char* who : {"lab", "laptop", "router", "board"}) Run(fmt::format("ip netns del {}{}", name_, who));
  }
  Networks(const Networks&) = delete;
  Networks& operator=(const Networks&) = delete;

  // Returns false if this machine or user cannot have them.
  bool Make() {
    const std::string script = R"(
      command -v nft && command -v ip || exit 1
      for who in lab laptop router board; do ip netns add @$who && ip -n @$who link set lo up || exit 1; done
      ip -n @lab link add bridge type bridge && ip -n @lab addr add 10.91.1.1/24 dev bridge && ip -n @lab link set bridge up
      for who in laptop router; do
        ip -n @lab link add to-$who type veth peer name eth0 netns @$who && ip -n @lab link set to-$who master bridge up
      done
      ip -n @laptop addr add 10.91.1.3/24 dev eth0 && ip -n @laptop link set eth0 up
      ip -n @router addr add 10.91.1.2/24 dev eth0 && ip -n @router link set eth0 up
      ip -n @router link add eth1 type veth peer name eth0 netns @board
      ip -n @router addr add 192.168.91.1/24 dev eth1 && ip -n @router link set eth1 up
      ip -n @board addr add 192.168.91.2/24 dev eth0 && ip -n @board link set eth0 up
      ip -n @board route add default via 192.168.91.1
      ip netns exec @router sh -c 'echo 1 > /proc/sys/net/ipv4/ip_forward'
      ip netns exec @router nft -f - <<'RULES'
table ip gate {
  chain out { type nat hook postrouting priority 100; oifname "eth0" masquerade; }
  chain through {
    type filter hook forward priority 0; policy drop;
    iifname "eth1" accept
    ct state established,related accept
  }
}
RULES
    )";
    std::string filled;
    for (const char c : script) filled += c == '@' ? name_ : std::string(1, c);
    return geteuid() == 0 && Run(filled);
  }
  // The words that run a program in a machine's namespace.
  std::vector<std::string> In(const std::string& who, std::vector<std::string> words) const {
    words.insert(words.begin(), {"netns", "exec", name_ + who});
    return words;
  }
  std::string Prefix(const std::string& who) const { return "ip netns exec " + name_ + who + " "; }
  void SetBoardsLink(bool up) const { Run(fmt::format("ip -n {}router link set eth1 {}", name_, up ? "up" : "down")); }

 private:
  static bool Run(const std::string& script) { return std::system(("exec >/dev/null 2>&1\n" + script).c_str()) == 0; }

  const std::string name_;
};

class SeparateNetworks : public TuneChildTest {
 protected:
  void SetUp() override {
    TuneChildTest::SetUp();
    if (!networks_.Make()) GTEST_SKIP() << "no namespaces of networks here: root, ip and nft are needed";
    for (const char* who : {"lab", "laptop", "board"}) std::filesystem::create_directory(Path(who));
    ASSERT_EQ(As("lab", "hone key new --server").code, 0);
    tracker_ = Start("lab", {HONE_PROGRAM, "tracker", "--bind", "tcp://0.0.0.0:9190", "--port-file", Path("port")});
    for (int i = 0; i < 3000 && !std::filesystem::exists(Path("port")); ++i) Sleep(10);
    ASSERT_TRUE(std::filesystem::exists(Path("port"))) << tracker_->ErrorText();
    board_ = Start("board", {HONE_RUNNER, "--tracker", kLab, "--key", "pi4", "--label", "left", "--health", "off",
                             "--enroll", CodeFor("pi4", "runner")});
    const ProgramResult joined = As("laptop", "hone key join " + CodeFor("ada", "tuner") + " --tracker " + kLab);
    ASSERT_EQ(joined.code, 0) << joined.err;
  }
  static void Sleep(int ms) { std::this_thread::sleep_for(std::chrono::milliseconds(ms)); }

  // Runs a command of hone on that machine.
  ProgramResult As(const std::string& who, const std::string& line) {
    environment["XDG_CONFIG_HOME"] = Path(who);
    return Shell(networks_.Prefix(who) + "\"$HONE\"" + line.substr(line.find(' ')));
  }
  std::string CodeFor(const std::string& name, const std::string& role) {
    std::string code = As("lab", "hone key enroll --name " + name + " --role " + role).out;
    code.erase(code.find_last_not_of('\n') + 1);
    return code;
  }
  std::unique_ptr<ChildProgram> Start(const std::string& who, const std::vector<std::string>& words) {
    return std::make_unique<ChildProgram>("/usr/sbin/ip", networks_.In(who, words), Path(who + "/program"));
  }
  std::unique_ptr<ChildProgram> TuneThere() {
    return Start("laptop",
                 {HONE_PROGRAM, "tune", "zoo:mlp", "--image-shape", "1,14,14", "--trials", std::to_string(kTrials),
                  "--threads", "1", "--json", "--db", Store(), "--tracker", kLab, "--key", "pi4"});
  }

  Networks networks_{fmt::format("hone{}", getpid())};
  std::unique_ptr<ChildProgram> tracker_, board_;
};

TEST_F(SeparateNetworks, ABoardBehindARouterNeedsNoWayIn) {
  // Packets are dropped on the way; a closed port would refuse the connection at once.
  const std::string knock = "timeout 2 bash -c 'echo > /dev/tcp/192.168.91.2/22'";
  ASSERT_EQ(Shell(networks_.Prefix("lab") + "ip route add 192.168.91.0/24 via 10.91.1.2").code, 0);
  EXPECT_EQ(Shell(networks_.Prefix("lab") + knock).code, 124);
  EXPECT_EQ(Shell(networks_.Prefix("router") + knock).code, 1);
  const auto tune = TuneThere();
  ASSERT_EQ(tune->Wait(), 0) << tune->ErrorText() << board_->ErrorText();
  EXPECT_EQ(Acknowledge(*tune), kTrials);
  ExpectStoreWhole();
  const ProgramResult devices = As("laptop", std::string("hone devices --tracker ") + kLab);
  EXPECT_THAT(devices.out, HasSubstr("left"));
}

TEST_F(SeparateNetworks, ALinkThatIsDownForAWhileCostsNoVerdict) {
  const auto tune = TuneThere();
  ASSERT_TRUE(tune->WaitForLines("\"event\":\"trial\"", 3)) << tune->ErrorText();
  // The link is down for longer than the silence after which a runner is lost; no connection is closed meanwhile.
  networks_.SetBoardsLink(false);
  Sleep(6000);
  networks_.SetBoardsLink(true);
  ASSERT_EQ(tune->Wait(), 0) << tune->ErrorText() << board_->ErrorText();
  Acknowledge(*tune);
  ExpectStoreWhole();
}

}  // namespace
}  // namespace hone
