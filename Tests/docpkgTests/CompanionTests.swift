import Foundation
import TestSupport
import Testing

@Suite("A companion", .tags(.process), .temporaryDirectory)
struct CompanionTests {
  /// Makes companions in `folder`, of their names and scripts, and returns an environment whose PATH has the folder.
  private func make(_ companions: [String: String]) throws -> [String: String] {
    let programs = url("programs")
    try FileManager.default.createDirectory(at: programs, withIntermediateDirectories: true)
    for (name, script) in companions {
      // A shell writes the file: see `copyTool`.
      let path = programs.appending(path: "docpkg-\(name)").path
      let made = try Program(path: "/bin/sh").run(
        ["-c", "printf '#!/bin/sh\\n%s\\n' \"$2\" >\"$1\"; chmod 755 \"$1\"", "sh", path, script])
      #expect(made.status == 0)
    }
    return ["PATH": "\(programs.path):/usr/bin:/bin"]
  }

  @Test func `gets its arguments, the input and the output, and gives its exit status`() throws {
    let environment = try make(["mine": #"printf '<%s>' "$0" "$@"; cat; exit 7"#])
    let result = try run(tool, ["mine", "a b", "", "--version"], input: "rain", environment: environment)
    #expect(result.status == 7 && result.errors.isEmpty)
    #expect(result.output.hasSuffix("docpkg-mine><a b><><--version>rain"), "\(result.output)")
  }

  @Test func `gets every byte of an argument that is not UTF-8`() throws {
    let environment = try make(["bytes": #"printf %s "$1" | od -An -tx1"#])
    let result = try shell("\"$0\" bytes \"$(printf 'a\\377b')\"", environment: environment)
    #expect(result.output.contains("61 ff 62"), "\(result.output)\(result.errors)")
  }

  @Test func `is the same process, which signals reach`() throws {
    let signals = [SIGINT, SIGTERM, SIGHUP, SIGPIPE]
    let environment = try make(["wait": "kill -$1 $$; exit 3", "pid": "echo $$ $PPID"])
    for signal in signals {
      let result = try run(tool, ["wait", "\(signal)"], environment: environment)
      #expect(result.signal == signal, "\(signal): \(result)")
    }
    let shell = try shell("echo $$; exec \"$0\" pid", environment: environment)
    let lines = shell.output.split(separator: "\n")
    #expect(lines.count == 2 && lines[1].hasPrefix("\(lines[0]) "), "\(shell.output)\(shell.errors)")
  }

  @Test func `sees that its output is closed`() throws {
    let environment = try make(["closed": "[ -e /proc/$$/fd/1 ] && exit 1; exit 5"])
    let result = try shell("exec \"$0\" closed >&-", environment: environment)
    #expect(result.status == 5, "\(result)")
  }

  @Test func `is found beside the program, also through a symbolic link, and below libexec`() throws {
    _ = try make(["near": "echo near"])
    let script = """
      mkdir -p usr/bin usr/libexec/docpkg links
      cp "$0" usr/bin/docpkg && ln -s ../usr/bin/docpkg links/docpkg
      mv programs/docpkg-near usr/bin; links/docpkg near
      mv usr/bin/docpkg-near usr/libexec/docpkg; links/docpkg near
      """
    let result = try shell(script, environment: ["PATH": "/usr/bin:/bin"])
    #expect(result.output == "near\nnear\n", "\(result.output)\(result.errors)")
  }

  @Test func `takes no command of the program, and a relative folder of PATH brings none`() throws {
    var environment = try make(["tree": "echo mine", "cat": "echo mine", "mine": "echo mine"])
    for name in ["tree", "cat"] {
      #expect(try run(tool, [name, "--help"], environment: environment).output.contains("USAGE"))
    }
    environment["PATH"] = "programs::.:/usr/bin:/bin"
    #expect(try run(tool, ["mine"], environment: environment).status == 64)
  }

  @Test func `is in the help, and has help itself`() throws {
    let environment = try make(["weather": "echo help of \"$@\""])
    let help = try run(tool, ["--help"], environment: environment)
    #expect(help.status == 0 && help.output.hasSuffix("\n  weather\n"), "\(help.output)")
    #expect(help.output.contains("OTHER PROGRAMS:\n  bench                   Measure what"), "\(help.output)")
    let own = try run(tool, ["help", "weather", "sun"], environment: environment)
    #expect(own.output == "help of sun --help\n", "\(own.output)\(own.errors)")
  }

  @Test func `that cannot be run is an error with the reason`() throws {
    let environment = try make([:])
    let script = "printf '#!/nowhere/sh\\n' >programs/docpkg-broken; chmod 755 programs/docpkg-broken"
    #expect(try shell(script).status == 0)
    let result = try run(tool, ["broken"], environment: environment)
    #expect(result.status == 2 && result.errors.contains("docpkg-broken' cannot be run: No such file"))
  }
}
