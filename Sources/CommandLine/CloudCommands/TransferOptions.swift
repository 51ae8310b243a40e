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

  /// The limits; nil if no option gives one.
  var limits: TransferLimits? {
    rate.map { TransferLimits(bytesPerSecond: Int(clamping: $0.bytes)) }
  }

  func validate() throws {
    if let rate, rate.bytes < 1_024 { throw ValidationError("--limit-rate is a number of bytes from 1K.") }
  }
}
