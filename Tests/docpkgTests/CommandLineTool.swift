import Foundation
import SystemPackage

/// The output of a run of the command, and its exit status.
struct Run {
  var output: String
  var errors: String
  var status: Int32
}

/// Runs the `docpkg` of this build.
func docpkg(_ arguments: String..., in folder: FilePath, input: String? = nil) throws -> Run {
  try run(tool, arguments, in: folder, input: input)
}

func run(
  _ program: URL, _ arguments: [String], in folder: FilePath, input: String? = nil,
  environment: [String: String] = [:]
) throws -> Run {
  let process = Process()
  process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
  process.executableURL = program
  process.arguments = arguments
  process.currentDirectoryURL = URL(filePath: folder.string)
  // Files cannot fill up and block the program, unlike pipes.
  let files = try ["out", "err", "in"].map { name in
    let url = URL(filePath: NSTemporaryDirectory() + "docpkg-\(UUID().uuidString).\(name)")
    try Data((name == "in" ? input ?? "" : "").utf8).write(to: url)
    return url
  }
  defer { for file in files { try? FileManager.default.removeItem(at: file) } }
  process.standardOutput = try FileHandle(forWritingTo: files[0])
  process.standardError = try FileHandle(forWritingTo: files[1])
  process.standardInput = try FileHandle(forReadingFrom: files[2])
  try process.run()
  process.waitUntilExit()
  return Run(
    output: String(decoding: try Data(contentsOf: files[0]), as: UTF8.self),
    errors: String(decoding: try Data(contentsOf: files[1]), as: UTF8.self),
    status: process.terminationStatus)
}

/// The command, which stands beside the tests' own program.
let tool = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
  .appending(path: "docpkg")

/// The project's own folder.
let project = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
  .deletingLastPathComponent()

let demo = project.appending(path: "Fixtures/Demo")
