import ArgumentParser
import CloudContainers
import CommandSupport
import ObjectStores

/// The limits of a command that moves content.
struct TransferOptions: ParsableArguments {
  @Option(
    name: .customLong("limit-rate"),
    help: ArgumentHelp(
      "Send and receive at most so many bytes a second, such as 500K or 2M: a service only.",
      valueName: "rate"))
  var rate: ByteCount?

  @Option(
    help: ArgumentHelp(
      "Make so many requests at once to a service, from 1 to 8; 8 by default, or 1 with --limit-rate.",
      valueName: "number"))
  var connections: Int?

  /// The limits; nil if no option gives one.
  var limits: TransferLimits? {
    if rate == nil && connections == nil { return nil }
    return TransferLimits(
      connections: connections, bytesPerSecond: rate.map { Int(clamping: $0.bytes) })
  }

  func validate() throws {
    if let rate, rate.bytes < 1_024 * UInt64(connections ?? 1) {
      throw ValidationError(
        "--limit-rate is a number of bytes from 1K for each of the --connections.")
    }
    if let connections, !(1...8).contains(connections) {
      throw ValidationError("--connections is a number from 1 to 8.")
    }
  }
}
