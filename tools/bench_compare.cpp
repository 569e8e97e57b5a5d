// executorch bench compare: sets files of results against each other.
#include <algorithm>
#include <cmath>
#include <fstream>
#include <iomanip>
#include <iostream>
#include <map>
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
  constexpr int kRow = 22, kMiddle = 620, kPerOctave = 40;
  std::ofstream svg(path);
  svg << "<svg xmlns='http://www.w3.org/2000/svg' font-family='sans-serif' "
         "font-size='12' width='940' height='"
      << kRow * rows.size() << "'>\n";
  int y = 0;
  for (const Report& row : rows) {
    const double ratio = row[column].is_null() ? 1 : row[column].get<double>();
    const double length =
        std::clamp(std::log2(ratio) * kPerOctave, -240.0, 240.0);
    svg << "<text x='4' y='" << y + 16 << "'>" << escaped(row["name"]) << ", "
        << row["threads"] << " threads</text><rect x='"
        << kMiddle + std::min(length, 0.0) << "' y='" << y + 3
        << "' height='16' width='" << std::fabs(length) << "' fill='"
        << (length <= 0 ? "seagreen" : "indianred") << "'/><text x='890' y='"
        << y + 16 << "'>" << std::setprecision(3) << ratio << "</text>\n";
    y += kRow;
  }
  svg << "</svg>\n";
  svg.close();
  if (!svg) {
    throw Failure(kFailed, path + ": cannot write the file");
  }
}

struct GeometricMean {
  double logs = 0;
  int count = 0;
  void add(double ratio) { logs += std::log(ratio), ++count; }
  Report value() const {
    return count == 0 ? Report() : Report(std::exp(logs / count));
  }
};

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
  bool in_common = false;
  std::map<int, std::vector<GeometricMean>> means;  // by threads and column
  for (const Key& key : all[0].order) {
    Report row = {{"name", key.first}, {"threads", key.second}};
    for (size_t i = 0; i < all.size(); ++i) {
      row[times[i]] = all[i].time(key);
    }
    auto& mean = means[key.second];
    mean.resize(ratios.size());
    for (size_t i = 0; i < ratios.size(); ++i) {
      row[ratios[i]] = Report();
      if (const Report& other = row[times[i + 1]]; !other.is_null()) {
        const double ratio = row[times[0]].get<double>() / other.get<double>();
        row[ratios[i]] = ratio;
        mean[i].add(ratio);
        in_common = true;
      }
    }
    rows.push_back(row);
  }
  if (!in_common) {
    throw Failure(kFailed, "the first file has no row in common with others");
  }
  if (!options.svg.empty()) {
    write_svg(options.svg, rows, ratios[0]);
  }
  for (const auto& [threads, mean] : means) {
    Report row = {{"name", "geometric mean"}, {"threads", threads}};
    for (size_t i = 0; i < ratios.size(); ++i) {
      row[ratios[i]] = mean[i].value();
    }
    rows.push_back(row);
  }
  if (options.as_markdown) {
    std::cout << markdown_table(rows);
  } else {
    print(rows, options.as_json);
  }
}

}  // namespace executorch::tools
