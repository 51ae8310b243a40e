import CommandSupport
import Documents
import FilePackages

/// A found document with the facts that the list shows.
struct ListedDocument: Sendable {
  var item: DocumentItem
  /// The type that the name tells, or else that of the metadata.
  var type: UTType
  /// The user's name for the document, or the filename; nil if no title was asked for, or if it cannot be read.
  var title: String?
}

extension ListedDocument {
  /// The facts that the name tells.
  fileprivate init(_ item: DocumentItem) {
    self.init(item: item, type: .shown(item.contentType, isPackage: item.isPackage))
  }

  /// Adds the facts of the metadata.
  fileprivate mutating func read(title: Bool) async throws(FilePackageError) {
    let metadata = try await item.metadata()
    type = .shown(item.contentType, metadata: metadata?.contentType, isPackage: item.isPackage)
    if title { self.title = metadata?.displayName ?? item.nameWithoutExtension }
  }
}

extension [DocumentItem] {
  /// Finds the facts that the list shows. Reads the metadata of packages whose names tell no type, and for titles those
  /// of all, eight documents at a time.
  ///
  /// - Returns: the documents in the same order, and the errors of those whose metadata cannot be read. A document that is
  ///   gone by now has neither title nor error.
  func listed(titles: Bool) async -> (documents: [ListedDocument], errors: [FilePackageError]) {
    typealias Answer = (index: Int, document: ListedDocument, error: FilePackageError?)
    var documents = map { ListedDocument($0) }
    var errors: [FilePackageError] = []
    let unread = documents.indices.filter {
      titles || documents[$0].item.isPackage && documents[$0].type == .package
    }
    await withTaskGroup(of: Answer.self) { group in
      var rest = unread.makeIterator()
      func readNext() {
        guard let index = rest.next() else { return }
        let known = documents[index]
        group.addTask {
          var document = known
          do throws(FilePackageError) {
            try await document.read(title: titles)
            return (index, document, nil)
          } catch {
            return (index, document, error)
          }
        }
      }
      for _ in 0..<8 { readNext() }
      for await (index, document, error) in group {
        documents[index] = document
        if let error, error.code != .noSuchFile { errors.append(error) }
        readNext()
      }
    }
    return (documents, errors.sorted { $0.description < $1.description })
  }
}
