import DurableIO
import Foundation
import ObjectStores
import StoreTestSupport
import SystemPackage
import TestSupport
import Testing

/// Runs the `docpkg` of this build in the test's folder.
@discardableResult
func docpkg(_ arguments: String..., in folder: FilePath = folder, input: String? = nil) throws -> Run {
  try run(tool, arguments, in: folder, input: input)
}

/// Runs a program, which reads an empty file if there is no input.
@discardableResult
func run(
  _ program: Program, _ arguments: [String], in folder: FilePath = folder, input: String? = nil,
  environment: [String: String] = [:]
) throws -> Run {
  try program.run(arguments, in: folder, input: input ?? "", environment: environment)
}

/// Runs `docpkg`, which has to succeed, and returns its output.
@discardableResult
func output(_ arguments: [String], at location: SourceLocation = #_sourceLocation) throws -> String {
  let run = try run(tool, arguments)
  #expect(run.status == 0, "\(arguments): \(run.errors)", sourceLocation: location)
  return run.output
}

@discardableResult
func output(_ arguments: String..., at location: SourceLocation = #_sourceLocation) throws -> String {
  try output(arguments, at: location)
}

/// Runs `docpkg`, which has to end with this status and to say these words on standard error.
func expectMessage(
  _ arguments: [String], _ words: String, status: Int32 = 2, at location: SourceLocation = #_sourceLocation
) throws {
  let run = try run(tool, arguments)
  #expect(
    run.status == status && run.errors.contains(words), "\(arguments): \(run)", sourceLocation: location)
}

/// Runs `docpkg cloud`, which has to succeed and to warn of nothing, and returns its output.
@discardableResult
func cloud(_ arguments: [String]) throws -> String {
  let run = try run(tool, ["cloud"] + arguments)
  #expect(run.status == 0 && run.errors.isEmpty, "\(arguments): \(run.errors)")
  return run.output
}

@discardableResult
func cloud(_ arguments: String...) throws -> String { try cloud(arguments) }

/// Runs a script of the shell, in which `$0` is `docpkg`.
@discardableResult
func shell(
  _ script: String, in folder: FilePath = folder, environment: [String: String] = [:]
) throws -> Run {
  try run(Program(path: "/bin/bash"), ["-c", script, tool.path], in: folder, environment: environment)
}

/// Runs a script, in which `$0` is `docpkg`, and each command has to succeed.
func prepare(_ script: String, at location: SourceLocation = #_sourceLocation) throws {
  let run = try shell("set -e; \(script)")
  #expect(run.status == 0, "\(run.errors)", sourceLocation: location)
}

/// Runs `docpkg` beside the test; the program is killed if nothing holds the result any more.
func start(_ arguments: String...) throws -> RunningProgram {
  try tool.start(arguments, in: folder, input: .lines)
}

/// Decodes the JSON that a command has printed.
func decoded<Value: Decodable>(_ run: Run, as type: Value.Type = Value.self) throws -> Value {
  try JSONDecoder().decode(Value.self, from: Data(run.output.utf8))
}

// MARK: The test's folder

/// Writes a file, and makes the folders on the way to it.
func write(_ text: String, to name: String) throws {
  try writeFile(Data(text.utf8), to: URL(filePath: folder.appending(name).string))
}

/// The text of a file.
func text(_ name: String) throws -> String {
  try String(contentsOfFile: folder.appending(name).string, encoding: .utf8)
}

func fileExists(_ name: String) -> Bool {
  FileManager.default.fileExists(atPath: folder.appending(name).string)
}

func makeDirectory(_ name: String) throws {
  try createFolder(at: folder.appending(name))
}

func remove(_ name: String) throws {
  try FileManager.default.removeItem(atPath: folder.appending(name).string)
}

/// The names in a folder.
func names(in name: String = "") throws -> Set<String> {
  try Set(FileManager.default.contentsOfDirectory(atPath: folder.appending(name).string))
}

func write(_ tree: TestTree, to name: FileName, in folder: FilePath = folder) throws {
  try tree.write(to: name, in: PosixDisk().openDirectory(at: folder), of: PosixDisk())
}

func tree(_ name: String) throws -> TestTree { try TestTree.read(folder.appending(name), of: PosixDisk()) }

/// Makes `Book.recipebook`, which has a database with three recipes, three pictures and a file, and saves it twice more.
func makeBook() throws {
  let run = try Program("bookkeeper").run(["Book.recipebook", "0", "2"], in: folder, input: "")
  try #require(run.status == 0, "\(run.output)")
}

extension S3Server {
  /// The environment of a command that has the keys.
  static var environment: [String: String] {
    ["AWS_ACCESS_KEY_ID": credentials.accessKeyID, "AWS_SECRET_ACCESS_KEY": credentials.secretAccessKey]
  }

  /// The arguments of an address on this server.
  var place: [String] { ["s3://\(Self.bucket)/me", "--endpoint", endpoint, "--region", Self.region] }
}

/// A line of `sync --json`.
struct SyncLine: Decodable {
  struct Document: Decodable {
    var name: String
    var events: [String]
  }
  var documents: [Document]
  var requests: Int
  var bytesSent: Int

  func has(_ event: String, of name: String) -> Bool {
    documents.contains { $0.name == name && $0.events.contains(event) }
  }
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

  /// Waits until a condition holds; the test's time limit ends the wait.
  func waits(until condition: () throws -> Bool) async throws {
    while try !condition() {
      try #require(isRunning)
      try await Task.sleep(for: .milliseconds(20))
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

extension Trait where Self == ConditionTrait {
  static var asNobody: Self {
    .enabled(
      if: Program.succeeds("setpriv --reuid 65534 --clear-groups true"), "this needs the right to be nobody")
  }
  static var mounting: Self {
    .enabled(
      if: Program.succeeds("unshare -m mount -t tmpfs tmpfs /mnt"),
      "this needs the right to mount a file system")
  }
  static var onTerminal: Self {
    .enabled(if: Program.succeeds("script -qc true /dev/null"), "this needs a terminal, which 'script' makes")
  }
}
