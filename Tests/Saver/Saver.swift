import FilePackages
import FoundationEssentials
import Glibc
import SystemPackage

/// A program that saves, for tests that kill it, make it fail, or run several of it:
///
///     saver init PATH N
///     saver save PATH G [K] [--later|--careless]
///     saver loop PATH FROM TO [ACKS] [--later]
///     saver check PATH [K]
///     saver naive PATH
///     saver write PATH WRITER SAVES|SECONDSs ACKS [--keep] [--later]
///     saver count PATH
///     saver reading PATH SECONDS
///
/// Status 0 done, 1 a document that is not whole, 2 failed, 64 usage.
@main struct Saver {
  static func main() async {
    var arguments = CommandLine.arguments.dropFirst().filter { !$0.hasPrefix("--") }
    let flags = Set(CommandLine.arguments.dropFirst().filter { $0.hasPrefix("--") })
    guard arguments.count >= 2 else { usage() }
    let command = arguments.removeFirst()
    let url = URL(filePath: arguments.removeFirst(), directoryHint: .isDirectory)
    let numbers = arguments.map { Int($0) }
    do {
      switch (command, numbers.count) {
      case ("init", 1):
        try await make(at: url, children: number(numbers[0]))
      case ("save", 1) where flags == ["--careless"]:
        try saveCarelessly(url, number(numbers[0]))
      case ("save", 1...2):
        let touched = numbers.count == 2 ? number(numbers[1]) : nil
        try await save(url, number(numbers[0]), touching: touched, options(flags))
      case ("loop", 2...3):
        let acknowledgements = try arguments.dropFirst(2).first.map { try appending(to: $0) }
        try await loop(url, number(numbers[0])...number(numbers[1]), acknowledgements, options(flags))
      case ("check", 0...1):
        try await check(url, touched: numbers.isEmpty ? nil : number(numbers[0]))
      case ("naive", 0):
        try readNaively(url)
      case ("write", 3):
        let writer = Writer(
          name: arguments[0], url: url, options: options(flags), keepsOpen: flags.contains("--keep"))
        guard let duration = Writer.Duration(arguments[1]) else { usage() }
        try await writer.run(for: duration, appending(to: arguments[2]))
      case ("count", 0):
        try await count(url)
      case ("reading", 1):
        try await readRepeatedly(url, seconds: number(numbers[0]))
      default: usage()
      }
    } catch {
      say("\((error as? FilePackageError).map { "\($0.code): " } ?? "")\(error)\n", to: .standardError)
      exit(2)
    }
  }

  static func say(_ text: String, to file: FileDescriptor = .standardOutput) {
    // This is one write(2). It may fail if no program listens.
    _ = try? file.writeAll(Array(text.utf8))
  }

  static func usage() -> Never {
    say("usage: saver init|save|loop|check|naive|write|count|reading PATH …\n", to: .standardError)
    exit(64)
  }

  private static func number(_ number: Int?) -> Int {
    guard let number else { usage() }
    return number
  }

  private static func appending(to path: String) throws -> FileDescriptor {
    try FileDescriptor.open(
      FilePath(path), .writeOnly, options: [.append, .create],
      permissions: [.ownerReadWrite, .groupRead, .otherRead])
  }

  private static func options(_ flags: Set<String>) -> PackageStore.SavingOptions {
    guard flags.isSubset(of: ["--keep", "--later"]) else { usage() }
    var options: PackageStore.SavingOptions = []
    if flags.contains("--later") { options.insert(.returnsAtCommit) }
    return options
  }
}
