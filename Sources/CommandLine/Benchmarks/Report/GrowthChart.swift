import Glibc

/// A chart of each strategy's time over the number of children, on two logarithmic axes, as an SVG that needs no
/// other file.
struct GrowthChart {
  private struct Line {
    var strategy: String
    var isOurs: Bool
    var points: [(children: Double, seconds: Spread)]
  }

  private static let (left, top, right, bottom) = (64.0, 56.0, 520.0, 400.0)
  private let lines: [Line]
  private let title: String
  private let x: LogAxis
  private let y: LogAxis

  /// - Parameter results: measured saves of packages of any number of children, with one size of a change.
  init(_ results: [Measurement]) {
    var lines: [Line] = []
    for result in results {
      guard let seconds = result.seconds else { continue }
      let point = (Double(result.children), seconds)
      if let place = lines.firstIndex(where: { $0.strategy == result.strategy }) {
        lines[place].points.append(point)
      } else {
        lines.append(Line(strategy: result.strategy, isOurs: result.isOurs, points: [point]))
      }
    }
    for line in lines.indices { lines[line].points.sort { $0.children < $1.children } }
    self.lines = lines
    let (changed, size) = (results.first?.changed ?? 1, Figures.bytes(UInt64(results.first?.size ?? 0)))
    title =
      "Time of a save in which \(changed == 1 ? "one file" : "\(Figures.grouped(changed)) files") of \(size) changed"
    x = LogAxis(lines.flatMap { $0.points.map(\.children) }, from: Self.left, to: Self.right)
    y = LogAxis(
      lines.flatMap { $0.points.flatMap { [$0.seconds.p10, $0.seconds.p90] } }, from: Self.bottom,
      to: Self.top)
  }

