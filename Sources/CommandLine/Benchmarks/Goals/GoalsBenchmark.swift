import DurableIO
package import SystemPackage

/// A benchmark of all goals in one run.
package struct GoalsBenchmark {
  /// The number of rounds of a save; slower work has fewer rounds.
  package var rounds = 100
  /// The time for one strategy's saves of one package.
  package var budget = Duration.seconds(20)
  /// The bytes of a package for exports.
  package var exportBytes = 104_000_000
  /// Four numbers of children, from few to many.
  package var children = [10, 1_000, 10_000, 100_000]
  /// The number of documents that are open at once.
  package var documents = 1_000
  private let command: FilePath
  private let folder: FilePath
  private let progress: (String) -> Void
  /// All results so far.
  package private(set) var results: [Measurement] = []

  package init(command: FilePath, in folder: FilePath, progress: @escaping (String) -> Void = { _ in }) {
    self.command = command
    self.folder = folder
    self.progress = progress
  }

  /// - Throws: `BenchmarkError` as `SaveBenchmark.run(_:in:progress:)`.
  package mutating func run() async throws(BenchmarkError) -> [Goal] {
    var goals = try await commits()
    goals += try await manyChildren()
    goals += try await manyDocuments()
    goals += try await commands()
    goals += try await starts()
    goals += try await exports()
    goals += try await opening()
    return goals.sorted { $0.row < $1.row }
  }

  // MARK: Commits

  private mutating func commits() async throws(BenchmarkError) -> [Goal] {
    var goals: [Goal] = []
    for count in children {
      try await save(count, 1, ["floor", "journal", "published", "sqlite", "naive"])
      goals.append(
        ratio(
          1, "commit / SQLite (WAL, FULL), \(Figures.grouped(count)) children", .atMost, 1, "journal",
          "sqlite",
          save(of: count)))
    }
    let (few, middle, many) = (children[0], children[1], children[children.count - 1])
    let name = Figures.grouped(middle)
    goals.append(
      ratio(
        2, "commit / one write and flush, \(name) children", .atMost, 2, "journal", "floor", save(of: middle))
    )
    goals.append(
      ratio(4, "published / naive, \(name) children", .atMost, 1, "published", "naive", save(of: middle)))
    goals.append(growth(from: few, to: many))
    // These two strategies are compared by themselves. After thousands of links, the next strategy finds none of its own
    // data in the processor's caches.
    let start = results.count
    for count in children.dropFirst() { try await save(count, 1, ["journal", "links"]) }
    let apples = Array(results[start...])
    for (count, goal) in zip(children.dropFirst(), [60, 500, 5_000.0]) {
      goals.append(
        ratio(
          14, "Apple's way / commit, \(Figures.grouped(count)) children", .atLeast, goal, "links", "journal",
          apples.filter { $0.work.children == count }))
    }
    let slowStart = results.count
    try await save(middle, 1, ["floor", "journal"], .slower(by: .milliseconds(1)))
    let slow = Array(results[slowStart...])
    goals.append(
      ratio(2, "commit / one write and flush of 1 ms", .atMost, 1.12, "journal", "floor", slow))
    var flushes = Goal(row: 2, title: "flushes of a commit", bound: .exactly, goal: 1)
    if let count = slow.first(where: { $0.strategy == "journal" })?.flushes {
      flushes.measured = Spread([Double(count)])
    }
    goals.append(flushes)
    return goals
  }

  private mutating func manyChildren() async throws(BenchmarkError) -> [Goal] {
    let middle = children[1]
    let changed = min(1000, middle)
    let name = Figures.grouped(changed)
    try await save(middle, changed, ["journal", "published", "each"])
    let all = save(of: middle, changed: changed)
    return [
      ratio(5, "\(name) changed: commit / an fsync each", .atMost, 0.02, "journal", "each", all),
      ratio(5, "\(name) changed: published / an fsync each", .atMost, 0.5, "published", "each", all),
    ]
  }

  private mutating func save(
    _ children: Int, _ changed: Int, _ names: [String], _ flushing: Flushing = .asItIs
  ) async throws(BenchmarkError) {
    let types = SaveBenchmark.allStrategies.filter { names.contains($0.name) }
    var benchmark = SaveBenchmark(strategies: types)
    benchmark.schedule.rounds = rounds
    benchmark.schedule.budget = budget
    benchmark.flushing = flushing
    benchmark.command = command
    let model = ModelPackage(childCount: children, changedCount: changed, size: 4096)
    results += try await benchmark.run(model, in: folder, progress: progress)
  }

  private func save(of children: Int, changed: Int = 1) -> [Measurement] {
    results.filter { $0.work == Work("save", children: children, changed: changed, size: 4096) }
  }

  /// Returns the growth of a commit, in relation to the floor in the same rounds, because the machine may have
  /// become slower.
  private func growth(from few: Int, to many: Int) -> Goal {
    var goal = Goal(
      row: 13, title: "commit, \(Figures.grouped(many)) / \(Figures.grouped(few)) children", bound: .atMost,
      goal: 1.3)
    let ratios = [few, many].map { count in
      save(of: count).first { $0.strategy == "journal" }?.ratio(to: "floor")
    }
    guard let small = ratios[0], let large = ratios[1] else {
      goal.reason = "a save failed"
      return goal
    }
    goal.measured = Spread(
      median: large.median / small.median, p10: large.p10 / small.p90, p90: large.p90 / small.p10)
    return goal
  }

  private func ratio(
    _ row: Int, _ title: String, _ bound: Goal.Bound, _ goal: Double, _ one: String, _ other: String,
    _ results: [Measurement]
  ) -> Goal {
    var goal = Goal(row: row, title: title, bound: bound, goal: goal)
    let result = results.first { $0.strategy == one }
    goal.measured = result?.ratio(to: other)
    if goal.measured == nil {
      let reasons = [one, other].compactMap { name in results.first { $0.strategy == name } }
        .compactMap { $0.problem ?? $0.unavailable }
      goal.reason = reasons.first ?? "one strategy was not measured"
    }
    return goal
  }

  // MARK: Documents and commands

  private mutating func manyDocuments() async throws(BenchmarkError) -> [Goal] {
    var benchmark = DocumentsBenchmark()
    benchmark.schedule.rounds = min(rounds, 10)
    benchmark.schedule.budget = budget
    let made = try await benchmark.run(
      count: documents, strategies: ["documents", "naive"], in: folder, progress: progress)
    results += made
    let title = "\(Figures.grouped(documents)) open documents saved at once / naive"
    return [ratio(6, title, .atMost, 1, "documents", "naive", made)]
  }

  private mutating func commands() async throws(BenchmarkError) -> [Goal] {
    var goals: [Goal] = []
    for (count, goal) in zip(children, [1.2, 2, 6]) {
      let start = results.count
      try await save(count, 1, ["command", "git"])
      goals.append(
        ratio(
          8, "git add, commit / docpkg edit, \(Figures.grouped(count)) children", .atLeast, goal, "git",
          "command", Array(results[start...])))
    }
    return goals
  }

  private mutating func starts() async throws(BenchmarkError) -> [Goal] {
    let (command, rounds, progress) = (command.string, rounds, progress)
    var edit: Result<OneEdit, any Error>?
    let made = try await BenchmarkFolder.with(in: folder, progress) { made in
      let document = "Memo.imageNotes"
      edit = Result { try OneEdit(command, of: document, in: made.path.string) }
      var schedule = RoundRobin()
      schedule.rounds = rounds
      let workloads = [
        CommandWorkload(name: "version", program: command, arguments: ["--version"], verify: {}),
        CommandWorkload(
          name: "cat", program: command, arguments: ["cat", document, "Text.txt"], verify: {}),
        CommandWorkload(name: "git", program: "git", arguments: ["--version"], verify: {}),
      ]
      var trials: [Trial] = []
      for workload in workloads {
        trials.append(await workload.trial(Work("start", subject: "starting"), in: made.path))
      }
      return await schedule.run(trials, in: made, progress)
    }
    results += made
    let size = Result { try Double(sizeOfCommand()) / 1e6 }
    return [
      single(7, "flushes of docpkg edit, by its report", .atMost, 5, edit?.map { Double($0.flushes) }),
      ratio(9, "docpkg --version / git --version", .atMost, 2.5, "version", "git", made),
      ratio(9, "docpkg cat / git --version", .atMost, 3.5, "cat", "git", made),
      single(12, "size of docpkg, MB", .atMost, 25, size),
    ]
  }

  private func sizeOfCommand() throws(SystemError) -> UInt64 {
    let disk = PosixDisk()
    let program = FileName(command.lastComponent?.string ?? "")
    return try disk.status(of: program, in: disk.openDirectory(at: command.removingLastComponent())).size
  }

  private func single(
    _ row: Int, _ title: String, _ bound: Goal.Bound, _ goal: Double, _ figure: Result<Double, any Error>?
  ) -> Goal {
    var goal = Goal(row: row, title: title, bound: bound, goal: goal)
    switch figure {
    case .success(let value): goal.measured = Spread([value])
    case .failure(let error): goal.reason = "\(error)"
    case nil: goal.reason = "it was not measured"
    }
    return goal
  }

  // MARK: Opening and exports

  private mutating func opening() async throws(BenchmarkError) -> [Goal] {
    var benchmark = OpenBenchmark()
    benchmark.schedule.rounds = min(rounds, 20)
    let count = children[children.count - 1]
    let opened = try await benchmark.run(
      children: count, size: 0, strategies: ["tree", "getdents"], in: folder, progress: progress)
    results += opened
    let name = Figures.grouped(count)
    var bytes = Goal(row: 15, title: "bytes a child, \(name) children", bound: .atMost, goal: 120)
    bytes.measured = opened[0].figures["bytesPerChild"].flatMap { Spread([$0]) }
    return [
      ratio(15, "open and list / getdents loop, \(name) children", .atMost, 1.5, "tree", "getdents", opened),
      bytes,
    ]
  }

  private mutating func exports() async throws(BenchmarkError) -> [Goal] {
    var benchmark = ExportBenchmark(command: command)
    benchmark.schedule.rounds = min(rounds, 5)
    var goals: [Goal] = []
    for mixture in [Mixture.mix, .text] {
      let tasks: [ExportBenchmark.Task] = mixture == .mix ? [.zip, .tarZstd, .update] : [.zip]
      let made = try await benchmark.run(tasks, mixture, bytes: exportBytes, in: folder, progress: progress)
      results += made
      func of(_ task: ExportBenchmark.Task) -> [Measurement] {
        made.filter { $0.work.subject?.hasPrefix("\(task.rawValue) ") == true }
      }
      goals.append(
        ratio(
          16, "zip -6 / export, \(mixture.rawValue)", .atLeast, mixture == .mix ? 6 : 2, "zip", "docpkg",
          of(.zip)))
      guard mixture == .mix else { continue }
      goals.append(
        ratio(11, "export tar.zst / tar | zstd -T0, mix", .atMost, 0.9, "docpkg", "tar | zstd", of(.tarZstd)))
      goals.append(
        ratio(11, "export --update / cp and sync, mix", .atMost, 1.1, "update", "cp + sync", of(.update)))
    }
    return goals
  }
}
