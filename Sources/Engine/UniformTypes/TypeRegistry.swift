import Synchronization

// TR1 A question is answered from one snapshot: it never sees half of a list of declarations.
// TR2 No declaration is changed or taken back.

/// The types that one process knows.
///
/// Declarations are facts about the program, as they are in an Info.plist. So there is one registry for the whole
/// process; tests make their own. It only grows.
package final class TypeRegistry: Sendable {
  /// The registry behind every `UTType`.
  package static let shared = TypeRegistry()

  private let current = Mutex(TypeCatalog())

  package init() {}

  /// The catalog at this moment, for any number of questions (TR1). Cost: O(1).
  package var catalog: TypeCatalog { current.withLock { $0 } }

  /// Returns the type with an identifier, and remembers an undeclared one.
  ///
  /// A supertype that conforms to the type already is ignored. An empty or a `dyn.` identifier is never remembered.
  package func type(naming identifier: String, conformingTo supertype: UTType?) -> UTType {
    let key = identifier.lowercased()
    return current.withLock { catalog in
      let known = catalog.type(identifier: identifier)
      if let known, catalog.named[key] == nil { return known }
      let unknown = UTType(TypeEntry(identifier: identifier, parents: []))
      if key.isEmpty || key.hasPrefix(DynamicType.prefix) { return unknown }
      let parent = supertype.flatMap { catalog.conforms($0.key, to: key) ? nil : $0.key }
      catalog.name(identifier, parent: parent)
      return known ?? unknown
    }
  }

  /// Declares all types of two lists, or none if one of them is wrong.
  ///
  /// - Returns: the exported types and then the imported ones, in the order of the lists.
  package func declare(
    exported: [UTType.Declaration] = [], imported: [UTType.Declaration] = []
  ) throws(UTType.DeclarationError) -> [UTType] {
    for declaration in exported { try declaration.validate(isExported: true) }
    for declaration in imported { try declaration.validate(isExported: false) }
    return try current.withLock { catalog throws(UTType.DeclarationError) in
      var next = catalog
      for declaration in exported {
        let entry = TypeEntry(declaration)
        // TR2
        if let earlier = next.exported[entry.key], earlier != entry {
          throw UTType.DeclarationError(.conflictingDeclaration, identifier: declaration.identifier)
        }
        next.export(entry)
      }
      for declaration in imported { next.import(TypeEntry(declaration)) }
      for declaration in exported + imported where next.isCircular(declaration.identifier.lowercased()) {
        throw UTType.DeclarationError(.circularConformance, identifier: declaration.identifier)
      }
      catalog = next
      return (exported + imported).compactMap { next.type(identifier: $0.identifier) }
    }
  }
}
