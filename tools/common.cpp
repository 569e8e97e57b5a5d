#include "tools/common.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <iostream>
#include <mutex>
#if __has_include(<executorch/runtime/platform/log_sink.h>)
#include <executorch/runtime/platform/log_sink.h>
#endif

namespace executorch::tools {
namespace {

// The first error line is nearest to the cause.
std::mutex mutex;
std::string first_error;

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
  Report columns = Report::object();
  for (const Report& object : objects) {
    columns.update(object);
  }
  std::vector<std::string> lines;
  for (const auto& [name, unused] : columns.items()) {
    std::vector<std::string> cells = {name};
    size_t width = name.size();
    bool is_number = false;
    for (const Report& object : objects) {
      const Report value = object.value(name, Report());
      is_number = is_number || value.is_number();
      cells.push_back(text_of(value));
      width = std::max(width, cells.back().size());
    }
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

void capture_log() {
#if __has_include(<executorch/runtime/platform/log_sink.h>)
  runtime::set_log_level(runtime::LogLevel::Error);
  runtime::set_log_sink([](const runtime::LogLine& line, void*) {
    const std::lock_guard<std::mutex> lock(mutex);
    if (first_error.empty()) {
      first_error.assign(line.message, line.length);
    }
  });
#endif
}

void check(runtime::Error error, const std::string& doing) {
  if (error != runtime::Error::Ok) {
    const std::lock_guard<std::mutex> lock(mutex);
    const std::string why = std::exchange(first_error, {});
    throw Failure(kFailed, doing + ": " + (why.empty() ? "" : why + " ") + "(" +
                               runtime::to_string(error) + ")");
  }
}

void show_progress(const char* what, size_t done, size_t steps) {
  if (steps > 1 && isatty(STDERR_FILENO) != 0) {
    // Lines printed later, and the next bar, begin where this one does.
    const std::string bar(30 * done / steps, '#');
    std::fprintf(stderr, "%s [%-30s] %zu/%zu%s", what, bar.c_str(), done, steps,
                 done < steps ? "\r" : "\r\033[K");
  }
}

}  // namespace executorch::tools
