import Glibc

/// A logarithmic axis. Each end is a power of ten, or halfway between two of them.
struct LogAxis {
  /// The logarithms of its ends.
  let low: Double
  let high: Double

  init(_ values: [Double]) {
    let logarithms = values.filter { $0 > 0 }.map(log10)
    let low = ((logarithms.min() ?? 0) * 2).rounded(.down) / 2
    self.low = low
    high = max(low + 0.5, ((logarithms.max() ?? 1) * 2).rounded(.up) / 2)
  }

  /// Returns the position of a value, from 0 to 1.
  func place(of value: Double) -> Double {
    value > 0 ? min(1, max(0, (log10(value) - low) / (high - low))) : 0
  }

  /// The powers of ten on the axis; with 2 and 5 between them if they are few.
  var ticks: [Double] {
    let powers = Int(low.rounded(.up))...max(Int(low.rounded(.up)), Int(high.rounded(.down)))
    let whole = powers.map { pow(10, Double($0)) }.filter { log10($0) <= high + 0.001 }
    if whole.count > 2 { return whole }
    return (Int(low.rounded(.down))...Int(high.rounded(.up))).flatMap { power in
      [1, 2, 5].map { $0 * pow(10, Double(power)) }
    }.filter { (low - 0.001...high + 0.001).contains(log10($0)) }
  }
}
