import UniformTypes
import FoundationEssentials
import Testing

@Suite("The text of a MIME database")
struct FreedesktopTypesTests {
  private func database(_ globs: String = "", subclasses: String = "", aliases: String = "")
    -> FreedesktopTypes
  {
    FreedesktopTypes([.init(globs: globs, subclasses: subclasses, aliases: aliases)])
  }

  @Test func `gives extensions to MIME types`() {
    let types = database(
      "# a comment\n80:text/html:*.html\n50:application/x-foo:*.foo\n50:application/x-foo:*.fo")
    #expect(types.mimeTypes(extensions: ["html"]) == ["text/html"])
    #expect(types.mimeTypes(extensions: ["FOO"]) == ["application/x-foo"])
    #expect(types.mimeTypes(extensions: ["none"]) == [])
    #expect(types.fileExtensions("application/x-foo") == ["foo", "fo"])
  }

  @Test func `prefers the highest weight and then the longest glob`() {
    let types = database("50:a/light:*.x\n60:a/heavy:*.x\n50:a/long:*.y.z\n50:a/short:*.z\n60:a/top:*.w")
    #expect(types.mimeTypes(extensions: ["x"]) == ["a/heavy", "a/light"])
    #expect(types.mimeTypes(extensions: ["y.z", "z"]) == ["a/long", "a/short"])
    #expect(types.mimeTypes(extensions: ["y.z", "w"]) == ["a/top", "a/long"])
  }

  @Test func `minds case only where a glob says so`() {
    let types = database("50:text/x-csrc:*.c\n50:text/x-c++src:*.C:cs")
    #expect(types.mimeTypes(extensions: ["C"]) == ["text/x-c++src", "text/x-csrc"])
    #expect(types.mimeTypes(extensions: ["c"]) == ["text/x-csrc"])
    #expect(types.fileExtensions("text/x-c++src") == ["C"])
  }

  @Test(
    arguments: [
      "50:application/x-core:core:cs", "50:a/b:*.so.[0-9]*", "50:a/b:*.x?", "50:a/b:readme*", "50:a/b:*.",
      "50:a/b:*..x", "50:a/b:*", "x:a/b:*.y", "-1:a/b:*.y", "101:a/b:*.y", "50:ab:*.y", "50:a/b", "50", ":::",
      "",
      "50:a/b;c=d:*.y", "99999999999999999999:a/b:*.y",
    ])
  func `has no extension from any other glob or from a broken line`(line: String) {
    let types = database(line + "\n50:a/right:*.right")
    #expect(types.fileExtensions("a/b") == [])
    #expect(types.mimeTypes(extensions: ["y"]) == [])
    #expect(types.mimeTypes(extensions: ["right"]) == ["a/right"])
  }

  @Test func `knows subclasses and aliases, and skips lines that it does not understand`() {
    let types = database(
      subclasses:
        "a/child a/parent\na/child a/other\na/child a/parent\nnonsense\na b\na/b a/c a/d\na/x a/x\n",
      aliases: "a/alias a/real\nA/Second A/Real\nnonsense\na/alias a/late\n")
    #expect(types.parents("a/child") == ["a/parent", "a/other"])
    #expect(types.realName("a/alias") == "a/real")
    #expect(types.realName("A/SECOND") == "a/real")
    #expect(types.realName("a/real") == "a/real")
    #expect(types.realName("a/none") == nil)
    #expect(types.aliases("a/real") == ["a/alias", "a/second"])
    #expect(types.parents("a/x") == [])
  }

  @Test func `lets an earlier directory hide the globs of later ones`() {
    let mine = FreedesktopTypes.Files(globs: "50:a/x:*.mine\n0:a/x:__NOGLOBS__\n50:a/x:*.more\n50:a/z:*.x")
    let system = FreedesktopTypes.Files(globs: "90:a/x:*.old\n50:a/y:*.x")
    let types = FreedesktopTypes([mine, system])
    #expect(types.fileExtensions("a/x") == ["mine", "more"])
    #expect(types.mimeTypes(extensions: ["old"]) == [])
    #expect(types.mimeTypes(extensions: ["x"]) == ["a/z", "a/y"])
  }

  @Test func `may be any text at all`() {
    for seed in 1...200 {
      var generator = UInt64(seed)
      let alphabet = Array("05:*./ab\n #cs[]\\\0é-+;_")
      var text = ""
      for _ in 0..<400 {
        generator = generator &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        text.append(alphabet[Int(generator >> 33) % alphabet.count])
      }
      let types = database(text, subclasses: text, aliases: text)
      for mimeType in types.mimeTypes {
        #expect(MIMETypes.mimeType(identifier: MIMETypes.identifier(mimeType)) == mimeType)
      }
    }
  }
}

