import FilePackages
import FoundationEssentials
import ImageNotes
import Testing

@Suite("Documents as other programs write them")
struct OtherProgramsTests {
  private typealias Fixture = InterchangeFixture

  /// A document as one program writes it: the text's name, the keys, the text.
  struct Program: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let textName: String
    let info: String
    let text: String
    let expected: String
    let captions: [String]
  }

  static let programs = [
    Program(
      testDescription: "Bear", textName: "text.markdown",
      info: #"""
        {
          "transient" : true,
          "type" : "net.daringfireball.markdown",
          "creatorIdentifier" : "net.shinyfrog.bear",
          "net.shinyfrog.bear" : {
            "modificationDate" : "2023-05-10T08:11:02Z",
            "creationDate" : "2023-05-09T18:40:57Z",
            "pinnedInTagsList" : [ ],
            "trashed" : 0,
            "archived" : 0,
            "pinned" : 0,
            "bear-note-unique-identifier" : "6F1C0F2B-5B8E-4C7D-9D2A-3A54F2C1B0AA",
            "lastEditingDevice" : "Mac"
          },
          "version" : 2
        }
        """#,
      text:
        "# Ridge walk\n#trips/alps\n\n![](assets/Ridge%20at%20dawn.png)<!-- {\"width\":343} -->\n\n- [ ] Map\n",
      expected:
        "# Ridge walk\n#trips/alps\n\n![](Images/Ridge%20at%20dawn.png)<!-- {\"width\":343} -->\n\n- [ ] Map\n",
      captions: ["", ""]),
    Program(
      testDescription: "Bear's own markup, in a note or backup", textName: "text.txt",
      info: #"""
        {"version":2,"type":"public.plain-text","transient":true,
         "net.shinyfrog.bear":{"uniqueIdentifier":"A-1","archived":false,"trashed":false,"pinned":true}}
        """#,
      text: "# Ridge walk\n[assets/Ridge at dawn.png]\n::marked::\n",
      expected: "# Ridge walk\n[Images/Ridge at dawn.png]\n::marked::\n", captions: ["", ""]),
    Program(
      testDescription: "Ulysses", textName: "text.md",
      info: #"""
        {
          "creatorURL" : "file:\/\/\/Applications\/UlyssesMac.app\/",
          "transient" : false,
          "type" : "net.daringfireball.markdown",
          "creatorIdentifier" : "com.ulyssesapp.mac",
          "version" : 2
        }
        """#,
      text:
        "# Ridge walk\n\n![Dawn][image-1]\n\nAt *noon*.\n\n[image-1]:\tassets/Ridge%20at%20dawn.png \"Dawn\"\n",
      expected:
        "# Ridge walk\n\n![Dawn][image-1]\n\nAt *noon*.\n\n[image-1]:\tImages/Ridge%20at%20dawn.png \"Dawn\"\n",
      captions: ["Dawn", ""]),
    Program(
      testDescription: "iA Writer and Marked", textName: "text.md",
      info:
        #"{"version":2,"type":"net.daringfireball.markdown","transient":false,"sourceURL":"file:///a/Walk.md"}"#,
      text: "---\ntitle: Walk\n---\n![Dawn](<assets/Ridge at dawn.png> \"The ridge\")\n",
      expected: "---\ntitle: Walk\n---\n![Dawn](<Images/Ridge at dawn.png> \"The ridge\")\n",
      captions: ["Dawn", ""]),
  ]

  @Test(arguments: programs)
  func `come back as they were, with all their keys`(program: Program) throws {
    let files = [
      "assets/Ridge at dawn.png": try Fixture.picture(),
      "assets/Ridge at noon.gif": try Fixture.picture("ridge.gif"),
      "assets/Map.pdf": Data("%PDF-1.4".utf8),
    ]
    let tree = try Fixture.textBundle(program.text, info: program.info, named: program.textName, files)
    let (document, remarks) = try InterchangeFormat.textBundle.read(tree, named: "A")
    #expect(remarks.isEmpty)
    #expect(document.notes.text == program.expected)
    #expect(document.notes.images.map(\.name) == ["Ridge at dawn.png", "Ridge at noon.gif"])
    #expect(document.notes.images.map(\.caption) == program.captions)
    #expect(document.attachments.keys.sorted() == ["Map.pdf"])
    let package = try InterchangeDocument(package: document.packageTree())
    #expect(try DocumentPicture(package) == DocumentPicture(document))
    let (written, losses) = try InterchangeFormat.textBundle.write(package, named: "A")
    #expect(losses == [.imagesAtEnd(1), .notHeld(.identity, count: 1)])
    let after = try Fixture.files(of: written)
    #expect(after.keys.sorted() == (Array(files.keys) + ["info.json", program.textName]).sorted())
    for (path, data) in files { #expect(after[path] == data) }
    let gap = program.text.hasSuffix("\n\n") ? "" : "\n"
    #expect(
      after[program.textName] == Data((program.text + gap + "![](assets/Ridge%20at%20noon.gif)\n").utf8))
    // Every key of the other program is there, with its value; this library's object is the only new one.
    let old = try keys(Data(program.info.utf8))
    var new = try keys(try #require(after["info.json"]))
    new["com.filepackages.imagenotes"] = nil
    #expect(old == new)
    // A second trip finds the same document.
    let again = try InterchangeFormat.textBundle.read(written, named: "A").document
    #expect(try DocumentPicture(again) == DocumentPicture(document))
  }

  /// The members of a JSON object, each as it is printed with sorted keys.
  private func keys(_ data: Data) throws -> [String: PropertyListValue] {
    try JSONDecoder().decode([String: PropertyListValue].self, from: data)
  }

  @Test func `of Ulysses as Markdown have their images in assets`() throws {
    let files = [
      "assets/dawn.png": try Fixture.picture(), "assets/noon.gif": try Fixture.picture("ridge.gif"),
    ]
    let text =
      "# Ridge walk\n\n![Dawn][image-1]\n\n![][image-2]\n\n[image-1]:\tassets/dawn.png\n[image-2]:\tassets/noon.gif\n"
    let markdown = try Fixture.tree(files.merging(["Ridge walk.md": Data(text.utf8)]) { own, _ in own })
    let notes = try InterchangeFormat.markdown.read(markdown, named: "A").document.notes
    #expect(notes.text == text.replacing("\tassets/", with: "\tImages/"))
    #expect(notes.images.map(\.caption) == ["Dawn", ""])
  }

  @Test(
    .enabled(if: InterchangeFixture.samples != nil, InterchangeFixture.samplesMessage),
    arguments: ["only text.textbundle", "text plus attachments.textbundle"])
  func `of the shapes of TextBundle come back as they were`(name: String) throws {
    let folder = try #require(Fixture.samples).appending(path: "textbundle/shapes/\(name)")
    let tree = try FileWrapper(url: folder)
    let document = try InterchangeFormat.textBundle.read(tree, named: name).document
    #expect(document.notes.text.hasPrefix("Text"))
    let again = try InterchangeFormat.textBundle.read(
      InterchangeFormat.textBundle.write(document, named: name).file, named: name
    ).document
    #expect(try DocumentPicture(again) == DocumentPicture(document))
    #expect(document.notes.images.map(\.name) == (name.hasPrefix("only") ? [] : ["oh no.jpg"]))
  }
}
