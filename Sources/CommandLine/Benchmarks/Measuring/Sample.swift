/// The measurements of one run.
package struct Sample: Sendable {
  package var round: Int
  package var seconds: Double
  /// Processor time of this process.
  package var cpuSeconds: Double
  package var bytesWritten: UInt64
  package var systemBytes: UInt64?
  package var flushes: Int
  package var operations: [String: Int]
  package var peakBytes: UInt64?

  /// The number of all requests to the disk.
  var total: Int { operations.values.reduce(0, +) }

  package init(
    round: Int, seconds: Double, cpuSeconds: Double = 0, bytesWritten: UInt64 = 0, systemBytes: UInt64? = nil,
    flushes: Int = 0, operations: [String: Int] = [:], peakBytes: UInt64? = nil
  ) {
    self.round = round
    self.seconds = seconds
    self.cpuSeconds = cpuSeconds
    self.bytesWritten = bytesWritten
    self.systemBytes = systemBytes
    self.flushes = flushes
    self.operations = operations
    self.peakBytes = peakBytes
  }
}
