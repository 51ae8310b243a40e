import DurableIO
import FilePackages
import FoundationEssentials
import Glibc
package import SystemPackage

/// The machine that figures come from; without it they mean nothing.
package struct Machine: Sendable, Encodable {
  /// The kernel's name, version and processor family, such as `Linux 6.1.0 x86_64`.
  package var kernel: String
  /// The number of processors in use.
  package var processors: Int
  /// The processor's name, if the system tells it.
  package var processor: String?
  /// The file system's type, such as `ext4`.
  package var fileSystem: String
  /// The mount options.
  package var mountOptions: String
  /// The number of processes that ran or waited for the disk, averaged over the last minute.
  package var load: Double?
  /// The version of this library.
  package var version: String

  /// Whether the file system is in memory, so that its flushes cost nothing.
  package var isInMemory: Bool { ["tmpfs", "ramfs"].contains(fileSystem) }

  /// Collects the facts of this machine, and of a folder's file system.
  package init(folder: FilePath) {
    kernel = Self.kernelName
    processors = max(1, Int(sysconf(Int32(_SC_NPROCESSORS_ONLN))))
    processor = Self.lines(of: "cpuinfo").first { $0.hasPrefix("model name") }
      .flatMap { $0.split(separator: ":").last }.map { $0.trimmingPrefix(" ") }.map(String.init)
    load = Self.lines(of: "loadavg").first?.split(separator: " ").first.flatMap { Double($0) }
    version = FilePackagesVersion.current
    let mount = Self.mount(of: folder)
    (fileSystem, mountOptions) = mount ?? ("unknown", "unknown")
  }

  private static var kernelName: String {
    var names = utsname()
    guard uname(&names) == 0 else { return "unknown" }
    func text<Field>(_ field: Field) -> String {
      withUnsafeBytes(of: field) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    }
    return "\(text(names.sysname)) \(text(names.release)) \(text(names.machine))"
  }

  /// Returns the mount of a folder: the deepest one above it, and the last one at that point.
  private static func mount(of folder: FilePath) -> (type: String, options: String)? {
    guard let resolved = realpath(folder.string, nil) else { return nil }
    defer { free(resolved) }
    let path = FilePath(platformString: resolved)
    var best: (depth: Int, type: String, options: String)?
    for line in lines(of: "self/mountinfo") {
      // 36 35 98:0 /root /mount/point options optional… - type device superblock-options
      let halves = line.split(separator: " - ", maxSplits: 1)
      guard halves.count == 2 else { continue }
      let (left, right) = (halves[0].split(separator: " "), halves[1].split(separator: " "))
      guard left.count >= 6, right.count >= 2 else { continue }
      let point = FilePath(unescaped(left[4]))
      let depth = point.components.count
      guard path.starts(with: point), depth >= best?.depth ?? 0 else { continue }
      best = (depth, String(right[0]), String(left[5]))
    }
    return best.map { ($0.type, $0.options) }
  }

  /// Returns text from `mountinfo` with its octal escapes for spaces and similar characters replaced.
  private static func unescaped(_ text: Substring) -> String {
    [("\\040", " "), ("\\011", "\t"), ("\\012", "\n"), ("\\134", "\\")].reduce(String(text)) {
      $0.replacing($1.0, with: $1.1)
    }
  }

  /// Returns the lines of a file in `/proc`; none if it cannot be read, because a missing fact is no failure.
  static func lines(of name: String) -> [Substring] {
    let path = FilePath("/proc").appending(name)
    let disk = PosixDisk()
    guard let last = path.lastComponent,
      let folder = try? disk.openDirectory(at: path.removingLastComponent()),
      let contents = try? disk.contents(of: FileName(last), in: folder)  // A missing fact is no failure.
    else { return [] }
    return String(decoding: contents, as: UTF8.self).split(separator: "\n")
  }
}
