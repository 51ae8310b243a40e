import DurableIO
import FilePackages
import FoundationEssentials
import Synchronization
import TestSupport

/// Time and identifiers that are the same in every run of one seed.
final class BaselineEnvironment: Sendable {
  private let seconds = Mutex<Int64>(1_700_000_000)
  private let generator: Mutex<SeededGenerator>

  init(seed: UInt64) { generator = Mutex(SeededGenerator(seed: ~seed)) }

  var environment: Environment {
    var environment = Environment()
    environment.now = { FileTime(seconds: self.seconds.withLock { $0 }, nanoseconds: 0) }
    environment.identifier = { self.identifier() }
    environment.computer = { "baseline" }
    return environment
  }

  /// Lets time go by.
  func wait(seconds: Int64) { self.seconds.withLock { $0 += seconds } }

  private func identifier() -> UUID {
    let (first, second) = generator.withLock { ($0.next(), $0.next()) }
    let bytes = [first, second].flatMap { number in
      (0..<8).map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) }
    }
    return bytes.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
  }
}
