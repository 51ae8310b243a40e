import Documents
import DurableIO
import FilePackages
import FoundationEssentials
import ImageNotes
package import SystemPackage

/// A benchmark of many documents that are open at once; each round edits and saves each of them.
package struct DocumentsBenchmark {
  package var schedule = RoundRobin()

  package init() {}

  /// The names of the ways, in the order of the results.
  package static let strategies = ["documents", "one-by-one", "naive"]

  /// Measures with `count` documents.
  ///
  /// - Throws: `BenchmarkError` as `SaveBenchmark.run(_:in:progress:)`.
  package func run(
    count: Int, strategies: [String] = Self.strategies, in folder: FilePath,
    progress: (String) -> Void = { _ in }
  ) async throws(BenchmarkError) -> [Measurement] {
    let work = Work("documents", children: count)
    return try await BenchmarkFolder.with(in: folder, progress) { (made) throws(SystemError) in
      var trials: [Trial] = []
      for name in strategies {
        progress("making \(count) documents for \(name)")
        let place = SavePlace(folder: try made.folder(name), disk: PosixDisk())
        let isOurs = name != "naive"
        trials.append(
          await Trial(Measurement(work, strategy: name, durable: true, atomic: isOurs)) {
            if !isOurs { return try NaiveTexts(count, at: place) }
            return try await OpenDocuments(count, at: place, isConcurrent: name == "documents")
          })
      }
      return await schedule.run(trials, in: made, progress)
    }
  }
}

/// Documents that stay open; each round adds a line to each and saves it.
private final class OpenDocuments: Workload {
  private let documents: [Document<ImageNotes>]
  private let isConcurrent: Bool
  private let openSeconds: Double
  private let bytes: UInt64
  private var threads = 0
  private var round = 0

  init(_ count: Int, at place: SavePlace, isConcurrent: Bool) async throws {
    self.isConcurrent = isConcurrent
    var urls: [URL] = []
    for number in 0..<count {
      let url = URL(filePath: place.folder.appending("\(number).imageNotes").string)
      let document = try await Document.create(ImageNotes(text: "Begun.\n"), at: url)
      try await document.close()
      urls.append(url)
    }
    let before = ProcessMeter.allocatedBytes
    let start = ContinuousClock.now
    var opened: [Document<ImageNotes>] = []
    for url in urls { opened.append(try await .open(at: url)) }
    openSeconds = (ContinuousClock.now - start) / .seconds(1)
    let after = ProcessMeter.allocatedBytes
    bytes = after > before ? after - before : 0
    documents = opened
  }

  var figures: [String: Double] {
    let count = Double(max(1, documents.count))
    return [
      "openSecondsPerDocument": openSeconds / count, "bytesPerDocument": Double(bytes) / count,
      "threads": Double(threads),
    ]
  }

  func arrange() async throws {
    round += 1
    let line = "Round \(round).\n"
    for document in documents { try await document.edit("Typing") { $0.text += line } }
  }

  func run() async throws {
    if isConcurrent {
      try await withThrowingTaskGroup { group in
        for document in documents { group.addTask { try await document.save() } }
        try await group.waitForAll()
      }
    } else {
      for document in documents { try await document.save() }
    }
    threads = max(threads, ProcessMeter.threads ?? 0)
  }

  func verify() async throws {
    let expected = "Begun.\n" + (0..<round).map { "Round \($0 + 1).\n" }.joined()
    for document in documents {
      let url = await document.fileURL
      try await document.close()
      let text = try FileWrapper(url: url).regularFile(at: "Text.txt").contents()
      guard text == Data(expected.utf8) else {
        throw WrongContents(description: "'\(url.lastPathComponent)' differs from the last save")
      }
    }
  }
}

/// A temporary file, a sync and a rename for each text, and a sync of its folder.
private final class NaiveTexts: Workload {
  private let place: SavePlace
  private let count: Int
  private var text = Data("Begun.\n".utf8)
  private var round = 0

  init(_ count: Int, at place: SavePlace) throws {
    self.place = place
    self.count = count
    let parent = try place.disk.openDirectory(at: place.folder)
    for number in 0..<count { try place.disk.makeDirectory(FileName("\(number)"), in: parent, mode: 0o777) }
    try run()
  }

  var disk: CountingDisk? { place.disk }

  func arrange() {
    round += 1
    text += Data("Round \(round).\n".utf8)
  }

  func run() throws {
    let parent = try place.disk.openDirectory(at: place.folder)
    for number in 0..<count {
      let folder = try place.disk.openDirectory(FileName("\(number)"), in: parent)
      try place.disk.replaceFile("Text.txt", text, in: folder)
      try place.disk.synchronize(folder)
    }
  }

  func verify() throws {
    let parent = try place.disk.openDirectory(at: place.folder)
    for number in 0..<count {
      let folder = try place.disk.openDirectory(FileName("\(number)"), in: parent)
      guard try place.disk.contents(of: "Text.txt", in: folder) == text else {
        throw WrongContents(description: "'\(number)' differs from the last save")
      }
    }
  }
}
