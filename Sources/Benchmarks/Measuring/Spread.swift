/// Where measured values lie: no figure is given without it.
package struct Spread: Sendable, Codable, Equatable {
  package var median: Double
  /// What a tenth of the values lie below.
  package var p10: Double
  /// What a tenth of the values lie above.
  package var p90: Double

  package init(median: Double, p10: Double, p90: Double) {
    self.median = median
    self.p10 = p10
    self.p90 = p90
  }

  /// Nil where there are no values.
  package init?(_ values: [Double]) {
    guard !values.isEmpty else { return nil }
    let values = values.sorted()
    self.init(median: values.quantile(0.5), p10: values.quantile(0.1), p90: values.quantile(0.9))
  }
}

extension [Double] {
  /// The value below which a part of these sorted values lies, between two of them in proportion.
  fileprivate func quantile(_ part: Double) -> Double {
    let place = part * Double(count - 1)
    let (below, above) = (self[Int(place)], self[Swift.min(Int(place) + 1, count - 1)])
    return below + (above - below) * (place - place.rounded(.down))
  }
}
