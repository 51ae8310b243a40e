import Foundation
import SystemPackage
import TestSupport
import Testing

/// Runs the `docpkg` of this build.
func docpkg(_ arguments: String..., in folder: FilePath, input: String? = nil) throws -> Run {
  try run(tool, arguments, in: folder, input: input)
}

/// Runs a program, which reads an empty file if there is no input.
func run(
  _ program: Program, _ arguments: [String], in folder: FilePath, input: String? = nil,
  environment: [String: String] = [:]
) throws -> Run {
  try program.run(arguments, in: folder, input: input ?? "", environment: environment)
}

/// Runs `docpkg` beside the test; the program is killed if nothing holds the result any more.
func start(_ arguments: String..., in folder: FilePath) throws -> RunningProgram {
  try tool.start(arguments, in: folder, input: .lines)
}

extension RunningProgram {
  /// The whole lines of JSON that the program has printed so far.
  func lines<Line: Decodable>(_ type: Line.Type = Line.self) throws -> [Line] {
    let written = output
    guard let end = written.lastIndex(of: UInt8(ascii: "\n")) else { return [] }
    return try written[..<end].split(separator: UInt8(ascii: "\n")).map {
      try JSONDecoder().decode(Line.self, from: $0)
    }
  }

  /// Calls `body` again and again until there is such a line; without one the test's time limit ends the wait.
  @discardableResult
  func waits<Line: Decodable>(
    for condition: (Line) -> Bool, while body: () throws -> Void = {}
  ) async throws -> Line {
    while true {
      if let line = try lines(Line.self).first(where: condition) { return line }
      try #require(isRunning)
      try body()
      try await Task.sleep(for: .milliseconds(50))
    }
  }
}

let tool = Program("docpkg")

/// The program that lists an archive, which the build's packages have.
let bsdtar = Program(path: "/usr/bin/bsdtar")

/// The names of the companions of `docpkg`.
let companions = ["full"]

/// Copies `docpkg` and its companions into a folder that every user may read.
///
/// `cp` copies it. A copy by this process would be open for writing in each program that another test starts meanwhile,
/// and the system then refuses to run it.
func copyTool(into folder: FilePath) throws -> FilePath {
  let programs = [tool.path] + companions.map { "\(tool.path)-\($0)" }
  #expect(try Program(path: "/bin/cp").run(programs + [folder.string]).status == 0)
  return folder.appending("docpkg")
}

let demo = projectFolder.appending(path: "Fixtures/Demo")