@Suite("A MIME database on disk")
struct FreedesktopDatabaseTests {
  private func registry(_ directory: borrowing TemporaryDirectory) throws -> TypeRegistry {
    try directory.write(
      """
      80:application/x-qqzz:*.qqzz
      50:application/x-qqzz:*.qz.zz
      50:text/x-qqtext:*.qqtext
      50:application/x-qqzip+zip:*.qqzip
      50:text/html:*.qqhtml
      50:image/x-qq:*.png
      50:application/x-qqpack:*.qqpack
      50:application/x-qqkind:*.qqkind
      50:application/x-qqfile:*.rtfd
      """, to: "mime/globs2")
    try directory.write(
      """
      application/x-qqzip+zip application/x-qqbase
      application/x-qqbase application/zip
      application/x-loop-a application/x-loop-b
      application/x-loop-b application/x-loop-a
      inode/x-qqpipe inode/x-qqnode
      application/x-qqpack inode/directory
      application/x-qqkind application/x-qqpack
      inode/x-qqmount inode/directory
      """, to: "mime/subclasses")
    try directory.write(
      "application/x-qqold application/x-qqzz\napplication/x-qqpdf application/pdf\n", to: "mime/aliases")
    return TypeRegistry(database: FreedesktopDatabase(directories: [directory.path + "/mime"]))
  }

