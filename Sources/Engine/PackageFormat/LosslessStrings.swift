import DurableIO

/// Returns a C string as a Swift string that keeps its bytes.
///
/// A byte that is not UTF-8 is one private-use character. Keys and paths of this library spell names in the same way.
package func losslessString(cString: UnsafePointer<CChar>) -> String {
  var bytes: [UInt8] = []
  var position = cString
  while position.pointee != 0 {
    bytes.append(UInt8(bitPattern: position.pointee))
    position += 1
  }
  return FileName(bytes: bytes).string
}

/// Returns whether a string is the spelling that `losslessString(cString:)` gives of bytes that are not UTF-8.
package func isLosslessSpelling(_ string: String) -> Bool {
  let name = FileName(string)
  return name.bytes.count != string.utf8.count && name.string == string
}

/// Returns a key or path of this library for people to read.
///
/// Bytes that are not UTF-8, and characters that would act on a terminal, become `\xNN`.
public func displayString(_ string: String) -> String {
  if string.utf8.allSatisfy({ (0x20..<0x7F).contains($0) }) { return string }
  return FileName(string).display
}
