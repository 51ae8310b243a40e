import Documents
import FilePackages

extension [DocumentItem] {
  /// Reads the titles, eight documents at a time.
  ///
  /// - Returns: the titles, and the errors of the documents whose titles cannot be read. A document that is gone by now
  ///   has neither.
  func titles() async -> (titles: [DocumentItem: String], errors: [FilePackageError]) {
    typealias Answer = (item: DocumentItem, title: Result<String, FilePackageError>)
    var (titles, errors): ([DocumentItem: String], [FilePackageError]) = ([:], [])
    await withTaskGroup(of: Answer.self) { group in
      var rest = makeIterator()
      func readNext() {
        guard let item = rest.next() else { return }
        group.addTask {
          do throws(FilePackageError) {
            return (item, .success(try await item.title()))
          } catch {
            return (item, .failure(error))
          }
        }
      }
      for _ in 0..<8 { readNext() }
      for await (item, title) in group {
        switch title {
        case .success(let title): titles[item] = title
        case .failure(let error): if error.code != .noSuchFile { errors.append(error) }
        }
        readNext()
      }
    }
    return (titles, errors.sorted { $0.description < $1.description })
  }
}
