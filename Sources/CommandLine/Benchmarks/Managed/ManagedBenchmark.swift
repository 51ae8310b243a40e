import DurableIO
import FilePackages
import FoundationEssentials
package import SystemPackage

/// A benchmark of documents with a database, beside a plain pool of GRDB.
package struct ManagedBenchmark {
  /// The work of a comparison. Each has a row in the table of goals.
  package enum Task: String, Sendable, CaseIterable {
    case edit, save, open, undo
  }

  package var schedule = RoundRobin()
  /// The number of edits, or of undos, of one measured run.
  package var batch = 100
  /// Two numbers of rows, few and many.
  package var rows = [1_000, 1_000_000]
  private let folder: FilePath
  private let progress: (String) -> Void
  /// All results so far.
  package private(set) var results: [Measurement] = []

  package init(in folder: FilePath, progress: @escaping (String) -> Void = { _ in }) {
    (self.folder, self.progress) = (folder, progress)
  }

  /// Measures the tasks.
  ///
  /// - Throws: `BenchmarkError` as `SaveBenchmark.run(_:in:progress:)`.
  package mutating func run(_ tasks: [Task] = Task.allCases) async throws(BenchmarkError) -> [Goal] {
    var goals: [Goal] = []
    for task in tasks {
      switch task {
      case .edit:
        let made = try await compare(task, ["plain", "without undo", "with undo"], rows: rows[0])
        goals.append(goal(1, "edit without undo / plain", 1.3, made, "without undo", "plain"))
        goals.append(goal(2, "edit with undo / plain", 2, made, "with undo", "plain"))
      case .save:
        for count in rows {
          let made = try await compare(task, ["plain, FULL", "save"], rows: count)
          goals.append(
            goal(
              3, "save / plain transaction, \(Figures.grouped(count)) rows", 1.5, made, "save", "plain, FULL")
          )
        }
      case .open, .undo:
        let names = rows.map(Self.name(rows:))
        let made = try await compare(task, names, rows: nil)
        let title = "\(task.rawValue), \(names[1]) / \(names[0])"
        goals.append(goal(task == .open ? 4 : 5, title, 1.2, made, names[1], names[0]))
      }
    }
    return goals
  }

  private static func name(rows: Int) -> String { "\(Figures.grouped(rows)) rows" }

  /// - Parameter rows: the rows of each database; nil if the strategies are two numbers of rows.
  private mutating func compare(
    _ task: Task, _ strategies: [String], rows: Int?
  ) async throws(BenchmarkError) -> [Measurement] {
    let (schedule, batch, progress, counts) = (schedule, batch, progress, self.rows)
    let work = Work("managed", children: rows, subject: task.rawValue)
    let made = try await BenchmarkFolder.with(in: folder, progress) { made in
      var trials: [Trial] = []
      for (position, name) in strategies.enumerated() {
        let rows = rows ?? counts[position]
        progress("making \(Figures.grouped(rows)) rows for \(name)")
        let place = made.path.appending("\(position)")
        trials.append(
          await Trial(Measurement(work, strategy: name)) {
            switch (task, name) {
            case (_, "plain"): try PlainRows(rows, edits: batch, isFull: false, at: place)
            case (_, "plain, FULL"): try PlainRows(rows, edits: 1, isFull: true, at: place)
            case (.edit, _):
              try await DocumentEdits(rows, edits: batch, undoes: name == "with undo", at: place)
            case (.save, _): try await DocumentSaves(rows, at: place)
            case (.open, _): try await DocumentOpenings(rows, at: place)
            case (.undo, _): try await DocumentUndos(rows, edits: batch, at: place)
            }
          })
      }
      return await schedule.run(trials, in: made, progress)
    }
    results += made
    return made
  }

  private func goal(
    _ row: Int, _ title: String, _ bound: Double, _ results: [Measurement], _ one: String, _ other: String
  ) -> Goal {
    var goal = Goal(row: row, title: title, bound: .atMost, goal: bound)
    goal.measured = results.first { $0.strategy == one }?.ratio(to: other)
    if goal.measured == nil {
      goal.reason = results.lazy.compactMap { $0.problem ?? $0.unavailable }.first ?? "it was not measured"
    }
    return goal
  }
}
