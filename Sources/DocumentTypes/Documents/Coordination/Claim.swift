import DurableIO
import FoundationEssentials
import SystemPackage

// C1 A claim exists before it takes its number, which is greater than all numbers in the folder. Before a claim has a
//    number, the claims in conflict with it wait, because it may still take a smaller one.
// C2 A claim waits for those in conflict with it that have a smaller number, or the same number and a smaller name.
//    Readers are not in conflict with each other. The first claim goes first: a reader does not pass a writer that
//    waits.
// C3 A claim is a locked file, so it ends with its process. A stopped process holds up only the accesses in conflict
//    with its claims.

/// The place of one access in the queue of all accesses; the access begins when no claim is before it. An access claims
/// all its items at once, so two accesses never wait for each other.
///
/// The claims follow Leslie Lamport's bakery algorithm, with files for the shared memory. A number is a second name of
/// the claim's file. A claim writes its file before the file has its name. After that the file grows only by moves at
/// its end, so no process reads a half-written request.
final class Claim: Sendable {
  let requests: [AccessRequest]
  private let folder: CoordinationFolder
  private let file: LockedFile
  private let number: UInt64

  /// Makes the claim's file, which is locked (C3), and then takes a number (C1).
  init(_ requests: [AccessRequest], in folder: CoordinationFolder) throws(SystemError) {
    (self.requests, self.folder) = (requests, folder)
    file = try LockedFile.make(Records.line(requests), in: folder.claims, on: folder.disk)
    do throws(SystemError) {
      let names = try folder.disk.names(in: folder.claims)
      // No process counts this far: such a number is not a claim's.
      let taken = names.compactMap { $0.parts.suffix.flatMap { UInt64($0) } }.filter { $0 < 1 << 60 }
      number = (taken.max() ?? 0) + 1
      try folder.disk.link(
        file.name, in: folder.claims, to: file.name.appending(".\(number)"), in: folder.claims)
    } catch {
      file.remove(from: folder.claims)
      throw error
    }
    try removeWhatIsLeft()
  }

  /// Returns a claim that is before this one, nil if there is none (C2).
  func blocker(_ known: inout KnownClaims) throws(SystemError) -> Found? {
    let numbers = try Self.numbers(in: folder)
    for (name, theirs) in numbers where name != file.name {
      if let theirs, (number, file.name) < (theirs, name) { continue }
      if let found = try known.claim(name, in: folder, for: requests), found.conflicts(with: requests),
        try found.file.isAlive(in: folder.claims)
      {
        return found
      }
    }
    return nil
  }

  /// Returns the claims in the folder, each with its number if it has one.
  private static func numbers(in folder: CoordinationFolder) throws(SystemError) -> [FileName: UInt64?] {
    var numbers: [FileName: UInt64?] = [:]
    for (stem, suffix) in try folder.disk.names(in: folder.claims).lazy.map(\.parts) where !stem.isHidden {
      numbers[stem] = .some(suffix.flatMap { UInt64($0) } ?? numbers[stem] ?? nil)
    }
    return numbers
  }

  /// Removes the claims of processes that ended, and numbers without a claim.
  private func removeWhatIsLeft() throws(SystemError) {
    let disk = folder.disk
    for name in try disk.names(in: folder.claims) {
      let (stem, suffix) = name.parts
      if stem == file.name { continue }
      if suffix != nil {
        // A claim exists before its number. If the removal fails, the next claim tries it again.
        if try !disk.exists(stem, in: folder.claims) { try? disk.removeFile(name, in: folder.claims) }
      } else {
        _ = try FoundFile.open(name, in: folder.claims, on: folder.disk)?.isAlive(in: folder.claims)
      }
    }
  }

  /// Tells the claims that wait for this one about a move.
  func note(_ move: ItemMove) throws(SystemError) {
    try file.append(Records.line(move))
  }

  /// Ends the claim, so that the next one begins.
  func release() {
    file.remove(from: folder.claims)
    // If this fails, another process removes the name with its next claim.
    try? folder.disk.removeFile(file.name.appending(".\(number)"), in: folder.claims)
  }

  /// A claim of another access.
  final class Found: Sendable {
    let requests: [AccessRequest]
    fileprivate let file: FoundFile

    fileprivate init?(_ file: FoundFile) throws(SystemError) {
      var records = Records(try file.bytes())
      guard let requests = records.next([AccessRequest].self) else { return nil }
      (self.requests, self.file) = (requests, file)
    }

    fileprivate func conflicts(with others: [AccessRequest]) -> Bool {
      requests.contains { mine in others.contains { mine.conflicts(with: $0) } }
    }

    /// Returns whether the claim can move an item of the other access, or makes it wait.
    fileprivate func concerns(_ others: [AccessRequest]) -> Bool {
      let moved = requests.filter { $0.kind == .write }
      return conflicts(with: others)
        || moved.contains { mine in others.contains { mine.unit.encloses($0.unit) } }
    }

    /// Returns the moves that the claim noted, also after its end.
    fileprivate func moves() throws(SystemError) -> [ItemMove] {
      var records = Records(try file.bytes())
      _ = records.next([AccessRequest].self)  // It is in `requests`.
      var moves: [ItemMove] = []
      while let move = records.next(ItemMove.self) { moves.append(move) }
      return moves
    }
  }

  /// The claims that an access has seen so far. An access reads each claim once. It keeps those that concern it, to ask
  /// for their moves at the end.
  struct KnownClaims: Sendable {
    /// The claims, with an open file each; nil for one that does not concern the access.
    private var claims: [FileName: Found?] = [:]

    fileprivate mutating func claim(
      _ name: FileName, in folder: CoordinationFolder, for requests: [AccessRequest]
    ) throws(SystemError) -> Found? {
      if let known = claims[name] { return known }
      // A number without a claim belongs to a claim that has just ended.
      guard let file = try FoundFile.open(name, in: folder.claims, on: folder.disk) else { return nil }
      var found = try Found(file)
      if found?.concerns(requests) != true { found = nil }
      claims[name] = .some(found)
      return found
    }

    /// Returns the moves of the claims that concern the access.
    func moves() throws(SystemError) -> [ItemMove] {
      var moves: [ItemMove] = []
      for case let found? in claims.values { moves += try found.moves() }
      return moves
    }
  }
}
