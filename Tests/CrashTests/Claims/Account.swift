import Foundation

/// A command's own account of its work: the states of the disk that its exit status and its last sentence allow.
///
/// A command takes the disk from state 0, before it, to state 1.
struct Account: Hashable, Sendable {
  let status: Int32
  /// The states that may be on disk if the account is true.
  private(set) var claimed: ClosedRange<Int>
  /// The sentence that claims this, or the exit status.
  private(set) var claim: String
  /// Whether the account says that other programs do not see everything yet.
  private(set) var isInvisible = false
  /// Whether the account says that a file is left which the next save removes.
  private(set) var leavesFiles = false
  /// Whether the account says that a save, or an edit, was refused.
  private(set) var isRefused = false
  /// The number of versions that went, by the account; nil if it says nothing.
  private(set) var removedVersions: Int?

  /// Reads the account of a command that makes one change. A killed command claims one of the two states.
  init(_ status: Int32, _ output: String, _ errors: String) {
    self.status = status
    (claimed, claim) = status == 0 ? (1...1, "status 0") : (0...0, "status \(status)")
    if isKilled { (claimed, isInvisible, leavesFiles) = (0...1, true, true) }
    for line in errors.split(separator: "\n") { note(String(line)) }
    let lines = output.split(separator: "\n").filter { $0.hasPrefix("remove ") }
    if status == 0 { removedVersions = lines.count }
  }

  /// Whether SIGKILL ended the command: it could say nothing.
  var isKilled: Bool { status == 128 + SIGKILL }

  /// Whether a signal asked the command to end, and it did nothing.
  var isCancelled: Bool { [SIGINT, SIGTERM, SIGHUP].contains(status - 128) }

  private mutating func noteWarning(_ message: String) {
    if message.contains("not yet visible") { isInvisible = true }
    if message.contains("leftover") { leavesFiles = true }
  }

  private mutating func note(_ message: String) {
    noteWarning(message)
    if message.contains("warning:") || message.contains("report could not be written") { return }
    if let match = message.firstMatch(of: /(\d+) versions? (?:were|was) removed/) {
      removedVersions = Int(match.1)
    }
    if !message.contains("could not be closed") { isRefused = true }
    guard status != 0, !isKilled else { return }
    claim = message
    claimed =
      if message.contains("in its old state or in its new one") || message.contains("did not confirm")
        || message.contains("standard output could not be written")
      {
        0...1
      } else {
        0...0
      }
  }

  /// Removes the sentence, whose words differ with the error.
  mutating func forgetWords() { claim = "" }

  // MARK: Judging

  /// Returns the lies of the account.
  ///
  /// - Parameter states: the states through which the command takes the disk.
  /// - Parameter found: what the next opener finds.
  /// - Parameter isVisible: whether other programs saw the same before that.
  func lies(_ states: [Scene], found: Scene, isVisible: Bool) -> [Lie] {
    // States can have the same contents and differ in their versions.
    let same = states.indices.filter { states[$0].hasContents(of: found) }
    guard let last = same.last else { return [Lie(.mixed, "'\(claim)', and there is \(found.contents)")] }
    let differences = { found.differences(from: states[$0], removed: removedVersions) }
    let place =
      same.last { claimed.contains($0) && differences($0).isEmpty } ?? same.last { differences($0).isEmpty }
      ?? same.last { claimed.contains($0) } ?? last
    var lies: [Lie] = []
    if !claimed.contains(place) {
      lies.append(Lie(.state, "'\(claim)', and the disk has state \(place) of \(states.count - 1)"))
    } else if place == states.count - 1, status != 0, claimed.count == 1, !isRefused {
      lies.append(Lie(.failed, "'\(claim)' with status \(status), although all is saved"))
    }
    lies += differences(place).map { Lie(.versions, "'\(claim)', and there are or is \($0)") }
    if found.problems != states[place].problems {
      lies.append(Lie(.damage, "'\(claim)', and 'verify' says \(found.problems)"))
    }
    if !isVisible && !isInvisible && claimed.count == 1 {
      lies.append(Lie(.invisible, "'\(claim)', and other programs saw something else"))
    }
    if ![0, 2].contains(status) && !isKilled && !isCancelled {
      lies.append(Lie(.ended, "it ended with \(status): \(claim)"))
    }
    return lies
  }
}

/// A sentence or an exit status that the disk contradicts.
struct Lie: Sendable, CustomStringConvertible {
  enum Kind: String, Sendable, CaseIterable {
    case mixed = "a state of no save"
    case state = "another state than the message says"
    case failed = "status 2 although all is saved"
    case versions = "versions, conflicts or the policy changed"
    case damage = "'verify' finds damage"
    case invisible = "not visible, and no warning"
    case ended = "ended by a signal or with another status"
    case left = "leftovers"
    case next = "the next command fails or loses"
  }

  let kind: Kind
  let text: String

  init(_ kind: Kind, _ text: String) { (self.kind, self.text) = (kind, text) }

  var description: String { "\(kind.rawValue): \(text)" }
}
