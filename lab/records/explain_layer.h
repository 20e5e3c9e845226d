// Explains a layer of a model: why a build takes this record and these layouts, and what bounds the kernel.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "compiler/layers.h"
#include "core/json/serialize.h"
#include "db/record.h"
#include "db/record_layers.h"
#include "lab/machine/machine.h"
#include "lab/records/kernel_bounds.h"
#include "lab/records/why_record.h"
#include "tuner/record_config_source.h"

namespace hone {

// A layer's name for people: the first of the model's nodes that it computes, else its operator.
std::string NameOf(const Layer& layer);

// The index of the layer that `what` names: the whole name of a node that it computes, its index, or a part that only
// its nodes' names, or else only its workload, has. Throws Error(kNoInput), with the nearest names, if there is none;
// kUsage, with the layers, if there are several. `model` is for the messages.
size_t FindLayer(const std::vector<ChosenLayer>& layers, const std::string& what, const std::string& model);

struct LayerExplanation {
  size_t index = 0, layers = 0;  // of how many
  ChosenLayer choice;
  double network_ns = 0;                  // of a run's anchors and layout transforms; 0 below -O 3
  std::vector<double> network_ns_with;    // by way: the same if the layer ran so; empty below -O 3
  std::optional<WhyAnswer> why;           // of an anchor
  std::optional<Record> record;           // the one that is taken, if any
  std::optional<ConsideredRecord> taken;  // its row of `why`
  std::string origin;                     // of the record: "store", "project", "hub"
  std::optional<ExpectedLoss> loss;       // of the record, if another kind of machine measured it
  std::optional<KernelBounds> bounds;     // of an anchor's kernel
  // The kernel's time, from its record or by estimate.
  double ns() const { return choice.ways.empty() ? 0 : choice.ways.at(choice.chosen).cost_ns; }
  // Whether the time was measured on this machine, so that its roofs bound it.
  bool timed_here() const;
};

// `roofs` are those of the machine.
LayerExplanation ExplainLayer(const ChosenLayers& choices, size_t layer, const Machine& machine,
                              const RecordLayers& layers, const RecordConfigSource& source, const MachineRoofs& roofs);

std::string LayerText(const LayerExplanation& explanation, const Machine& machine);
Json LayerJson(const LayerExplanation& explanation, const RecordLayers& layers);

// A row for each layer with its index, name, kernel, layouts and source.
std::string LayerListText(const ChosenLayers& choices);
Json LayerListJson(const ChosenLayers& choices);

}  // namespace hone
