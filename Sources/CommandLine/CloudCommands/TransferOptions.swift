import ArgumentParser
import CloudContainers
import CommandSupport

/// The limits of a command that moves content.
struct TransferOptions: ParsableArguments {
  @Option(
    name: .customLong("limit-rate"),
    help: ArgumentHelp(
      "Send and receive so many bytes a second on average, such as 500K or 2M.", valueName: "rate"))
  var rate: ByteCount?

  @Option(
    help: ArgumentHelp(
      "Make so many requests at once, from 1 to 8; up to 8 by default.", valueName: "number"))
  var connections: Int?

  var limits: PacedStore.Limits { PacedStore.Limits(bytesPerSecond: rate?.bytes, calls: connections) }

  func validate() throws {
    if rate?.bytes == 0 { throw ValidationError("--limit-rate is a number of bytes from 1.") }
    if let connections, !(1...8).contains(connections) {
      throw ValidationError("--connections is a number from 1 to 8.")
    }
  }
}
