import SystemPackage

/// Work that one command line does, as a whole process.
struct CommandContender {
  /// The name in tables.
  var name: String
  /// The program and its arguments, started in the benchmark's folder.
  var program: String
  var arguments: [String]
  /// What is done before, not measured.
  var arrange: () throws -> Void = {}
  /// Compares what it made with what it should be.
  var verify: () throws -> Void
  var durable = false
}

extension CommandContender {
  /// Takes part with others.
  ///
  /// - Parameter folder: where the program is started.
  func entrant(_ work: Work, in folder: FilePath) async -> Entrant {
    await Entrant(Measurement(work, strategy: name, durable: durable)) {
      Runner(self, ChildProcess(directory: folder.string))
    }
  }

  private final class Runner: Contender {
    private let command: CommandContender
    private let process: ChildProcess

    init(_ command: CommandContender, _ process: ChildProcess) {
      self.command = command
      self.process = process
    }

    func arrange() throws { try command.arrange() }
    func run() throws { try process.run(command.program, command.arguments) }
    /// All of them write to one place: what is compared has to be what this one wrote.
    func verify() throws {
      try arrange()
      try run()
      try command.verify()
    }
  }
}
