import CloudContainers
import Documents
import Foundation

/// The question of a query, as a run needs it.
// `@unchecked`: a predicate and a sort descriptor do not change after they are made. The condition of a predicate with
// a block runs on the query's thread, as the documentation of `NSMetadataQuery.predicate` says.
struct QuerySettings: @unchecked Sendable {
  var predicate: NSPredicate?
  var sortDescriptors: [NSSortDescriptor] = []
  var scopes: [Any] = []
  var batchingInterval: TimeInterval = 1

  /// A query of documents, and the name of the container that it searches.
  struct Source: Sendable {
    let query: DocumentQuery
    let container: String?
  }

  /// Makes the queries that together find the documents of the scopes; none without a predicate.
  func sources() -> [Source] {
    if predicate == nil { return [] }
    var (places, sources, searches) = (QueryScopes(scopes), [Source](), [QueryScopes.Search]())
    for entry in UbiquityContainers.all {
      guard let search = places.takeSearch(in: entry.container) else { continue }
      searches.append(search)
      let name = entry.container.displayName
      let whole = DocumentSearch(in: search.folders) { item in
        search.accepts(item) && matches(item, container: name)
      }
      sources.append(
        Source(query: DocumentQuery(whole, of: entry.container, options: options), container: name))
    }
    if !places.folders.isEmpty {
      let search = DocumentSearch(in: places.folders) { [searches] item in
        !searches.contains { $0.finds(item) } && matches(item, container: nil)
      }
      sources.append(Source(query: DocumentQuery(search, options: options), container: nil))
    }
    return sources
  }

  private func matches(_ item: DocumentItem, container: String?) -> Bool {
    predicate?.evaluate(with: NSMetadataItem(item, container: container)) ?? false
  }

  private var options: DocumentQuery.Options {
    DocumentQuery.Options(batchingInterval: .seconds(max(0, batchingInterval)))
  }

  /// Brings items into the order of the sort descriptors; without one they stay as they are.
  func sort(_ items: inout [NSMetadataItem]) {
    if sortDescriptors.isEmpty { return }
    items.sort { one, other in
      for descriptor in sortDescriptors {
        switch descriptor.compare(one, to: other) {
        case .orderedAscending: return true
        case .orderedDescending: return false
        case .orderedSame: continue
        }
      }
      return false
    }
  }
}
