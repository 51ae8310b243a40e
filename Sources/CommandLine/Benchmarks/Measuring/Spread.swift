/// The range of measured values; a report gives no figure without it.
package struct Spread: Sendable, Encodable, Equatable {
  package var median: Double
  /// The value that exceeds a tenth of the values.
  package var p10: Double
  /// The value that a tenth of the values exceed.
  package var p90: Double

  package init(median: Double, p10: Double, p90: Double) {
    self.median = median
    self.p10 = p10
    self.p90 = p90
  }

  /// Returns nil if there are no values.
  package init?(_ values: [Double]) {
    guard !values.isEmpty else { return nil }
    let values = values.sorted()
    self.init(median: values.quantile(0.5), p10: values.quantile(0.1), p90: values.quantile(0.9))
  }
}

extension [Double] {
  /// Returns the value below which `part` of these sorted values lie, interpolated between two of them.
  fileprivate func quantile(_ part: Double) -> Double {
    let place = part * Double(count - 1)
    let (below, above) = (self[Int(place)], self[Swift.min(Int(place) + 1, count - 1)])
    return below + (above - below) * (place - place.rounded(.down))
  }
}
