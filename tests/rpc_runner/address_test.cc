#include "rpc_runner/wire/address.h"

#include <gtest/gtest.h>

#include "core/error.h"

namespace hone {
namespace {

TEST(Address, ReadsHostsAndPorts) {
  const Address four = ParseAddress("tcp://10.1.2.3:9190");
  EXPECT_EQ(four.host, "10.1.2.3");
  EXPECT_EQ(four.port, 9190);
  EXPECT_TRUE(four.is_ip);
  EXPECT_EQ(ParseAddress("tcp://[fe80::1]:65535").host, "fe80::1");
  EXPECT_EQ(ParseAddress("tcp://lab-tracker.example.org:1").host, "lab-tracker.example.org");
  EXPECT_EQ(ParseAddress("tcp://lab_tracker:1").host, "lab_tracker") << "as container networks name them";
  EXPECT_EQ(ParseAddress("tcp://_x.a_b.example:1").host, "_x.a_b.example");
  EXPECT_EQ(ParseBindAddress("tcp://0.0.0.0:*").port, 0);
  EXPECT_EQ(ParseBindAddress("tcp://*:9190").host, "*");
  for (const char* text : {"tcp://10.1.2.3:9190", "tcp://[fe80::1]:7", "tcp://*:*", "tcp://localhost:80"})
    EXPECT_EQ(ParseBindAddress(text).ToText(), text);
}

TEST(Address, LoopbackIsWhatWasParsedNotHowItLooks) {
  for (const char* text :
       {"tcp://127.0.0.1:1", "tcp://127.255.0.9:1", "tcp://[::1]:1", "tcp://[0:0:0:0:0:0:0:1]:1", "tcp://localhost:1"})
    EXPECT_TRUE(ParseAddress(text).is_loopback) << text;
  for (const char* text : {"tcp://127.evil.example:1", "tcp://localhost.evil.example:1", "tcp://128.0.0.1:1",
                           "tcp://[::]:1", "tcp://[::ffff:127.0.0.1]:1"})
    EXPECT_FALSE(ParseAddress(text).is_loopback) << text;
  EXPECT_FALSE(ParseBindAddress("tcp://*:1").is_loopback);
}

TEST(Address, TellsWhoseItIs) {
  EXPECT_EQ(PlainIp("::ffff:10.0.0.7"), "10.0.0.7");
  EXPECT_EQ(PlainIp("10.0.0.7"), "10.0.0.7");
  EXPECT_EQ(PlainIp("::1"), "::1");
  EXPECT_EQ(NetworkOf("10.0.0.7"), "10.0.0.7");
  EXPECT_EQ(NetworkOf("::ffff:10.0.0.7"), "10.0.0.7");
  EXPECT_EQ(NetworkOf("2001:db8:1:2:3:4:5:6"), "2001:db8:1:2::");
  EXPECT_EQ(NetworkOf("2001:db8:1:2:ffff::9"), "2001:db8:1:2::") << "the same subscriber";
  EXPECT_EQ(NetworkOf("2001:db8:1:3::9"), "2001:db8:1:3::");
  EXPECT_EQ(NetworkOf(""), "");
}

TEST(Address, EverythingElseIsRefused) {
  for (const char* text : {"",
                           "tcp://",
                           "tcp://:",
                           "tcp://:80",
                           "127.0.0.1:80",
                           "ipc://x",
                           "inproc://x",
                           "TCP://127.0.0.1:1",
                           "tcp://127.0.0.1",
                           "tcp://127.0.0.1:",
                           "tcp://127.0.0.1:99999999",
                           "tcp://127.0.0.1:65536",
                           "tcp://127.0.0.1:-1",
                           "tcp://127.0.0.1:+1",
                           "tcp://127.0.0.1: 1",
                           "tcp://127.0.0.1:1 ",
                           "tcp://127.0.0.1:0x1",
                           "tcp://127.0.0.1:0;8.8.8.8:53",
                           "tcp://8.8.8.8:53;127.0.0.1:1",
                           "tcp://127.0.0.1:1/",
                           "tcp://127.0.0.1:1:2",
                           "tcp://127.1:1",
                           "tcp://2130706433:1",
                           "tcp://127.0.0.01:1",
                           "tcp://127.0.0.256:1",
                           "tcp://0x7f.0.0.1:1",
                           "tcp://[127.0.0.1]:1",
                           "tcp://::1:1",
                           "tcp://[::1:1",
                           "tcp://[::1%lo]:1",
                           "tcp://-host:1",
                           "tcp://.host:1",
                           "tcp://a@127.0.0.1:1",
                           "tcp://eth0;10.0.0.1:1",
                           "tcp://h\xC3\xB6st:1"}) {
    EXPECT_THROW(ParseAddress(text), Error) << text;
    EXPECT_THROW(ParseBindAddress(text), Error) << text;
  }
  EXPECT_THROW(ParseAddress("tcp://*:80"), Error);
  EXPECT_THROW(ParseAddress("tcp://127.0.0.1:*"), Error);
  EXPECT_THROW(ParseAddress("tcp://127.0.0.1:0"), Error);
  EXPECT_THROW(ParseBindAddress("tcp://eth0:80"), Error);
  EXPECT_THROW(ParseBindAddress("tcp://example.org:80"), Error);
}

}  // namespace
}  // namespace hone
