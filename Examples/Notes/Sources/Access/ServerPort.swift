import Crypto
import Foundation

/// The ports of a folder's server.
///
/// A folder has the same ones at each start, so that open pages find the server there. They are outside of the range
/// from which the system takes ports for outgoing connections: otherwise any such connection could have one of them.
enum ServerPort {
  /// The ports to try, one after the other.
  static func candidates(of folder: URL, outgoing: ClosedRange<UInt16>) -> [UInt16] {
    let range = range(outside: outgoing)
    let digest = SHA256.hash(data: Data(folder.standardized.path.utf8)).prefix(4)
    let start = digest.reduce(0) { $0 << 8 | Int($1) }
    return (0..<16).map { UInt16(Int(range.lowerBound) + (start + $0) % range.count) }
  }

  /// Some ports by chance, of which one is free on nearly every machine.
  static func anyFree(outgoing: ClosedRange<UInt16>) -> [UInt16] {
    (0..<64).map { _ in UInt16.random(in: range(outside: outgoing)) }
  }

  /// A range without registered services; if the system takes outgoing ports from all of them, that of private ports.
  static func range(outside outgoing: ClosedRange<UInt16>) -> ClosedRange<UInt16> {
    let smallest: UInt16 = 1024
    if outgoing.upperBound <= .max - smallest { return (outgoing.upperBound + 1)...UInt16.max }
    if outgoing.lowerBound >= 20_000 + smallest { return 20_000...(outgoing.lowerBound - 1) }
    return 49_152...UInt16.max
  }

  /// The system's range for outgoing connections; Linux's own default if it cannot be read.
  static var outgoing: ClosedRange<UInt16> {
    let file = try? String(contentsOfFile: "/proc/sys/net/ipv4/ip_local_port_range", encoding: .utf8)
    let numbers = (file ?? "").split(whereSeparator: \.isWhitespace).compactMap { UInt16($0) }
    guard numbers.count == 2, numbers[0] <= numbers[1] else { return 32_768...60_999 }
    return numbers[0]...numbers[1]
  }
}
