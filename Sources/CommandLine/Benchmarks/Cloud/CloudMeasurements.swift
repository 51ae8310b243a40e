import Documents
import FoundationEssentials
import ImageNotes
import SystemPackage

/// The measurements of one benchmark of the cloud, with the folders that several of them use.
final class CloudMeasurements {
  private struct Key: Hashable {
    var program: CloudProgram
    var content: CloudContent
  }

  private let setup: CloudBenchmark
  private let proxy: CountingProxy?
  private let made: BenchmarkFolder
  private let commands: CloudCommands
  private let progress: (String) -> Void
  /// Folders whose documents are in the store, with the bytes of the documents and of their upload.
  private var uploaded: [Key: (workspace: CloudWorkspace, first: (new: Int, sent: Int)?)] = [:]
  private(set) var results: [Measurement] = []
  private(set) var goals: [Goal] = []

  init(
    _ setup: CloudBenchmark, _ proxy: CountingProxy?, _ made: BenchmarkFolder,
    _ progress: @escaping (String) -> Void
  ) {
    (self.setup, self.proxy, self.made, self.progress) = (setup, proxy, made, progress)
    commands = CloudCommands(
      docpkg: setup.command, store: setup.store, port: proxy?.port, scratch: made.path)
  }

  func run(_ task: CloudBenchmark.Task) async {
    switch task {
    case .first: for count in setup.children { await firstUploads(count) }
    case .notes: for count in setup.children { await noteUploads(count) }
    case .nothing:
      for count in setup.children {
        let own = await syncs("nothing changed", .children(count), children: count, changes: false)
        goals.append(
          Goal.of(own, 3, "nothing changed in \(Figures.grouped(count)): requests", 1, CloudFigure.requests))
      }
    case .child:
      for count in setup.children { await childChanges(count) }
      if setup.children.count > 1 { await growth() }
    case .database:
      let size = setup.databaseSize
      let own = await syncs(
        "one row of a database of \(Figures.bytes(size)) changed", .database(size), changes: true)
      goals.append(Goal.of(own, 4, "one row of a database: KiB sent", 3_072, CloudFigure.sent, unit: 1_024))
    case .deck: await deck()
    case .list: await listings()
    case .travel: await travel()
    }
  }

  // MARK: Uploads

  private func firstUploads(_ count: Int) async {
    let work = Work("cloud", children: count, size: CloudContent.childSize, subject: "first upload")
    let own = await firstUploads(.children(count), work)
    let title = "first upload of \(Figures.grouped(count))"
    goals.append(Goal.of(own, 6, "\(title): time / rclone", 0.5, ratioTo: "rclone"))
    var memory = Goal(row: 6, title: "\(title): MB of memory", bound: .atMost, goal: 64)
    memory.measured = own?.peakBytes.flatMap { Spread([Double($0) / 1_000_000]) }
    memory.reason = "the memory of docpkg was not more than that of this process"
    goals.append(memory)
  }

  private func noteUploads(_ count: Int) async {
    let title = "first upload of \(Figures.grouped(count)) notes"
    let own = await firstUploads(.notes(count), Work("cloud", size: CloudContent.noteSize, subject: title))
    goals.append(Goal.of(own, 9, "\(title): time / rclone", 1, ratioTo: "rclone"))
  }

  /// Measures uploads of the same documents, each to a new place.
  private func firstUploads(_ content: CloudContent, _ work: Work) async -> Measurement? {
    var trials: [Trial] = []
    for program in setup.programs {
      trials.append(
        await Trial(Measurement(work, strategy: program.rawValue)) { [self] in
          CloudFirstUploads(content) { [self] round in
            try workspace(program, "first-\(content.title)-\(program.rawValue)-\(round)")
          }
        })
    }
    var schedule = setup.schedule
    schedule.warmsUp = false
    return await measure(schedule, trials)
  }

  private func childChanges(_ count: Int) async {
    let own = await syncs("one child changed", .children(count), children: count, changes: true)
    let isLarge = count > 1_000
    let (row, title) = (isLarge ? 2 : 1, "one child of \(Figures.grouped(count))")
    goals.append(Goal.of(own, row, "\(title): requests", isLarge ? 8 : 6, CloudFigure.requests))
    goals.append(
      Goal.of(own, row, "\(title): KiB sent", isLarge ? 128 : 64, CloudFigure.sent, unit: 1_024))
    if !isLarge { goals.append(Goal.of(own, row, "\(title): time / rclone", 0.2, ratioTo: "rclone")) }
  }

  /// The same change with few and with many children, in the same rounds.
  private func growth() async {
    let counts = [setup.children.min() ?? 0, setup.children.max() ?? 0]
    let names = counts.map { "\(Figures.grouped($0)) children" }
    var trials: [Trial] = []
    for (count, name) in zip(counts, names) {
      let work = Work("cloud", size: CloudContent.childSize, subject: "one child of few and of many changed")
      trials.append(await trial(work, name, .docpkg, .children(count), changes: true))
    }
    let measured = await setup.schedule.run(trials, in: made, progress)
    results += measured
    goals.append(
      Goal.of(measured.last, 2, "one child: time of \(names[1]) / \(names[0])", 1.5, ratioTo: names[0]))
  }

  private func deck() async {
    var schedule = setup.schedule
    // Six states: the first upload, and five changes.
    (schedule.rounds, schedule.warmsUp, schedule.budget) = (5, false, .seconds(1_000_000))
    let bytes = Figures.bytes(UInt64(70 * setup.deckPart))
    let own = await syncs(
      "five more states of a deck of \(bytes)", .deck(part: setup.deckPart), changes: true, schedule)
    goals.append(Goal.of(own, 5, "six states of a deck: bytes sent / new", 1.02, CloudFigure.perNewByte))
  }

