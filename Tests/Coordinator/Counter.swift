import FoundationEssentials
import Glibc

// (1) The file `guard` is locked by whoever is in the package, shared by readers and alone by a writer, and nobody waits
//     for it: where it cannot be had, somebody is in who must not be. The kernel takes it back from who was killed.

/// A number in a package, written in two files, one after the other.
struct Counter {
  private let folder: String

  init(at url: URL) { folder = url.path }

  /// Reads it twice: whole, the same, and alone, or what is wrong.
  func check() async -> String {
    guard let lock = Guard(folder, LOCK_SH) else { return whyNot }
    let first = (number("a"), number("b"))
    await Task.yield()
    let second = (number("a"), number("b"))
    withExtendedLifetime(lock) {}
    return first == second ? "\(first.0)" : "violation \(first) became \(second) while it was read"
  }

  /// Makes it greater.
  func bump(by count: Int) async -> String {
    guard let lock = Guard(folder, LOCK_EX) else { return whyNot }
    // What a writer left that was killed between the two is finished.
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
