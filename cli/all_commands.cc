// Every command is one row here and one file commands/cmd_NAME.cc. Hidden rows are other names of listed commands.
#include "cli/command.h"

namespace hone {

const std::vector<Command>& AllCommands() {
  static const std::vector<Command> commands = {
      {"build", "builds a package from a model and the best records", BuildCommand, "Models"},
      {"run", "runs a package, or one node of a model", RunCommand, "Models"},
      {"generate", "continues a text of token ids with a language model", GenerateCommand, "Models"},
      {"verify", "compares a package with the reference", VerifyCommand, "Models"},
      {"bench", "times packages, interleaved", BenchCommand, "Models"},
      {"runtime", "lists and checks the runtimes that bench can time", RuntimeCommand, "Models"},
      {"profile", "shows where a package's time goes", ProfileCommand, "Models"},
      {"explain", "shows why a layer is as fast as it is", ExplainCommand, "Models"},
      {"inspect", "shows a model's contents and tuning tasks", InspectCommand, "Models"},
      {"quantize", "makes an 8-bit ONNX model from a float one", QuantizeCommand, "Models"},
      {"package", "shows, joins, exports and unpacks packages", PackageCommand, "Models"},
      {"zoo", "lists the test networks, or writes one as ONNX", ZooCommand, "Models"},
      {"tune", "searches for a model's best kernels and stores them", TuneCommand, "Tuning and records"},
      {"log", "lists, ranks, shares and maintains records", LogCommand, "Tuning and records"},
      {"report", "writes a web page about a store", ReportCommand, "Tuning and records"},
      {"dashboard", "serves a live page of tunings, devices and queues", DashboardCommand, "Tuning and records"},
      {"compare", "compares models across devices", CompareCommand, "Tuning and records"},
      {"space", "lists the schedules of a workload and their knobs", SpaceCommand, "Tuning and records"},
      {"tracker", "matches tuners with runners", TrackerCommand, "Devices"},
      {"runner", "offers this machine to a tracker", RunnerCommand, "Devices"},
      {"devices", "lists, reserves and upgrades the runners of a tracker", DevicesCommand, "Devices"},
      {"key", "makes, admits and lists the keys of people and machines", KeyCommand, "Devices"},
      {"doctor", "checks this machine and says what to change", DoctorCommand, "Devices"},
      {"targets", "lists the known CPUs, and what is assumed of them", TargetsCommand, "Devices"},
      {"ops", "lists the known operators", OpsCommand, "Devices"},
      {"completion", "prints the completion for a shell", CompletionCommand, "Shell"},
      {"man", "prints the manual of all commands", ManCommand, "Shell"},
      {"benchmark", "hone bench", BenchCommand, "", true},
      {"compile", "hone build", BuildCommand, "", true},
      {"autotune", "hone tune", TuneCommand, "", true},
      {"info", "hone inspect", InspectCommand, "", true},
      {"predict", "hone run", RunCommand, "", true},
      {"quantise", "hone quantize", QuantizeCommand, "", true},
      {"device", "hone devices", DevicesCommand, "", true},
      {"target", "hone targets", TargetsCommand, "", true},
      {"keygen", "hone key new", KeyNewCommand, "", true},
      {"authorize", "hone key allow", KeyAllowCommand, "", true},
      {"revoke", "hone key revoke", KeyRevokeCommand, "", true},
      {"keys", "hone key list", KeyListCommand, "", true},
      {"enroll", "hone key enroll", KeyEnrollCommand, "", true},
      {"join", "hone key join", KeyJoinCommand, "", true},
  };
  return commands;
}

}  // namespace hone
