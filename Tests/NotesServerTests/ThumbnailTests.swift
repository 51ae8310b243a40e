import CDecoder
import Foundation
import Glibc
import SystemPackage
import TestSupport
import Testing

@Suite(
  "A small picture", .tags(.process),
  .enabled(if: ConfinedShell.runs, "Landlock or seccomp cannot be used here, so no decoder runs"))
struct ThumbnailTests {
  @Test(.enabled(if: Program.installed("vipsthumbnail") != nil, "this needs libvips-tools"))
  func `is made of each format that the decoder knows, and is else the whole picture`() async throws {
    let formats = ["png", "jpeg", "gif", "tiff", "heic", "webp", "bmp"]
    try await ServeFixture.with(prepare: { fixture in
      for format in formats {
        let name = format == "webp" ? "ridge-lossy.webp" : "ridge.\(format)"
        try fixture.docpkg(
          "new", "\(format).imageNotes", "--text", format, "--image",
          projectFolder.appending(path: "Fixtures/Images/\(name)").path, "--quiet")
      }
      // A picture whose header alone is good.
      try fixture.shell(
        "cp -r png.imageNotes broken.imageNotes; truncate -s 60 broken.imageNotes/Images/*.png")
      try fixture.docpkg(
        "new", "large.imageNotes", "--text", "large", "--image",
        projectFolder.appending(path: "Fixtures/Demo/Dawn.png").path, "--quiet")
    }) { fixture in
      let visitor = try await Visitor(fixture)
      for name in formats + ["broken", "large"] {
        let id = try await visitor.id(of: name)
        let details = try await visitor.post("/api/library/details", ["ids": .array([.string(id)])]).value
        let address = try #require(details["details"][id]["thumbnail"].string, "\(name): \(details)")
        let (small, whole) = (
          try await visitor.ask("GET", address),
          try await visitor.ask("GET", address.replacing("&small=1", with: ""))
        )
        let isDecoded = !["bmp", "broken"].contains(name)
        #expect(small.status == 200 && whole.status == 200, "\(name)")
        #expect((small.field("content-type") == "image/webp") == (isDecoded || name == "webp"), "\(name)")
        #expect((small.body == whole.body) != isDecoded, "\(name)")
        if name == "large" { #expect(small.body.count * 50 < whole.body.count) }
        #expect(small.field("cache-control") == "private, max-age=31536000, immutable")
      }
    }
  }

  @Test func `has a decoder that reads and writes no file, opens no socket, and signals nobody`() async throws
  {
    try await withTemporaryDirectory { folder in
      let secret = folder.appending("secret").string
      try Data("secret".utf8).write(to: URL(filePath: secret))
      let attempts = [
        "read line <\(secret)", "ls \(folder)", ": >\(folder)/new", ": >>\(secret)", "rm -f \(secret)",
        "exec 3<>/dev/tcp/127.0.0.1/9", "kill -0 \(getpid())", "read line </etc/passwd",
        "read line </proc/1/status",
      ]
      let script = attempts.map { "(\($0)) 2>&1 && echo done" }.joined(separator: "; ") + "; echo end"
      let said = try #require(try await waiting { ConfinedShell.said(script) })
      #expect(!said.contains("done"), "\(said)")
      #expect(said.hasSuffix("end\n"), "\(said)")
      let refusals = said.split(separator: "\n").dropLast()
      #expect(refusals.count >= attempts.count)
      #expect(
        refusals.allSatisfy { $0.contains("Permission denied") || $0.contains("Operation not permitted") },
        "\(said)")
      #expect(try String(contentsOfFile: secret, encoding: .utf8) == "secret")
      // The programs of the system are there.
      #expect(try await waiting { ConfinedShell.said("ls /usr >&2 && echo runs") } == "runs\n")
    }
  }
}

/// A shell that is confined as a decoder is.
private enum ConfinedShell {
  static let runs = said("echo runs") == "runs\n"

  /// Returns the output of a script; nil if it fails.
  static func said(_ script: String) -> String? {
    var ends: [Int32] = [-1, -1]
    guard cdecoder_is_available() != 0, pipe(&ends) == 0 else { return nil }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    let input = open("/dev/null", O_RDONLY | O_CLOEXEC)
    func strings(_ values: String...) -> [UnsafeMutablePointer<CChar>?] { values.map { strdup($0) } + [nil] }
    let (arguments, environment) = (strings("bash", "-c", script), strings("LC_ALL=C"))
    defer { for string in arguments + environment { free(string) } }
    let process = cdecoder_start("/usr/bin/bash", arguments, environment, input, ends[1])
    close(input)
    close(ends[1])
    let output = FileHandle(fileDescriptor: ends[0], closeOnDealloc: true)
    guard process > 0, let bytes = try? output.readToEnd() else { return nil }
    var status: Int32 = 0
    waitpid(process, &status, 0)
    return status == 0 ? String(decoding: bytes, as: UTF8.self) : nil
  }
}
