import UniformTypes
import Testing

@Suite("A tag")
struct UTTypeTagTests {
  @Test func `leads to its type in any case`() {
    #expect(UTType(filenameExtension: "png") == .png)
    #expect(UTType(filenameExtension: "PnG") == .png)
    #expect(UTType(mimeType: "image/png") == .png)
    #expect(UTType(mimeType: "IMAGE/PNG") == .png)
    #expect(UTType(tag: "jpg", tagClass: .filenameExtension, conformingTo: nil) == .jpeg)
  }

  @Test func `is listed by its type, the preferred one first`() {
    #expect(UTType.jpeg.tags[.filenameExtension]?.first == "jpeg")
    #expect(UTType.jpeg.tags[.filenameExtension]?.contains("jpg") == true)
    #expect(UTType.jpeg.preferredFilenameExtension == UTType.jpeg.tags[.filenameExtension]?.first)
    #expect(UTType.jpeg.preferredMIMEType == "image/jpeg")
    #expect(UTType.item.preferredFilenameExtension == nil)
    #expect(UTType.item.preferredMIMEType == nil)
  }

  @Test func `of a package is not found among data`() throws {
    let data = try #require(UTType(filenameExtension: "rtfd"))
    #expect(data.isDynamic)
    #expect(data.conforms(to: .data))
    #expect(UTType(filenameExtension: "rtfd", conformingTo: .package) == .rtfd)
    #expect(UTType(filenameExtension: "rtfd", conformingTo: .directory) == .rtfd)
  }

  @Test func `means different types as data and as a package`() {
    #expect(UTType(filenameExtension: "epub") == .epub)
    let package = UTType(filenameExtension: "epub", conformingTo: .package)
    #expect(package?.identifier == "org.idpf.epub-folder")
    let all = UTType.types(tag: "epub", tagClass: .filenameExtension, conformingTo: nil)
    #expect(all.map(\.identifier) == ["org.idpf.epub-container", "org.idpf.epub-folder"])
  }

  @Test func `lists every type that has it, the preferred one first, and filters`() {
    let types = UTType.types(tag: "ts", tagClass: .filenameExtension, conformingTo: nil)
    #expect(types.map(\.identifier) == ["public.mpeg-2-transport-stream", "com.microsoft.typescript"])
    let source = UTType.types(tag: "TS", tagClass: .filenameExtension, conformingTo: .sourceCode)
    #expect(source.map(\.identifier) == ["com.microsoft.typescript"])
  }

  @Test func `that is known but of another kind makes a dynamic type`() throws {
    let type = try #require(UTType(filenameExtension: "png", conformingTo: .package))
    #expect(type.isDynamic)
    #expect(type.conforms(to: .package))
    #expect(type != .png)
    #expect(type.tags == [.filenameExtension: ["png"]])
  }

  @Test(arguments: ["", ".png", "png.", "tar..gz", ".", "a/b", "a\0b"])
  func `is invalid as an extension`(text: String) {
    #expect(UTType(filenameExtension: text) == nil)
    #expect(UTType(filenameExtension: text, conformingTo: .package) == nil)
    #expect(UTType.types(tag: text, tagClass: .filenameExtension, conformingTo: nil) == [])
  }

  @Test(arguments: [
    "", "image", "image/", "/png", "image/png/x", "im age/png", "image/pn\0g", "ïmage/png", ";a=b",
  ])
  func `is invalid as a MIME type`(text: String) {
    #expect(UTType(mimeType: text) == nil)
    #expect(UTType.types(tag: text, tagClass: .mimeType, conformingTo: nil) == [])
  }

  @Test(arguments: ["", "\0", "a\0b"])
  func `is invalid in any other class`(text: String) {
    let tagClass = UTTagClass(rawValue: "com.example.class")
    #expect(UTType(tag: text, tagClass: tagClass, conformingTo: nil) == nil)
  }

  @Test func `of a class whose name has a NUL is invalid`() {
    #expect(UTType(tag: "x", tagClass: UTTagClass(rawValue: "a\0b"), conformingTo: nil) == nil)
  }

