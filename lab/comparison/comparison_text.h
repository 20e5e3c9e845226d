// Prints a comparison for people and spreadsheets.
#pragma once

#include <string>
#include <vector>

#include "lab/comparison/comparison_json.h"
#include "lab/comparison/likeness.h"

namespace hone {

// `columns` is a terminal's width, as in Table.

// A table per model: quickest devices first, those not comparable last and with the reason.
std::string ComparisonText(const ComparisonReport& report, size_t columns = 0);
// Every layer of the model with its time, share of the roofs and origin on each device.
std::string LayersText(const ComparisonReport& report, size_t columns = 0);
// Each device's efficiency with each other's configurations; empty for fewer than two devices.
std::string PortabilityText(const ComparisonReport& report, size_t columns = 0);
// The `most` layers with the greatest difference.
std::string DifferenceText(const Comparison& c, size_t model, size_t a, size_t b, size_t most, size_t columns = 0);

// A row per device and model (RFC 4180, with a header; times in ns).
std::string ComparisonCsv(const ComparisonReport& report);
// The tables of ComparisonText in Markdown.
std::string ComparisonMarkdown(const ComparisonReport& report);

// The devices with a time: compared ones first, quickest first, then those that are not compared.
std::vector<size_t> OrderOfDevices(const Comparison& c, size_t model, const std::vector<Standing>& standings);
// The device's place, for headers. If another machine's place has the same name, the fingerprint's id follows ("vm
// #f5b39a1c"); if the place has rows of other numbers of threads, its own ("vm at 2 threads"). If the device has no
// place or several, its full name.
std::string ShortName(const Comparison& c, size_t device);
// "-", or why the cell has no ratio: "4 of 5 layers", "not compared: 2 threads".
std::string StandingText(const Comparison& c, size_t device, size_t model, const Standing& standing);
// "36 %"; "-" for 0.
std::string ShareText(double share);
// "0.0123"; "-" for 0.
std::string JoulesText(double joules);
// "0.830", "12.4"; "-" for 0.
std::string MoneyText(double money);

}  // namespace hone
