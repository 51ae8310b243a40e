import FilePackages
import FoundationEssentials
import TestSupport
import UniformTypes

/// Reads facts about types of files, and property lists.
///
/// The first byte chooses by its remainder by 4: 1 an Info.plist; 2 a property list by two readers; any other a tag and
/// the identifier of a dynamic type.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzTypes(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  guard let start, count > 1 else { return 0 }
  let bytes = Array(UnsafeBufferPointer(start: start + 1, count: count - 1))
  let time = threadTime {
    switch start[0] & 3 {
    case 1: readDeclarations(Data(bytes))
    case 2: readPropertyList(Data(bytes))
    default: readTag(String(decoding: bytes, as: UTF8.self))
    }
  }
  precondition(time < .seconds(4), "\(time) for \(bytes.count) bytes")
  return 0
}

private func readDeclarations(_ data: Data) {
  do throws(UTType.DeclarationError) {
    let (exported, imported) = try UTType.declarations(in: data, path: "Info.plist")
    let registry = TypeRegistry()
    let types = try registry.declare(exported: exported, imported: imported)
    let catalog = registry.catalog
    precondition(types.count == exported.count + imported.count)
    for type in types {
      precondition(!catalog.isCircular(type.key) && !catalog.supertypes(type.key).contains(type), type.key)
      precondition(catalog.type(identifier: type.identifier) == type, type.key)
    }
  } catch {
    precondition(!error.description.isEmpty)
  }
}

/// The reader of our own lists gives what Foundation gives, or nothing.
private func readPropertyList(_ data: Data) {
  guard let values = PropertyListReader.written(data) else {
    _ = PropertyListReader.decoded(data)
    return
  }
  precondition(PropertyListReader.decoded(data) == values, "\(values)")
}

private func readTag(_ text: String) {
  if let dynamic = DynamicType(identifier: text) {
    precondition(dynamic.identifier == text.lowercased(), "two identifiers of one type")
  }
  for tagClass in [UTTagClass.filenameExtension, .mimeType, UTTagClass(rawValue: "org.example.class")] {
    guard let tag = TypeTag(text, tagClass: tagClass) else { continue }
    precondition(TypeTag(tag.value, tagClass: tagClass) == tag, "\(tag) is not canonical")
    guard let dynamic = DynamicType(tag, conformingTo: "public.data") else {
      preconditionFailure("\(tag) has no type")
    }
    precondition(DynamicType(identifier: dynamic.identifier) == dynamic, dynamic.identifier)
  }
}
