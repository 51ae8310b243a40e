import Foundation
import SystemPackage
import TestSupport
import Testing

@Suite("README's commands", .tags(.process), .temporaryDirectory)
struct ReadmeTests {
  /// The commands of the first console block that calls docpkg, each with the lines that README shows below it.
  private func commands() throws -> [(command: String, output: String)] {
    let text = try String(contentsOf: projectFolder.appending(path: "README.md"), encoding: .utf8)
    let blocks = text.components(separatedBy: "```console\n").dropFirst()
      .compactMap { $0.components(separatedBy: "```").first }
    let block = try #require(blocks.first { $0.hasPrefix("$ docpkg") })
    return block.components(separatedBy: "$ ").dropFirst().map { entry in
      let end = entry.firstIndex(of: "\n") ?? entry.endIndex
      return (String(entry[..<end]), String(entry[end...].drop { $0 == "\n" }))
    }
  }

  /// The metadata name the computer, and so their size differs.
  private func withoutSizes(_ text: String) -> String {
    text.replacing(/\d[\d.]* K?B/, with: "SIZE")
  }

  @Test func `print in an empty folder as README shows`() throws {
    let work = folder.appending("empty")
    try FileManager.default.createDirectory(atPath: work.string, withIntermediateDirectories: false)
    let path = URL(filePath: tool.path).deletingLastPathComponent().path
    let commands = try commands()
    #expect(commands.count > 3)
    for (command, output) in commands {
      let done = try shell("PATH='\(path)':$PATH; \(command)", in: work)
      #expect(done.status == 0 && withoutSizes(done.output) == withoutSizes(output), "\(command): \(done)")
    }
  }
}
