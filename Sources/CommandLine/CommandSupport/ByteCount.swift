import ArgumentParser

/// A number of bytes as an option's value: `4096`, `500M`, `1.5GB`.
///
/// The units are those of GNU programs. K, M, G, T and P, alone or before iB, are powers of 1,024. Before B they
/// are powers of 1,000.
package struct ByteCount: ExpressibleByArgument, Equatable {
  package var bytes: UInt64

  package init(_ bytes: UInt64) {
    self.bytes = bytes
  }

  package init?(argument: String) {
    let number = argument.prefix { "0123456789.".contains($0) }
    guard let factor = Self.factor(String(argument.dropFirst(number.count)).uppercased()) else { return nil }
    if let whole = UInt64(number) {
      let (bytes, overflow) = whole.multipliedReportingOverflow(by: factor)
      if overflow { return nil }
      self.bytes = bytes
    } else {
      guard number.first != ".", number.last != ".", let value = Double(number), factor > 1,
        let bytes = UInt64(exactly: (value * Double(factor)).rounded())
      else { return nil }
      self.bytes = bytes
    }
  }

  private static func factor(_ unit: String) -> UInt64? {
    if unit.isEmpty || unit == "B" { return 1 }
    guard let power = Array("KMGTP").firstIndex(where: { unit.hasPrefix(String($0)) }) else { return nil }
    let base: UInt64
    switch unit.dropFirst() {
    case "", "IB": base = 1024
    case "B": base = 1000
    default: return nil
    }
    return (0...power).reduce(1) { factor, _ in factor * base }
  }

  /// The same number with the largest unit that leaves it whole.
  package var defaultValueDescription: String {
    var (count, unit) = (bytes, "")
    for next in ["K", "M", "G", "T", "P"] where count > 0 && count.isMultiple(of: 1024) {
      (count, unit) = (count / 1024, next)
    }
    return "\(count)\(unit)"
  }
}
