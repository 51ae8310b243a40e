import SystemPackage

/// Work that one command line does, as a whole process.
struct CommandWorkload {
  /// The name in tables.
  var name: String
  /// The program and its arguments; it starts in the benchmark's folder.
  var program: String
  var arguments: [String]
  /// Prepares a run; not measured.
  var arrange: () throws -> Void = {}
  /// Compares the result of a run with the expected one.
  var verify: () throws -> Void
  var durable = false
}

extension CommandWorkload {
  /// Makes a trial of the command.
  ///
  /// - Parameter folder: the folder in which the program starts.
  func trial(_ work: Work, in folder: FilePath) async -> Trial {
    await Trial(Measurement(work, strategy: name, durable: durable)) {
      Runner(self, ChildProcess(directory: folder.string))
    }
  }

  private final class Runner: Workload {
    private let command: CommandWorkload
    private let process: ChildProcess

    init(_ command: CommandWorkload, _ process: ChildProcess) {
      self.command = command
      self.process = process
    }

    func arrange() throws { try command.arrange() }
    func run() throws { try process.run(command.program, command.arguments) }
    /// All commands write to the same place, so this runs the command again before it compares.
    func verify() throws {
      try arrange()
      try run()
      try command.verify()
    }
  }
}
