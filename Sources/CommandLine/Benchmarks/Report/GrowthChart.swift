/// A chart of each strategy's time over the number of children. Both axes are logarithmic. Each strategy has a line
/// with its own mark, name and colour.
struct GrowthChart {
  struct Line {
    var name: String
    var isOurs: Bool
    /// The line's mark and colour, the same everywhere on the page.
    var mark: Mark
    var points: [(children: Double, seconds: Spread)]
  }

  var lines: [Line]

  /// Returns the chart as SVG.
  ///
  /// - Parameter width: the width in pixels, without scaling.
  func svg(width: Int, height: Int) -> String {
    let (x, y) = (
      LogAxis(lines.flatMap { $0.points.map(\.children) }),
      LogAxis(lines.flatMap { line in line.points.flatMap { [$0.seconds.p10, $0.seconds.p90] } })
    )
    let isNarrow = width < 500
    let (left, top, right, bottom) = (56.0, 12.0, Double(width) - (isNarrow ? 114 : 128), Double(height) - 40)
    func h(_ value: Double) -> Double { left + x.place(of: value) * (right - left) }
    func v(_ value: Double) -> Double { bottom - y.place(of: value) * (bottom - top) }
    var svg = """
      <svg viewBox="0 0 \(width) \(height)" width="\(width)" height="\(height)" role="img" \
      aria-label="Time of a save by number of children"><g class="grid">
      """
    for tick in y.ticks {
      let place = Self.round(v(tick))
      svg += "<line x1=\"\(left)\" x2=\"\(right)\" y1=\"\(place)\" y2=\"\(place)\"/>"
      svg += "<text x=\"\(left - 6)\" y=\"\(place + 4)\" text-anchor=\"end\">\(Self.timeTick(tick))</text>"
    }
    let counts = Set(lines.flatMap { $0.points.map(\.children) }).sorted()
    var last = -Double.infinity
    for count in counts {
      let place = Self.round(h(count))
      svg += "<line x1=\"\(place)\" x2=\"\(place)\" y1=\"\(top)\" y2=\"\(bottom)\"/>"
      // The table has the numbers that have no room here.
      if place - last < 40 { continue }
      last = place
      svg +=
        "<text x=\"\(place)\" y=\"\(bottom + 16)\" text-anchor=\"middle\">\(Self.countTick(count, isNarrow))</text>"
    }
    svg += "<text x=\"\((left + right) / 2)\" y=\"\(bottom + 34)\" text-anchor=\"middle\">children</text></g>"
    let labels = labelPlaces(v, bottom: bottom)
    for (number, line) in lines.enumerated() {
      svg += "<g class=\"\(line.mark.style)\(line.isOurs ? " ours" : "")\">"
      let places = line.points.map { (Self.round(h($0.children)), Self.round(v($0.seconds.median))) }
      svg += "<polyline points=\"\(places.map { "\($0.0),\($0.1)" }.joined(separator: " "))\"/>"
      for (place, point) in zip(places, line.points) {
        let (a, b) = (Self.round(v(point.seconds.p10)), Self.round(v(point.seconds.p90)))
        svg += "<line class=\"range\" x1=\"\(place.0)\" x2=\"\(place.0)\" y1=\"\(a)\" y2=\"\(b)\"/>"
        svg += line.mark.svg(place.0, place.1)
      }
      if let end = places.last {
        let place = Self.round(labels[number])
        svg +=
          "<line class=\"lead\" x1=\"\(end.0 + 6)\" y1=\"\(end.1)\" x2=\"\(right + 12)\" y2=\"\(place)\"/>"
        svg += line.mark.svg(right + 20, place)
        svg += "<text x=\"\(right + 29)\" y=\"\(place + 4)\">\(HTMLReport.escaped(line.name))</text>"
      }
      svg += "</g>"
    }
    return svg + "</svg>"
  }

  /// Returns the heights of the lines' names, which do not cover each other.
  private func labelPlaces(_ v: (Double) -> Double, bottom: Double) -> [Double] {
    let ends = lines.map { line in line.points.last.map { v($0.seconds.median) } ?? bottom }
    var places = ends
    var lowest = -Double.infinity
    for number in ends.indices.sorted(by: { ends[$0] < ends[$1] }) {
      places[number] = max(ends[number], lowest + 15)
      lowest = places[number]
    }
    // Names beneath the axis move up, and push the names above them.
    var highest = bottom + 2
    for number in places.indices.sorted(by: { places[$0] > places[$1] }) {
      places[number] = min(places[number], highest)
      highest = places[number] - 15
    }
    return places
  }

  static func timeTick(_ seconds: Double) -> String {
    let text = Figures.time(seconds * 1.000_000_1)
    return text.replacing(".00 ", with: " ").replacing(".0 ", with: " ")
  }

  private static func countTick(_ count: Double, _ isNarrow: Bool) -> String {
    count >= 10_000 && isNarrow ? "\(Int(count / 1000))k" : Figures.grouped(Int(count))
  }

  private static func round(_ value: Double) -> Double { (value * 10).rounded() / 10 }
}

/// A shape that tells one strategy from another without colour.
struct Mark {
  private let number: Int

  init(_ number: Int) {
    self.number = number
  }

  /// The class of its colour.
  var style: String { "s\(number % 11)" }

  func svg(_ x: Double, _ y: Double) -> String {
    let kind = number % 11 < 6 ? "" : " class=\"hollow\""
    return switch number % 6 {
    case 0: "<circle cx=\"\(x)\" cy=\"\(y)\" r=\"4\"\(kind)/>"
    case 1: "<rect x=\"\(x - 3.5)\" y=\"\(y - 3.5)\" width=\"7\" height=\"7\"\(kind)/>"
    case 2: "<path d=\"M\(x) \(y - 5)l4.5 8h-9z\"\(kind)/>"
    case 3: "<path d=\"M\(x) \(y - 5)l5 5l-5 5l-5 -5z\"\(kind)/>"
    case 4: "<path d=\"M\(x) \(y + 5)l4.5 -8h-9z\"\(kind)/>"
    default: "<path class=\"cross\" d=\"M\(x - 4) \(y - 4)l8 8m0 -8l-8 8\"/>"
    }
  }
}
