import FilePackages

/// The types of a content, as they were read.
package struct ContentTypeLists: Sendable {
  /// The types that the content reads.
  package var readable: [UTType]
  /// The types that the content writes.
  package var writable: [UTType]

  /// Makes lists of these types.
  package init(readable: [UTType], writable: [UTType]) {
    (self.readable, self.writable) = (readable, writable)
  }

  /// Reads the types of a content or a model, on the actor to which it belongs.
  package init<Content: AwaitedContentTypes & SendableMetatype>(of type: Content.Type) async {
    (readable, writable) = (await type.readableContentTypes, await type.writableContentTypes)
  }

  /// Returns the type that a content meets when it reads: one of its own, if it has any.
  ///
  /// - Parameters:
  ///   - type: the type of the document, by its metadata or its name.
  ///   - pathExtension: the extension of its name.
  ///   - isDirectory: whether it is a folder.
  package func typeToRead(_ type: UTType, pathExtension: String, isDirectory: Bool) -> UTType {
    let name = (pathExtension.lowercased(), isDirectory)
    return Self.match(type, name, in: readable) ?? Self.usual(in: readable, isDirectory) ?? type
  }

  /// Returns the type that a content meets when it writes over such a document: one of its own, if it has any.
  ///
  /// A type that the content only reads stays, so that the file keeps its format.
  package func typeToWrite(_ type: UTType, pathExtension: String, isDirectory: Bool) -> UTType {
    let name = (pathExtension.lowercased(), isDirectory)
    return Self.match(type, name, in: writable) ?? Self.match(type, name, in: readable)
      ?? Self.usual(in: writable, isDirectory) ?? Self.usual(in: readable, isDirectory) ?? type
  }

  /// Returns the type with which a content writes a new document of that name. The second type is a more special one that
  /// the name tells, if it is declared.
  ///
  /// A name may tell both a file's type and a folder's. A content that writes no type of folders writes files first.
  func typesOfNewDocument(named name: String?) -> (own: UTType, special: UTType?) {
    guard let name, let first = writable.first else { return (writable.first ?? .package, nil) }
    let writesFolders = writable.contains { $0.conforms(to: .directory) }
    let pathExtension = name.pathExtension.lowercased()
    for isDirectory in [writesFolders, !writesFolders] {
      let named = UTType(filename: name, isDirectory: isDirectory)
      // A name without a known type tells only the kind that was asked for.
      let isKnown = named.isDeclared && named != .data && named != .folder
      if let own = Self.match(isKnown ? named : nil, (pathExtension, isDirectory), in: writable) {
        return (own, isKnown && named.conforms(to: own) ? named : nil)
      }
    }
    return (Self.usual(in: writable, first.conforms(to: .directory)) ?? first, nil)
  }

  /// Returns the type itself, a type of that extension, or the most special one that the type conforms to.
  private static func match(
    _ type: UTType?, _ name: (pathExtension: String, isDirectory: Bool), in types: [UTType]
  ) -> UTType? {
    if let type, types.contains(type) { return type }
    let ofKind = types.filter { isPossible($0, name.isDirectory) }
    let ofName = ofKind.first { $0.tags[.filenameExtension]?.contains(name.pathExtension) == true }
    if let ofName, !name.pathExtension.isEmpty { return ofName }
    guard let type else { return nil }
    let general = types.filter { type.conforms(to: $0) }
    return general.first { type in !general.contains { $0 != type && $0.conforms(to: type) } }
  }

  /// Returns the type of a document whose name tells none of these: one without an extension, or else the first.
  private static func usual(in types: [UTType], _ isDirectory: Bool) -> UTType? {
    let ofKind = types.filter { isPossible($0, isDirectory) }
    return ofKind.first { $0.tags[.filenameExtension]?.isEmpty != false } ?? ofKind.first ?? types.first
  }

  private static func isPossible(_ type: UTType, _ isDirectory: Bool) -> Bool {
    !type.conforms(to: isDirectory ? .data : .directory)
  }
}

extension String {
  /// The extension of a filename; empty if it has none.
  var pathExtension: String {
    guard let dot = lastIndex(of: "."), dot != startIndex else { return "" }
    return String(self[index(after: dot)...])
  }
}
