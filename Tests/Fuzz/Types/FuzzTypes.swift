import FilePackages
import FoundationEssentials
import TestSupport
import UniformTypes

/// Reads facts about types of files, and property lists.
///
/// The first byte chooses by its remainder by 4: 0 the three files of a MIME database, with a NUL between them; 1 an
/// Info.plist; 2 a property list by two readers; 3 a tag and the identifier of a dynamic type.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzTypes(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  guard let start, count > 1 else { return 0 }
  let bytes = Array(UnsafeBufferPointer(start: start + 1, count: count - 1))
  let time = threadTime {
    switch start[0] & 3 {
    case 0: readDatabase(bytes)
    case 1: readDeclarations(Data(bytes))
    case 2: readPropertyList(Data(bytes))
    default: readTag(String(decoding: bytes, as: UTF8.self))
    }
  }
  precondition(time < .seconds(4), "\(time) for \(bytes.count) bytes")
  return 0
}

private func readDatabase(_ bytes: [UInt8]) {
  let texts = bytes.split(separator: 0, maxSplits: 2, omittingEmptySubsequences: false)
    .map { String(decoding: $0, as: UTF8.self) }
  let types = FreedesktopTypes([
    .init(
      globs: texts[0], subclasses: texts.count > 1 ? texts[1] : "", aliases: texts.count > 2 ? texts[2] : "")
  ])
  for type in types.mimeTypes {
    precondition(types.parents(type).allSatisfy { types.mimeTypes.contains($0) && $0 != type }, type)
    if types.isPackage(type) { precondition(!types.parents(type).isEmpty, type) }
    for name in types.fileExtensions(type) {
      precondition(types.mimeTypes(extensions: [name]).contains(type), "\(name) is not one of \(type)")
    }
    for alias in types.aliases(type) { precondition(types.realName(alias) == type, "\(alias) of \(type)") }
  }
}

private func readDeclarations(_ data: Data) {
  do throws(UTType.DeclarationError) {
    let declarations = try UTType.Declarations(propertyList: data)
    let registry = TypeRegistry(database: FreedesktopDatabase(directories: []))
    let types = try registry.declare(declarations)
    let catalog = registry.catalog
    precondition(types.count == declarations.exported.count + declarations.imported.count)
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
