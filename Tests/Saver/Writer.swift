import FilePackages
import FoundationEssentials
import Glibc
import SystemPackage

/// One of several programs that save the same package: each counts in a child of its own and, with its name,
/// in one that they share.
struct Writer {
  var name: String
  var url: URL
  var options: PackageStore.SavingOptions
  /// Saves with one store until another program is in the way, instead of opening the package for each save.
  var keepsOpen: Bool

  private var child: String { "writer-\(name).txt" }

  func run(rounds: Int, _ acknowledgements: FileDescriptor) async throws {
    var store: PackageStore?
    var (done, retries) = (0, 0)
    while done < rounds {
      do {
        let open = if let store { store } else { try await PackageStore.open(at: url) }
        let count = try await countOnce(in: open)
        Saver.say("\(name) \(count)\n", to: acknowledgements)
        done += 1
        store = keepsOpen ? open : nil
      } catch let error as FilePackageError where error.code == .changedOnDisk {
        store = nil
        retries += 1
      }
    }
    Saver.say("saved \(done) retries \(retries)\n")
  }

  private func countOnce(in store: PackageStore) async throws -> Int {
    let tree = await store.tree
    let old = try tree.child(named: child).flatMap { Content.parse(try $0.contents()) }?.generation ?? 0
    for name in [child, "shared.txt"] { try Saver.remove(name, from: tree) }
    Saver.put(child, old + 1, in: tree)
    Saver.put("shared.txt", old + 1, as: name, in: tree)
    try await store.save(options: options)
    return old + 1
  }
}

extension Saver {
  /// Reads again and again; each state has to be one that a writer saved.
  static func readRepeatedly(_ url: URL, seconds: Int) async throws {
    let clock = ContinuousClock()
    let end = clock.now + .seconds(seconds)
    var (reads, retries, mixed) = (0, 0, 0)
    while clock.now < end {
      do {
        let texts = try texts(of: await PackageStore.open(at: url).tree)
        reads += 1
        if !isState(texts) {
          mixed += 1
          say("mixed: \(texts.sorted { $0.key < $1.key })\n", to: .standardError)
        }
      } catch let error as FilePackageError where error.code == .changedOnDisk || error.code == .noSuchFile {
        retries += 1
      }
    }
    say("reads \(reads) mixed \(mixed) retries \(retries)\n")
    if mixed > 0 { exit(1) }
  }

  /// Whether what the writers share is what the one who wrote it has in its own child.
  private static func isState(_ texts: [String: String]) -> Bool {
    guard !texts.values.contains("broken") else { return false }
    guard let shared = texts["shared.txt"] else { return true }
    let words = shared.split(separator: " ")
    return words.count == 2 && texts["writer-\(words[1]).txt"] == "\(words[0]) writer-\(words[1]).txt"
  }
}
