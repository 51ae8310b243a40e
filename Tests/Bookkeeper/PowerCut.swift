import Foundation
import GRDB
import ManagedDocuments

/// The commands of the tests of power cuts, with the output and the statuses of `saver`.
///
///     bookkeeper init FOLDER NUMBER            makes the document, in state 1
///     bookkeeper loop FOLDER FROM TO ACKS      saves these states, and notes each in ACKS when it is saved
///     bookkeeper check FOLDER                  opens it, and prints its state; status 1 if rows and files are of several
///     bookkeeper naive FOLDER                  reads the visible files; status 1 if one is not whole
enum PowerCut {
  enum Command: String { case `init`, loop, check, naive }

  static func run(_ command: Command, _ arguments: [String]) async throws {
    let url = URL(filePath: arguments[0], directoryHint: .isDirectory)
    switch command {
    case .`init`: try await save(url, 1...1, nil)
    case .loop:
      guard arguments.count == 4, let first = Int(arguments[1]), let last = Int(arguments[2]) else {
        exit(64)
      }
      do {
        try await save(url, first...last, arguments[3])
      } catch {
        FileHandle.standardError.write(Data("\(error)\n".utf8))
        exit(2)
      }
    case .check:
      let states = try await states(url)
      guard states.count == 1, let state = states.first else {
        Bookkeeper.say("states \(states.sorted())")
        exit(1)
      }
      Bookkeeper.say("state \(state)")
    case .naive: if try !areVisibleFilesWhole(url) { exit(1) }
    }
  }

  private static func save(_ url: URL, _ states: ClosedRange<Int>, _ acks: String?) async throws {
    let book = try await ManagedDocument.open(at: url, options: Bookkeeper.options)
    let file = try acks.map { path in
      if !FileManager.default.fileExists(atPath: path) { try Data().write(to: URL(filePath: path)) }
      return try FileHandle(forWritingTo: URL(filePath: path))
    }
    for state in states {
      try await Bookkeeper.edit(book, state)
      try await book.save()
      try file?.seekToEnd()
      try file?.write(contentsOf: Data("saved \(state)\n".utf8))
    }
    try await book.close()
  }

  /// The states that rows and files are of.
  private static func states(_ url: URL) async throws -> Set<Int> {
    let book = try await ManagedDocument.open(at: url, options: Bookkeeper.options)
    let states = try await book.read { db, content in
      guard try String.fetchOne(db, sql: "PRAGMA quick_check") == "ok" else { return Set([-1]) }
      var states = Set(try Int.fetchAll(db, sql: "SELECT CAST(title AS INTEGER) FROM recipe"))
      for path in try content.paths() {
        states.insert(Int(String(decoding: try content.read(path).prefix { $0 != 32 }, as: UTF8.self)) ?? -1)
      }
      // Three pictures, and one file more in each even state.
      let isComplete = try content.paths().count == ((states.first ?? 0) % 2 == 0 ? 4 : 3)
      return isComplete ? states : states.union([-1])
    }
    try await book.close()
    return states
  }

  private static func areVisibleFilesWhole(_ url: URL) throws -> Bool {
    let folder = url.appending(path: "AdditionalContent/Pictures")
    for name in try FileManager.default.contentsOfDirectory(atPath: folder.path) {
      let text = try String(contentsOf: folder.appending(path: name), encoding: .utf8)
      guard let id = Int(name), let round = Int(text.prefix { $0 != " " }), text == Bookkeeper.text(round, id)
      else {
        Bookkeeper.say("'\(name)' is not whole")
        return false
      }
    }
    return true
  }
}
