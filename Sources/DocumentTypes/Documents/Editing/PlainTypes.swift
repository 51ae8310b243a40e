import FilePackages
import FoundationEssentials

/// The types whose values hold no `FileWrapper`, learned with `Mirror` from one value of each type.
///
/// `Mirror` gives each property of a structure with its declared type. Three kinds of types are never plain:
///
/// - An enumeration with associated values. Another value may have another case.
/// - A protocol. Its values may be of any type.
/// - A structure that makes its mirror by itself. The mirror may leave out properties.
///
/// Cost: one look for each type, and a lookup for each later value. A value whose collections are empty may not tell;
/// then the next value of its type costs a look, too.
package struct PlainTypes: Sendable {
  /// True for plain types. Three of these types have protocols within, and the rest make their mirrors by themselves.
  private var known: [ObjectIdentifier: Bool] = [
    ObjectIdentifier(Locale.self): true, ObjectIdentifier(Calendar.self): true,
    ObjectIdentifier(TimeZone.self): true, ObjectIdentifier(Data.self): true,
    ObjectIdentifier(URL.self): true, ObjectIdentifier(String.self): true,
    ObjectIdentifier(Substring.self): true, ObjectIdentifier(Character.self): true,
  ]

  package init() {}

  /// Whether no value of this value's type holds a `FileWrapper`; false as long as the values do not tell.
  package mutating func contains(typeOf value: Any) -> Bool {
    let type = ObjectIdentifier(type(of: value))
    if let answer = known[type] { return answer }
    var visited: Set<ObjectIdentifier> = []
    switch isPlain(Swift.type(of: value), value, &visited) {
    case true?:
      for type in visited { known[type] = true }
      return true
    case false?: known[type] = false
    case nil: break
    }
    return false
  }

  /// Whether a type is plain; nil if the value does not tell, or if there is none.
  private func isPlain(
    _ type: Any.Type, _ value: Any?, _ visited: inout Set<ObjectIdentifier>
  ) -> Bool? {
    if let answer = known[ObjectIdentifier(type)] { return answer }
    if type is AnyClass { return !(type is FileWrapper.Type) }
    // A type that holds itself holds what its other properties hold.
    if !visited.insert(ObjectIdentifier(type)).inserted { return true }
    if _openExistential(type, do: isTrivial) { return true }
    // The declared type of a value is another one only if it is a protocol.
    if let value, Swift.type(of: value) != type { return false }
    if let type = type as? any Container.Type {
      let first = value.flatMap { ($0 as? any Container)?.first } ?? []
      return areAllPlain(
        type.contents.enumerated().map { ($1, first.isEmpty ? nil : first[$0]) }, &visited)
    }
    guard let value else { return nil }
    let mirror = Mirror(reflecting: value)
    switch mirror.displayStyle {
    case _ where value is any CustomReflectable: return false
    case .struct, .tuple:
      return areAllPlain(
        mirror.children.map { (_openExistential($0.value, do: declaredType), $0.value) }, &visited)
    // A function or a type.
    case nil: return true
    default: return false
    }
  }

  private func areAllPlain(
    _ parts: [(type: Any.Type, value: Any?)], _ visited: inout Set<ObjectIdentifier>
  ) -> Bool? {
    var answer: Bool? = true
    for part in parts {
      switch isPlain(part.type, part.value, &visited) {
      case true?: break
      case false?: return false
      case nil: answer = nil
      }
    }
    return answer
  }
}

/// Whether the values are bytes without references.
private func isTrivial<Value>(_ type: Value.Type) -> Bool { _isPOD(type) }

private func declaredType<Value>(of value: Value) -> Any.Type { Value.self }

/// A value of other values, whose types are known without a value.
private protocol Container {
  static var contents: [Any.Type] { get }
  /// A value of each of those types; empty if there is none.
  var first: [Any] { get }
}

extension Optional: Container {
  fileprivate static var contents: [Any.Type] { [Wrapped.self] }
  fileprivate var first: [Any] { map { [$0] } ?? [] }
}

extension Array: Container {
  fileprivate static var contents: [Any.Type] { [Element.self] }
  fileprivate var first: [Any] { prefix(1).map { $0 } }
}

extension Set: Container {
  fileprivate static var contents: [Any.Type] { [Element.self] }
  fileprivate var first: [Any] { prefix(1).map { $0 } }
}

extension Dictionary: Container {
  fileprivate static var contents: [Any.Type] { [Key.self, Value.self] }
  fileprivate var first: [Any] { prefix(1).flatMap { [$0.key, $0.value] } }
}
