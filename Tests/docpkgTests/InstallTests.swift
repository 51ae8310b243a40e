import Documents
import Foundation
import ImageNotes
import SystemPackage
import TestSupport
import Testing

@Suite("Installing", .tags(.process), .temporaryDirectory)
struct InstallTests {
  /// Runs a script of `.ci`, which has nothing to complain of.
  private func script(_ name: String, _ arguments: String...) throws {
    let done = try run(Program(path: projectFolder.appending(path: ".ci/\(name)").path), arguments)
    #expect(done.status == 0 && done.errors.isEmpty, "\(done.errors)")
  }

  /// The folder of the built programs.
  private let programs = String(tool.path.dropLast("/docpkg".count))

  /// The paths and bytes below a folder.
  private func listing(_ folder: FilePath) throws -> String {
    let command = "find . | sort; find . -type f -exec sha256sum {} + | sort"
    return try shell(command).output
  }

  @Test func `puts the command, completions and a manual page of each command below a prefix`() throws {
    try script("stage", programs, "stage")
    try script("install", "stage", "", folder.appending("usr").string)
    let version = try run(Program(path: folder.appending("usr/bin/docpkg").string), ["--version"])
    #expect(version.status == 0 && !version.output.isEmpty)
    for name in ["bench", "cloud"] {
      let help = try run(Program(path: folder.appending("usr/bin/docpkg").string), [name, "--help"])
      #expect(help.status == 0 && help.output.contains("USAGE: docpkg \(name)"), "\(name): \(help)")
    }

    let completed = try shell(
      """
      source usr/share/bash-completion/completions/docpkg
      COMP_WORDS=(docpkg verif) COMP_CWORD=1 COMP_LINE='docpkg verif' COMP_POINT=12 COMP_TYPE=9
      _docpkg docpkg verif docpkg; echo "${COMPREPLY[@]}"
      complete_line() {
        COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMP_LINE="$*" COMPREPLY=()
        COMP_POINT=${#COMP_LINE}
        _docpkg docpkg "${@: -1}" "${@: -2:1}"; echo "${COMPREPLY[@]}"
      }
      PATH=$PWD/usr/bin:$PATH
      complete_line docpkg cloud stat
      complete_line docpkg edit --text-f
      """)
    let lines = completed.output.split(separator: "\n")
    #expect(lines == ["verify", "status", "--text-file"], "\(completed.output)\(completed.errors)")
    for file in ["zsh/site-functions/_docpkg", "fish/vendor_completions.d/docpkg.fish"] {
      #expect(try text("usr/share/\(file)").contains("verify"))
    }

    let pages = folder.appending("usr/share/man/man1").string
    let names = try FileManager.default.contentsOfDirectory(atPath: pages)
    for name in ["docpkg", "docpkg-edit", "docpkg-versions-prune", "docpkg-bench-save"] {
      #expect(names.contains("\(name).1"))
    }
    let edit = try String(contentsOfFile: "\(pages)/docpkg-edit.1", encoding: .utf8)
    #expect(
      edit.contains("\n.Nd \"Change a document in one save.\"\n") && edit.contains("A paragraph to add"))
  }

  @Test func `leaves a prefix as it was when it is undone`() throws {
    try script("stage", programs, "stage")
    // Another program's file in a folder of ours, and an empty folder: both stay.
    let other = """
      mkdir -p usr/share/man/man1 usr/share/zsh/site-functions
      echo other > usr/share/man/man1/other.1
      """
    #expect(try shell(other).status == 0)
    let before = try listing(folder)
    let prefix = folder.appending("usr").string
    try script("install", "stage", "", prefix)
    let installed = try listing(folder)
    #expect(installed.contains("./usr/share/icons/hicolor/scalable/mimetypes/application-x-imagenotes.svg\n"))
    // An installation over an installation is the same one.
    try script("install", "stage", "", prefix)
    #expect(try listing(folder) == installed)
    try script("install", "--remove", prefix)
    #expect(try listing(folder) == before)
  }

  @Test func `gives the user's service the full path of the program`() throws {
    try script("stage", programs, "stage")
    let unit = "share/systemd/user/docpkg-cloud@.service"
    let prefix = folder.appending("50% of mine")
    try script("install", "stage", "", prefix.string)
    let installed = try String(contentsOfFile: prefix.appending(unit).string, encoding: .utf8)
    let program = prefix.appending("bin/docpkg").string.replacingOccurrences(of: "%", with: "%%")
    #expect(installed.contains("\nExecStart=\"\(program)\" cloud sync --watch %f\n"))
    // A Debian package has the staged tree in /usr.
    #expect(try text("stage/\(unit)").contains("\nExecStart=/usr/bin/docpkg cloud sync --watch %f\n"))
    if let systemd = Program.installed("systemd-analyze") {
      let path = prefix.appending("share/systemd/user/docpkg-cloud@x.service").string
      #expect(symlink("docpkg-cloud@.service", path) == 0)
      let run = try run(systemd, ["--user", "verify", path])
      #expect(!(run.output + run.errors).contains("docpkg"), "\(run.errors)")
    }
  }

  @Test func `brings the MIME type that the library declares`() throws {
    let file = projectFolder.appending(path: "Share/mime/packages/com.filepackages.imagenotes.xml")
    let text = try String(contentsOf: file, encoding: .utf8)
    for name in UTType.imageNotes.tags[.mimeType] ?? [] { #expect(text.contains("type=\"\(name)\"")) }
    for name in UTType.imageNotes.tags[.filenameExtension] ?? [] { #expect(text.contains("\"*.\(name)\"")) }
  }
}
