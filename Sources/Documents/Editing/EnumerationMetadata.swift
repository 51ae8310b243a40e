/// Reads the metadata that the compiler emits for an enumeration.
///
/// The layouts are those of Swift's stable ABI (`docs/ABI/TypeMetadata.rst` in Swift's repository). Words are relative
/// addresses of 32 bits, but for the first two.
enum EnumerationMetadata {
  private static let enumerationKind: UInt = 0x201
  private static let recordSize = 12

  /// Returns the types of the associated values; nil if they cannot be told.
  static func payloadTypes(of type: Any.Type) -> [Any.Type]? {
    // The kind, the descriptor, and the generic arguments.
    let metadata = unsafeBitCast(type, to: UnsafePointer<UInt>.self)
    guard metadata[0] == enumerationKind, let descriptor = UnsafeRawPointer(bitPattern: metadata[1]),
      // Flags, parent, name, accessor and the fields.
      let fields = target(descriptor + 16),
      // Two names, the kind, the size of a record, the number of records, and the records.
      fields.load(fromByteOffset: 10, as: UInt16.self) == recordSize
    else { return nil }
    var types: [Any.Type] = []
    for record in 0..<Int(fields.load(fromByteOffset: 12, as: UInt32.self)) {
      // Flags, the name of the type, and the name of the case. A case without a value has no type.
      guard let name = target(fields + 16 + record * recordSize + 4) else { continue }
      let type = _getTypeByMangledNameInContext(
        name.assumingMemoryBound(to: UInt8.self), length(of: name), genericContext: descriptor,
        genericArguments: UnsafeRawPointer(metadata + 2))
      guard let type else { return nil }
      types.append(type)
    }
    return types
  }

  private static func target(_ place: UnsafeRawPointer) -> UnsafeRawPointer? {
    let offset = place.load(as: Int32.self)
    return offset == 0 ? nil : place + Int(offset)
  }

  /// The length of a mangled name: a control character begins a reference of four bytes, or of eight from 0x18 on.
  private static func length(of name: UnsafeRawPointer) -> UInt {
    var length = 0
    while case let byte = name.load(fromByteOffset: length, as: UInt8.self), byte != 0 {
      length += byte < 0x18 ? 5 : byte < 0x20 ? 9 : 1
    }
    return UInt(length)
  }
}
