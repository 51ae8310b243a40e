import DurableIO
import Foundation
import SystemPackage
import TestSupport
import Testing

@Suite("docpkg with other programs' formats", .tags(.process), .temporaryDirectory)
struct InterchangeCommandTests {
  private func bundle(_ text: String, named name: FileName = "T.textbundle") throws {
    let picture = [UInt8](try Data(contentsOf: projectFolder.appending(path: "Fixtures/Images/ridge.png")))
    let tree: TestTree = [
      "info.json": #"{"version": 2, "com.example": {"a": 1}}"#, "text.md": .file(Array(text.utf8)),
      "assets": ["ridge 1.png": .file(picture), "e.pdf": "%PDF-"],
    ]
    try tree.write(to: name, in: PosixDisk().openDirectory(at: folder), of: PosixDisk())
  }

  private static let text = "# Walk\n\n![Peak](assets/ridge%201.png) [map](assets/e.pdf)\n"
  private static let identity =
    "docpkg: note: the format does not hold: the identifier, the dates and the versions\n"

  @Test func `imports a TextBundle and exports it as it was`() throws {
    try bundle(Self.text)
    let imported = try docpkg("import", "T.textbundle", "T.imageNotes")
    #expect(imported.status == 0 && imported.errors.isEmpty, "\(imported.errors)")
    #expect(imported.output.hasPrefix("T.imageNotes: TextBundle, 1 image, 1 attachment, wrote 8 children ("))
    let shown = try docpkg("show", "T.imageNotes").output
    #expect(shown.contains("![Peak](Images/ridge%201.png) [map](Attachments/e.pdf)\n"))
    #expect(shown.contains("ridge 1.png  png, 61 × 37") && shown.hasSuffix("“Peak”\n"))
    try output("verify", "T.imageNotes")

    let exported = try docpkg("export", "T.imageNotes", "Back.textbundle")
    #expect(exported.status == 0 && exported.errors == Self.identity, "\(exported.errors)")
    #expect(
      exported.output.hasPrefix("Back.textbundle: TextBundle, 1 image, 1 attachment, wrote 4 children ("))
    #expect(try tree("Back.textbundle") == tree("T.textbundle"))
    try expectMessage(["export", "T.imageNotes", "Back.textbundle"], "Back.textbundle")
  }

  @Test func `replaces nothing at a name that it made, and reads a folder, of any name`() throws {
    let result = try shell(
      """
      "$0" new $'H\\xe9.imageNotes' --text x -q; mkdir out; echo mine > $'out/H\\xe9.html'
      "$0" export $'H\\xe9.imageNotes' out --as html 2> errors || echo $?
      cat out/*.html; grep -c 'exists already' errors
      mkdir $'F\\xe9'; echo walk > $'F\\xe9/a.md'; "$0" import $'F\\xe9' F.imageNotes -q; "$0" cat F.imageNotes Text.txt
      """)
    #expect(result.output == "2\nmine\n1\nwalk\n", "\(result.output)\(result.errors)")
  }

  @Test func `packs a TextPack and unpacks it`() throws {
    try bundle(Self.text)
    try output("import", "T.textbundle", "T.imageNotes")
    #expect(try docpkg("export", "T.imageNotes", "Trip.textpack", "--quiet").errors.isEmpty)
    let listed = try run(bsdtar, ["-tf", "Trip.textpack"]).output
    #expect(
      Set(listed.split(separator: "\n")) == [
        "Trip.textbundle/", "Trip.textbundle/assets/", "Trip.textbundle/assets/e.pdf",
        "Trip.textbundle/assets/ridge 1.png", "Trip.textbundle/info.json", "Trip.textbundle/text.md",
      ])
    // The name of the new document decides: a TextBundle is the archive's own folder.
    try output("import", "Trip.textpack", "U.textbundle")
    #expect(try tree("U.textbundle") == tree("T.textbundle"))
    try output("import", "Trip.textpack", "U.imageNotes")
    #expect(
      try docpkg("show", "U.imageNotes", "--json").output
        == docpkg("show", "T.imageNotes", "--json").output)
    try Data(contentsOf: url("Trip.textpack")).write(to: url("Note.bearnote"))
    try output("import", "Note.bearnote", "Bear.imageNotes")
    let piped = try shell(
      "$0 export T.imageNotes - --as textpack -q | $0 import - P.imageNotes --from textpack")
    #expect(piped.status == 0 && piped.output.hasPrefix("P.imageNotes: TextPack, 1 image"), "\(piped.errors)")
    // Standard input begins where the program before has ended.
    let rest = try shell(
      "{ echo first; cat Trip.textpack; } > both; { dd bs=6 count=1 status=none; "
        + "$0 import - R.imageNotes --from textpack; } < both")
    #expect(rest.status == 0 && rest.output.hasPrefix("first\nR.imageNotes: TextPack"), "\(rest.errors)")
  }

  @Test func `reports in JSON, and plans without a change`() throws {
    struct Report: Decodable, Equatable {
      var path: String
      var format: String
      var images: Int
      var attachments: Int
      var written: [String]
      var remarks: [String]
    }
    try bundle("No names")
    #expect(
      try output("import", "T.textbundle", "T.imageNotes", "--dry-run").hasPrefix("make T.imageNotes\n"))
    #expect(try tree("").entries.count == 1)
    let json = try docpkg("import", "T.textbundle", "T.imageNotes", "--json")
    let report: Report = try decoded(json)
    #expect(
      report
        == Report(
          path: "T.imageNotes", format: "textbundle", images: 1, attachments: 1,
          written: [
            "Attachments", "Attachments/e.pdf", "Images", "Images/ridge 1.png", "Metadata.plist",
            "Text.txt",
            "info.json",
          ], remarks: []))
    let plan = try docpkg("export", "T.imageNotes", "Out.textbundle", "--dry-run")
    #expect(plan.output == "write assets/e.pdf\nwrite assets/ridge 1.png\nwrite info.json\nwrite text.md\n")
    #expect(
      plan.errors == "docpkg: note: the text does not name 1 image: it is shown at the end\n"
        + Self.identity)
    let written: Report = try decoded(docpkg("export", "T.imageNotes", "Out.textbundle", "--json"))
    #expect(written.remarks.count == 2 && written.written.count == 4)
  }

  @Test func `names each child that an export leaves out, also in a plan, in JSON, and of a TextBundle`()
    throws
  {
    struct Report: Decodable {
      var leftOut: [String]
      var remarks: [String]
    }
    try bundle("[e](assets/e.pdf)")
    try ("other" as TestTree).write(
      to: "o.txt", in: PosixDisk().openDirectory(at: folder.appending("T.textbundle")), of: PosixDisk())
    try output("import", "T.textbundle", "T.imageNotes", "-q")
    let edit = ["edit", "T.imageNotes", "--set", "Heights.txt=T.textbundle/o.txt", "-q"]
    #expect(try run(tool, edit).status == 0)
    let note = "is left out"
    for (name, path) in [("T.imageNotes", "Heights.txt"), ("T.textbundle", "o.txt")] {
      for options in [["--dry-run"], []] {
        for format in ["textpack", "html"] {
          let arguments = ["export", name, "Out.\(format)", "--as", format, "--json"] + options
          let exported = try run(tool, arguments)
          let report: Report = try decoded(exported)
          #expect(report.leftOut == [path], "\(arguments)")
          #expect(report.remarks.contains { $0.contains("'\(path)' \(note)") })
          #expect(exported.errors.contains("note: '\(path)' \(note)") && exported.status == 0)
        }
      }
    }
  }

  @Test func `exports a TextBundle itself, and puts the result into a folder, as cp does`() throws {
    try bundle(Self.text)
    try ([:] as TestTree).write(to: "Out", in: PosixDisk().openDirectory(at: folder), of: PosixDisk())
    let page = try docpkg("export", "T.textbundle", "T.html", "--quiet")
    #expect(page.status == 0 && page.output.isEmpty && page.errors.isEmpty, "\(page.errors)")
    try output("export", "T.textbundle", "Out", "--as", "markdown")
    try output("export", "T.textbundle", "Out", "--as", "textpack")
    let out = try tree("Out")
    #expect(Set(out.entries.keys) == ["T", "T.textpack"])
    #expect(out["T"]?["T.md"] == .file(Array(Self.text.utf8)))
    // A page is replaced, a folder is not.
    let piped = try docpkg("export", "T.textbundle", "-", "--as", "html")
    try output("export", "T.textbundle", "T.html", "-q")
    #expect(try tree("")["T.html"] == .file(Array(piped.output.utf8)))
    #expect(try docpkg("export", "T.textbundle", "Out", "--as", "markdown").status == 2)
    try output("import", "Out/T/T.md", "U.imageNotes")
    #expect(try docpkg("show", "U.imageNotes").output.contains("[map](Attachments/e.pdf)"))
  }

  @Test func `with a passphrase in the environment says that it cannot encrypt`() throws {
    try bundle(Self.text)
    let passphrase = ["DOCPKG_PASSPHRASE": "sesame"]
    for name in ["T.html", "T.textpack"] {
      let arguments = ["export", "T.textbundle", name, "--as", name.replacing("T.", with: "")]
      let refused = try run(tool, arguments, environment: passphrase)
      #expect(refused.status == 64)
      #expect(
        refused.errors.contains("cannot be encrypted; DOCPKG_PASSPHRASE is set: unset it."),
        "\(refused.errors)")
      try output(arguments)
    }
    try output("import", "T.textpack", "T.imageNotes")
    try expectMessage(["export", "T.imageNotes", "T.imageNotes/T.html"], "would be in the package")
  }

  @Test func `keeps the words of an image that is missing or lies outside`() throws {
    try bundle("a\n![](assets/none.png)", named: "M.textbundle")
    let kept = try docpkg("import", "M.textbundle", "M.imageNotes")
    #expect(kept.errors == "docpkg: note: the image 'assets/none.png' is missing; the text keeps its words\n")
    #expect(kept.status == 0)
    let exported = try docpkg("export", "M.imageNotes", "M", "--as", "markdown")
    #expect(exported.errors.contains("'assets/none.png' is missing") && exported.status == 0)
    try output("import", "M", "Again.imageNotes", "--from", "markdown")
    #expect(try docpkg("cat", "Again.imageNotes", "Text.txt").output.hasPrefix("a\n![](assets/none.png)"))
    for name in ["M.textbundle", "M.imageNotes", "M", "Again.imageNotes"] {
      try remove(name)
    }
    try bundle("a\n![](../none.png) ![](assets/ridge%201.png)")
    let outside = try docpkg("import", "T.textbundle", "T.imageNotes")
    #expect(outside.errors.contains("note: the image '../none.png' lies outside of the folder"))
    #expect(outside.status == 0 && outside.output.contains("1 image"))
    let text = ["import", "T.textbundle/text.md", "--root"]
    let root = try run(tool, text + [".", "R.imageNotes"])
    #expect(root.status == 0 && root.errors.contains("'../none.png' is missing"), "\(root)")
    try expectMessage(text + ["T.imageNotes", "S.imageNotes"], "is not in the folder 'T.imageNotes'")
    try expectMessage(
      ["import", ".", "S.imageNotes", "--root", "."], "'--root' is for the file of a Markdown text")
    for name in ["T.imageNotes", "R.imageNotes"] {
      try remove(name)
    }
    try bundle("x", named: "T.imageNotes.textbundle")
    try expectMessage(["import", "T.imageNotes.textbundle", "T.png"], "has the extension of another type")
    #expect(try tree("").entries.count == 2)
  }

  @Test(arguments: ["zip", "tar.gz"])
  func `makes of an archive no document of a kind that it is not`(format: String) throws {
    try bundle(Self.text)
    let script = """
      set -e; mkdir N; printf '![](p.png)' > N/N.md; cp T.textbundle/assets/*.png N/p.png
      mkdir -p M/Images; printf '![](Images/p.png)' > M/M.md; cp N/p.png M/Images
      mkdir R; echo other > R/Recipes.db; touch R/Metadata.plist
      "$0" new A.imageNotes --text a -q; "$0" new B.imageNotes --text b -q
      for i in T.textbundle N M R "A.imageNotes B.imageNotes" A.imageNotes; do
        bsdtar -a -cf "${i%% *}$(echo $i | wc -w).\(format)" $i
      done
      """
    let made = try shell(script)
    #expect(made.status == 0, "\(made.errors)")
    let bundle = try docpkg("import", "T.textbundle1.\(format)", "T.imageNotes")
    #expect(bundle.output.hasPrefix("T.imageNotes: TextBundle, 1 image, 1 attachment, wrote"), "\(bundle)")
    let notes = try docpkg("import", "N1.\(format)", "N.imageNotes")
    #expect(notes.output.hasPrefix("N.imageNotes: Markdown, 1 image, wrote"), "\(notes)")
    let folders = try docpkg("import", "M1.\(format)", "M.imageNotes")
    #expect(folders.output.hasPrefix("M.imageNotes: Markdown, 1 image, wrote"), "\(folders)")
    for (archive, name) in [
      ("A.imageNotes2", "C.imageNotes"), ("R1", "C.imageNotes"), ("A.imageNotes1", "C.textbundle"),
    ] {
      for options in [[], ["--dry-run"]] {
        let refused = try run(tool, ["import", "\(archive).\(format)", name] + options)
        #expect(
          refused.status == 2 && refused.errors.contains("'\(name)' cannot be made: the archive has no"))
        #expect(refused.errors.contains("Choose a name with another extension."), "\(refused)")
      }
    }
    let names = try tree("").entries.keys
    #expect(!names.contains("C.imageNotes") && !names.contains("C.textbundle"))
    try output("import", "A.imageNotes2.\(format)", "Both")
    try output("import", "A.imageNotes1.\(format)", "D.imageNotes")
  }

  @Test(arguments: [
    ("a.html", "'pandoc page.html -o page.md'"), ("b.bear2bk", "Unpack it with 'unzip'"),
  ])
  func `names the program that makes an input readable`(name: String, program: String) throws {
    try ("<p>a" as TestTree).write(
      to: FileName(name), in: PosixDisk().openDirectory(at: folder), of: PosixDisk())
    try expectMessage(["import", name, "T.imageNotes"], program)
    #expect(try tree("").entries.count == 1)
  }

  @Test(arguments: [
    (["export", "T.imageNotes", "x", "--as", "rtfd"], "RTFD can only be read."),
    (
      ["export", "T.imageNotes", "x", "--as", "textpack", "--format", "zip"],
      "--as and --format exclude each other."
    ),
    (
      ["export", "T.imageNotes", "-", "--as", "textbundle"],
      "TextBundle is a folder, which standard output cannot hold."
    ),
    (["export", "T.imageNotes", "x.textbundle", "--level", "3"], "TextBundle has no --level"),
    (["export", "T.imageNotes", "x.md"], "Markdown is a folder: give --as markdown and a name without"),
    (["export", "T.imageNotes", "x.textpack", "--update"], "TextPack has no --update"),
    (["import", "x", "y", "--from", "word"], "word"),
  ])
  func `takes no options that exclude each other`(arguments: [String], message: String) throws {
    try expectMessage(arguments, message, status: 64)
  }
}