  @Test func `of a MIME type may have parameters`() {
    #expect(UTType(mimeType: "text/plain; charset=UTF-8") == .utf8PlainText)
    #expect(UTType(mimeType: "text/html; charset=utf-8") == .html)
    #expect(UTType(mimeType: "text/html;") == .html)
    #expect(UTType(mimeType: " text/html\t; a=é ") == .html)
    let plain = UTType(mimeType: "application/x-qqzz-none")
    #expect(UTType(mimeType: "application/x-qqzz-none; a=b") == plain)
  }

  @Test func `of a directory or a link is that of freedesktop_org`() {
    #expect(UTType(mimeType: "inode/directory", conformingTo: .item) == .folder)
    #expect(UTType(mimeType: "inode/symlink", conformingTo: .item) == .symbolicLink)
    #expect(UTType(mimeType: "application/octet-stream") == .data)
  }

  @Test func `of two words is one extension`() {
    #expect(UTType(filenameExtension: "tar.gz")?.identifier == "org.gnu.gnu-zip-tar-archive")
    #expect(UTType(filenameExtension: "tar.gz")?.conforms(to: .gzip) == true)
  }
}

@Suite("A name in a directory")
struct UTTypeFilenameTests {
  @Test func `of a file has the type of its extension`() {
    #expect(UTType(filename: "a.png", isDirectory: false) == .png)
    #expect(UTType(filename: "A.B.PNG", isDirectory: false) == .png)
    #expect(UTType(filename: "dir.rtfd/a.png", isDirectory: false) == .png)
    #expect(UTType(filename: "dir.png/a.txt/", isDirectory: false) == .plainText)
  }

  @Test func `has the type of the longest extension that is known`() {
    #expect(UTType(filename: "a.tar.gz", isDirectory: false).preferredFilenameExtension == "tgz")
    #expect(UTType(filename: "a.b.gz", isDirectory: false) == .gzip)
  }

  @Test(arguments: ["", "README", ".bashrc", "a.", "a..", "/", "a.b/c", "a.\0"])
  func `without an extension is data or a folder`(name: String) {
    #expect(UTType(filename: name, isDirectory: false) == .data)
    #expect(UTType(filename: name, isDirectory: true) == .folder)
  }

  @Test func `with an unknown extension is dynamic data or a folder`() {
    let file = UTType(filename: "a.qqzz-none", isDirectory: false)
    #expect(file.isDynamic)
    #expect(file.conforms(to: .data))
    #expect(file == UTType(filenameExtension: "qqzz-none"))
    #expect(UTType(filename: "a.qqzz-none", isDirectory: true) == .folder)
  }

  @Test func `of a directory is never data, and of a file never a directory`() {
    #expect(UTType(filename: "a.png", isDirectory: true) == .folder)
    #expect(UTType(filename: "a.rtfd", isDirectory: true) == .rtfd)
    #expect(UTType(filename: "a.rtfd", isDirectory: false).conforms(to: .data))
    #expect(UTType(filename: "a.epub", isDirectory: false) == .epub)
    #expect(UTType(filename: "a.epub", isDirectory: true).conforms(to: .package))
    #expect(UTType(filename: "A.app", isDirectory: true) == .applicationBundle)
  }

  @Test func `of a hidden file with an extension has that extension's type`() {
    #expect(UTType(filename: ".config.json", isDirectory: false) == .json)
  }

  @Test func `of a declared package is that package`() throws {
    let type = try UTType.declare(
      exported: .init(
        identifier: "com.example.uttype.trip", conformsTo: [.package, .compositeContent],
        filenameExtensions: ["uttypetrip"]))
    #expect(UTType(filename: "Norway.UTTypeTrip", isDirectory: true) == type)
    #expect(UTType(filename: "Norway.uttypetrip", isDirectory: false) != type)
    #expect(UTType(filenameExtension: "uttypetrip", conformingTo: .package) == type)
    #expect(UTType(filenameExtension: "uttypetrip")?.isDynamic == true)
  }
}
