import FilePackages
import FoundationEssentials
import Glibc
import SystemPackage

/// One of several programs that save the same package. Each counts in a child of its own, and with its name in a
/// shared child.
struct Writer {
  var name: String
  var url: URL
  var options: PackageStore.SavingOptions
  /// Whether the program saves with one store until another program is in the way. Otherwise it opens the package
  /// for each save.
  var keepsOpen: Bool

  private var child: String { "writer-\(name).txt" }

  /// The length of the run.
  enum Duration {
    case saves(Int)
    case seconds(Int)

    /// Parses `20` as a number of saves and `20s` as a number of seconds.
    init?(_ text: String) {
      guard let number = Int(text.hasSuffix("s") ? text.dropLast() : text[...]) else { return nil }
      self = text.hasSuffix("s") ? .seconds(number) : .saves(number)
    }
  }

  func run(for duration: Duration, _ acknowledgements: FileDescriptor) async throws {
    var store: PackageStore?
    var (done, retries) = (0, 0)
    let begin = ContinuousClock.now
    func goesOn() -> Bool {
      switch duration {
      case .saves(let number): done < number
      case .seconds(let number): begin.duration(to: .now) < .seconds(number)
      }
    }
    while goesOn() {
      do {
        let open = if let store { store } else { try await PackageStore.open(at: url) }
        let count = try await countOnce(in: open)
        Saver.say("\(name) \(count)\n", to: acknowledgements)
        done += 1
        store = keepsOpen ? open : nil
        if !keepsOpen { try await open.close() }
      } catch let error as FilePackageError
        where [.changedOnDisk, .busy].contains(error.code)
        || error.code == .noSuchFile && error.operation == .read
      {
        // A child may be gone if another program puts a new directory in its place during the read.
        store = nil
        retries += 1
      }
    }
    // Without this close, leftovers of the store would stay until the next save, perhaps beyond the end of this
    // process.
    try await store?.close()
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
  /// Reads again and again, and checks that a writer saved each state.
  static func readRepeatedly(_ url: URL, seconds: Int) async throws {
    let clock = ContinuousClock()
    let end = clock.now + .seconds(seconds)
    var (reads, retries, mixed) = (0, 0, 0)
    while clock.now < end {
      do {
        let texts = try await PackageStore.reading(at: url) { store in try Saver.texts(of: await store.tree) }
        reads += 1
        if !isState(texts) {
          mixed += 1
          say("mixed: \(texts.sorted { $0.key < $1.key })\n", to: .standardError)
        }
      } catch let error as FilePackageError
        where [.changedOnDisk, .noSuchFile, .busy].contains(error.code)
      {
        retries += 1
      }
    }
    say("reads \(reads) mixed \(mixed) retries \(retries)\n")
    if mixed > 0 { exit(1) }
  }

  /// Prints the number of saves, and the number of each writer's saves.
  static func count(_ url: URL) async throws {
    let store = try await PackageStore.open(at: url)
    say("saves \(try await store.metadata()?.generation ?? 0)\n")
    for (name, text) in try texts(of: await store.tree).sorted(by: { $0.key < $1.key }) {
      let words = text.split(separator: " ")
      guard name.hasPrefix("writer-"), words.count == 2 else { continue }
      say("\(name.dropFirst(7).dropLast(4)) \(words[0])\n")
    }
  }

  /// Returns whether the shared child agrees with the own child of the program that wrote it.
  private static func isState(_ texts: [String: String]) -> Bool {
    guard !texts.values.contains("broken") else { return false }
    guard let shared = texts["shared.txt"] else { return true }
    let words = shared.split(separator: " ")
    return words.count == 2 && texts["writer-\(words[1]).txt"] == "\(words[0]) writer-\(words[1]).txt"
  }
}
