#include <fmt/format.h>

#include "cli/command_line.h"
#include "cli/key_options.h"
#include "lab/text/print.h"
#include "rpc_runner/keys/client_keys.h"
#include "rpc_runner/keys/curve_key.h"

namespace hone {

int JoinCommand(const Arguments& arguments) {
  CommandLine line("hone join",
                   "Brings this user's key to a tracker under a code of `hone enroll`, and learns its key.",
                   "hone join CODE --tracker tcp://tracker:9190");
  line.First({"--tracker", "--identity"});
  std::string code, tracker;
  ClientKeys keys;
  line.Add("CODE", code, "what `hone enroll` printed on the tracker's machine").Required();
  line.Add("--tracker", tracker, "tracker, tcp://HOST:PORT").Required().Env("HONE_TRACKER").About(Topic::kRunners);
  line.Add("--identity", keys.identity, "file with your secret key; made if missing")
      .Writes()
      .Env("HONE_IDENTITY")
      .About(Topic::kRunners);
  if (!line.Parse(arguments)) return 0;
  const Enrolled enrolled = EnrolAt(tracker, code, keys);
  if (line.json()) {
    PrintJson({{"name", enrolled.name},
               {"roles", enrolled.roles},
               {"identity", enrolled.identity},
               {"fingerprint", KeyFingerprint(enrolled.public_key)}});
  } else {
    Print("{} may come as {}; the key is {}\n", enrolled.name, enrolled.roles, enrolled.identity);
  }
  line.Next("hone devices" + line.Given({Topic::kRunners}));
  return 0;
}

}  // namespace hone
