import Foundation
import SystemPackage
import TestSupport
import Testing

@Suite("Installing", .tags(.process))
struct InstallTests {
  @Test func `puts the command, completions and a manual page of each command below a prefix`() async throws {
    try await withTemporaryDirectory { folder in
      let install = Program(path: project.appending(path: ".ci/install").path)
      let done = try run(install, [tool.path, folder.appending("usr").string], in: folder)
      #expect(done.status == 0 && done.errors.isEmpty, "\(done.errors)")
      let version = try run(
        Program(path: folder.appending("usr/bin/docpkg").string), ["--version"], in: folder)
      #expect(version.status == 0 && !version.output.isEmpty)

      let completed = try run(
        Program(path: "/bin/bash"),
        [
          "-c",
          """
          source usr/share/bash-completion/completions/docpkg
          COMP_WORDS=(docpkg verif) COMP_CWORD=1 COMP_LINE='docpkg verif' COMP_POINT=12 COMP_TYPE=9
          _docpkg docpkg verif docpkg; echo "${COMPREPLY[@]}"
          """,
        ], in: folder)
      #expect(completed.output == "verify\n", "\(completed.output)\(completed.errors)")
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
      #expect(edit.contains("\n.SH NAME\ndocpkg\\-edit \\- Change a document in one save.\n.SH SYNOPSIS\n"))
      #expect(edit.contains("\n.TP\n.B \\-\\-append <append>\nA paragraph to add at the end of the text.\n"))
    }
  }

  @Test(.enabled(if: Program.succeeds("groff --version"), "this needs groff"))
  func `the manual pages are such that groff has nothing to say`() async throws {
    try await withTemporaryDirectory { folder in
      let pages = project.appending(path: ".ci/man-pages").path
      let script = """
        '\(pages)' '\(tool.path)' man
        for page in man/*.1; do groff -k -ww -man -Tutf8 "$page" > /dev/null; done
        """
      let run = try run(Program(path: "/bin/sh"), ["-ec", script], in: folder)
      #expect(run.status == 0 && run.errors.isEmpty, "\(run.errors)")
    }
  }
}
