/// The JSON form, which is one flat object with `medianSeconds`, `p10` and `p90` for its times.
extension Measurement: Codable {
  private struct Flat: Codable {
    var benchmark: String
    var children: Int?
    var changed: Int?
    var size: Int?
    var subject: String?
    var flushes: Bool?
    var flushDelay: Double?
    var cold: Bool?
    var strategy: String
    var durable: Bool?
    var atomic: Bool?
    var unavailable: String?
    var problem: String?
    var rounds: Int
    var medianSeconds: Double?
    var p10: Double?
    var p90: Double?
    var ratios: [String: Spread]
    var cpuSeconds: Double?
    var bytesWritten: UInt64?
    var systemBytes: UInt64?
    var synchronizations: Int?
    var operations: [String: Int]?
    var peakBytes: UInt64?
    var figures: [String: Double]?
  }

  package func encode(to encoder: any Encoder) throws {
    try Flat(
      benchmark: work.benchmark, children: work.children, changed: work.changed, size: work.size,
      subject: work.subject, flushes: work.flushes ? nil : false,
      flushDelay: work.flushDelay > 0 ? work.flushDelay : nil, cold: work.cold ? true : nil,
      strategy: strategy, durable: durable, atomic: atomic, unavailable: unavailable, problem: problem,
      rounds: rounds, medianSeconds: seconds?.median, p10: seconds?.p10, p90: seconds?.p90, ratios: ratios,
      cpuSeconds: cpuSeconds, bytesWritten: bytesWritten, systemBytes: systemBytes,
      synchronizations: flushes, operations: operations, peakBytes: peakBytes,
      figures: figures.isEmpty ? nil : figures
    ).encode(to: encoder)
  }

  package init(from decoder: any Decoder) throws {
    let flat = try Flat(from: decoder)
    var work = Work(
      flat.benchmark, children: flat.children, changed: flat.changed, size: flat.size, subject: flat.subject)
    work.flushes = flat.flushes ?? true
    work.flushDelay = flat.flushDelay ?? 0
    work.cold = flat.cold ?? false
    self.init(work, strategy: flat.strategy, durable: flat.durable, atomic: flat.atomic)
    unavailable = flat.unavailable
    problem = flat.problem
    rounds = flat.rounds
    if let median = flat.medianSeconds, let p10 = flat.p10, let p90 = flat.p90 {
      seconds = Spread(median: median, p10: p10, p90: p90)
    }
    ratios = flat.ratios
    cpuSeconds = flat.cpuSeconds
    bytesWritten = flat.bytesWritten
    systemBytes = flat.systemBytes
    flushes = flat.synchronizations
    operations = flat.operations
    peakBytes = flat.peakBytes
    figures = flat.figures ?? [:]
  }
}
