import Documents
import Foundation
import ImageNotes
import SystemPackage
import TestSupport
import Testing

@Suite("Installing", .tags(.process))
struct InstallTests {
  /// Runs a script of `.ci`, which has nothing to complain of.
  private func script(_ name: String, _ arguments: String..., in folder: FilePath) throws {
    let done = try run(
      Program(path: projectFolder.appending(path: ".ci/\(name)").path), arguments, in: folder)
    #expect(done.status == 0 && done.errors.isEmpty, "\(done.errors)")
  }

  /// The folder of the built programs.
  private let programs = String(tool.path.dropLast("/docpkg".count))

  /// The paths and bytes below a folder.
  private func listing(_ folder: FilePath) throws -> String {
    let command = "find . | sort; find . -type f -exec sha256sum {} + | sort"
    return try run(Program(path: "/bin/sh"), ["-c", command], in: folder).output
  }

  @Test func `puts the command, completions and a manual page of each command below a prefix`() async throws {
    try await withTemporaryDirectory { folder in
      try script("stage", programs, "stage", in: folder)
      try script("install", "stage", "", folder.appending("usr").string, in: folder)
      let version = try run(
        Program(path: folder.appending("usr/bin/docpkg").string), ["--version"], in: folder)
      #expect(version.status == 0 && !version.output.isEmpty)
      for name in ["bench", "cloud", "serve"] {
        let help = try run(
          Program(path: folder.appending("usr/bin/docpkg").string), [name, "--help"], in: folder)
        #expect(help.status == 0 && help.output.contains("USAGE: docpkg \(name)"), "\(name): \(help)")
      }

      let completed = try run(
        Program(path: "/bin/bash"),
        [
          "-c",
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
          docpkg new 'My Trip.imageNotes' --text one -q; docpkg edit 'My Trip.imageNotes' --append two -q
          complete_line docpkg help ver
          complete_line docpkg cloud stat
          complete_line docpkg cat 'My\\ Trip.imageNotes' ''
          complete_line docpkg edit "'My Trip.imageNotes'" --remove Te
          complete_line docpkg restore 'My\\ Trip.imageNotes' --version ''
          docpkg versions 'My Trip.imageNotes' | sed -n '2s/^  \\([^ ]*\\).*/\\1/p'
          """,
        ], in: folder)
      let lines = completed.output.split(separator: "\n")
      #expect(
        lines.prefix(5) == ["verify", "versions verify", "status", "Metadata.plist Text.txt", "Text.txt"],
        "\(completed.output)\(completed.errors)")
      #expect(lines.count == 7 && lines[5] == lines[6], "\(completed.output)")
      for file in ["zsh/site-functions/_docpkg", "fish/vendor_completions.d/docpkg.fish"] {
        let script = try String(contentsOfFile: folder.appending("usr/share/\(file)").string, encoding: .utf8)
        #expect(script.contains("verify"))
      }

      let pages = folder.appending("usr/share/man/man1").string
      let names = try FileManager.default.contentsOfDirectory(atPath: pages)
      for name in ["docpkg", "docpkg-edit", "docpkg-versions-prune", "docpkg-bench-save"] {
        #expect(names.contains("\(name).1"))
      }
      let edit = try String(contentsOfFile: "\(pages)/docpkg-edit.1", encoding: .utf8)
      #expect(edit.contains("\n.Sh NAME\n.Nm docpkg-edit\n.Nd Change a document in one save\n.Sh SYNOPSIS\n"))
      #expect(edit.contains("\n.It Fl -append Ar append\nA paragraph to add at the end of the text.\n"))
      #expect(edit.contains("\n.Sh SYNOPSIS\n.Nm docpkg\n.Cm edit\n"))
      #expect(edit.contains("\n.Oo Fl -add-image Ar add-image Oc ...\n") && !edit.contains("Ar add-image..."))
      #expect(edit.contains("\n.It Pa DOCUMENT/.docpkg\n") && edit.contains("\n.Xr docpkg-undo 1"))
      let export = try String(contentsOfFile: "\(pages)/docpkg-export.1", encoding: .utf8)
      #expect(export.contains("\n.Sh ENVIRONMENT\n.Bl -tag -width 6n\n.It Ev DOCPKG_PASSPHRASE\n"))
      #expect(!edit.contains("DOCPKG_PASSPHRASE\n"))
      let first = try String(contentsOfFile: "\(pages)/docpkg.1", encoding: .utf8)
      #expect(first.contains("\n.It Ev AWS_PROFILE\n"))
      #expect(first.contains("\n.It Xr docpkg-versions-prune 1\nRemove versions by the retention policy.\n"))
    }
  }

  @Test func `leaves a prefix as it was when it is undone`() async throws {
    try await withTemporaryDirectory { folder in
      try script("stage", programs, "stage", in: folder)
      // Another program's file in a folder of ours, and an empty folder: both stay.
      let other = """
        mkdir -p usr/share/man/man1 usr/share/zsh/site-functions
        echo other > usr/share/man/man1/other.1
        """
      #expect(try run(Program(path: "/bin/sh"), ["-c", other], in: folder).status == 0)
      let before = try listing(folder)
      let prefix = folder.appending("usr").string
      try script("install", "stage", "", prefix, in: folder)
      let installed = try listing(folder)
      #expect(
        installed.contains("./usr/share/icons/hicolor/scalable/mimetypes/application-x-imagenotes.svg\n"))
      // An installation over an installation is the same one.
      try script("install", "stage", "", prefix, in: folder)
      #expect(try listing(folder) == installed)
      try script("install", "--remove", "stage", "", prefix, in: folder)
      #expect(try listing(folder) == before)
    }
  }

  @Test func `gives the user's service the full path of the program`() async throws {
    try await withTemporaryDirectory { folder in
      try script("stage", programs, "stage", in: folder)
      let unit = "share/systemd/user/docpkg-cloud@.service"
      let prefix = folder.appending("50% of mine")
      try script("install", "stage", "", prefix.string, in: folder)
      let installed = try String(contentsOfFile: prefix.appending(unit).string, encoding: .utf8)
      let program = prefix.appending("bin/docpkg").string.replacingOccurrences(of: "%", with: "%%")
      #expect(installed.contains("\nExecStart=\"\(program)\" cloud sync --watch %f\n"))
      // A Debian package has the staged tree in /usr.
      let staged = try String(contentsOfFile: folder.appending("stage/\(unit)").string, encoding: .utf8)
      #expect(staged.contains("\nExecStart=/usr/bin/docpkg cloud sync --watch %f\n"))
      if let systemd = Program.installed("systemd-analyze") {
        let path = prefix.appending("share/systemd/user/docpkg-cloud@x.service").string
        #expect(symlink("docpkg-cloud@.service", path) == 0)
        let run = try run(systemd, ["--user", "verify", path], in: folder)
        #expect(!(run.output + run.errors).contains("docpkg"), "\(run.errors)")
      }
    }
  }

  @Test func `brings the MIME type that the library declares`() throws {
    let file = projectFolder.appending(path: "Share/mime/packages/com.filepackages.imagenotes.xml")
    #expect(try String(contentsOf: file, encoding: .utf8) == UTType.freedesktopPackage(for: [.imageNotes]))
  }

  @Test(.enabled(if: Program.succeeds("groff --version"), "this needs groff"))
  func `the manual pages are such that groff has nothing to say`() async throws {
    try await withTemporaryDirectory { folder in
      let pages = projectFolder.appending(path: ".ci/man-pages").path
      let script = """
        '\(pages)' '\(tool.path)-reference' man
        for page in man/*.1; do groff -k -ww -mandoc -Tutf8 "$page" > /dev/null; done
        """
      let run = try run(Program(path: "/bin/sh"), ["-ec", script], in: folder)
      #expect(run.status == 0 && run.errors.isEmpty, "\(run.errors)")
    }
  }
}
