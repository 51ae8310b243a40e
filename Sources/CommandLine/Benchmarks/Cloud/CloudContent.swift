import FoundationEssentials
import GRDB
import SystemPackage

/// The documents in a folder that a program brings to a store.
///
/// Bytes are random, so that no program compresses them.
enum CloudContent: Hashable {
  /// One package with this many children of 4 KiB, a thousand in a folder.
  case children(Int)
  /// So many documents of 1 KiB, each a flat file.
  case notes(Int)
  /// A database of SQLite of about so many bytes, as a flat file.
  case database(UInt64)
  /// A package with slides of 4 KiB and pictures: 70 parts of `part` bytes.
  case deck(part: Int)

  static let childSize = 4096
  static let noteSize = 1024

  /// The package, or the file.
  private var name: String {
    switch self {
    case .children: "Many.rtfd"
    case .notes: "Notes"
    case .database: "Rows.sqlite"
    case .deck: "Deck.rtfd"
    }
  }

  /// A name for a folder.
  var title: String {
    switch self {
    case .children(let count): "children-\(count)"
    case .notes(let count): "notes-\(count)"
    case .database(let size): "database-\(size)"
    case .deck(let part): "deck-\(part)"
    }
  }

  /// Makes the documents.
  ///
  /// - Returns: the bytes of all files; nil for a database, where SQLite decides.
  @discardableResult
  func make(in folder: FilePath) throws -> Int? {
    let place = folder.appending(name)
    switch self {
    case .children(let count):
      for child in 0..<count { try write(Self.childSize, seed: child, to: path(ofChild: child, in: place)) }
      return count * Self.childSize
    case .notes(let count):
      for note in 0..<count { try write(Self.noteSize, seed: note, to: Self.note(note, in: place)) }
      return count * Self.noteSize
    case .database(let size):
      try with(place) { db in
        try db.execute(sql: "CREATE TABLE note (id INTEGER PRIMARY KEY, text BLOB NOT NULL)")
        try db.execute(
          sql: """
            WITH RECURSIVE number(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < ?)
            INSERT INTO note SELECT n, randomblob(1000) FROM number
            """, arguments: [max(1, Int(size / 1_030))])
      }
      return nil
    case .deck(let part):
      for slide in 0..<Self.slides {
        try write(Self.childSize, seed: slide, to: Self.slide(slide, in: place))
      }
      for picture in 0..<Self.pictures {
        try write(part, seed: Self.pictureSeed + picture, to: Self.picture(picture, in: place))
      }
      try write(Self.moviePart * part, seed: Self.movieSeed, to: place.appending("Movie.bin"))
      return Self.slides * Self.childSize + (Self.pictures + Self.moviePart) * part
    }
  }

  /// Changes the documents a little: one child; one row; or a deck's five slides and a picture, and one more picture.
  ///
  /// - Parameter round: the number of the change, from 1 on.
  /// - Returns: the bytes of all changed files; nil for a database, where SQLite decides.
  @discardableResult
  func change(_ round: Int, in folder: FilePath) throws -> Int? {
    let place = folder.appending(name)
    let seed = round << 32
    switch self {
    case .children(let count):
      let child = (round * 7_919) % count
      try write(Self.childSize, seed: seed, to: path(ofChild: child, in: place))
      return Self.childSize
    case .notes(let count):
      try write(Self.noteSize, seed: seed, to: Self.note((round * 7_919) % count, in: place))
      return Self.noteSize
    case .database(let size):
      let id = (round * 7_919) % max(1, Int(size / 1_030)) + 1
      try with(place) { db in
        try db.execute(sql: "UPDATE note SET text = randomblob(1000) WHERE id = ?", arguments: [id])
      }
      return nil
    case .deck(let part):
      let slides = (0..<5).map { (round * 5 + $0) % Self.slides }
      for slide in slides { try write(Self.childSize, seed: seed + slide, to: Self.slide(slide, in: place)) }
      for picture in [round % Self.pictures, Self.pictures + round] {
        try write(part, seed: seed + Self.pictureSeed + picture, to: Self.picture(picture, in: place))
      }
      return slides.count * Self.childSize + 2 * part
    }
  }

  // MARK: Files

  private static let slides = 60
  private static let pictures = 50
  /// The parts that a film is long. It does not change.
  private static let moviePart = 20
  // A file begins like no other one, or a program could take a part of it from there.
  private static let pictureSeed = 1_000_000
  private static let movieSeed = 2_000_000

  private func path(ofChild child: Int, in place: FilePath) -> FilePath {
    place.appending("Group-\(child / 1_000)").appending("\(child).bin")
  }

  private static func note(_ number: Int, in place: FilePath) -> FilePath { place.appending("\(number).txt") }

  private static func slide(_ number: Int, in place: FilePath) -> FilePath {
    place.appending("Slides").appending("\(number).xml")
  }

  private static func picture(_ number: Int, in place: FilePath) -> FilePath {
    place.appending("Media").appending("\(number).jpeg")
  }

  private func write(_ size: Int, seed: Int, to path: FilePath) throws {
    let data = RandomBytes(seed: UInt64(seed)).data(count: size)
    let url = URL(filePath: path.string)
    do {
      try data.write(to: url)
    } catch let error as CocoaError where error.code == .fileNoSuchFile {
      try FileManager.default.createDirectory(
        at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
      try data.write(to: url)
    }
  }

  private func with(_ place: FilePath, _ body: (Database) throws -> Void) throws {
    let queue = try DatabaseQueue(path: place.string)
    try queue.write(body)
    try queue.close()
  }
}
