import Synchronization

// TR1 A question is answered from one snapshot: it never sees half of a list of declarations.
// TR2 No declaration is changed or taken back.

/// The types that one process knows.
///
/// Declarations are facts about the program, as they are in an Info.plist. So there is one registry for the whole
/// process; tests make their own. It only grows.
package final class TypeRegistry: Sendable {
  /// The registry behind every `UTType`.
  package static let shared = TypeRegistry(database: .ofSystem())

  private let declared = Mutex(DeclaredTypes())
  private let database: FreedesktopDatabase

  package init(database: FreedesktopDatabase) { self.database = database }

  /// The catalog at this moment, for any number of questions (TR1). Cost: O(1).
  package var catalog: TypeCatalog {
    TypeCatalog(declared: declared.withLock { $0 }, database: database)
  }

  /// Returns the type with an identifier, and remembers an undeclared one.
  ///
  /// A supertype that conforms to the type already is ignored. An empty or a `dyn.` identifier is never remembered.
  package func type(naming identifier: String, conformingTo supertype: UTType?) -> UTType {
    let key = identifier.lowercased()
    return declared.withLock { declared in
      let catalog = TypeCatalog(declared: declared, database: database)
      let known = catalog.type(identifier: identifier)
      if let known, declared.named(key) == nil { return known }
      let unknown = UTType(TypeEntry(identifier: identifier, parents: []))
      if key.isEmpty || key.hasPrefix(DynamicType.prefix) { return unknown }
      let parent = supertype.flatMap { catalog.conforms($0.key, to: key) ? nil : $0.key }
      declared.name(identifier, parent: parent)
      return known ?? unknown
    }
  }

  /// Declares all types of a list, or none if one of them is wrong.
  ///
  /// - Returns: the exported types and then the imported ones, in the order of the list.
  package func declare(_ declarations: UTType.Declarations) throws(UTType.DeclarationError) -> [UTType] {
    for declaration in declarations.exported { try declaration.validate(isExported: true) }
    for declaration in declarations.imported { try declaration.validate(isExported: false) }
    return try declared.withLock { declared throws(UTType.DeclarationError) in
      var next = declared
      for declaration in declarations.exported {
        let entry = TypeEntry(declaration)
        // TR2
        if let earlier = next.exported[entry.key], earlier != entry {
          throw UTType.DeclarationError(.conflictingDeclaration, identifier: declaration.identifier)
        }
        next.export(entry)
      }
      for declaration in declarations.imported { next.import(TypeEntry(declaration)) }
      let catalog = TypeCatalog(declared: next, database: database)
      let all = declarations.exported + declarations.imported
      for declaration in all where catalog.isCircular(declaration.identifier.lowercased()) {
        throw UTType.DeclarationError(.circularConformance, identifier: declaration.identifier)
      }
      declared = next
      return all.compactMap { catalog.type(identifier: $0.identifier) }
    }
  }
}
