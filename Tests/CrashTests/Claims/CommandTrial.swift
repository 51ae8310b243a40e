import TestSupport
import Testing

/// A command that is run once for each broken call, and the states through which it takes the disk.
///
/// (1) The message and the exit status agree with the disk, as the next opener finds it.
/// (2) Each version is there with its contents, and `verify` finds no damage that was not there before.
/// (3) Nothing hidden is left beside the documents, unless a warning says so; after the next command nothing at all. No
///     list shows what a kill left.
/// (4) The next command works, and keeps all that is there. A conflict that is still there can be decided.
/// (5) A command that a signal asks to end does its work, or does nothing, leaves nothing and ends by that signal.
struct CommandTrial: Sendable {
  private let fixture: CommandFixture
  private let states: [Scene]
  /// The calls of a run without a broken one.
  let calls: [String]
  /// The broken call, and the lies after each outcome that was looked at. Another error there, after which the program
  /// made the same calls and gave the same account, leaves the same disk.
  private var known: (number: Int, lies: [Outcome: [Lie]]) = (0, [:])

  /// The calls of a run without random names, and its account.
  private struct Outcome: Hashable {
    var calls: [String]
    var account: Account

    init(_ calls: [String], _ account: Account) {
      self.calls = calls.map { $0.replacing(#/[0-9A-Fa-f]{8}[0-9A-Fa-f-]*/#, with: "") }
      self.account = account
      self.account.forgetWords()
    }
  }

  init(_ fixture: CommandFixture) async throws {
    let before = try await fixture.look()
    let run = try await waiting {
      try fixture.reset()
      return try fixture.run()
    }
    let account = Self.account(of: run.run)
    let after = try await fixture.look()
    try #require(account.status == 0 && account.claimed == 1...1, "\(run.run)")
    try #require(after != before && run.calls.count > 20)
    (self.fixture, states, calls) = (fixture, [before, after], run.calls)
  }

  private static func account(of run: Run) -> Account {
    Account(run.status, run.output, run.errors)
  }

  /// Runs the command with a broken call, and returns its lies; nil if it made fewer calls.
  mutating func lies(_ breaking: Breaking, at number: Int) async throws -> (call: String, lies: [Lie])? {
    let broken = try await waiting { [fixture] in
      try fixture.reset()
      return try fixture.run(breaking, at: number)
    }
    guard broken.calls.count >= number else { return nil }
    let account = Self.account(of: broken.run)
    let outcome = Outcome(broken.calls, account)
    let lies: [Lie]
    if known.number != number { known = (number, [:]) }
    if let known = known.lies[outcome] {
      lies = known
    } else {
      do {
        lies = try await self.lies(of: account)
      } catch {
        lies = [Lie(.mixed, "'\(account.claim)', and \(error)")]
      }
      known.lies[outcome] = lies
    }
    var ended: [Lie] = []
    if case .signal(let signal) = breaking, ![0, 128 + signal].contains(account.status) {
      ended = [Lie(.ended, "signal \(signal) ended it with \(account.status)")]
    }
    return (broken.calls[number - 1], lies + ended)
  }

  /// Looks at the disk, and returns the lies of the account of the run that was just made.
  private func lies(of account: Account) async throws -> [Lie] {
    let seen = try fixture.visible()
    let left = try fixture.leftovers().filter { account.isCancelled || !$0.contains("/") }
    let isListed = try account.isKilled && fixture.listsOwnFiles()
    let found = try await fixture.look()
    // (1) (2)
    var lies = account.lies(states, found: found, isVisible: try fixture.visible() == seen)
    // (3)
    if !left.isEmpty && !account.leavesFiles { lies.append(Lie(.left, "'\(account.claim)' left \(left)")) }
    if isListed { lies.append(Lie(.left, "'list' shows what a kill left")) }
    // (4)
    return lies + (try await liesOfNextCommand(after: found))
  }

  private func liesOfNextCommand(after found: Scene) async throws -> [Lie] {
    let runs = try await waiting { [fixture] in try fixture.runNext() }
    var lies: [Lie] = []
    for (name, run) in runs where run.status != 0 {
      lies.append(Lie(.next, "'\(name)' ended with \(run.status): \(run.errors)"))
    }
    let now = try await fixture.look()
    if fixture.work.isExport {
      if !now.hasContents(of: states[1]) { lies.append(Lie(.next, "the archive is another one")) }
    } else {
      for (name, before) in found.documents {
        lies += loss(before, now.documents[name]).map { Lie(.next, "'\(name)' \($0)") }
      }
    }
    if fixture.work.resolves, now.documents.values.contains(where: { !$0.conflicts.isEmpty }) {
      let again = try await waiting { [fixture] in try fixture.decide() }
      let isDecided = try await fixture.look().documents.values.allSatisfy(\.conflicts.isEmpty)
      if again.status != 0 || !isDecided { lies.append(Lie(.next, "it cannot be decided: \(again.errors)")) }
    }
    // (3)
    let left = try fixture.leftovers()
    return left.isEmpty ? lies : lies + [Lie(.left, "after the next command there is \(left)")]
  }

  /// Returns the difference of a document from the next edit of another one.
  private func loss(_ before: DocumentSight, _ now: DocumentSight?) -> [String] {
    guard let now else { return ["is gone"] }
    var losses: [String] = []
    let text = now.texts["Text.txt"] ?? ""
    if !text.contains(CommandFixture.next) || !text.hasPrefix(before.texts["Text.txt"] ?? "?") {
      losses.append("has the text '\(text)'")
    }
    let isOther: (String) -> Bool = { $0 != "Text.txt" }
    if before.texts.filter({ isOther($0.key) }) != now.texts.filter({ isOther($0.key) }) {
      losses.append("has other children: \(now.texts.keys.sorted())")
    }
    // A budget of one byte leaves one version.
    if fixture.work != .prune {
      for (id, texts) in before.versions where now.versions[id] != texts {
        losses.append("lacks the version \(id), or its children: \(now.versions[id]?.keys.sorted() ?? [])")
      }
    }
    if !now.problems.isEmpty && before.problems.isEmpty { losses.append("is not whole: \(now.problems)") }
    return losses
  }
}
