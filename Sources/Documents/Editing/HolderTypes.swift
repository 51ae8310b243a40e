import FilePackages
import FoundationEssentials
// Only the standard library's reflection tells the types of a structure's properties without a value.
@_spi(Reflection) import Swift

/// Tells by types alone which values may hold a `FileWrapper`.
///
/// No value of a type with the answer `false` holds one in its properties, elements or associated values. For protocols
/// the answer is `true`, since their values may be of any type.
///
/// Cost: each type once.
package struct HolderTypes: Sendable {
  /// The answers so far. Three of these types have protocols within. Most contents have the rest.
  private var known: [ObjectIdentifier: Bool] = [
    ObjectIdentifier(Locale.self): false, ObjectIdentifier(Calendar.self): false,
    ObjectIdentifier(TimeZone.self): false, ObjectIdentifier(Data.self): false,
    ObjectIdentifier(URL.self): false,
    ObjectIdentifier(String.self): false, ObjectIdentifier([String].self): false,
    ObjectIdentifier([UInt8].self): false,
  ]

  package init() {}

  package mutating func mayHold(_ type: Any.Type) -> Bool {
    if let answer = known[ObjectIdentifier(type)] { return answer }
    var visited: Set<ObjectIdentifier> = []
    let answer = search(Self.property(of: type), &visited)
    if answer {
      known[ObjectIdentifier(type)] = true
    } else {
      for type in visited { known[type] = false }
    }
    return answer
  }

  /// A structure with one property, as the reflection tells the kind of a property only.
  private struct Property<Value> { var value: Value }

  private static func property<Value>(of type: Value.Type) -> Any.Type { Property<Value>.self }

  /// Searches the properties of a structure or a tuple.
  private func search(_ type: Any.Type, _ visited: inout Set<ObjectIdentifier>) -> Bool {
    var isFound = false
    _ = _forEachField(of: type) { _, _, type, kind in
      isFound = search(type, kind, &visited)
      return !isFound
    }
    return isFound
  }

  private func search(_ type: Any.Type, _ kind: _MetadataKind, _ visited: inout Set<ObjectIdentifier>) -> Bool
  {
    if let answer = known[ObjectIdentifier(type)] { return answer }
    // A type that holds itself holds what its other properties hold.
    guard visited.insert(ObjectIdentifier(type)).inserted else { return false }
    switch kind {
    case .class: return type is FileWrapper.Type
    // A protocol with arguments, such as `any Sequence<Int>`, is of a kind that the reflection does not know.
    case .existential, .unknown: return true
    case .optional:
      return (type as? any Wrapping.Type).map { search($0.property, &visited) } ?? true
    case .enum:
      guard let payloads = EnumerationMetadata.payloadTypes(of: type) else { return true }
      return payloads.contains { search(Self.property(of: $0), &visited) }
    case .struct, .tuple:
      if Self.isPlain(type) { return false }
      if let type = type as? any Sequence.Type, search(Self.elementProperty(of: type), &visited) {
        return true
      }
      return search(type, &visited)
    default: return false
    }
  }

  private static func elementProperty<Elements: Sequence>(of type: Elements.Type) -> Any.Type {
    Property<Elements.Element>.self
  }

  /// Whether the values are bytes without references.
  private static func isPlain<Value>(_ type: Value.Type) -> Bool { _isPOD(type) }

  /// Tells the type in an optional.
  fileprivate protocol Wrapping { static var property: Any.Type { get } }

  fileprivate static func property<Value>(in type: Value.Type) -> Any.Type { Property<Value>.self }
}

extension Optional: HolderTypes.Wrapping {
  static var property: Any.Type { HolderTypes.property(in: Wrapped.self) }
}
