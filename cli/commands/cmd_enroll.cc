#include <fmt/format.h>
#include <time.h>

#include "cli/command_line.h"
#include "cli/key_options.h"
#include "lab/text/print.h"
#include "rpc_runner/keys/enrolment.h"
#include "rpc_runner/keys/identity.h"
#include "rpc_runner/keys/key_folder.h"

namespace hone {

int EnrollCommand(const Arguments& arguments) {
  CommandLine line("hone enroll", "Prints a one-time code with which a machine brings its key to this one's tracker.",
                   "hone enroll --name pi4-left");
  std::string folder, roles = "runner", name, expires;
  line.Add("--name", name, "name for the machine or person").Required();
  line.Add("--role", roles, "viewer, tuner, runner or admin; several with commas").ShowDefault();
  line.Add("--expires", expires, "end of the key's admission, as 2027-01-31 or 2027-01-31T12:00:00Z");
  AddKeyFolderOption(line, folder);
  if (!line.Parse(arguments)) return 0;
  RequireKeyName(name);
  const KeyFolder tracker(KeyFolderPath(folder));
  const int64_t now_s = time(nullptr);
  const int64_t until_s = now_s + kEnrolmentS;
  EnrolmentCode made;
  const std::string code = MakeEnrolmentCode(ReadIdentity(tracker.secret()).public_key, &made);
  AddEnrolment(tracker, {made.once.public_key, RolesOf(roles), name, until_s, ExpiryOf(expires), ""}, now_s);
  if (line.json()) {
    PrintJson({{"code", code}, {"name", name}, {"roles", roles}, {"until", UtcTimeText(until_s)}});
  } else {
    Print("{}\n", code);
    Note("it works once and until {}; whoever has it first becomes {}\n", UtcTimeText(until_s), name);
  }
  const bool is_runner = RolesOf(roles) == static_cast<uint8_t>(Role::kRunner);
  line.Next(is_runner ? "hone-runner --tracker ADDRESS --enroll " + code : "hone join " + code + " --tracker ADDRESS");
  return 0;
}

}  // namespace hone
