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
    std::string all;
    for (const Report& item : value) {
      all += (all.empty() ? "" : ", ") + text_of(item);
    }
    return "[" + all + "]";
  }
  return value.is_null() ? "" : value.dump();
}

bool is_list_of_objects(const Report& value) {
  return value.is_array() && !value.empty() && value[0].is_object();
}

// What stands at the edges of a line and between its cells.
struct Style {
  std::string left, between, right;
};

// Objects as lines below the names of the columns. Numbers stand to the right.
std::string table_of(const Report& objects, const Style& style) {
  std::vector<std::string> names;
  for (const Report& object : objects) {
    for (const auto& [name, value] : object.items()) {
      if (std::find(names.begin(), names.end(), name) == names.end()) {
        names.push_back(name);
      }
    }
  }
  std::vector<std::string> lines(objects.size() + 1, style.left);
  for (const std::string& name : names) {
    std::vector<std::string> cells = {name};
    size_t width = name.size();
    bool is_number = false;
    for (const Report& object : objects) {
      const Report value = object.value(name, Report());
      is_number = is_number || value.is_number();
      cells.push_back(text_of(value));
      width = std::max(width, cells.back().size());
    }
    for (size_t i = 0; i < cells.size(); ++i) {
      const std::string room(width - cells[i].size(), ' ');
      lines[i] += is_number ? room + cells[i] : cells[i] + room;
      lines[i] += &name == &names.back() ? style.right : style.between;
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
    return table_of(report, {indent, "  ", ""});
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

void print(const Report& report, bool as_json) {
  std::cout << (as_json ? report.dump(2) + "\n" : text_of_all(report, ""));
}

std::string markdown_table(const Report& rows) {
  std::string table = table_of(rows, {"| ", " | ", " |"});
  // Below the names a line of dashes.
  const size_t end = table.find('\n');
  std::string rule = table.substr(0, end + 1);
  for (char& c : rule) {
    c = c == '|' || c == '\n' ? c : '-';
  }
  return table.insert(end + 1, rule);
}

}  // namespace executorch::tools