  @Test func `is asked for an extension that nobody else knows`() throws {
    let directory = try TemporaryDirectory()
    let catalog = try registry(directory).catalog
    let type = try #require(
      catalog.types(tag: "QQzz", tagClass: .filenameExtension, conformingTo: .data).first)
    #expect(type.identifier == "org.freedesktop.mime.application.x-qqzz")
    #expect(type.isDeclared)
    let entry = try #require(catalog.entry(type.key))
    #expect(entry.tags[.filenameExtension] == ["qqzz", "qz.zz"])
    #expect(entry.tags[.mimeType] == ["application/x-qqzz", "application/x-qqold"])
    #expect(catalog.supertypes(type.key) == [.data, .item])
  }

  @Test func `is asked for a MIME type that nobody else knows, and for aliases`() throws {
    let directory = try TemporaryDirectory()
    let catalog = try registry(directory).catalog
    func types(_ mimeType: String) -> [String] {
      catalog.types(tag: mimeType, tagClass: .mimeType, conformingTo: .data).map(\.identifier)
    }
    #expect(types("application/x-qqzz") == ["org.freedesktop.mime.application.x-qqzz"])
    #expect(types("application/x-qqold; a=b") == ["org.freedesktop.mime.application.x-qqzz"])
    #expect(types("application/x-qqpdf") == ["com.adobe.pdf"])
    #expect(types("application/x-nobody").first?.hasPrefix("dyn.") == true)
  }

  @Test func `leads to core types where it means them`() throws {
    let directory = try TemporaryDirectory()
    let catalog = try registry(directory).catalog
    #expect(catalog.types(tag: "qqhtml", tagClass: .filenameExtension, conformingTo: .data) == [.html])
    #expect(catalog.type(identifier: "org.freedesktop.mime.text.html") == .html)
    #expect(catalog.types(tag: "png", tagClass: .filenameExtension, conformingTo: nil) == [.png])
  }

  @Test func `gives conformance, written and implied`() throws {
    let directory = try TemporaryDirectory()
    let catalog = try registry(directory).catalog
    let text = "org.freedesktop.mime.text.x-qqtext"
    #expect(catalog.conforms(text, to: "public.plain-text"))
    let zip = MIMETypes.identifier("application/x-qqzip+zip")
    #expect(zip == "org.freedesktop.mime.application.x-qqzip--2bzip")
    #expect(catalog.conforms(zip, to: "org.freedesktop.mime.application.x-qqbase"))
    #expect(catalog.conforms(zip, to: "public.zip-archive"))
    #expect(catalog.conforms(zip, to: "public.data"))
    #expect(!catalog.conforms(zip, to: "public.text"))
    let pipe = "org.freedesktop.mime.inode.x-qqpipe"
    #expect(catalog.conforms(pipe, to: "public.item"))
    #expect(!catalog.conforms(pipe, to: "public.data"))
  }

  @Test func `may go in circles`() throws {
    let directory = try TemporaryDirectory()
    let catalog = try registry(directory).catalog
    let a = MIMETypes.identifier("application/x-loop-a")
    let b = MIMETypes.identifier("application/x-loop-b")
    #expect(catalog.supertypes(a).map(\.identifier).sorted() == [b, "public.data", "public.item"])
  }

  @Test func `types a file name by weight and length`() throws {
    let directory = try TemporaryDirectory()
    let catalog = try registry(directory).catalog
    #expect(catalog.type(filename: "a.qz.zz", isDirectory: false).identifier.hasSuffix("x-qqzz"))
    #expect(catalog.type(filename: "a.qqzz", isDirectory: true) == .folder)
    #expect(catalog.type(filename: "a.zz", isDirectory: false).isDynamic)
  }

  @Test func `has a package where a type is a kind of directory`() throws {
    let directory = try TemporaryDirectory()
    let catalog = try registry(directory).catalog
    for name in ["qqpack", "qqkind"] {
      let type = catalog.type(filename: "a." + name, isDirectory: true)
      #expect(type.identifier == "org.freedesktop.mime.application.x-" + name)
      #expect(catalog.conforms(type.key, to: "com.apple.package"))
      #expect(!catalog.conforms(type.key, to: "public.data"))
      #expect(catalog.type(filename: "a." + name, isDirectory: false).isDynamic)
    }
    let mount = MIMETypes.identifier("inode/x-qqmount")
    #expect(catalog.conforms(mount, to: "public.directory"))
    #expect(!catalog.conforms(mount, to: "com.apple.package"))
    #expect(catalog.type(filename: "a.rtfd", isDirectory: true) == .rtfd)
    #expect(catalog.type(filename: "a.rtfd", isDirectory: false).identifier.hasSuffix("x-qqfile"))
    #expect(
      catalog.types(tag: "rtfd", tagClass: .filenameExtension, conformingTo: .data).first?.isDynamic == false)
  }

  @Test func `gives way to a declaration`() throws {
    let directory = try TemporaryDirectory()
    let registry = try registry(directory)
    let declaration = UTType.Declaration(
      identifier: "com.example.qq", conformsTo: [.data], mimeTypes: ["application/x-qqzz"])
    let type = try #require(try registry.declare(.init(exported: [declaration])).first)
    let catalog = registry.catalog
    #expect(catalog.types(tag: "qqzz", tagClass: .filenameExtension, conformingTo: .data) == [type])
    #expect(catalog.type(identifier: "org.freedesktop.mime.application.x-qqzz") == type)
  }

  @Test func `is read at the first question that needs it and not before`() throws {
    let directory = try TemporaryDirectory()
    try directory.write("50:application/x-qqzz:*.qqzz\n", to: "globs2")
    let database = FreedesktopDatabase(directories: [directory.path])
    let catalog = TypeRegistry(database: database).catalog
    _ = catalog.types(tag: "png", tagClass: .filenameExtension, conformingTo: .data)
    _ = catalog.type(filename: "my.holiday.png", isDirectory: false)
    _ = catalog.type(filename: "README", isDirectory: false)
    _ = catalog.type(filename: "holiday.png", isDirectory: true)
    _ = catalog.type(filename: "a.rtfd", isDirectory: true)
    _ = catalog.type(filename: "Folder", isDirectory: true)
    // The list of extensions is enough for folders such as a temporary one.
    #expect(catalog.type(filename: "tmp.AbC123", isDirectory: true) == .folder)
    #expect(catalog.type(filename: "project.v2", isDirectory: true) == .folder)
    #expect(catalog.type(filename: "a.unknown", isDirectory: false).isDynamic)
    _ = catalog.supertypes("public.png")
    #expect(!database.isRead)
    _ = catalog.types(tag: "qqzz", tagClass: .filenameExtension, conformingTo: .data)
    #expect(database.isRead)
    try directory.write("", to: "globs2")
    #expect(database.types.mimeTypes(extensions: ["qqzz"]) == ["application/x-qqzz"])
  }

  @Test func `need not be there`() throws {
    let directory = try TemporaryDirectory()
    try directory.write("", to: "mime/globs2/this-is-a-directory")
    for path in [directory.path + "/mime", directory.path + "/none", "/dev/null"] {
      #expect(FreedesktopDatabase(directories: [path]).types == FreedesktopTypes())
    }
  }

  @Test func `is read up to the last line that fits`() throws {
    let directory = try TemporaryDirectory()
    let line = "50:application/x-qqzz:*.qqzz\n"
    let filler = String(repeating: "#", count: FreedesktopDatabase.largestFile - line.utf8.count - 1) + "\n"
    try directory.write(filler + line + "50:a/b:*.late\n", to: "globs2")
    try directory.write(filler + "\n" + line, to: "second/globs2")
    let first = FreedesktopDatabase(directories: [directory.path]).types
    #expect(first.mimeTypes(extensions: ["late"]) == [])
    #expect(FreedesktopDatabase(directories: [directory.path + "/second"]).types == FreedesktopTypes())
  }

  @Test func `is looked for where the environment says`() {
    func directories(_ environment: [String: String]) -> [String] {
      FreedesktopDatabase.directories(environment: environment)
    }
    #expect(
      directories(["HOME": "/home/me"])
        == ["/home/me/.local/share/mime", "/usr/local/share/mime", "/usr/share/mime"])
    #expect(directories([:]) == ["/usr/local/share/mime", "/usr/share/mime"])
    #expect(
      directories(["HOME": "/h", "XDG_DATA_HOME": "/data", "XDG_DATA_DIRS": "/a::relative:/b"])
        == ["/data/mime", "/a/mime", "/b/mime"])
    #expect(directories(["XDG_DATA_HOME": "", "XDG_DATA_DIRS": ""]).count == 2)
    let many = (0..<100).map { "/d\($0)" }.joined(separator: ":")
    #expect(directories(["XDG_DATA_DIRS": many]).count == 64)
  }

  @Test(.enabled(if: FileManager.default.fileExists(atPath: "/usr/share/mime/globs2")))
  func `of this system can be used`() throws {
    let database = FreedesktopDatabase(directories: ["/usr/share/mime"])
    let catalog = TypeRegistry(database: database).catalog
    #expect(database.types.mimeTypes(extensions: ["html"]).first == "text/html")
    for mimeType in database.types.mimeTypes {
      let identifier = MIMETypes.identifier(mimeType)
      #expect(MIMETypes.mimeType(identifier: identifier) == mimeType)
      let type = try #require(catalog.type(identifier: identifier), "\(mimeType)")
      #expect(!catalog.supertypes(type.key).contains(type), "\(mimeType)")
      let isStream = !mimeType.hasPrefix("inode/") && !mimeType.hasPrefix("x-content/")
      if type.identifier == identifier { #expect(catalog.conforms(type.key, to: "public.data") == isStream) }
    }
  }
}

