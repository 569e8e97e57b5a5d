// How a report of a command becomes text.
#include <algorithm>
#include <cstdio>
#include <iostream>

#include "tools/common.h"

namespace executorch::tools {
namespace {

// A value on one line.
std::string text_of(const Report& value) {
  if (value.is_string()) {
    return value.get<std::string>();
  }
  if (value.is_boolean()) {
    return value.get<bool>() ? "yes" : "no";
  }
  if (value.is_number_float()) {
    const auto number = value.get<double>();
    char text[32];
    std::snprintf(text, sizeof(text), number < 1000 ? "%.4g" : "%.0f", number);
    return text;
  }
  if (value.is_array()) {
    return "[" + joined(value, ", ", text_of) + "]";
  }
  return value.is_null() ? "" : value.dump();
}

bool is_list_of_objects(const Report& value) {
  return value.is_array() && !value.empty() && value[0].is_object();
}

// Objects as lines below the names of the columns. Numbers stand to the right.
std::string table_of(const Report& objects, const std::string& indent,
                     bool as_markdown) {
  std::vector<std::string> names;
  for (const Report& object : objects) {
    for (const auto& [name, value] : object.items()) {
      if (std::find(names.begin(), names.end(), name) == names.end()) {
        names.push_back(name);
      }
    }
  }
  std::vector<std::string> lines;
  for (const std::string& name : names) {
    std::vector<std::string> cells = {name};
    bool is_number = false;
    for (const Report& object : objects) {
      const Report value = object.value(name, Report());
      is_number = is_number || value.is_number();
      cells.push_back(text_of(value));
    }
    const auto longer = [](const auto& a, const auto& b) {
      return a.size() < b.size();
    };
    const size_t width =
        std::max_element(cells.begin(), cells.end(), longer)->size();
    if (as_markdown) {
      cells.insert(cells.begin() + 1, std::string(width, '-'));
    }
    lines.resize(cells.size(), as_markdown ? "|" : indent);
    for (size_t i = 0; i < cells.size(); ++i) {
      const std::string room(width - cells[i].size(), ' ');
      const std::string cell = is_number ? room + cells[i] : cells[i] + room;
      lines[i] += as_markdown ? " " + cell + " |" : cell + "  ";
    }
  }
  std::string all;
  for (std::string& line : lines) {
    all += line.erase(line.find_last_not_of(' ') + 1) + "\n";
  }
  return all;
}

bool is_flat(const Report& objects) {
  return std::all_of(objects.begin(), objects.end(), [](const Report& object) {
    return std::none_of(object.begin(), object.end(), is_list_of_objects);
  });
}

std::string text_of_all(const Report& report, const std::string& indent) {
  if (is_list_of_objects(report) && is_flat(report)) {
    return table_of(report, indent, false);
  }
  std::string all;
  for (const auto& [name, value] : report.items()) {
    if (report.is_array()) {
      all += text_of_all(value, indent);
    } else if (is_list_of_objects(value)) {
      all += indent + name + ":\n" + text_of_all(value, indent + "  ");
    } else {
      all += indent + name + ": " + text_of(value) + "\n";
    }
  }
  return all;
}

}  // namespace

void print(const Report& report) {
  std::cout << (as_json ? report.dump(2) + "\n" : text_of_all(report, ""));
}

void print_markdown(const Report& objects) {
  std::cout << table_of(objects, "", true);
}

}  // namespace executorch::tools
