#include <CLI/CLI.hpp>

#include "cli/command_line.h"
#include "core/error.h"

namespace hone {

Option Option::Required() const {
  option_->required();
  return *this;
}

Option Option::Env(const std::string& name) const {
  option_->envname(name);
  return *this;
}

Option Option::ShowDefault() const {
  option_->capture_default_str();
  return *this;
}

Option Option::Between(int64_t least, int64_t most) const {
  option_->check(CLI::Range(least, most));
  return *this;
}

Option Option::BetweenReal(double least, double most) const {
  option_->check(CLI::Range(least, most));
  return *this;
}

Option Option::OneOf(const std::vector<std::string>& values) const {
  option_->check(CLI::IsMember(values));
  return *this;
}

Option Option::Parsed(const std::function<void(const std::string&)>& parse) const {
  option_->check([parse](const std::string& text) {
    try {
      parse(text);
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string();
  });
  return *this;
}

Option Option::Needs(const Option& other) const {
  option_->needs(other.option_);
  return *this;
}

Option Option::Excludes(const Option& other) const {
  option_->excludes(other.option_);
  return *this;
}

Option Option::Default(const std::string& text) const {
  notes_->fallbacks[option_] = text;
  return *this;
}

Option Option::Formerly(const std::string& name) const {
  notes_->former_names[option_] = name;
  return *this;
}

Option Option::In(OptionGroup group) const {
  notes_->groups[option_] = group;
  return *this;
}

Option Option::About(Topic topic) const {
  notes_->topics[option_] = topic;
  return *this;
}

Option Option::Uses(FileUse use) const {
  notes_->uses[option_] = use;
  return *this;
}

}  // namespace hone
