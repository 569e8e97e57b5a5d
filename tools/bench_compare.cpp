// executorch bench compare: sets files of results against each other.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <iterator>
#include <map>
#include <set>
#include <utility>

#include "tools/bench.h"

namespace executorch::tools {
namespace {

using Key = std::pair<std::string, int>;  // name and threads

// A file of results; of several rounds the lowest median counts.
struct Results {
  explicit Results(const std::string& path) {
    std::ifstream stream(path);
    for (std::string line; std::getline(stream, line);) {
      const auto row = Report::parse(line, nullptr, false);
      if (!row.is_object() || !row.contains("median_us") ||
          !row.contains("name")) {
        throw Failure(kFailed,
                      path + " is not a file of `executorch bench --json`");
      }
      engine = row.value("engine", path);
      const Key key(row["name"], row.value("threads", 1));
      const double time = row["median_us"];
      const auto [at, is_new] = times.emplace(key, time);
      at->second = std::min(at->second, time);
      if (is_new) {
        order.push_back(key);
      }
    }
  }

  // Null if there is none.
  Report time(const Key& key) const {
    const auto at = times.find(key);
    return at == times.end() ? Report() : Report(at->second);
  }

  std::string engine;
  std::vector<Key> order;
  std::map<Key, double> times;
};

std::string escaped(const std::string& text) {
  std::string all;
  for (const char c : text) {
    all += c == '&' ? "&amp;" : c == '<' ? "&lt;" : std::string(1, c);
  }
  return all;
}

// Bars of log2 of the ratio in a column: to the left where it is below 1.
void write_svg(const std::string& path, const Report& rows,
               const std::string& column) {
  constexpr int kRow = 22, kMiddle = 620, kHalf = 240;
  double widest = 1;
  for (const Report& row : rows) {
    widest = std::max(widest, std::fabs(std::log2(row[column].get<double>())));
  }
  std::ofstream svg(path);
  svg << "<svg xmlns='http://www.w3.org/2000/svg' font-family='sans-serif' "
         "font-size='12' width='940' height='"
      << kRow * (rows.size() + 1) << "'>\n";
  int y = 4;
  for (const Report& row : rows) {
    const double ratio = row[column];
    const double length = std::log2(ratio) / widest * kHalf;
    char text[32];
    std::snprintf(text, sizeof(text), "%.2f", ratio);
    svg << "<text x='4' y='" << y + 13 << "'>" << escaped(row["name"]) << ", "
        << row["threads"] << " threads</text><rect x='"
        << kMiddle + std::min(length, 0.0) << "' y='" << y
        << "' height='16' width='" << std::fabs(length) << "' fill='"
        << (length <= 0 ? "seagreen" : "indianred") << "'/><text x='890' y='"
        << y + 13 << "'>" << text << "</text>\n";
    y += kRow;
  }
  svg << "</svg>\n";
  svg.close();
  if (!svg) {
    throw Failure(kFailed, path + ": cannot write the file");
  }
}

Report with_number(const Report& rows, const std::string& column) {
  Report some = Report::array();
  std::copy_if(rows.begin(), rows.end(), std::back_inserter(some),
               [&](const Report& row) { return row[column].is_number(); });
  return some;
}

// Of each column of ratios, over the rows with this number of threads.
Report geometric_mean(const Report& rows, int threads,
                      const std::vector<std::string>& ratios) {
  Report mean = {{"name", "geometric mean"}, {"threads", threads}};
  for (const std::string& column : ratios) {
    double logs = 0;
    int count = 0;
    for (const Report& row : with_number(rows, column)) {
      if (row["threads"] == threads) {
        logs += std::log(row[column].get<double>());
        ++count;
      }
    }
    mean[column] = count > 0 ? Report(std::exp(logs / count)) : Report();
  }
  return mean;
}

}  // namespace

void compare_results(const CompareOptions& options) {
  const std::vector<Results> all(options.files.begin(), options.files.end());
  std::vector<std::string> times, ratios;  // columns
  for (size_t i = 0; i < all.size(); ++i) {
    // Of the same engine are told apart by their files.
    const bool first = i == 0 || all[i].engine != all[0].engine;
    const std::string& name = first ? all[i].engine : options.files[i];
    times.push_back(name + " us");
    if (i > 0) {
      ratios.push_back("/ " + name);
    }
  }
  Report rows = Report::array();
  std::set<int> threads;
  for (const Key& key : all[0].order) {
    Report row = {{"name", key.first}, {"threads", key.second}};
    for (size_t i = 0; i < all.size(); ++i) {
      row[times[i]] = all[i].time(key);
    }
    for (size_t i = 1; i < all.size(); ++i) {
      const Report& other = row[times[i]];
      row[ratios[i - 1]] =
          other.is_null()
              ? other
              : Report(row[times[0]].get<double>() / other.get<double>());
    }
    rows.push_back(row);
    threads.insert(key.second);
  }
  const Report drawn = with_number(rows, ratios[0]);
  if (drawn.empty()) {
    throw Failure(kFailed, "the files have no row in common");
  }
  if (!options.svg.empty()) {
    write_svg(options.svg, drawn, ratios[0]);
  }
  for (const int count : threads) {
    rows.push_back(geometric_mean(rows, count, ratios));
  }
  if (options.as_markdown) {
    std::cout << markdown_table(rows);
  } else {
    print(rows, options.as_json);
  }
}

}  // namespace executorch::tools
