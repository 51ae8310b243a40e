import DurableIO
import FoundationEssentials
import SystemPackage

// Leslie Lamport's bakery, with files for the shared memory:
// (1) A claim is there before it takes its number, which is greater than all that are there. While it has none, whoever is
//     in conflict with it waits: it may be about to take a smaller one.
// (2) It waits for those that it is in conflict with and that have a smaller number, or the same and a smaller name;
//     readers are not in conflict with each other. So who comes first is first: a reader that comes after a writer
//     that waits does not pass it.
// (3) A number is a second name of the claim's file. What is in the file, but for moves at its end, never changes, so that
//     nobody reads it while it is written.
// (4) A claim is a locked file: it ends with its process. A process that was stopped holds up those that are in
//     conflict with it, and nobody else.

/// One access's place among all others: it has all that it asks for once nobody is before it. Since it asks for
/// everything at once, no two ever wait for each other.
final class Claim: Sendable {
  let requests: [AccessRequest]
  private let folder: CoordinationFolder
  private let file: LockedFile
  private let number: UInt64

  /// Takes a number. (1)
  init(_ requests: [AccessRequest], in folder: CoordinationFolder) throws(SystemError) {
    (self.requests, self.folder) = (requests, folder)
    var writer = FieldWriter()
    writer.append(requests.count)
    for request in requests { request.encode(to: &writer) }
    file = try LockedFile.make(writer.bytes, in: folder.claims)
    let disk = PosixDisk()
    do throws(SystemError) {
      let names = try disk.names(in: folder.claims)
      // A greater one is none that was counted up to.
      let taken = names.compactMap { $0.parts.suffix.flatMap { UInt64($0) } }.filter { $0 < 1 << 60 }
      number = (taken.max() ?? 0) + 1
      try disk.link(file.name, in: folder.claims, to: file.name.appending(".\(number)"), in: folder.claims)
    } catch {
      file.remove(from: folder.claims)
      throw error
    }
    try removeWhatIsLeft()
  }

  /// Who is before this one, if anybody is. (2)
  func blocker(_ known: inout KnownClaims) throws(SystemError) -> Found? {
    let numbers = try Self.numbers(in: folder)
    for (name, theirs) in numbers where name != file.name {
      if let theirs, (number, file.name) < (theirs, name) { continue }
      if let found = try known.claim(name, in: folder), found.conflicts(with: requests),
        try found.file.isAlive(in: folder.claims)
      {
        return found
      }
    }
    return nil
  }

  /// The claims, and which number each has, if it has one already.
  private static func numbers(in folder: CoordinationFolder) throws(SystemError) -> [FileName: UInt64?] {
    var numbers: [FileName: UInt64?] = [:]
    for (stem, suffix) in try PosixDisk().names(in: folder.claims).lazy.map(\.parts) where !stem.isHidden {
      numbers[stem] = .some(suffix.flatMap { UInt64($0) } ?? numbers[stem] ?? nil)
    }
    return numbers
  }

  /// Removes the claims of processes that are no more, and numbers without a claim.
  private func removeWhatIsLeft() throws(SystemError) {
    let disk = PosixDisk()
    for name in try disk.names(in: folder.claims) {
      let (stem, suffix) = name.parts
      if stem == file.name { continue }
      if suffix != nil {
        // A claim is there before its number.
        if try !disk.exists(stem, in: folder.claims) { try? disk.removeFile(name, in: folder.claims) }
      } else {
        _ = try FoundFile.open(name, in: folder.claims)?.isAlive(in: folder.claims)
      }
    }
  }

  /// Tells those who wait for this one where the item went.
  func note(_ move: ItemMove) throws(SystemError) {
    var writer = FieldWriter()
    move.encode(to: &writer)
    try file.append(writer.bytes)
  }

  /// Lets the next one go on.
  func release() {
    file.remove(from: folder.claims)
    // Whoever sees it next removes it otherwise.
    try? PosixDisk().removeFile(file.name.appending(".\(number)"), in: folder.claims)
  }

  /// A claim of somebody else's.
  final class Found: Sendable {
    let requests: [AccessRequest]
    fileprivate let file: FoundFile

    fileprivate init?(_ file: FoundFile) throws(SystemError) {
      var reader = FieldReader(try file.bytes())
      guard let requests = Self.requests(&reader) else { return nil }
      (self.requests, self.file) = (requests, file)
    }

    private static func requests(_ reader: inout FieldReader) -> [AccessRequest]? {
      guard let count = reader.number(Int.self), (1...1000).contains(count) else { return nil }
      var requests: [AccessRequest] = []
      for _ in 0..<count {
        guard let request = AccessRequest(&reader) else { return nil }
        requests.append(request)
      }
      return requests
    }

    fileprivate func conflicts(with others: [AccessRequest]) -> Bool {
      requests.contains { mine in others.contains { mine.conflicts(with: $0) } }
    }

    /// The moves that were made, also once the claim is over.
    func moves() throws(SystemError) -> [ItemMove] {
      var reader = FieldReader(try file.bytes())
      _ = Self.requests(&reader)
      var moves: [ItemMove] = []
      while let move = ItemMove(&reader) { moves.append(move) }
      return moves
    }
  }

  /// The claims that an access has seen so far: each is read once, and kept until its end to be asked for moves.
  struct KnownClaims: Sendable {
    private var claims: [FileName: Found?] = [:]

    fileprivate mutating func claim(
      _ name: FileName, in folder: CoordinationFolder
    ) throws(SystemError) -> Found? {
      if let known = claims[name] { return known }
      // A number without a claim is of one that is just over.
      guard let file = try FoundFile.open(name, in: folder.claims) else { return nil }
      let found = try Found(file)
      claims[name] = .some(found)
      return found
    }

    /// All that was in the way.
    var blockers: [Found] { claims.values.compactMap { $0 } }
  }
}
