import TestSupport
import UniformTypes
import Foundation
import Testing

@Suite("The core table")
struct UTTypeCoreTests {
  @Test func `has the tree that documents need`() {
    #expect(UTType.data.supertypes == [.item])
    #expect(UTType.directory.supertypes == [.item])
    for type in [UTType.folder, .package, .bundle] {
      #expect(type.isSubtype(of: .directory))
      #expect(!type.conforms(to: .data))
    }
    #expect(UTType.symbolicLink.supertypes == [.item, .resolvable])
    #expect(UTType.compositeContent.supertypes == [.content])
    #expect(!UTType.content.conforms(to: .item))
  }

  @Test func `has documents that are content and either data or a package`() {
    for type in [UTType.plainText, .rtf, .html, .pdf, .png, .jpeg, .epub] {
      #expect(type.conforms(to: .content) && type.conforms(to: .data), "\(type)")
    }
    for type in [UTType.rtfd, .textBundle] {
      #expect(type.conforms(to: .content) && type.conforms(to: .package), "\(type)")
    }
    #expect(UTType.package.identifier == "com.apple.package")
    #expect(UTType.folder.identifier == "public.folder")
  }

  @Test func `has Apple's identifiers, extensions and MIME types`() {
    let expected: [(UTType, String, String?, String?)] = [
      (.item, "public.item", nil, nil),
      (.data, "public.data", nil, "application/octet-stream"),
      (.symbolicLink, "public.symlink", nil, "inode/symlink"),
      (.bundle, "com.apple.bundle", nil, nil),
      (.plainText, "public.plain-text", "txt", "text/plain"),
      (.utf8PlainText, "public.utf8-plain-text", nil, "text/plain;charset=utf-8"),
      (.text, "public.text", nil, nil),
      (.rtf, "public.rtf", "rtf", "text/rtf"),
      (.rtfd, "com.apple.rtfd", "rtfd", nil),
      (.flatRTFD, "com.apple.flat-rtfd", nil, nil),
      (.json, "public.json", "json", "application/json"),
      (.xml, "public.xml", "xml", "application/xml"),
      (.yaml, "public.yaml", "yaml", "application/yaml"),
      (.html, "public.html", "html", "text/html"),
      (.propertyList, "com.apple.property-list", "plist", "application/x-plist"),
      (.png, "public.png", "png", "image/png"),
      (.jpeg, "public.jpeg", "jpeg", "image/jpeg"),
      (.gif, "com.compuserve.gif", "gif", "image/gif"),
      (.webP, "org.webmproject.webp", "webp", "image/webp"),
      (.svg, "public.svg-image", "svg", "image/svg+xml"),
      (.pdf, "com.adobe.pdf", "pdf", "application/pdf"),
      (.zip, "public.zip-archive", "zip", "application/zip"),
      (.gzip, "org.gnu.gnu-zip-archive", "gz", "application/gzip"),
      (.epub, "org.idpf.epub-container", "epub", "application/epub+zip"),
      (.mp3, "public.mp3", "mp3", "audio/mpeg"),
      (.mpeg4Movie, "public.mpeg-4", "mp4", "video/mp4"),
      (.quickTimeMovie, "com.apple.quicktime-movie", "mov", "video/quicktime"),
      (.swiftSource, "public.swift-source", "swift", "text/x-swift"),
      (.commaSeparatedText, "public.comma-separated-values-text", "csv", "text/csv"),
      (.markdown, "net.daringfireball.markdown", "md", "text/markdown"),
      (.textBundle, "org.textbundle.package", "textbundle", nil),
      (.textPack, "org.textbundle.zip", "textpack", "application/x-textpack"),
    ]
    for (type, identifier, fileExtension, mimeType) in expected {
      #expect(type.identifier == identifier)
      #expect(type.preferredFilenameExtension == fileExtension, "\(type)")
      #expect(type.preferredMIMEType == mimeType, "\(type)")
    }
  }

