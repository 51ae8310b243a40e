import FilePackages
public import FoundationEssentials
import Glibc

/// The process that reads, writes or presents an item, for messages to people; no decision depends on it.
public struct FileAccessHolder: Sendable, Hashable, Codable, CustomStringConvertible {
  /// The program's name.
  public var processName: String
  /// The process's number, which another process may have by now.
  public var processIdentifier: Int32
  /// The machine's name.
  public var host: String
  /// The moment when the process began to read, write or present the item.
  public var since: Date

  /// Makes a holder of these facts.
  public init(processName: String, processIdentifier: Int32, host: String, since: Date) {
    (self.processName, self.processIdentifier) = (processName, processIdentifier)
    (self.host, self.since) = (host, since)
  }

  /// `Editor (process 4711 on alm, since 2026-05-01 10:00:00)`.
  public var description: String {
    "\(processName) (process \(processIdentifier) on \(host), since \(localTime(since)))"
  }

  private static let host: String = {
    var name = [CChar](repeating: 0, count: 256)
    // People do not know a machine without a name either.
    guard gethostname(&name, name.count - 1) == 0 else { return "this machine" }
    return String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }()

  /// This process, from this moment on.
  static var present: FileAccessHolder {
    let program = CommandLine.arguments.first.map { $0.split(separator: "/").last.map(String.init) ?? $0 }
    return FileAccessHolder(
      processName: program ?? "a program", processIdentifier: getpid(), host: host, since: Date())
  }
}
