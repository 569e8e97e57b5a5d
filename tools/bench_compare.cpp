// executorch bench compare: sets files of results against each other.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iomanip>
#include <numeric>

#include "tools/common.h"

namespace executorch::tools {
namespace {

using Key = std::pair<std::string, int>;  // name and threads

// The medians in a file of results; of several rounds the lowest counts.
struct Results {
  explicit Results(const std::string& path)
      : name(std::filesystem::path(path).replace_extension()) {
    std::ifstream stream(path);
    for (std::string line; std::getline(stream, line);) {
      const auto row = Report::parse(line, nullptr, false);
      if (!row.is_object() || !row.contains("median_us") ||
          !row.contains("name")) {
        throw Failure(kFailed,
                      path + " is not a file of `executorch bench --json`");
      }
      const double time = row["median_us"];
      const Key key(row["name"], row.value("threads", 1));
      double& least = times.try_emplace(key, time).first->second;
      least = std::min(least, time);
    }
  }

  std::string name;
  std::map<Key, double> times;
};

// Rows of times, and of those of the first file divided by the others.
Report compare(const std::vector<Results>& all) {
  Report rows = Report::array();
  std::map<int, std::map<std::string, std::vector<double>>> logs;
  for (const auto& [key, first] : all[0].times) {
    Report row = {{"name", key.first}, {"threads", key.second}};
    for (const Results& one : all) {
      const auto at = one.times.find(key);
      row[one.name + " us"] =
          at == one.times.end() ? Report() : Report(at->second);
    }
    for (size_t i = 1; i < all.size(); ++i) {
      const std::string column = "/ " + all[i].name;
      row[column] = Report();
      if (const Report time = row[all[i].name + " us"]; time.is_number()) {
        row[column] = first / time.get<double>();
        logs[key.second][column].push_back(std::log(row[column].get<double>()));
      }
    }
    rows.push_back(row);
  }
  for (const auto& [threads, columns] : logs) {
    Report row = {{"name", "geometric mean"}, {"threads", threads}};
    for (const auto& [column, values] : columns) {
      const double sum = std::accumulate(values.begin(), values.end(), 0.0);
      row[column] = std::exp(sum / static_cast<double>(values.size()));
    }
    rows.push_back(row);
  }
  if (logs.empty()) {
    throw Failure(kFailed, "the first file has no row in common with others");
  }
  return rows;
}

// Bars of log2 of the ratio in a column: to the left where it is below 1.
void write_svg(const std::string& path, const Report& rows,
               const std::string& column) {
  constexpr int kRow = 22, kMiddle = 620, kPerOctave = 40;
  std::ofstream svg(path);
  svg << "<svg xmlns='http://www.w3.org/2000/svg' font-family='sans-serif' "
         "font-size='12' width='940' height='"
      << kRow * rows.size() << "'>\n"
      << std::setprecision(3);
  int y = 0;
  for (const Report& row : rows) {
    if (!row.value(column, Report()).is_number()) {
      continue;
    }
    const double ratio = row[column];
    const double bar = std::clamp(std::log2(ratio) * kPerOctave, -240.0, 240.0);
    svg << "<text x='4' y='" << y + 16 << "'><![CDATA["
        << row["name"].get<std::string>() << "]]>, " << row["threads"]
        << " threads</text><rect x='" << kMiddle + std::min(bar, 0.0) << "' y='"
        << y + 3 << "' height='16' width='" << std::fabs(bar) << "' fill='"
        << (bar <= 0 ? "seagreen" : "indianred") << "'/><text x='890' y='"
        << y + 16 << "'>" << ratio << "</text>\n";
    y += kRow;
  }
  svg << "</svg>\n";
  svg.close();
  if (!svg) {
    throw Failure(kFailed, path + ": cannot write the file");
  }
}

struct {
  std::vector<std::string> files;
  std::string svg;
  bool as_markdown = false;
} options;

void add_options(CLI::App& app) {
  app.add_option("files", options.files,
                 "Results as `bench --json` writes them, two or more: the "
                 "times of the first divided by those of each other")
      ->required()
      ->expected(2, 8)
      ->check(CLI::ExistingFile);
  app.add_option("--svg", options.svg, "File for a bar chart of the first two");
  app.add_flag("--markdown", options.as_markdown, "Print Markdown");
}

void run() {
  const std::vector<Results> all(options.files.begin(), options.files.end());
  const Report rows = compare(all);
  if (!options.svg.empty()) {
    write_svg(options.svg, rows, "/ " + all[1].name);
  }
  options.as_markdown ? print_markdown(rows) : print(rows);
}

const auto added = commands.insert(
    {"bench compare",
     {"Print the ratio of the times in a file to those in others", add_options,
      run}});

}  // namespace
}  // namespace executorch::tools
