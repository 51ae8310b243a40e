import FilePackages
import Testing

@Suite("The names of temporary files")
struct TemporaryNamesTests {
  @Test(arguments: [
    "Text.txt~", "#Text.txt#", ".#Text.txt", "4913", ".Text.txt.swp", ".Text.txt.swx", ".Text.txt.kate-swp",
    ".goutputstream-A1B2C3", ".~lock.Text.odt#", "~$Text.docx", "~WRL0001.tmp", "Text.txt___jb_tmp___",
    ".DS_Store", "._Text.txt", "Thumbs.db", "thumbs.DB", "Desktop.ini", ".nfs000000012",
    ".syncthing.Text.txt.tmp",
  ])
  func `are those of editors and systems`(name: String) {
    #expect(TemporaryNames.contains(name))
  }

  @Test(arguments: [
    "", "~", "Text.txt", "Text~.txt", "49130", "4913.txt", "#Text", "Text#", "a.swp", ".hidden",
    "lock.Text.odt#",
    "$Text", "draft.tmp", "Thumbs.db.txt", "._", "Text.txt.bak",
  ])
  func `are no other names`(name: String) {
    #expect(!TemporaryNames.contains(name))
  }

  @Test func `are a list that a program can change`() {
    let pattern = "*.only-in-this-test"
    #expect(!TemporaryNames.contains("a.only-in-this-test"))
    TemporaryNames.patterns.append(pattern)
    #expect(TemporaryNames.contains("a.only-in-this-test") && TemporaryNames.patterns.contains(pattern))
    TemporaryNames.patterns.removeAll { $0 == pattern }
    #expect(!TemporaryNames.contains("a.only-in-this-test"))
  }
}
