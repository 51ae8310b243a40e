import DurableIO
import FilePackages
import FoundationEssentials
import Glibc
package import SystemPackage

/// Where figures come from: without it they say nothing.
package struct Machine: Sendable, Codable {
  /// The kernel's name, version and processor family, such as `Linux 6.1.0 x86_64`.
  package var kernel: String
  /// The processors that are in use.
  package var processors: Int
  /// The processor's name, where the system tells it.
  package var processor: String?
  /// The file system's type, such as `ext4`.
  package var fileSystem: String
  /// What the file system is on, such as `/dev/sda1`.
  package var device: String
  /// How it is mounted.
  package var mountOptions: String
  /// How many processes were running or waiting for the disk, on average over the last minute.
  package var load: Double?
  /// The version of this library.
  package var version: String

  /// Whether the file system is in memory, so that its flushes cost nothing.
  package var isInMemory: Bool { ["tmpfs", "ramfs"].contains(fileSystem) }

  /// The facts of this machine, and of the file system that a folder is on.
  package init(folder: FilePath) {
    kernel = Self.kernelName
    processors = max(1, Int(sysconf(Int32(_SC_NPROCESSORS_ONLN))))
    processor = Self.lines(of: "cpuinfo").first { $0.hasPrefix("model name") }
      .flatMap { $0.split(separator: ":").last }.map { $0.trimmingPrefix(" ") }.map(String.init)
    load = Self.lines(of: "loadavg").first?.split(separator: " ").first.flatMap { Double($0) }
    version = FilePackagesVersion.current
    let mount = Self.mount(of: folder)
    (fileSystem, device, mountOptions) = mount ?? ("unknown", "unknown", "unknown")
  }

  private static var kernelName: String {
    var names = utsname()
    guard uname(&names) == 0 else { return "unknown" }
    func text<Field>(_ field: Field) -> String {
      withUnsafeBytes(of: field) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    }
    return "\(text(names.sysname)) \(text(names.release)) \(text(names.machine))"
  }

  /// The mount that a folder is on: of those that it is beneath the deepest, of several there the last.
  private static func mount(of folder: FilePath) -> (type: String, device: String, options: String)? {
    guard let resolved = realpath(folder.string, nil) else { return nil }
    defer { free(resolved) }
    let path = FilePath(platformString: resolved)
    var best: (depth: Int, type: String, device: String, options: String)?
    for line in lines(of: "self/mountinfo") {
      // 36 35 98:0 /root /mount/point options optional… - type device superblock-options
      let halves = line.split(separator: " - ", maxSplits: 1)
      guard halves.count == 2 else { continue }
      let (left, right) = (halves[0].split(separator: " "), halves[1].split(separator: " "))
      guard left.count >= 6, right.count >= 2 else { continue }
      let point = FilePath(unescaped(left[4]))
      let depth = point.components.count
      guard path.starts(with: point), depth >= best?.depth ?? 0 else { continue }
      best = (depth, String(right[0]), unescaped(right[1]), String(left[5]))
    }
    return best.map { ($0.type, $0.device, $0.options) }
  }

  /// Spaces and the like are spelled in octal in `mountinfo`.
  private static func unescaped(_ text: Substring) -> String {
    [("\\040", " "), ("\\011", "\t"), ("\\012", "\n"), ("\\134", "\\")].reduce(String(text)) {
      $0.replacing($1.0, with: $1.1)
    }
  }

  /// The lines of a file of the system's, none where it cannot be read: facts that are missing are no failure.
  static func lines(of name: String) -> [Substring] {
    let path = FilePath("/proc").appending(name)
    let disk = PosixDisk()
    guard let last = path.lastComponent,
      let folder = try? disk.openDirectory(at: path.removingLastComponent()),
      let contents = try? disk.contents(of: FileName(last), in: folder)
    else { return [] }
    return String(decoding: contents, as: UTF8.self).split(separator: "\n")
  }
}
