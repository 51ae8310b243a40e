import FilePackages
import FoundationEssentials
import SystemPackage
import TestSupport

/// Two folders with one document, changed at random on both sides, and the lines that each side wrote. A program that
/// knows only single files then synchronises the folders.
struct ConflictProgram {
  typealias Texts = [String: String]

  private(set) var base: Texts = [:]
  private(set) var own: Texts = [:]
  private(set) var other: Texts = [:]
  /// The texts after each save.
  private(set) var states: [UUID: Texts] = [:]
  private var random: SeededGenerator
  private var number = 0
  let disk: CrashDisk

  init(seed: UInt64) async throws {
    random = SeededGenerator(seed: seed)
    disk = try CrashDisk()
    for name in 0..<Int.random(in: 2...5, using: &random) {
      base["t\(name).txt"] = (0..<Int.random(in: 2...6, using: &random)).map { line("base", $0) }.joined()
    }
    try await ConflictTests.make(base, on: disk).close()
    try await note(base, ConflictTests.first)
    // A history begins with a save.
    base["begun.txt"] = "begun"
    try await ConflictTests.save(["begun.txt": "begun"], at: ConflictTests.first, on: disk)
    try await note(base, ConflictTests.first)
    var folders = try SyncedFolders(ConflictTests.first, ConflictTests.second, on: disk)
    own = try await edit(base, at: ConflictTests.first, "own")
    other = try await edit(base, at: ConflictTests.second, "other")
    // The program goes by the time of each file, or has wrong clocks.
    let (isMixed, stays) = (Bool.random(using: &random), Bool.random(using: &random))
    var generator = random
    try folders.meet { _ in isMixed ? Bool.random(using: &generator) : stays }
  }

  /// Returns a line that only this side writes, with a line after it that no side changes. So changes of different
  /// lines do not touch.
  private mutating func line(_ who: String, _ place: Int) -> String {
    number += 1
    return "\(who) \(number)\n-- \(place)\n"
  }

  private mutating func edit(_ texts: Texts, at path: FilePath, _ who: String) async throws -> Texts {
    var texts = texts
    for _ in 0..<Int.random(in: 1...3, using: &random) {
      var changes: [String: String?] = [:]
      for _ in 0..<Int.random(in: 1...3, using: &random) {
        switch Int.random(in: 0..<8, using: &random) {
        case 0:
          number += 1
          changes["\(who)-\(number).txt"] = .some(line(who, 0))
        case 1:
          guard
            let name = texts.keys.filter({ base[$0] != nil && changes[$0] == nil }).sorted().randomElement(
              using: &random)
          else { continue }
          changes[name] = .some(nil)
        default:
          guard let name = texts.keys.sorted().randomElement(using: &random),
            let text = changes[name] ?? texts[name]
          else { continue }
          var lines = text.split(separator: "\n").map(String.init)
          guard let index = lines.indices.filter({ !lines[$0].hasPrefix("--") }).randomElement(using: &random)
          else { continue }
          number += 1
          lines[index] = "\(who) \(number)"
          changes[name] = .some(lines.joined(separator: "\n") + "\n")
        }
      }
      if changes.isEmpty { continue }
      for (name, text) in changes { texts[name] = text }
      try await ConflictTests.save(changes, at: path, on: disk)
      try await note(texts, path)
    }
    return texts
  }

  private mutating func note(_ texts: Texts, _ path: FilePath) async throws {
    if let revision = try await ConflictTests.revision(path, on: disk) { states[revision] = texts }
  }

  // MARK: Expectations

  /// Returns the faults in the versions of a history. Each version has the state after its save, without its missing
  /// children.
  func problems(_ store: PackageStore) async throws -> [String] {
    var problems: [String] = []
    // A replaced version also has the files that another program brought before the save.
    let replaced = try await store.metadata()?.parentRevisions.first
    for version in try await store.versions() where version.persistentIdentifier != replaced {
      guard let expected = states[version.persistentIdentifier] else { continue }
      let (tree, lost) = try await store.contents(of: version.persistentIdentifier)
      let texts = try ConflictTests.texts(tree)
      for name in Set(texts.keys).union(expected.keys).subtracting(lost).sorted()
      where texts[name] != expected[name] {
        problems.append("\(version.metadata.generation) \(name): \(texts[name] ?? "nothing")")
      }
    }
    return problems
  }

  /// Returns the lines of all texts.
  static func lines(_ texts: Texts) -> Set<String> {
    Set(texts.flatMap { name, text in text.split(separator: "\n").map { "\(name): \($0)" } })
  }

  /// The lines that one of the two sides wrote and still has.
  var written: Set<String> {
    Self.lines(own).union(Self.lines(other)).subtracting(Self.lines(base))
  }

  /// The lines that one of the two sides removed.
  var removed: Set<String> {
    Self.lines(base).subtracting(Self.lines(own).intersection(Self.lines(other)))
  }
}
