import FoundationEssentials
import Glibc

// (1) Every reader holds the file `guard` shared, and a writer holds it alone. No program waits for it. If a
//     program cannot get it, another program has access at the wrong time. The kernel releases it when its holder
//     is killed.

/// A number in a package, which a writer writes in two files, one after the other.
struct Counter {
  private let folder: String

  init(at url: URL) { folder = url.path }

  /// Reads the number twice. Returns it if both reads are equal and the guard was free, and the error otherwise.
  func check() async -> String {
    guard let lock = Guard(folder, LOCK_SH) else { return whyNot }
    let first = (number("a"), number("b"))
    await Task.yield()
    let second = (number("a"), number("b"))
    withExtendedLifetime(lock) {}
    return first == second ? "\(first.0)" : "violation \(first) became \(second) while it was read"
  }

  /// Raises the number by `count`.
  func bump(by count: Int) async -> String {
    guard let lock = Guard(folder, LOCK_EX) else { return whyNot }
    // This finishes the work of a writer that was killed between the two files.
    let new = max(number("a"), number("b")) + count
    put(new, "a")
    await Task.yield()
    if number("a") != new { return "violation: somebody else wrote" }
    put(new, "b")
    withExtendedLifetime(lock) {}
    return "\(new)"
  }

  private var whyNot: String { access(folder + "/guard", F_OK) == 0 ? "violation: not alone" : "missing" }

  private func number(_ name: String) -> Int {
    (try? String(contentsOf: URL(filePath: folder + "/" + name), encoding: .utf8)).flatMap { Int($0) } ?? 0
  }

  private func put(_ number: Int, _ name: String) {
    try? Data("\(number)".utf8).write(to: URL(filePath: folder + "/." + name))
    rename(folder + "/." + name, folder + "/" + name)
  }

  /// (1)
  private final class Guard {
    private let file: Int32

    init?(_ folder: String, _ mode: Int32) {
      file = open(folder + "/guard", O_RDWR | O_CLOEXEC)
      if file < 0 || flock(file, mode | LOCK_NB) != 0 { return nil }
    }

    deinit { close(file) }
  }
}