  @Test func `finds the preferred type of every preferred tag`() {
    for type in Self.named {
      if let text = type.preferredFilenameExtension {
        let types = UTType.types(tag: text, tagClass: .filenameExtension, conformingTo: nil)
        #expect(types.contains(type), "\(type)")
      }
      if let text = type.preferredMIMEType {
        #expect(UTType.types(tag: text, tagClass: .mimeType, conformingTo: nil).contains(type), "\(type)")
      }
    }
  }

  @Test func `knows every type that has a name in Swift`() {
    for type in Self.named {
      #expect(CoreTypes.table[type.key] != nil, "\(type)")
      #expect(UTType(type.identifier) == type)
      #expect(type.isDeclared)
    }
    #expect(Set(Self.named).count == Self.named.count && Self.named.count > 140)
  }

  @Test func `is well formed`() {
    for identifier in CoreTypes.table.keys {
      #expect(identifier == identifier.lowercased())
      guard let entry = CoreTypes.table[identifier] else {
        Issue.record("\(identifier) is not found")
        continue
      }
      for parent in entry.parents { #expect(CoreTypes.table[parent] != nil, "\(identifier): \(parent)") }
      #expect(entry.description?.isEmpty == false, "\(identifier)")
      for (tagClass, tags) in entry.tags {
        #expect(Set(tags).count == tags.count, "\(identifier)")
        for tag in tags { #expect(TypeTag(tag, tagClass: tagClass)?.value == tag, "\(identifier): \(tag)") }
      }
      let type = UTType(entry)
      #expect(!type.supertypes.contains(type))
      #expect(!(type.conforms(to: .data) && type.conforms(to: .directory)), "\(identifier)")
    }
  }

  @Test func `has packages for directories, and for files what their extensions otherwise say`() {
    for name in ["a.key", "a.pages", "a.numbers", "a.pkg", "a.pkpass", "a.ibooks"] {
      let package = UTType(filename: name, isDirectory: true)
      #expect(package.conforms(to: .package) && !package.conforms(to: .data), "\(name)")
      let file = UTType(filename: name, isDirectory: false)
      #expect(file.conforms(to: .data) && file.isDeclared && !file.isPackageOrBundle, "\(name)")
    }
    for name in CoreTypes.packageExtensions {
      #expect(name == name.lowercased() && TypeTag(name, tagClass: .filenameExtension) != nil)
      let type = UTType(filename: "a." + name.uppercased(), isDirectory: true)
      #expect(type.isDynamic && type.conforms(to: .package), "\(name)")
      #expect(UTType(type.identifier) == type)
    }
    #expect(UTType(filename: "en.lproj", isDirectory: true) == .folder)
    #expect(UTType(filename: "a.framework", isDirectory: true).isPackageOrBundle)
    #expect(!UTType(filename: "a.framework", isDirectory: true).conforms(to: .package))
    #expect(UTType(filename: "a.bundle", isDirectory: true).supertypes.isSuperset(of: [.bundle, .package]))
  }

  @Test func `has a type for each line`() {
    let lines = CoreTypes.lines.split(separator: "\n")
    #expect(lines.allSatisfy { $0.count { $0 == "|" } == 4 })
    #expect(CoreTypes.table.keys.count == lines.count && lines.count > 200)
  }

  /// The types that have a name in Swift, as the sources write them.
  static let named: [UTType] = {
    let folder = projectFolder.appending(path: "Sources/Engine/UniformTypes")
    let sources = ["Basics", "Documents", "Media", "Text"].map { area in
      (try? String(contentsOf: folder.appending(path: "UTType+\(area).swift"), encoding: .utf8)) ?? ""
    }
    // The documentation of a name ends with the identifier.
    let name = /`(?<words>[^`]+)`\n  public static var \w+: UTType \{\s+UTType\(core: "(?<key>.+)"\)/
    return sources.flatMap { $0.matches(of: name) }.map { match in
      #expect(match.words == match.key)
      return UTType(core: String(match.key))
    }
  }()
}