  var svg: String {
    let (left, top, right, bottom) = (Self.left, Self.top, Self.right, Self.bottom)
    var svg = """
      <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 760 460" width="760" height="460" role="img">
      <title>\(title), by the number of files in the document</title>
      <style>svg{--ink:#1b1f24;--soft:#57606a;--line:#d6dbe1;--ours:#0b5fa5;--other:#8a6d3b}
      @media(prefers-color-scheme:dark){svg{--ink:#e8ecf0;--soft:#9aa5b1;--line:#333b45;--ours:#7cbcf5;--other:#d9b183}}
      svg text{font:14px system-ui,sans-serif;fill:var(--soft)}svg .head,svg .ours text{fill:var(--ink);font-weight:700}
      svg line,svg polyline{stroke:var(--line);fill:none}svg g polyline{stroke:var(--other);stroke-width:2}
      svg g circle{fill:var(--other)}svg .ours polyline{stroke:var(--ours);stroke-width:4}svg .ours circle{fill:var(--ours)}
      svg .range{stroke-width:6;stroke:var(--other);opacity:.3}svg .ours .range{stroke:var(--ours)}</style>
      <text class="head" x="\(left)" y="24">\(title)</text>

      """
    for tick in y.ticks {
      let place = Self.round(y.place(of: tick))
      svg += "<line x1=\"\(left)\" x2=\"\(right)\" y1=\"\(place)\" y2=\"\(place)\"/>"
      svg += "<text x=\"\(left - 8)\" y=\"\(place + 5)\" text-anchor=\"end\">\(Self.timeTick(tick))</text>\n"
    }
    for count in Set(lines.flatMap { $0.points.map(\.children) }).sorted() {
      let place = Self.round(x.place(of: count))
      svg += "<line x1=\"\(place)\" x2=\"\(place)\" y1=\"\(top)\" y2=\"\(bottom)\"/>"
      svg +=
        "<text x=\"\(place)\" y=\"\(bottom + 22)\" text-anchor=\"middle\">\(Figures.grouped(Int(count)))</text>\n"
    }
    svg +=
      "<text x=\"\((left + right) / 2)\" y=\"\(bottom + 46)\" text-anchor=\"middle\">files in the document</text>\n"
    // The library's lines cover those of the others.
    for (line, label) in zip(lines, labelPlaces).sorted(by: { !$0.0.isOurs && $1.0.isOurs }) {
      svg += "<g\(line.isOurs ? " class=\"ours\"" : "")>"
      let places = line.points.map {
        (Self.round(x.place(of: $0.children)), Self.round(y.place(of: $0.seconds.median)))
      }
      svg += "<polyline points=\"\(places.map { "\($0.0),\($0.1)" }.joined(separator: " "))\"/>"
      for (place, point) in zip(places, line.points) {
        let (low, high) = (
          Self.round(y.place(of: point.seconds.p10)), Self.round(y.place(of: point.seconds.p90))
        )
        svg += "<line class=\"range\" x1=\"\(place.0)\" x2=\"\(place.0)\" y1=\"\(low)\" y2=\"\(high)\"/>"
        svg += "<circle cx=\"\(place.0)\" cy=\"\(place.1)\" r=\"4\"/>"
      }
      if let end = places.last {
        svg += "<line x1=\"\(end.0 + 6)\" x2=\"\(right + 14)\" y1=\"\(end.1)\" y2=\"\(label)\"/>"
      }
      svg +=
        "<text x=\"\(right + 18)\" y=\"\(label + 5)\">\(HTMLReport.escaped(Self.name(of: line.strategy)))</text></g>\n"
    }
    return svg + "</svg>\n"
  }

  /// A strategy in words.
  private static func name(of strategy: String) -> String {
    switch strategy {
    case "floor": "one write, one flush"
    case "journal": "FilePackages, committed"
    case "published": "FilePackages"
    case "sqlite": "SQLite, a row a file"
    case "naive": "naive: each file by itself"
    case "links": "links, as Apple does"
    case "full": "every file anew"
    default: strategy
    }
  }

  /// The heights of the lines' names, which do not cover each other.
  private var labelPlaces: [Double] {
    var places = lines.map { line in line.points.last.map { y.place(of: $0.seconds.median) } ?? Self.bottom }
    var lowest = -Double.infinity
    for number in places.indices.sorted(by: { places[$0] < places[$1] }) {
      places[number] = max(places[number], lowest + 18)
      lowest = places[number]
    }
    // Names beneath the axis move up, and push the names above them.
    var highest = Self.bottom
    for number in places.indices.sorted(by: { places[$0] > places[$1] }) {
      places[number] = Self.round(min(places[number], highest))
      highest = places[number] - 18
    }
    return places
  }

  private static func timeTick(_ seconds: Double) -> String {
    Figures.time(seconds * 1.000_000_1).replacing(".00 ", with: " ").replacing(".0 ", with: " ")
  }

  private static func round(_ value: Double) -> Double { (value * 10).rounded() / 10 }
}

/// A logarithmic axis between two places.
private struct LogAxis {
  private let low: Double
  private let high: Double
  private let (start, end): (Double, Double)

  init(_ values: [Double], from start: Double, to end: Double) {
    let logarithms = values.filter { $0 > 0 }.map(log10)
    low = (logarithms.min() ?? 0) - 0.1
    high = (logarithms.max() ?? 1) + 0.1
    (self.start, self.end) = (start, end)
  }

  func place(of value: Double) -> Double {
    start + (value > 0 ? (log10(value) - low) / (high - low) : 0) * (end - start)
  }

  /// The powers of ten on the axis; with 2 and 5 between them if they are few.
  var ticks: [Double] {
    let powers = (Int(low.rounded(.down))...Int(high.rounded(.up))).map { pow(10, Double($0)) }
    let shown = { (tick: Double) in log10(tick) >= low && log10(tick) <= high }
    let whole = powers.filter(shown)
    return whole.count > 2 ? whole : powers.flatMap { power in [1, 2, 5].map { $0 * power } }.filter(shown)
  }
}
