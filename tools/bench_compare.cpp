#include "tools/bench_compare.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>
#include <vector>

#include "tools/common.h"

namespace executorch::tools {
namespace {

using nlohmann::json;

struct Best {
  double min = 0;
  double median = 0;
};

// By name and threads; of several rounds the best counts.
std::map<std::string, Best> read_results(const std::string& path) {
  std::map<std::string, Best> results;
  std::ifstream stream(path);
  for (std::string line; std::getline(stream, line);) {
    const json row = json::parse(line, nullptr, false);
    if (!row.is_object() || !row.contains("min_us") || !row.contains("name")) {
      throw Failure(kFailed,
                    path + " is not a file of `executorch bench --json`");
    }
    const std::string key = row["name"].get<std::string>() + ", " +
                            std::to_string(row.value("threads", 1)) +
                            " threads";
    const Best now{row["min_us"], row.value("median_us", 0.0)};
    const auto [at, is_new] = results.emplace(key, now);
    if (!is_new) {
      at->second.min = std::min(at->second.min, now.min);
      at->second.median = std::min(at->second.median, now.median);
    }
  }
  return results;
}

struct Row {
  std::string name;
  Best a, b;
  double ratio() const { return a.min / b.min; }
};

std::string escaped(const std::string& text) {
  std::string all;
  for (const char c : text) {
    all += c == '&' ? "&amp;" : c == '<' ? "&lt;" : std::string(1, c);
  }
  return all;
}

// Bars of log2 of the ratio: to the left where A is faster.
void write_svg(const std::string& path, const std::vector<Row>& rows) {
  constexpr int kRow = 22, kMiddle = 620, kHalf = 240;
  double widest = 1;
  for (const Row& row : rows) {
    widest = std::max(widest, std::fabs(std::log2(row.ratio())));
  }
  std::ofstream svg(path);
  svg << "<svg xmlns='http://www.w3.org/2000/svg' font-family='sans-serif' "
         "font-size='12' width='940' height='"
      << kRow * (rows.size() + 1) << "'>\n";
  for (size_t i = 0; i < rows.size(); ++i) {
    const double length = std::log2(rows[i].ratio()) / widest * kHalf;
    const int y = static_cast<int>(i) * kRow + 4;
    char ratio[32];
    std::snprintf(ratio, sizeof(ratio), "%.2f", rows[i].ratio());
    svg << "<text x='4' y='" << y + 13 << "'>" << escaped(rows[i].name)
        << "</text><rect x='" << kMiddle + std::min(length, 0.0) << "' y='" << y
        << "' height='16' width='" << std::fabs(length) << "' fill='"
        << (length <= 0 ? "seagreen" : "indianred") << "'/><text x='890' y='"
        << y + 13 << "'>" << ratio << "</text>\n";
  }
  svg << "</svg>\n";
  svg.close();
  if (!svg) {
    throw Failure(kFailed, path + ": cannot write the file");
  }
}

}  // namespace

void compare_results(const CompareOptions& options) {
  const auto a = read_results(options.a);
  const auto b = read_results(options.b);
  std::vector<Row> rows;
  double logs = 0;
  for (const auto& [name, best] : a) {
    if (const auto other = b.find(name); other != b.end()) {
      rows.push_back({name, best, other->second});
      logs += std::log(rows.back().ratio());
    }
  }
  if (rows.empty()) {
    throw Failure(kFailed, "the files have no row in common");
  }
  for (const Row& row : rows) {
    if (options.as_json) {
      std::cout << json{{"name", row.name},
                        {"a_us", row.a.min},
                        {"b_us", row.b.min},
                        {"ratio", row.ratio()},
                        {"median_ratio", row.a.median / row.b.median}}
                       .dump()
                << "\n";
    } else {
      std::printf("%-60s %12.2f %12.2f us  %7.3f\n", row.name.c_str(),
                  row.a.min, row.b.min, row.ratio());
    }
  }
  if (!options.as_json) {
    std::printf("geometric mean of A/B over %zu rows: %.3f\n", rows.size(),
                std::exp(logs / static_cast<double>(rows.size())));
  }
  if (!options.svg.empty()) {
    write_svg(options.svg, rows);
  }
}

}  // namespace executorch::tools
