import FilePackages
import Testing

@Suite("What an error says")
struct ErrorWordingTests {
  @Test(arguments: FilePackageError.Code.allCases)
  func `names no command, where no program has added one`(code: FilePackageError.Code) {
    for operation in [FilePackageError.Operation.open, .read, .save, .create, .repair, .move] {
      let text = FilePackageError(code, operation, document: "/a/Trip.pkg").description
      #expect(!text.contains("docpkg") && text.contains("'Trip.pkg'"), "\(text)")
    }
  }

  @Test(arguments: FilePackageError.Code.allCases)
  func `tells people to open nothing again`(code: FilePackageError.Code) {
    let wording = FilePackageError.Wording(hasEnded: true, hint: { _ in "Ask." }) { $0 }
    let text = FilePackageError(code, .save, document: "/a/Trip.pkg").text(wording)
    #expect(!text.contains("pen it again") && !text.contains("pen the document again"))
    #expect(text.contains("'/a/Trip.pkg'") && text.hasSuffix(" Ask."))
  }
}