@Suite("An identifier of a freedesktop type")
struct MIMETypesTests {
  @Test(
    arguments: [
      ("application/x-foo", "org.freedesktop.mime.application.x-foo"),
      ("image/svg+xml", "org.freedesktop.mime.image.svg--2bxml"),
      ("a/b--c", "org.freedesktop.mime.a.b--2d-c"), ("a/b-", "org.freedesktop.mime.a.b--2d"),
      ("a/vnd.x.y", "org.freedesktop.mime.a.vnd.x.y"), ("x-a.b/c", "org.freedesktop.mime.x-a--2eb.c"),
      ("a/-+", "org.freedesktop.mime.a.--2d--2b"),
    ])
  func `can be turned back`(mimeType: String, identifier: String) {
    #expect(MIMETypes.identifier(mimeType) == identifier)
    #expect(MIMETypes.mimeType(identifier: identifier) == mimeType)
    #expect(MIMETypes.mimeType(identifier: identifier.uppercased()) == mimeType)
  }

  @Test(
    arguments: [
      "", "a.b", "a", ".b", "a.", "a.b--", "a.b--2", "a.b--zz", "a.b--61", "a.b--2f", "a.b--00", "a.b-",
      "a.b_c",
      "a.--ff", "a.b;c",
    ].map { $0 == "a.b" ? "org.freedesktop.mim.a.b" : "org.freedesktop.mime." + $0 })
  func `is nil if it is malformed`(identifier: String) {
    #expect(MIMETypes.mimeType(identifier: identifier) == nil)
    #expect(UTType(identifier) == nil)
  }

  @Test func `is understood without the database`() throws {
    let type = try #require(UTType("org.freedesktop.mime.image.x-qqzz-none"))
    #expect(type.conforms(to: .image))
    #expect(type.preferredMIMEType == "image/x-qqzz-none")
    #expect(type.isDeclared)
    #expect(!type.isPublic)
  }

  @Test func `implies what the MIME type says`() {
    let implied = [
      "text/x": "public.plain-text", "TEXT/X": "public.plain-text", "inode/directory": "public.directory",
      "inode/symlink": "public.symlink", "inode/fifo": "public.item", "application/x": "public.data",
      "image/x": "public.image", "x-content/audio-cdda": "public.item", "font/x": "public.font",
    ]
    for (mimeType, key) in implied { #expect(MIMETypes.implicitParent(mimeType) == key) }
    #expect(UTType(mimeType: "application/octet-stream") == .data)
    #expect(UTType(mimeType: "inode/directory", conformingTo: .item) == .folder)
    #expect(UTType(mimeType: "inode/symlink", conformingTo: .item) == .symbolicLink)
  }
}
