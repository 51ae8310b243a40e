import ArgumentParser
import Benchmarks
import CloudCommands
import CommandSupport
import FoundationEssentials
import Glibc
import ObjectStores
import SystemPackage

extension Bench {
  struct Cloud: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "cloud",
      abstract: "Measure a container in a store, beside other programs.",
      discussion: """
        All programs run as whole processes, with documents of the same kind. With an S3 service they connect to a \
        port of this command, which forwards to the service: the requests and bytes are those on the wire. With a \
        folder they are the ones that docpkg reports, and only an encrypted container is measured beside it. The service has to be one \
        without encryption, such as a test server on this machine. The command uses a prefix of its own, and removes \
        its objects at the end.

        Tasks:
          first     the first upload of --children children of 4 KiB
          notes     the first upload of as many documents of 1 KiB
          nothing   a sync after which nothing has changed
          child     a sync of one changed child
          database  a sync of a database of --database-size, with one row changed
          deck      six states of a package of 70 MB, which grows by pictures
          list      a new machine lists --documents documents
          travel    an edit, until it is in a document open on another machine

        Without --task, all tasks run. A row of the table of goals is a figure of docpkg, or the ratio of two \
        times of the same rounds, with the range of four fifths of the rounds.

        Examples:
          docpkg bench cloud s3://test --endpoint http://[::1] --against rclone,restic
          docpkg bench cloud /media/disk --task first --against encrypted
          docpkg bench cloud /media/disk --task child --children 1000,100000

        Exit status: 0 done, also if a goal was missed; 1 something became slower than in the report of --compare; 2 failed; \
        64 usage.
        """)

    @Argument(
      help: "The store: s3://bucket/prefix, or the path of a folder that is there.", completion: .directory)
    var address: String

    @OptionGroup var service: ServiceOptions

    @Option(help: ArgumentHelp("The tasks, instead of all.", valueName: "name,…"))
    var task: List<String>?
    @Option(
      help: ArgumentHelp(
        "The programs to measure beside docpkg: rclone, awscli, restic; encrypted is an encrypted container.",
        valueName: "name,…"))
    var against: List<String>?
    @Option(help: ArgumentHelp("The number of children.", valueName: "n,…"))
    var children = List([1_000])
    @Option(help: ArgumentHelp("The bytes of the database; 0 leaves its task out.", valueName: "bytes"))
    var databaseSize = ByteCount(100_000_000)
    @Option(help: ArgumentHelp("The documents that a new machine lists.", valueName: "n"))
    var documents = 10_000

    @OptionGroup var repeats: BenchRounds
    @OptionGroup var options: BenchOptions

    private var otherPrograms: [CloudProgram] {
      (against?.values ?? []).compactMap(CloudProgram.init).filter { $0 != .docpkg }
    }

    private var tasks: [CloudBenchmark.Task] {
      let chosen = task?.values.compactMap(CloudBenchmark.Task.init) ?? CloudBenchmark.Task.allCases
      return chosen.filter { $0 != .database || databaseSize.bytes > 0 }
    }

    func validate() throws {
      try task?.check(CloudBenchmark.Task.allCases.map(\.rawValue), "task")
      try against?.check(CloudProgram.allCases.map(\.rawValue).filter { $0 != "docpkg" }, "program")
      guard children.values.allSatisfy({ (1...1_000_000).contains($0) }) else {
        throw ValidationError("--children have to be 1 to 1,000,000.")
      }
      guard (1...1_000_000).contains(documents) else {
        throw ValidationError("--documents has to be 1 to 1,000,000.")
      }
      guard databaseSize.bytes <= 100_000_000_000 else {
        throw ValidationError("--database-size has to be 0 to 100,000,000,000.")
      }
      do {
        _ = try BenchStore(address, service)  // It only checks the address.
      } catch {
        throw ValidationError("\(error)")
      }
    }

    func run() async throws {
      guard let command = BenchOptions.command else {
        throw InputError(description: "'docpkg' is not beside 'docpkg-bench'.")
      }
      let store = try BenchStore(address, service)
      try await store.check()
      let output = try BenchOutput(options, against: CloudProgram.docpkg.rawValue)
      var benchmark = CloudBenchmark(
        command: command, store: store.place, in: FilePath(options.folder), progress: output.show)
      benchmark.schedule = repeats.schedule(options, normally: 5)
      (benchmark.children, benchmark.documents) = (children.values, documents)
      (benchmark.databaseSize, benchmark.programs) = (databaseSize.bytes, [.docpkg] + otherPrograms)
      let goals: [Goal]
      do {
        goals = try await benchmark.run(tasks)
      } catch {
        try? await store.empty()  // The benchmark's error counts.
        throw error
      }
      output.add(benchmark.results)
      if !options.json {
        var text = StandardOutput()
        text.write("\n" + Goal.table(of: goals))
      }
      output.show("removing the objects")
      try await store.empty()
      output.goals = goals
      try output.finish()
    }
  }
}

/// The store of a benchmark, with a prefix of its own.
private struct BenchStore {
  let place: BenchmarkStore
  /// The store with its prefix; a folder's is its address.
  private let address: StoreAddress

  /// - Throws: `InputError` for an address that is none or is encrypted.
  init(_ text: String, _ service: ServiceOptions) throws {
    let name = "docpkg-bench-\(getpid())"
    address = StoreAddress(text.hasSuffix("/") ? text + name : "\(text)/\(name)", service)
    if let folder = address.folder {
      place = .folder(FilePath(folder))
      return
    }
    try address.check()
    let found = try S3Address(address.text, endpoint: service.endpoint, allowsPlain: service.plain)
    guard !found.isEncrypted else {
      throw InputError(
        description: "The requests to an encrypted service cannot be counted. Give an --endpoint of http.")
    }
    place = .service(
      .init(
        bucket: found.bucket, prefix: found.prefix, host: found.host, port: found.port ?? 80,
        region: service.region, profile: service.profile))
  }

  /// Looks whether the store answers.
  func check() async throws {
    if let folder = address.folder {
      var isFolder = false
      let parent = url(folder).deletingLastPathComponent().path
      guard FileManager.default.fileExists(atPath: parent, isDirectory: &isFolder), isFolder else {
        throw InputError(description: "'\(display(parent))' is no folder. Make it, or mount the disk.")
      }
    } else {
      _ = try await address.open().list("", after: nil, limit: 1)  // Any answer will do.
    }
  }

  /// Removes all objects of the prefix.
  func empty() async throws {
    if let folder = address.folder {
      if FileManager.default.fileExists(atPath: folder) { try FileManager.default.removeItem(atPath: folder) }
      return
    }
    let store = RetryingStore(CountingStore(try address.open()))
    while true {
      let objects = try await store.list("", after: nil, limit: 1_000).objects
      if objects.isEmpty { return }
      try await withThrowingTaskGroup(of: Void.self) { group in
        for (number, object) in objects.enumerated() {
          if number >= 8 { try await group.next() }
          group.addTask { try await store.delete(object.key) }
        }
        try await group.waitForAll()
      }
    }
  }
}