  /// Measures syncs of documents that are in the store already.
  private func syncs(
    _ subject: String, _ content: CloudContent, children: Int? = nil, changes: Bool,
    _ schedule: RoundRobin? = nil
  ) async -> Measurement? {
    let size = children == nil ? nil : CloudContent.childSize
    let work = Work("cloud", children: children, size: size, subject: subject)
    var trials: [Trial] = []
    for program in setup.programs {
      trials.append(await trial(work, program.rawValue, program, content, changes: changes))
    }
    return await measure(schedule ?? setup.schedule, trials)
  }

  private func trial(
    _ work: Work, _ name: String, _ program: CloudProgram, _ content: CloudContent, changes: Bool
  ) async -> Trial {
    await Trial(Measurement(work, strategy: name)) { [self] in
      let (workspace, first) = try upload(content, program)
      guard case .deck = content else { return CloudSyncs(workspace, content, changes: changes) }
      return CloudSyncs(workspace, content, changes: changes, first: first)
    }
  }

  /// Returns a folder whose documents are in the store.
  private func upload(
    _ content: CloudContent, _ program: CloudProgram
  ) throws -> (CloudWorkspace, first: (new: Int, sent: Int)?) {
    let key = Key(program: program, content: content)
    if let made = uploaded[key] { return made }
    progress("uploading the documents of \(program.rawValue)")
    let workspace = try workspace(program, "\(content.title)-\(program.rawValue)")
    let new = try content.make(in: workspace.folder)
    workspace.startCounting()
    try workspace.sync()
    let first = try new.map { (new: $0, sent: try workspace.traffic().bytesSent) }
    uploaded[key] = (workspace, first)
    return (workspace, first)
  }

  private func workspace(_ program: CloudProgram, _ name: String) throws -> CloudWorkspace {
    try CloudWorkspace(program, commands, proxy, in: made.path, named: name)
  }

  /// Runs a schedule of programs, and returns the measurement of docpkg.
  private func measure(_ schedule: RoundRobin, _ trials: [Trial]) async -> Measurement? {
    let measured = await schedule.run(trials, in: made, progress)
    results += measured
    return measured.first { $0.strategy == CloudProgram.docpkg.rawValue }
  }

  // MARK: Several machines

  private func listings() async {
    let count = setup.documents
    let work = Work("cloud", subject: "a new machine lists \(Figures.grouped(count)) documents")
    let trial = await Trial(Measurement(work, strategy: CloudProgram.docpkg.rawValue)) { [self] in
      progress("uploading \(Figures.grouped(count)) documents")
      let name = "documents"
      try makeDocuments(count, in: name)
      return CloudListings(commands, proxy, name, at: made.path.appending("machine"), count: count)
    }
    var schedule = setup.schedule
    schedule.warmsUp = false
    let own = await measure(schedule, [trial])
    let title = "a new machine lists \(Figures.grouped(count)) documents: seconds"
    goals.append(Goal.of(own, 7, title, 3))
  }

  /// Fills a new container with small documents.
  private func makeDocuments(_ count: Int, in name: String) throws {
    let workspace = try workspace(.docpkg, name)
    for number in 0..<count {
      let file = workspace.folder.appending("Note-\(number).txt")
      try Data("The note \(number).\n".utf8).write(to: URL(filePath: file.string))
    }
    try workspace.sync()
  }

  private func travel() async {
    let work = Work("cloud", subject: "an edit is in the document that is open on another machine")
    let trial = await Trial(Measurement(work, strategy: CloudProgram.docpkg.rawValue)) { [self] in
      let (name, document) = ("here", "Trip.imageNotes")
      let here = try workspace(.docpkg, name)
      let (own, there) = (here.folder.appending(document), made.path.appending("there"))
      let first = try await Document.create(ImageNotes(text: "Begun.\n"), at: URL(filePath: own.string))
      try here.sync()
      try commands.add(there, to: name)
      try commands.cloud(["sync", there.string, "--quiet"])
      try commands.cloud(["download", there.appending(document).string, "--quiet"])
      let second = try await Document<ImageNotes>.open(at: URL(filePath: there.appending(document).string))
      let watchers = try [here.folder, there].map {
        try commands.startSync($0, ["--watch", "--interval", "\(setup.interval)"])
      }
      return CloudTravel(first, second, watchers)
    }
    let own = await measure(setup.schedule, [trial])
    let title = "an edit travels, looks every \(setup.interval) s: seconds"
    goals.append(Goal.of(own, 8, title, Double(setup.interval + 1)))
  }
}

extension Goal {
  /// A goal for a figure of one result; without a name, for its time in seconds.
  ///
  /// - Parameter unit: the figure's value that counts as 1.
  fileprivate static func of(
    _ result: Measurement?, _ row: Int, _ title: String, _ bound: Double, _ name: String? = nil,
    unit: Double = 1
  ) -> Goal {
    var goal = Goal(row: row, title: title, bound: .atMost, goal: bound)
    goal.measured =
      name == nil ? result?.seconds : name.flatMap { result?.figures[$0] }.flatMap { Spread([$0 / unit]) }
    goal.reason = result?.problem ?? result?.unavailable ?? "it was not measured"
    return goal
  }

  fileprivate static func of(
    _ result: Measurement?, _ row: Int, _ title: String, _ bound: Double, ratioTo other: String
  ) -> Goal {
    var goal = Goal(row: row, title: title, bound: .atMost, goal: bound)
    goal.measured = result?.ratio(to: other)
    goal.reason = result?.problem ?? result?.unavailable ?? "'\(other)' was not measured"
    return goal
  }
}
